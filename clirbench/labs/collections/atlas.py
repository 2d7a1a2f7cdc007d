"""The planned study over many collections: contrasts with an equivalence margin, their robustness, and the page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isnan, nan
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from clirbench.errors import InputError
from clirbench.labs.collections.atlas_range import RangeOfTau, ranges
from clirbench.labs.collections.bias import JudgmentBias
from clirbench.labs.collections.pooling import collection_of
from clirbench.labs.collections.statistics.clusters import joined
from clirbench.labs.collections.statistics.dependence import dependent_mean, maker_of
from clirbench.labs.collections.statistics.pooling import PooledEntry, contrast, estimates_of
from clirbench.labs.collections.statistics.random_effects import pooled_mean
from clirbench.labs.collections.statistics.settings import Collection, Setting, strata
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.p_values import holm
from clirbench.text import TextFile, sha256_of

DIFFERENT, EQUIVALENT, UNDECIDED = "different", "equivalent", "undecided"
PRIMARY, SAME, CROSSED, HALF = "primary", "same reference", "crossed references", "better half"
COST = "same less crossed"
ALPHA = 0.05
EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class PlannedContrast:
    """A metric's mean tau with the measure, or (`other`) how much higher it is than another's, in one view of the data.

    `ci_low`, `ci_high`: of the mean over collections, the wider of two intervals with what makers add; `p_holm`: over
    the contrasts of one family; `verdict`: different, equivalent or undecided, nothing for a tau; `needed`: the number
    of collections that would settle it; `texts`: groups of shared texts; `interval`: which of two is the wider;
    `makers`: the share of the squared error that common makers add; `sd_between` collections.
    """

    view: str
    metric: str
    other: str
    value: float
    ci_low: float
    ci_high: float
    p_value: float
    p_holm: float
    verdict: str
    needed: str
    collections: int
    systems: int
    texts: int
    interval: str
    makers: float
    sd_between: float


@dataclass(frozen=True)
class Included:
    """A collection of the study: its systems, near-copies once, its number of references and its language group."""

    collection: str
    group: str
    references: int
    systems: int
    near_copies: int


@dataclass(frozen=True)
class StudyPlan:
    """The plan as it was written down, and the sha256 of its file."""

    settings: Mapping[str, Any]
    sha256: str

    @classmethod
    def read(cls, path: Path) -> "StudyPlan":
        """Raises `InputError` where the file is missing or is no mapping."""
        import yaml

        if not path.is_file():
            raise InputError(
                f"{path}: the plan of the study is missing; run this in a checkout, or name it: pool.plan=FILE"
            )
        text = "\n".join(TextFile(path).lines()) + "\n"
        settings = yaml.safe_load(text)
        if not isinstance(settings, dict):
            raise InputError(f"{path}: is no plan of a study: a mapping was expected")
        return cls(settings, sha256_of([text.encode()]))

    @property
    def primary(self) -> list[tuple[str, str]]:
        return [(str(a), str(b)) for a, b in self.settings["contrasts"]["primary"]]

    @property
    def secondary(self) -> list[tuple[str, str]]:
        return [(str(a), str(b)) for a, b in self.settings["contrasts"]["secondary"]]

    @property
    def floor(self) -> list[str]:
        return [str(name) for name in self.settings["contrasts"]["floor"]]

    @property
    def margin(self) -> float:
        return float(self.settings["margin"])

    @property
    def level(self) -> float:
        return float(self.settings["level"])

    def group_of(self, part: str) -> str:
        """The group of the target language of YEAR/PAIR."""
        target = part.split("/")[1].rpartition("-")[2]
        found = [name for name, codes in self.settings["groups"].items() if target in codes]
        return str(found[0]) if found else "other"


@dataclass(frozen=True)
class Study:
    """Everything that the plan asked for; `failed`: why collections that were to take part have no results.

    `bias`: of pseudo-relevance, measured elsewhere with known items; `ranges`: tau in the better half.
    """

    plan: StudyPlan
    rows: tuple[PlannedContrast, ...]
    included: tuple[Included, ...]
    failed: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    bias: tuple[JudgmentBias, ...] = ()
    ranges: tuple[RangeOfTau, ...] = ()


def study(folders: Sequence[Path], plan: StudyPlan, failed: Mapping[str, str] = EMPTY) -> Study:
    """The plan's contrasts over the runs of a sweep; raises `InputError` for runs that are of no collection."""
    measure = str(plan.settings["measure"])
    collections = [_of_measure(collection_of(folder), measure) for folder in folders]
    if lost := [c.name for c in collections if not c.board.measures or "/" not in c.name]:
        raise InputError(f"{', '.join(lost)}: no run of a collection YEAR/PAIR with the measure {measure}")
    crossed = [c for c in collections if _condition(c) == CROSSED]
    same = [c for c in collections if _condition(c) == SAME]
    main = [c for c in collections if _condition(c) != SAME]
    rows = list(_view(PRIMARY, main, plan, taus=True))
    rows += [row for view, some in _robustness(main, plan) for row in _view(view, some, plan)]
    rows += [*_view(CROSSED, crossed, plan, taus=True), *_view(SAME, same, plan, taus=True), *_cost(same, crossed)]
    ways = [(_pair(c), c, f) for c, f in zip(collections, folders, strict=True) if _condition(c) != SAME]
    return Study(plan, tuple(rows), tuple(_included(main, plan)), failed, ranges=tuple(ranges(ways, measure)))


