"""What many collections said, as tables that travel with the program (made by `benchmarks/memory.py`): `ask`, whether a
metric's difference is one in search, and `MemoryAnalysis`, their taus beside a run's own: as they were seen, for two
models that predicted tau from the spread of quality failed on collections that were left out.

Two systems of collection c differ by d points of the metric, d > 0. The difference of their true retrieval quality is
normal with mean b d and standard deviation b a: b is the collection's slope (measure a point), a its *scale*, the
points at which the better score is right in Phi(1) = 84 % of pairs. What is seen has the error of the topics as well:

    seen difference ~ N(b d, (b a)^2 + error^2)

log a differs between collections, normally around `centre` with deviation `spread`. A collection tells of a only its
likelihood at the scales of `SCALES`, where its slope is the best for each (a nuisance). Pairs of one collection are not
independent: each counts 2 / systems, so a collection of n systems counts as n - 1 pairs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from clirbench.api.scoring import metric_by_name, score
from clirbench.checks import number
from clirbench.configuration.languages import tokeniser_of
from clirbench.corpora.layout import BY_CHARACTER, language_of, language_pair, sample_of
from clirbench.errors import AlignmentError, ConfigError
from clirbench.files.tables import read_table
from clirbench.native.special import ndtr
from clirbench.pages import Table, fixed, listed, short
from clirbench.result import Result
from clirbench.text import TextFile, TextLines, sha256_of
from clirbench.types import Doubles

DATA = Path(__file__).with_name("data")
PRIMARY = "RBO(p=0.9)"
"""The measure of everything here."""
FEWEST = 5
"""Clusters of collections below which the memory gives no answer."""
ENGLISH, CHARACTERS, OTHERS = "into English", "into Chinese or Japanese", "into other languages"
BANDS = ("lower", "upper")
"""Pairs of systems by the metric's mean of the two: below or above the median of their metric and language group."""
NEAR = 0.05
"""A place is calibrated where predicted and seen shares of left-out pairs differ by no more."""
CAPTION = (
    f"Other collections: WMT 2021 to 2024, {PRIMARY}, BM25, of the run's language group: the median of their taus, and "
    "the middle 90 % of them, as they were seen. They change no grade. We cannot predict tau."
)


def group_of(pair: str) -> str:
    """The language group of a language pair such as `de-en`: what its metrics' values are compared with."""
    target = pair.split("-")[-1]
    return ENGLISH if target == "en" else CHARACTERS if target in BY_CHARACTER else OTHERS


Row = TypeVar("Row")


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
    """A collection's tau of a metric; `cluster`: which collections are kept together."""

    cluster: str
    tau: float


@dataclass(frozen=True, eq=False)
class Told:
    """What one collection tells of a metric's differences: `profile` over SCALES (0 at its best), its `slope`;
    `cluster`, as above; `error`: the median standard error of its differences of one topic."""

    cluster: str
    profile: Doubles
    slope: float
    error: float


@dataclass(frozen=True)
class Place:
    """A metric in a language group and band: its `signature`s; `level`, where the two bands meet; what its pairs have:
    levels between `lowest` and `highest` (but for 2.5 % at the outer end), gaps up to `widest` (95 %), texts of
    `shortest` to `longest` lines; and of pairs that were left out the share `predicted` and `seen` to be better."""

    metric: str
    group: str
    band: str
    signature: tuple[str, ...]
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
class Memory:
    """`collections` by name; `taus[metric]`: each one's tau with PRIMARY; `told[metric, band]`: what each one told of a
    difference; `places` by (metric, group, band)."""

    collections: Mapping[str, Collected]
    taus: Mapping[str, Mapping[str, Observed]]
    told: Mapping[tuple[str, str], Mapping[str, Told]]
    places: Mapping[tuple[str, str, str], Place]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for metric, _, _ in self.places))

    def sharing(self, texts: Iterable[Sequence[str]]) -> frozenset[str]:
        """Collections, by name, that have one of these references (lines); of two that search one text in turn both."""
        digests = {digest_of(lines) for lines in texts}
        found = {one.collection for one in self.collections.values() if digests & set(one.references)}
        return frozenset(name for name, one in self.collections.items() if one.collection in found)

    def of_group(self, kept: Mapping[str, Row], group: str, without: frozenset[str] = frozenset()) -> dict[str, Row]:
        """Those of these collections, by name, that are of a language group, `without` some."""
        pairs = {name: self.collections[name].pair for name in kept if name not in without}
        return {name: kept[name] for name, pair in pairs.items() if group_of(pair) == group}

    def number(self, names: Iterable[str]) -> int:
        """How many collections these are."""
        return len({self.collections[name].collection for name in names})

    def everything(self, metric: str, without: frozenset[str] = frozenset()) -> list[Told]:
        """What all collections told of a metric, in both bands."""
        parts = (self.told.get((metric, band), {}) for band in BANDS)
        return [one for part in parts for name, one in part.items() if name not in without]


