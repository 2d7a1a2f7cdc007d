"""What many collections said, as tables that travel with the program (`benchmarks/memory.py` makes them), and what they
say beside a run's own taus; its grades rest on its own evidence alone.

atanh(tau) of a collection is normal around the metric's mean in the language group, with a variance between collections
and one of sampling, .437 / (n - 4) for n systems (Fieller, Hartley and Pearson 1957).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import nan
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from clirbench.corpora.languages import BY_CHARACTER
from clirbench.files.tables import read_table
from clirbench.labs.collections.model import Mean, pooled_mean
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed, listed, number
from clirbench.result import Result
from clirbench.text import sha256_of
from clirbench.types import Doubles

DATA = Path(__file__).with_name("data")
PRIMARY = "RBO(p=0.9)"
"""The measure of everything here."""
FEWEST = 5
"""Clusters of collections below which the memory gives no answer."""
ENGLISH, CHARACTERS, OTHERS = "into English", "into Chinese or Japanese", "into other languages"
MOST = 0.995
"""A tau of 1 is taken as this: its atanh is finite."""
WIDER = 1.3
"""Factor of the deviation between collections, for a run is none of them (left-out language pairs wanted it)."""
RANGE = (0.1, 0.9)
"""Quantiles of the memory within which a run's size and spread must lie to be taken together with it."""
HIGHEST = 0.7
"""Beyond this tau of other collections the interval of both together holds too little (.86 of worlds at .83)."""
CAPTION = (
    f"Other collections: WMT 2021 to 2023, {PRIMARY}, BM25, of the run's language group: the median of their tau, the "
    "interval that holds 90 % of collections, and `together`, the run's own tau and theirs with a 95 % interval. They "
    "change no grade."
)


def group_of(pair: str) -> str:
    """The language group of a language pair such as `de-en`: what its metrics' values are compared with."""
    target = pair.split("-")[-1]
    return ENGLISH if target == "en" else CHARACTERS if target in BY_CHARACTER else OTHERS


@dataclass(frozen=True)
class Collected:
    """A collection: its language pair, number of systems, and sha256 of each of its references."""

    name: str
    pair: str
    systems: int
    references: tuple[str, ...]

    @property
    def collection(self) -> str:
        """wmt22/de-en of wmt22/de-en/A-B, where A is searched and B scores, or the other way round."""
        return "/".join(self.name.split("/")[:2])

    @property
    def cluster(self) -> str:
        """What counts as one: both directions and all years of two languages, whose texts and makers are shared."""
        return "-".join(sorted(self.pair.split("-")))


@dataclass(frozen=True)
class Observed:
    """A collection's tau of a metric: `spread`, the standard deviation of the metric over its `systems`."""

    cluster: str
    tau: float
    systems: int
    spread: float


@dataclass(frozen=True)
class Taus:
    """Taus of a metric in collections; `clusters`: how many are independent."""

    observed: tuple[Observed, ...]

    @property
    def clusters(self) -> int:
        return len({one.cluster for one in self.observed})

    @cached_property
    def mean(self) -> Mean:
        """Of atanh(tau)."""
        systems = np.array([one.systems for one in self.observed])
        return pooled_mean(atanh([one.tau for one in self.observed]), sampling(systems))

    def another(self, systems: int, level: float = 0.9) -> tuple[float, float, float]:
        """(low, median, high) of the tau of another collection; Student's t of the clusters."""
        return self._around(self.mean.value, self.mean.tau2 + self.mean.error**2 + float(sampling(systems)), level)

    def together(self, tau: float, systems: int, level: float = 0.95) -> tuple[float, float, float]:
        """(low, median, high) of a run's tau without sampling error: its own evidence, and that of the others, whose
        deviation is widened by WIDER."""
        own = 1 / float(sampling(systems))
        others = 1 / (WIDER**2 * (self.mean.tau2 + self.mean.error**2))
        middle = (own * float(atanh([tau])[0]) + others * self.mean.value) / (own + others)
        return self._around(middle, 1 / (own + others), level)

    def _around(self, middle: float, variance: float, level: float) -> tuple[float, float, float]:
        reach = float(stdtrit(self.clusters - 1, (1 + level) / 2)) * variance**0.5
        low, median, high = np.tanh([middle - reach, middle, middle + reach]).tolist()
        return low, median, high


def sampling(systems: Doubles | int) -> Doubles:
    """Variance of atanh(tau) of a collection of this number of systems."""
    return np.asarray(0.437 / np.maximum(np.asarray(systems) - 4, 1))


def atanh(taus: Sequence[float]) -> Doubles:
    return np.asarray(np.arctanh(np.clip(taus, -MOST, MOST)))


@dataclass(frozen=True)
class Memory:
    """`collections` by name; `taus[metric]`: each collection's tau with PRIMARY."""

    collections: Mapping[str, Collected]
    taus: Mapping[str, Mapping[str, Observed]]

    def sharing(self, texts: Iterable[Sequence[str]]) -> frozenset[str]:
        """Collections, by name, that have one of these references (lines); of two that search one text in turn both."""
        digests = {digest_of(lines) for lines in texts}
        found = {one.collection for one in self.collections.values() if digests & set(one.references)}
        return frozenset(name for name, one in self.collections.items() if one.collection in found)

    def of_group(self, names: Iterable[str], group: str, without: frozenset[str] = frozenset()) -> list[str]:
        """Those of these collections, by name, that are of a language group, `without` some."""
        return [name for name in names if name not in without and group_of(self.collections[name].pair) == group]

    def number(self, names: Iterable[str]) -> int:
        """How many collections these are."""
        return len({self.collections[name].collection for name in names})