def _of_measure(collection: Collection, measure: str) -> Collection:
    board = collection.board
    kept = tuple(c for c in board.columns if c.role == "metric" or c.name == measure)
    return replace(collection, board=replace(board, columns=kept))


def _condition(collection: Collection) -> str:
    """`same reference` and `crossed references` where two exist; nothing where there is one."""
    sides = collection.name.split("/")[2:]
    if not sides:
        return ""
    searched, _, scoring = sides[0].partition("-")
    return SAME if searched == scoring else CROSSED


def _pair(collection: Collection) -> str:
    return "/".join(collection.name.split("/")[:2])


def _robustness(main: Sequence[Collection], plan: StudyPlan) -> Iterator[tuple[str, list[Collection]]]:
    for year in sorted({_pair(c).split("/")[0] for c in main}):
        yield f"without {year}", [c for c in main if not c.name.startswith(f"{year}/")]
    for group in dict.fromkeys(sorted(plan.group_of(c.name) for c in main)):
        yield f"without {group}", [c for c in main if plan.group_of(c.name) != group]
    yield HALF, [half for c in main if (half := better_half(c)) is not None]


def better_half(collection: Collection, by: str = "chrF1") -> Collection | None:
    """The systems whose score by a metric is at least the median; None for fewer than 8 systems."""
    values = next(column.oriented for column in collection.board.metrics if column.name == by)
    if len(values) < 8:
        return None
    keep = values >= np.median(values)
    board = Evidence(collection.board).only(keep).board
    return replace(collection, board=board, units=collection.units.only(np.flatnonzero(keep)))


def _view(
    view: str, collections: Sequence[Collection], plan: StudyPlan, *, taus: bool = False
) -> Iterator[PlannedContrast]:
    found, _ = strata(collections)
    settings = [setting for own in found.values() for setting in own]
    for family in (plan.primary, plan.secondary):
        rows = [row for pair in family if (row := _contrast(view, settings, *pair, plan.level))]
        adjusted = holm([row.p_value for row in rows])
        for row, p in zip(rows, adjusted, strict=True):
            yield judged(replace(row, p_holm=p), plan.margin)
    names = dict.fromkeys(name for setting in settings for name in setting.metrics) if taus else ()
    yield from (row for name in names if (row := _contrast(view, settings, name, "", plan.level)))


def _contrast(view: str, settings: Sequence[Setting], metric: str, other: str, level: float) -> PlannedContrast | None:
    entries = estimates_of(settings, metric, other)
    if len(entries) < 2:
        return None
    y = np.array([entry.value for entry in entries])
    v = np.maximum([entry.variance for entry in entries], 1e-12)
    makers = [_makers(entry, float(noise), metric, other) for entry, noise in zip(entries, v, strict=True)]
    found = dependent_mean(y, v, joined(list(_sharing(entries)), len(entries)), makers, level)
    return PlannedContrast(
        view, metric, other, found.mean, found.low, found.high, found.p_value, nan, "", "", len(entries),
        sum(entry.systems for entry in entries), found.clusters, found.kind, found.maker_share,
        float(np.sqrt(found.tau2)),
    )  # fmt: skip


