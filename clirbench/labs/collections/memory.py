"""What many collections said, as tables that travel with the program (`benchmarks/memory.py` makes them), and what they
say beside a run's own taus; its grades rest on its own evidence alone.

atanh(tau) of a collection is normal around the metric's mean in the language group, with a variance between collections
and one of sampling, .437 / (n - 4) for n systems (Fieller, Hartley and Pearson 1957).

P(truly better retrieval | a difference of an MT metric), learned from pairs of systems of many collections.

Two systems of collection c differ by d points of the metric, d > 0. The difference of their true retrieval quality is
normal with mean b d and standard deviation b a: b is the collection's slope (measure a point), a its *scale*, the
points at which the better score is right in Phi(1) = 84 % of pairs. What is seen has the error of the topics as well:

    seen difference ~ N(b d, (b a)^2 + error^2)

log a differs between collections, normally around `centre` with deviation `spread`. A collection tells of a only its
likelihood at the scales of `SCALES`, where its slope is the best for each (a nuisance). Pairs of one collection are not
independent: each counts 2 / systems, so a collection of n systems counts as n - 1 pairs.

Is a difference of an MT metric a difference in search? What the pairs of systems of many collections say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import nan
from pathlib import Path

import numpy as np
from scipy.special import ndtr, stdtrit

from clirbench.api.scoring import metric_by_name, score
from clirbench.configuration.languages import tokeniser_of
from clirbench.corpora.layout import BY_CHARACTER, language_pair
from clirbench.errors import AlignmentError, ConfigError
from clirbench.files.tables import read_table
from clirbench.labs.collections.model import Mean, pooled_mean
from clirbench.pages import Table, fixed, listed, number, short
from clirbench.result import Result
from clirbench.text import TextFile, sha256_of
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


SCALES: Doubles = 0.05 * np.exp(0.37 * np.arange(18))
"""Points of a metric in [0, 100]: .05 to 27."""
CENTRES: Doubles = np.log(SCALES[0]) + 0.37 * np.linspace(0, len(SCALES) - 1, 52)
SPREADS: Doubles = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.25, 1.5])


@dataclass(frozen=True, eq=False)
class Told:
    """What one collection tells of a metric: `profile` over SCALES (0 at its best), its `slope`; `cluster`, which
    collections are kept together; `error`: the median standard error of its differences of one topic."""

    cluster: str
    profile: Doubles
    slope: float
    error: float


GRID: Doubles = np.array([(centre, spread) for centre in CENTRES for spread in SPREADS])
_RAW: Doubles = np.exp(-0.5 * ((np.log(SCALES) - GRID[:, :1]) / GRID[:, 1:]) ** 2)
WEIGHTS: Doubles = _RAW / _RAW.sum(axis=1, keepdims=True)
"""(GRID, SCALES): how likely a collection's scale is under each (centre, spread)."""
STRATUM = 1.0
"""Deviation of a stratum's centre from the metric's centre over all strata, in log points."""
CREDIBLE = 0.98
"""Of the posterior, for an interval that promises .95: at .95 it held the truth in as few as .85 of made worlds."""


@dataclass(frozen=True, eq=False)
class Belief:
    """The posterior of (centre, spread) over GRID; sums to 1. The spread's prior is half normal with deviation .8."""

    posterior: Doubles

    @property
    def centre(self) -> float:
        """Its mean, in log points."""
        return float(self.posterior @ GRID[:, 0])

    def probability(self, gap: Doubles | np.float64, noise: Doubles | float = 0.0) -> Doubles:
        """P(truly better | gap), in a collection taken at random; with `noise`, the error of topics in points of the
        metric (error / slope), P(seen better | gap)."""
        return np.asarray(_right(gap, noise) @ WEIGHTS.T @ self.posterior)

    def interval(self, gap: float, level: float = CREDIBLE) -> tuple[float, float]:
        """Where P(truly better | gap) of the average collection lies (of most made worlds in .95 and more)."""
        values = _right(np.float64(gap), 0.0) @ WEIGHTS.T
        order = np.argsort(values)
        below = np.cumsum(self.posterior[order])
        low, high = np.searchsorted(below, [(1 - level) / 2, (1 + level) / 2]).clip(0, len(values) - 1)
        return float(values[order][low]), float(values[order][high])