def digest_of(lines: Iterable[str]) -> str:
    """sha256 of the lines with a newline between them; they are taken one by one, for they may be millions."""
    pieces = (f"\n{line}" if number else line for number, line in enumerate(lines))
    return sha256_of(piece.encode("utf-8", "replace") for piece in pieces)


CELLS: Mapping[Any, Callable[[str], Any]] = {
    float: lambda cell: float(cell or "nan"),
    tuple[str, ...]: lambda cell: tuple(cell.split()),
    Doubles: lambda cell: np.array(cell.split(), dtype=np.float64),
}


def row_of(kind: type[Row], cells: Mapping[str, str], **further: Any) -> Row:
    """The row (a dataclass) that a table's cells were written from, `further` fields beside them; an empty number is
    NaN."""
    types = {one.name: one.type for one in fields(kind) if one.name in cells}  # type: ignore[arg-type]
    return kind(**further, **{name: CELLS.get(of, of)(cells[name]) for name, of in types.items()})  # type: ignore[operator]


@cache
def memory() -> Memory:
    """The memory that travels with the program: collections.tsv, taus.tsv, scales.tsv and places.tsv."""
    rows = {name: [*read_table(DATA / f"{name}.tsv").records()] for name in ("collections", "taus", "scales", "places")}
    held = {row["collection"]: row_of(Collected, row, name=row["collection"]) for row in rows["collections"]}
    taus: dict[str, dict[str, Observed]] = {}
    told: dict[tuple[str, str], dict[str, Told]] = {}
    for row in rows["taus"]:
        one = row_of(Observed, row, cluster=held[row["collection"]].cluster)
        taus.setdefault(row["metric"], {})[row["collection"]] = one
    for row in rows["scales"]:
        tells = row_of(Told, row, cluster=held[row["collection"]].cluster)
        told.setdefault((row["metric"], row["band"]), {})[row["collection"]] = tells
    places = [row_of(Place, row) for row in rows["places"]]
    return Memory(held, taus, told, {(one.metric, one.group, one.band): one for one in places})


def clusters(of: Iterable[Observed | Told]) -> int:
    """How many of these are independent."""
    return len({one.cluster for one in of})


@dataclass(frozen=True)
class Remembered:
    """A metric's `tau` between the run's `groups`; `others`: the median of `collections`; the middle 90 % of them."""

    metric: str
    tau: float
    groups: int
    others: float
    others_low: float
    others_high: float
    collections: int


@dataclass(frozen=True)
class MemoryAnalysis:
    """What do other collections say? Table `memory`, which joins every run that can be compared (conf/joining.yaml)."""

    def tables(self, result: Result) -> Sequence[Table]:
        declared = next((column.declared for column in result.board.measures if column.name == PRIMARY), {})
        if (declared.get("judged_by"), declared.get("lexical_model")) != ("pseudo-relevance", "BM25"):
            return ()
        languages, kept = result.experiment.languages, memory()
        group = ENGLISH if languages is None else group_of(languages.target)
        left_out = kept.sharing(result.inputs.corpus.test.references) if result.inputs else frozenset()
        rows, text = list(_rows(kept, group, left_out, result)), [CAPTION]
        if left_out:
            text.append(f"Left out, because they share a reference with this run: {listed(sorted(left_out))}.")
        table = Table.of("memory", "What do other collections say?", Remembered, rows, text, aside=True)
        return (table,) if rows else ()


def _rows(kept: Memory, group: str, left_out: frozenset[str], result: Result) -> Iterator[Remembered]:
    own = {row.metric: row for row in result.correlations if (row.measure, row.coefficient) == (PRIMARY, "kendall")}
    for metric in result.board.metrics:
        observed, row = kept.of_group(kept.taus.get(metric.name, {}), group, left_out), own.get(metric.name)
        taus = tuple(observed.values())
        if row is not None and not np.isnan(row.value) and clusters(taus) >= FEWEST:
            low, median, high = np.quantile([one.tau for one in taus], [0.05, 0.5, 0.95]).tolist()
            yield Remembered(metric.name, row.value, row.groups, median, low, high, kept.number(observed))


