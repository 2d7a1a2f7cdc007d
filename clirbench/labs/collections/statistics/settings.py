"""What collections say of metrics, sorted: a stratum holds estimates that may be pooled, a setting is one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from types import MappingProxyType

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.given import real_metrics
from clirbench.statistics.units.influence import estimates
from clirbench.types import Doubles, Ints

FEWEST_UNITS = 4
IMPORTED = "imported"


@dataclass(frozen=True, eq=False)
class Collection:
    """The scores of one collection. `about`: what it shares with others, such as `pair` and `year`.

    `ceilings`: by measure, the tau that a perfect metric would reach in spite of the measure's noise, where known.
    `texts`: sha256 of the documents and the references; `outputs`: of the systems' outputs; none of a table; `source`:
    of the source, which tells that topics and documents are about the same; `judgments`: signatures of what people
    judged, which names topics and documents, in whatever language the collection was.
    `apart`: it counts as independent, whatever it shares.
    """

    name: str
    board: Scoreboard
    units: Units
    about: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    ceilings: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    texts: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    apart: bool = False
    source: str = ""
    judgments: frozenset[str] = frozenset()

    def in_common(self, other: "Collection") -> str:
        """Why the two count as one, or nothing: texts tell it, names of systems only where no texts are recorded.

        A source alone tells nothing: it may be translated into several languages. The same judgments are of the same
        topics and documents, also where the language pairs differ.
        """
        if self.judgments & other.judgments and not (self.apart or other.apart):
            return "relevance judgments"
        pairs = {collection.about.get("pair", "") for collection in (self, other)} - {""}
        if self.apart or other.apart or len(pairs) > 1:
            return ""
        if not (self.texts and other.texts):
            names = (frozenset(collection.units.labels) for collection in (self, other))
            return "names of systems (no texts are recorded)" if _half(*names) else ""
        if self.texts & other.texts:
            return "a reference"
        return "outputs of systems" if _half(self.outputs, other.outputs) else ""


def _half(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether they have at least half of the fewer in common."""
    return 0 < min(len(one), len(other)) <= 2 * len(one & other)


@dataclass(frozen=True, order=True)
class Stratum:
    """What is never averaged: the source of judgments (a `Judge`, or `imported`), the measure, the retriever."""

    judge: str
    measure: str
    retriever: str

    @classmethod
    def of(cls, measure: Column) -> "Stratum":
        """From what a measure's parts declare; an imported one declares nothing."""
        name = measure.name.partition("[")[0]
        if measure.origin == IMPORTED:
            return cls(IMPORTED, name, IMPORTED)
        return cls(measure.judged_by, name, measure.retriever)


@dataclass(frozen=True)
class AboutMetric:
    """A row of a table about one metric in one `Stratum`."""

    judge: str
    measure: str
    retriever: str
    metric: str


@dataclass(frozen=True, eq=False)
class Setting:
    """One measure of one collection: how each of its metrics agrees with it, over the same systems.

    `tau`: (m,) between units; `influence`: (units, m); `labels`: the units'; `between`: (m, m) taus of the metrics with
    each other; `x`: (m, n), `y`: (n,), more is better; `unit`: (n,); `ceiling`: a perfect metric's tau, or NaN.
    """

    name: str
    collection: Collection
    metrics: tuple[str, ...]
    tau: Doubles
    influence: Doubles
    labels: tuple[str, ...]
    between: Doubles
    x: Doubles
    y: Doubles
    unit: "np.typing.NDArray[np.int64]"
    ceiling: float

    @property
    def units(self) -> int:
        return len(self.labels)


def strata(collections: Sequence[Collection]) -> tuple[dict[Stratum, list[Setting]], list[str]]:
    """The settings of each stratum, and why measures or metrics were left out."""
    found: dict[Stratum, list[Setting]] = {}
    notes: dict[str, None] = {}
    for collection in collections:
        for measure in collection.board.measures:
            setting = _setting(collection, measure)
            if isinstance(setting, Setting):
                found.setdefault(Stratum.of(measure), []).append(setting)
                lost = [c.name for c in real_metrics(collection.board) if c.name not in setting.metrics]
                if lost:
                    notes[f"{collection.name}: {', '.join(lost)}: holes, or one value for all systems"] = None
            else:
                notes[f"{collection.name}: {setting}"] = None
    return found, list(notes)


def _setting(collection: Collection, measure: Column) -> Setting | str:
    """One setting, or why there is none."""
    if collection.units.along_training:
        return "left out: checkpoints along training, whose tau proves nothing"
    columns = real_metrics(collection.board)
    if not columns:
        return "left out: it has no metric"
    x, y = np.stack([column.oriented for column in columns]), measure.oriented
    kept, rows = common_systems(x, y)
    kept = np.array([m for m in kept.tolist() if np.ptp(x[m][rows]) > 0], dtype=np.int64)
    own = collection.units.only(rows)
    if not len(kept) or not len(rows) or np.ptp(y[rows]) == 0 or own.number < FEWEST_UNITS:
        return f"{measure.name} is left out: fewer than {FEWEST_UNITS} independent systems that differ"
    part, y, unit = x[kept][:, rows], y[rows], own.index
    found = estimates(part, y, unit)
    between = np.stack([estimates(part, column, unit).tau for column in part])
    name = collection.name if measure.name == Stratum.of(measure).measure else f"{collection.name} {_mark(measure)}"
    labels = tuple(dict.fromkeys(own.labels))
    metrics = tuple(columns[m].name for m in kept.tolist())
    ceiling = collection.ceilings.get(measure.name, nan)
    return Setting(name, collection, metrics, found.tau, found.influence, labels, between, part, y, unit, ceiling)


def _mark(measure: Column) -> str:
    return measure.name[measure.name.index("[") :]


def same_collection(settings: Sequence[Setting]) -> Iterator[list[int]]:
    """Pairs of settings that count as one collection."""
    for i, one in enumerate(settings):
        for j, other in enumerate(settings[:i]):
            if one.collection is other.collection or one.collection.in_common(other.collection):
                yield [j, i]


COSTLIEST = 0.1
"""The share of systems that one metric's holes may cost the comparison of all; a metric that costs more is left out."""


def common_systems(x: Doubles, y: Doubles) -> tuple[Ints, Ints]:
    """(metrics, systems) that are compared: indices such that no value is missing.

    The metrics with most holes are left out until the others lack no more than a tenth of the systems that the
    measure has. `x`: (metrics, n), `y`: (n,), NaN for holes.
    """
    there = np.isfinite(x) & np.isfinite(y)
    wanted = (1 - COSTLIEST) * np.isfinite(y).sum()
    kept = list(range(len(x)))
    while kept:
        systems = np.flatnonzero(there[kept].all(axis=0))
        if len(systems) >= wanted:
            return np.array(kept, dtype=np.int64), systems
        kept.remove(min(kept, key=lambda m: (int(there[m].sum()), -m)))
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