def _right(gap: Doubles | np.float64, noise: Doubles | float) -> Doubles:
    """(..., SCALES)"""
    return np.asarray(ndtr(np.asarray(gap)[..., None] / np.sqrt(SCALES**2 + np.asarray(noise)[..., None] ** 2)))


def learn(collections: Sequence[Told], of_all: Belief | None = None) -> Belief:
    """What collections tell together; `of_all`: what is known of the metric over all strata, to which a stratum of few
    collections is drawn."""
    profiles = np.array([one.profile for one in collections]).reshape(-1, len(SCALES))
    centre, deviation = (0.0, 1.0) if of_all is None else (of_all.centre, STRATUM)
    prior = -0.5 * ((GRID[:, 0] - centre) / deviation) ** 2 - 0.5 * (GRID[:, 1] / 0.8) ** 2
    found = np.log(np.exp(profiles) @ WEIGHTS.T).sum(axis=0) + prior
    raw = np.exp(found - found.max())
    return Belief(raw / raw.sum())


BANDS = ("lower", "upper")
"""Pairs of systems by the metric's mean of the two: below or above the median of their metric and language group."""
NEAR = 0.05
"""A stratum is calibrated where predicted and seen shares of left-out pairs differ by no more."""


@dataclass(frozen=True)
class Place:
    """A metric in a language group and band: its `signatures`; `level`, where the two bands meet; what its pairs have:
    levels between `lowest` and `highest` (but for 2.5 % at the outer end), gaps up to `widest` (95 %), texts of
    `shortest` to `longest` lines; and of pairs that were left out the share `predicted` and `seen` to be better."""

    metric: str
    group: str
    band: str
    signatures: tuple[str, ...]
    level: float
    lowest: float
    highest: float
    widest: float
    shortest: int
    longest: int
    predicted: float
    seen: float

    @property
    def calibrated(self) -> bool:
        return abs(self.predicted - self.seen) <= NEAR


@dataclass(frozen=True)
class Strata:
    """`places` by (metric, group, band); `told[metric, band]` what each collection of the `memory` told of a
    difference."""

    memory: Memory
    places: Mapping[tuple[str, str, str], Place]
    told: Mapping[tuple[str, str], Mapping[str, Told]]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for metric, _, _ in self.places))

    def of_group(self, metric: str, group: str, band: str, without: frozenset[str] = frozenset()) -> dict[str, Told]:
        """What the collections of a language group told, by name, `without` some."""
        kept = self.told.get((metric, band), {})
        return {name: kept[name] for name in self.memory.of_group(kept, group, without)}

    def everything(self, metric: str, without: frozenset[str] = frozenset()) -> list[Told]:
        """What all collections told of a metric, in both bands."""
        parts = (self.told.get((metric, band), {}) for band in BANDS)
        return [one for part in parts for name, one in part.items() if name not in without]


@cache
def strata() -> Strata:
    """Those that travel with the program: places.tsv and scales.tsv."""
    places = {}
    for row in read_table(DATA / "places.tsv").records():
        key = row["metric"], row["group"], row["band"]
        places[key] = Place(
            *key, tuple(row["signature"].split()), level=float(row["level"]), lowest=float(row["lowest"]),
            highest=float(row["highest"]), widest=float(row["widest"]), shortest=int(row["shortest"]),
            longest=int(row["longest"]), predicted=float(row["predicted"]), seen=float(row["seen"]),
        )  # fmt: skip
    told: dict[tuple[str, str], dict[str, Told]] = {}
    for row in read_table(DATA / "scales.tsv").records():
        profile = np.array([float(cell) for cell in row["profile"].split()])
        cluster = memory().collections[row["collection"]].cluster
        one = Told(cluster, profile, float(row["slope"]), float(row["error"]))
        told.setdefault((row["metric"], row["band"]), {})[row["collection"]] = one
    return Strata(memory(), places, told)


NUMBER = r"[+-]?\d+(?:\.\d+)?"
QUESTION = re.compile(
    rf"\s*(?P<metric>\S+)\s+(?:(?P<first>{NUMBER})\s*(?:->|→)\s*(?P<second>{NUMBER})|(?P<gap>[+-]\d+(?:\.\d+)?))\s*"
)
MANY = 5000
"""Topics beyond which no number of them is given."""
POWER = 2.8
"""1.96 + 0.84 standard errors: a difference of this size is found 4 times in 5."""