def digest_of(lines: Iterable[str]) -> str:
    """sha256 of the lines with a newline between them; they are taken one by one, for they may be millions."""
    pieces = (f"\n{line}" if number else line for number, line in enumerate(lines))
    return sha256_of(piece.encode("utf-8", "replace") for piece in pieces)


@cache
def memory() -> Memory:
    """The memory that travels with the program: collections.tsv and taus.tsv."""
    held = {
        row["collection"]: Collected(
            row["collection"], row["pair"], int(row["systems"]), tuple(row["references"].split())
        )
        for row in read_table(DATA / "collections.tsv").records()
    }
    taus: dict[str, dict[str, Observed]] = {}
    for row in read_table(DATA / "taus.tsv").records():
        name = row["collection"]
        one = Observed(held[name].cluster, float(row["tau"]), int(row["systems"]), float(row["spread"]))
        taus.setdefault(row["metric"], {})[name] = one
    return Memory(held, taus)


@dataclass(frozen=True)
class Remembered:
    """A metric's `tau` between the run's `groups`; `others`, the median of `collections`, with the interval that holds
    90 % of them; `together` with its 95 % interval; `note`: why there is no `together`."""

    metric: str
    tau: float
    groups: int
    others: float
    others_low: float
    others_high: float
    collections: int
    together: float = nan
    together_low: float = nan
    together_high: float = nan
    note: str = ""


@dataclass(frozen=True)
class MemoryAnalysis:
    """What do other collections say? Table `memory`: it joins every run (conf/joining.yaml), and with
    `analysis=[memory]` it also says why it cannot compare a run.

    `unasked`: the run did not ask for it, so a run that cannot be compared has no table, and the terminal shows none.
    """

    unasked: bool = False

    def tables(self, result: Result) -> Sequence[Table]:
        languages, kept, why = result.experiment.languages, memory(), _not_comparable(result)
        group = ENGLISH if languages is None else group_of(languages.target)
        left_out = kept.sharing(result.inputs.corpus.test.references) if result.inputs else frozenset()
        rows = [] if why else list(_rows(kept, group, left_out, result))
        if not rows and self.unasked:
            return ()
        text = [CAPTION] if rows else [why or f"The memory has no metric of this run {group}."]
        if rows and left_out:
            text.append(f"Left out, because they share a reference with this run: {listed(sorted(left_out))}.")
        table = Table.of("memory", "What do other collections say?", Remembered, rows, text)
        return (replace(table, aside=self.unasked),)


def _not_comparable(result: Result) -> str:
    measure = next((column for column in result.board.measures if column.name == PRIMARY), None)
    if measure is None:
        return f"The memory has {PRIMARY} alone, which this run has not."
    if measure.declared.get("judged_by") != "pseudo-relevance" or measure.declared.get("lexical_model") != "BM25":
        return f"The memory has {PRIMARY} of BM25 against the reference side's own ranking, and this run has another."
    return ""


def _rows(kept: Memory, group: str, left_out: frozenset[str], result: Result) -> Iterator[Remembered]:
    own = {row.metric: row for row in result.correlations if (row.measure, row.coefficient) == (PRIMARY, "kendall")}
    for metric in result.board.metrics:
        every = kept.taus.get(metric.name, {})
        names = kept.of_group(every, group, left_out)
        taus, row = Taus(tuple(every[name] for name in names)), own.get(metric.name)
        if row is None or np.isnan(row.value) or taus.clusters < FEWEST:
            continue
        low, middle, high = taus.another(row.groups)
        note = _outside(taus, row.groups, float(np.std(metric.values, ddof=1)))
        found = (nan, nan, nan) if note else taus.together(row.value, row.groups)
        yield Remembered(
            metric.name, row.value, row.groups, middle, low, high, kept.number(names), found[1], found[0], found[2],
            note,
        )  # fmt: skip


def _outside(taus: Taus, groups: int, spread: float) -> str:
    """Why a run is not like the memory's collections."""
    if abs(np.tanh(taus.mean.value)) > HIGHEST:
        return f"their tau is beyond {number(HIGHEST)}, where the interval of both is too narrow"
    # Numbers of systems that were seen: between two of them, the end would be printed as one that it leaves out.
    sizes: Doubles = np.quantile([one.systems for one in taus.observed], RANGE, method="inverted_cdf")
    spreads: Doubles = np.quantile([one.spread for one in taus.observed], RANGE)
    if not sizes[0] <= groups <= sizes[1]:
        return f"{groups} systems; the memory's collections have {fixed(sizes[0])} to {fixed(sizes[1])}"
    if not spreads[0] <= spread <= spreads[1]:
        low, high = (number(one, 2) for one in spreads)
        return f"its values have a standard deviation of {number(spread, 2)}; the memory's, {low} to {high}"
    return ""