def _sharing(entries: Sequence[PooledEntry]) -> Iterator[list[int]]:
    """Entries that have a source, a reference or a searched text in common."""
    held = [
        frozenset().union(*(s.collection.texts | {s.collection.source} for s in entry.settings)) - {""}
        for entry in entries
    ]
    for text in dict.fromkeys(text for own in held for text in sorted(own)):
        yield [i for i, own in enumerate(held) if text in own]


def _makers(entry: PooledEntry, variance: float, metric: str, other: str) -> dict[str, float]:
    """What each maker's systems do to a collection's estimate; the squares of all systems add up to its variance."""
    systems: dict[str, float] = {}
    for setting in entry.settings:
        influence = contrast(setting.influence, setting, metric, other) / len(entry.settings)
        for label, value in zip(setting.labels, influence.tolist(), strict=True):
            systems[label] = systems.get(label, 0.0) + value
    size = sum(value**2 for value in systems.values())
    scale = (variance / size) ** 0.5 if size > 0 else 0.0
    makers: dict[str, float] = {}
    for label, value in systems.items():
        maker = maker_of(label.removeprefix("system "))
        makers[maker] = makers.get(maker, 0.0) + scale * value
    return makers


def judged(row: PlannedContrast, margin: float) -> PlannedContrast:
    """The row with its verdict and, where that is undecided, the number of collections that would settle it.

    With this number the interval, whose width falls with its root, would exclude 0 or be within the margin, if the
    value stayed.
    """
    if isnan(row.ci_low):
        return replace(row, verdict=UNDECIDED, needed="unknown")
    if row.p_holm < ALPHA:
        return replace(row, verdict=DIFFERENT)
    if -margin <= row.ci_low and row.ci_high <= margin:
        return replace(row, verdict=EQUIVALENT)
    room = max(margin - abs(row.value), abs(row.value))
    needed = ceil(row.collections * ((row.ci_high - row.ci_low) / 2 / room) ** 2)
    return replace(row, verdict=UNDECIDED, needed=str(max(needed, row.collections + 1)))


def _cost(same: Sequence[Collection], crossed: Sequence[Collection]) -> Iterator[PlannedContrast]:
    """How much higher a metric's tau is where search and metrics share the reference; the searched one is the same."""
    pairs = {}
    for one in same:
        searched = one.name.split("/")[2].partition("-")[0]
        other = [c for c in crossed if _pair(c) == _pair(one) and c.name.split("/")[2].startswith(f"{searched}-")]
        if other:
            pairs[_pair(one)] = (one, other[0])
    taus = {name: [_taus(c) for c in both] for name, both in pairs.items()}
    names = dict.fromkeys(metric for first, second in taus.values() for metric in first if metric in second)
    for metric in names:
        own = [(a[metric] - b[metric]) for a, b in taus.values() if metric in a and metric in b]
        if len(own) > 2 and any(own):  # no metric without a reference
            found = pooled_mean(np.array(own), np.full(len(own), 1e-12))
            yield PlannedContrast(
                COST, metric, "", found.mean, found.low, found.high, found.p_value, nan, "", "", len(own),
                0, len(own), "collections", 0.0, float(np.sqrt(found.tau2)),
            )  # fmt: skip


def _taus(collection: Collection) -> dict[str, float]:
    found, _ = strata([collection])
    return {
        name: float(tau)
        for own in found.values()
        for setting in own
        for name, tau in zip(setting.metrics, setting.tau, strict=True)
    }


def _included(main: Sequence[Collection], plan: StudyPlan) -> Iterator[Included]:
    for name in dict.fromkeys(map(_pair, main)):
        own = [c for c in main if _pair(c) == name]
        systems = len(own[0].board.systems)
        yield Included(name, plan.group_of(name), len(own), systems, systems - own[0].units.number)