SCALES: Doubles = 0.05 * np.exp(0.37 * np.arange(18))
"""Points of a metric in [0, 100]: .05 to 27."""
CENTRES: Doubles = np.log(SCALES[0]) + 0.37 * np.linspace(0, len(SCALES) - 1, 52)
SPREADS: Doubles = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.25, 1.5])


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

    def interval(self, gap: float, noise: float = 0.0, level: float = CREDIBLE) -> tuple[float, float]:
        """Where P(better | gap) of the average collection lies (of most made worlds in .95 and more)."""
        values, ends = _right(np.float64(gap), noise) @ WEIGHTS.T, [(1 - level) / 2, (1 + level) / 2]
        low, high = np.quantile(values, ends, weights=self.posterior, method="inverted_cdf").tolist()
        return low, high


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


SIZE = r"(?:\d+(?:\.\d+)?|\.\d+)"
NUMBER = rf"[+-]?{SIZE}"
QUESTION = re.compile(
    rf"\s*(?P<metric>\S+)\s+(?:(?P<first>{NUMBER})\s*(?:->|→)\s*(?P<second>{NUMBER})|(?P<gap>[+-]{SIZE}))\s*"
)
PEOPLE = {"bleu": (88.33333333333225, 0.9663926931178954), "chrf2": (92.999999999972, 1.1142732157139852)}
"""(a, b) of MT-Thresholds (Kocmi, Zouhar, Federmann and Post 2024, Navigating the Metrics Maze): people find the same
system better in a / (1 + exp(-b d)) % of pairs that differ by d points; its tool starts at 50 %."""
TOPICS, MANY = 500, 5000
"""Topics of a search unless told, and beyond which no number of them is given."""
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
    """P(a search with `searched` topics finds the second system better), `probability`, where the quality band is
    known; from `lowest` to `highest` over the bands that it may be in. 95 % interval: `low` to `high`. `collections`:
    how many are comparable; `left_out`: those that share the reference. `topics`: how many would show the expected
    difference 4 times in 5; None where they are too many. `why`: the reason where nothing is comparable; the numbers
    are then None."""

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
    searched: int = TOPICS

    @property
    def probability(self) -> float | None:
        return self.lowest if self.lowest == self.highest else None

    @property
    def people(self) -> str:
        """How often people who read translations agree with a difference of this size; empty where it is not known."""
        most, rate = PEOPLE.get(self.question.metric.lower(), (0.0, 0.0))
        agree = round(most / (1 + np.exp(-rate * abs(self.question.gap))))
        said = f"People who read translations side with {self.question.metric} in {agree} % of such pairs"
        return f" {said} (MT-Thresholds)." if agree >= 50 else ""

    def __str__(self) -> str:
        if self.lowest is None or self.highest is None or self.low is None or self.high is None:
            return f"{self.question}: no comparable collections: {self.why}{self.people}"
        first, last = _percent(self.lowest), _percent(self.highest)
        said = first if first == last else f"{first} to {last}"
        less = f"; {self.left_out} with this reference left out" if self.left_out else ""
        band = "" if self.question.level is not None else "; quality not known"
        much = "more topics than people write" if self.topics is None else f"about {self.topics} topics"
        return (
            f"{self.question}: better retrieval: {said} % [{_percent(self.low)}, {_percent(self.high)}] "
            f"({self.collections} comparable collections, BM25, {self.searched} topics{band}{less}). "
            f"To settle it: search with both systems; {much}.{self.people}"
        )


def ask(
    first: "str | Path | Sequence[str]",
    second: "Path | Sequence[str] | None" = None,
    *,
    pair: str = "",
    reference: "Path | Sequence[str] | None" = None,
    topics: int = TOPICS,
) -> "Expectation | tuple[Expectation, ...]":
    """How probably a search finds the second of two MT systems better than the first, before anything is searched.

    `first`: a question such as "chrF2 54.1 -> 55.3" or "chrF2 +1.2"; or the lines (or the Path) of a system, with
    `second` those of the other and `reference`: then one outlook for each metric that the memory has. `pair`: the
    language pair, such as "de-en", which long references tell; `topics`: of the search, whose noise is in the answer.
    Raises `ConfigError` for a question that is none.

    >>> import clirbench as cb
    >>> str(cb.ask("TER 50 -> 49", pair="de-en"))
    'TER 50.00 -> 49.00: no comparable collections: the memory has BLEU, chrF1, chrF2, MacroF1.'
    """
    number("topics", topics, least=1)
    lines = () if reference is None else _lines(reference)
    told = "" if pair else language_of(sample_of(TextLines(lines)))
    codes = ("", told) if told else language_pair("pair", pair)
    pair, kept = "-".join(filter(None, codes)), memory()
    if isinstance(first, str) and second is None and reference is None:
        return outlook(kept, question_of(first), pair, topics=topics)
    if isinstance(first, str) or second is None or reference is None:
        said = "ask: a question alone, or two systems and their reference, as lines or Paths:"
        raise ConfigError(f"{said} ask(A, B, reference=R, ...)")
    a, b = _lines(first), _lines(second)
    if not len(a) == len(b) == len(lines):
        raise AlignmentError(f"ask: {len(a)}, {len(b)} and {len(lines)} lines; systems and reference need equally many")
    known = kept.sharing([lines])
    found = []
    for name in kept.metrics:
        metric = metric_by_name(name)
        if hasattr(metric, "tokenize"):
            metric = replace(metric, tokenize=tokeniser_of(codes[1]))  # type: ignore[type-var]
        values = float(score(a, lines, metric)), float(score(b, lines, metric))
        asked = Question(name, values[1] - values[0], *values, f"nrefs:1|{metric.signature}")
        found.append(outlook(kept, asked, pair, known, len(lines), topics))
    return tuple(found)