@dataclass(frozen=True)
class Question:
    """A metric's values of two systems; of a bare difference only the `gap`, second less first, is known.

    `signature`: how the values were computed, where that is known.
    """

    metric: str
    gap: float
    first: float | None = None
    second: float | None = None
    signature: str = ""

    @property
    def level(self) -> float | None:
        return None if self.first is None or self.second is None else (self.first + self.second) / 2

    def __str__(self) -> str:
        if self.first is None or self.second is None:
            return f"{self.metric} {'-' if self.gap < 0 else '+'}{fixed(abs(self.gap), 2)}"
        return f"{self.metric} {fixed(self.first, 2)} -> {fixed(self.second, 2)}"


@dataclass(frozen=True)
class Expectation:
    """P(the second system retrieves better), `probability`, where the quality band is known; from `lowest` to `highest`
    over the bands that it may be in. 95 % interval: `low` to `high`. `collections`: how many are comparable;
    `left_out`: those that share the reference. `topics`: how many would show the expected difference 4 times in 5; None
    where they are too many. `why`: the reason where nothing is comparable; the numbers are then None."""

    question: Question
    pair: str
    lowest: float | None = None
    highest: float | None = None
    low: float | None = None
    high: float | None = None
    collections: int = 0
    left_out: int = 0
    topics: int | None = None
    why: str = ""

    @property
    def probability(self) -> float | None:
        return self.lowest if self.lowest == self.highest else None

    def __str__(self) -> str:
        if self.lowest is None or self.highest is None or self.low is None or self.high is None:
            return f"{self.question}: no comparable collections: {self.why}"
        first, last = _percent(self.lowest), _percent(self.highest)
        said = first if first == last else f"{first} to {last}"
        less = f"; {self.left_out} with this reference left out" if self.left_out else ""
        band = "" if self.question.level is not None else "; quality not known"
        much = "more topics than people write" if self.topics is None else f"about {self.topics} topics"
        return (
            f"{self.question}: better retrieval: {said} % [{_percent(self.low)}, {_percent(self.high)}] "
            f"({self.collections} comparable collections, BM25{band}{less}). "
            f"To settle it: search with both systems; {much}."
        )


def ask(
    first: "str | Path | Sequence[str]",
    second: "Path | Sequence[str] | None" = None,
    *,
    pair: str,
    reference: "Path | Sequence[str] | None" = None,
) -> "Expectation | tuple[Expectation, ...]":
    """How probably the second of two MT systems retrieves better than the first, before anything is searched.

    `first`: a question such as "chrF2 54.1 -> 55.3" or "chrF2 +1.2"; or the lines (or the Path) of a system, with
    `second` those of the other and `reference`: then one outlook for each metric that the memory has. `pair`: the
    language pair, such as "de-en". Raises `ConfigError` for a question that is none.

    >>> import clirbench as cb
    >>> str(cb.ask("TER 50 -> 49", pair="de-en"))
    'TER 50.00 -> 49.00: no comparable collections: the memory has BLEU, chrF1, chrF2, MacroF1.'
    """
    codes = language_pair("pair", pair)
    pair, kept = "-".join(codes), strata()
    if isinstance(first, str) and second is None and reference is None:
        return outlook(kept, question_of(first), pair)
    if isinstance(first, str) or second is None or reference is None:
        raise ConfigError(
            "ask: a question alone, or two systems and their reference, as lines or Paths: ask(A, B, reference=R, ...)"
        )
    a, b, lines = _lines(first), _lines(second), _lines(reference)
    if not len(a) == len(b) == len(lines):
        raise AlignmentError(f"ask: {len(a)}, {len(b)} and {len(lines)} lines; systems and reference need equally many")
    known = kept.memory.sharing([lines])
    found = []
    for name in kept.metrics:
        metric = metric_by_name(name)
        if hasattr(metric, "tokenize"):
            metric = replace(metric, tokenize=tokeniser_of(codes[1]))  # type: ignore[type-var]
        values = float(score(a, lines, metric)), float(score(b, lines, metric))
        asked = Question(name, values[1] - values[0], *values, f"nrefs:1|{metric.signature}")
        found.append(outlook(kept, asked, pair, known, len(lines)))
    return tuple(found)