def question_of(text: str) -> Question:
    """`METRIC A -> B` or `METRIC +D`; raises `ConfigError` for anything else."""
    found = QUESTION.fullmatch(text)
    if found is None:
        said = f"ask {text!r}:"
        raise ConfigError(f"{said} a metric and two values were expected, such as 'chrF2 54.1 -> 55.3' or 'chrF2 +1.2'")
    metric = "chrF2" if found["metric"].lower() == "chrf" else found["metric"]  # sacreBLEU's name of it
    if found["gap"]:
        return Question(metric, float(found["gap"]))
    first, second = float(found["first"]), float(found["second"])
    return Question(metric, second - first, first, second)


def outlook(
    kept: Memory,
    asked: Question,
    pair: str,
    without: frozenset[str] = frozenset(),
    lines: int | None = None,
    topics: int = TOPICS,
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
    named = [kept.of_group(kept.told.get((metric, place.band), {}), group, without) for place in places]
    parts = [list(part.values()) for part in named]
    if any(clusters(part) < FEWEST for part in parts):
        return Expectation(asked, pair, why=f"fewer than {FEWEST} language pairs {group} are left.")
    of_all = learn(kept.everything(metric, without))
    slope, error = (float(np.median([getattr(one, n) for part in parts for one in part])) for n in ("slope", "error"))
    noise = error / slope / topics**0.5
    chances = [_better(learn(part, of_all), asked.gap, noise) for part in parts]
    needed = float("inf") if asked.gap == 0 else (POWER * error / (slope * asked.gap)) ** 2
    left_out = kept.number(kept.of_group(dict.fromkeys(without, ""), group))
    chance, low, high = np.array(chances).T.tolist()
    return Expectation(
        asked, pair, min(chance), max(chance), min(low), max(high), max(map(kept.number, named)), left_out,
        None if needed > MANY else max(10, 10 * round(needed / 10)), searched=topics,
    )  # fmt: skip


def _better(belief: Belief, gap: float, noise: float) -> tuple[float, float, float]:
    """P(the second is seen to be better) and its interval."""
    size = abs(gap)
    middle, (low, high) = float(belief.probability(np.float64(size), noise)), belief.interval(size, noise)
    return (middle, low, high) if gap >= 0 else (1 - middle, 1 - high, 1 - low)


def _beyond(place: Place, asked: Question, lines: int | None) -> str:
    """Why a question is outside of what the memory has seen; empty if it is not."""
    if not place.calibrated:
        return (
            f"there the memory predicts {_percent(place.predicted)} % and {_percent(place.seen)} % were seen "
            f"({place.metric} {place.group}, {place.band} half)."
        )
    if asked.signature and asked.signature not in place.signature:
        return f"its {place.metric} is {listed(place.signature)}, yours {asked.signature}."
    if asked.level is not None and not place.lowest <= asked.level <= place.highest:
        said = f"systems {place.group} have {place.metric} from {short(place.lowest)} to {short(place.highest)}"
        percent = replace(asked, first=100 * (asked.first or 0), second=100 * (asked.second or 0))
        return said + (f"; of values up to 1, as percent, ask '{percent}'." if asked.level <= 1 else ".")
    if abs(asked.gap) > place.widest:
        return f"the memory's differences of {place.metric} {place.group} go up to {short(place.widest)}."
    if lines is not None and not place.shortest <= lines <= place.longest:
        return f"its test sets have {place.shortest} to {place.longest} lines, yours {lines}."
    return ""


def _lines(given: "str | Path | Sequence[str]") -> tuple[str, ...]:
    return tuple(TextFile(given).lines()) if isinstance(given, Path) else tuple(given)


def _percent(share: float) -> int:
    return round(100 * share)