def question_of(text: str) -> Question:
    """`METRIC A -> B` or `METRIC +D`; raises `ConfigError` for anything else."""
    if (found := QUESTION.fullmatch(text)) and found["gap"]:
        return Question(found["metric"], float(found["gap"]))
    if found:
        first, second = float(found["first"]), float(found["second"])
        return Question(found["metric"], second - first, first, second)
    raise ConfigError(
        f"ask {text!r}: a metric and two values were expected, such as 'chrF2 54.1 -> 55.3' or 'chrF2 +1.2'"
    )


def outlook(
    kept: Strata, asked: Question, pair: str, without: frozenset[str] = frozenset(), lines: int | None = None
) -> Expectation:
    """What the memory says, `without` some collections; `lines`: of the test set, where it is known."""
    names = {name.lower(): name for name in kept.metrics}
    metric = names.get(asked.metric.lower())
    if metric is None:
        return Expectation(asked, pair, why=f"the memory has {', '.join(kept.metrics)}.")
    group = group_of(pair)
    places = [place for band in BANDS if (place := kept.places.get((metric, group, band))) is not None]
    if asked.level is not None:
        places = [place for place in places if place.band == BANDS[int(asked.level >= place.level)]]
    if not places:
        return Expectation(asked, pair, why=f"none of {metric} {group} is in the memory.")
    if why := next(filter(None, (_beyond(place, asked, lines) for place in places)), ""):
        return Expectation(asked, pair, why=why)
    named = [kept.of_group(metric, group, place.band, without) for place in places]
    parts = [list(part.values()) for part in named]
    if any(len({one.cluster for one in part}) < FEWEST for part in parts):
        return Expectation(asked, pair, why=f"fewer than {FEWEST} language pairs {group} are left.")
    of_all = learn(kept.everything(metric, without))
    chances = [_better(learn(part, of_all), asked.gap) for part in parts]
    slope, error = (float(np.median([getattr(one, n) for part in parts for one in part])) for n in ("slope", "error"))
    topics = float("inf") if asked.gap == 0 else (POWER * error / (slope * asked.gap)) ** 2
    left_out = kept.memory.number(kept.memory.of_group(without, group))
    return Expectation(
        asked, pair, min(p for p, _, _ in chances), max(p for p, _, _ in chances), min(low for _, low, _ in chances),
        max(high for _, _, high in chances), max(map(kept.memory.number, named)), left_out,
        None if topics > MANY else max(10, 10 * round(topics / 10)),
    )  # fmt: skip


def _better(belief: Belief, gap: float) -> tuple[float, float, float]:
    """P(the second is truly better) and its interval."""
    size = abs(gap)
    middle, (low, high) = float(belief.probability(np.float64(size))), belief.interval(size)
    return (middle, low, high) if gap >= 0 else (1 - middle, 1 - high, 1 - low)


def _beyond(place: Place, asked: Question, lines: int | None) -> str:
    """Why a question is outside of what the memory has seen; empty if it is not."""
    if not place.calibrated:
        return (
            f"there the memory predicts {_percent(place.predicted)} % and {_percent(place.seen)} % were seen "
            f"({place.metric} {place.group}, {place.band} half)."
        )
    if asked.signature and asked.signature not in place.signatures:
        return f"its {place.metric} is {listed(place.signatures)}, yours {asked.signature}."
    if asked.level is not None and not place.lowest <= asked.level <= place.highest:
        return f"systems {place.group} have {place.metric} from {short(place.lowest)} to {short(place.highest)}."
    if abs(asked.gap) > place.widest:
        return f"the memory's differences of {place.metric} {place.group} go up to {short(place.widest)}."
    if lines is not None and not place.shortest <= lines <= place.longest:
        return f"its test sets have {place.shortest} to {place.longest} lines, yours {lines}."
    return ""


def _lines(given: "str | Path | Sequence[str]") -> tuple[str, ...]:
    return tuple(TextFile(given).lines()) if isinstance(given, Path) else tuple(given)


def _percent(share: float) -> int:
    return round(100 * share)
