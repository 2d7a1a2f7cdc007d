"""What every analysis starts from: a scoreboard, and beneath its columns the segments and topics they came from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.later import Later, Shelf
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric, Statistics
from clirbench.scoreboard import Scoreboard
from clirbench.types import Doubles, Ints

NOTHING: Mapping[Any, Any] = MappingProxyType({})


MOST_SYSTEMS = 50
MOST_SEGMENTS = 250_000
"""Up to these numbers of systems, and of segments of all systems together, segments are drawn, and statistics are held
in memory as far as `ROOM` reaches; others are read from the store each time."""
ROOM = 128 << 20
"""Bytes of statistics that are held."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A scoreboard and the items its numbers were summed from, where they are known.

    `statistics[metric column, system]`: segments x k; `metrics[column]` scores their sums.
    `types[metric column, system]`: the names of a type average's types, where segments of two systems are mixed.
    `per_topic[measure column]`: systems (as in the board) x topics; `measures[column]` aggregates them.
    Statistics are held in memory from the first look on, as far as `ROOM` reaches; parts of the evidence share them.
    A column without items (imported scores) takes part with its values fixed, and every table says so.
    Raises `AlignmentError` where items and board do not fit: other numbers of them, or NaN where the board has a score.
    """

    board: Scoreboard
    statistics: Mapping[tuple[str, str], Statistics] = field(default_factory=lambda: NOTHING)
    metrics: Mapping[str, Metric] = field(default_factory=lambda: NOTHING)
    per_topic: Mapping[str, Doubles] = field(default_factory=lambda: NOTHING)
    measures: Mapping[str, Measure] = field(default_factory=lambda: NOTHING)
    types: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=lambda: NOTHING)

    def __post_init__(self) -> None:
        for name, values in self.per_topic.items():
            if values.ndim != 2 or len(values) != len(self.systems):
                raise AlignmentError(f"{name}: per-topic values {values.shape} for {len(self.systems)} systems")
        if not self.bulky:
            return
        shelf: Shelf[tuple[str, str], Statistics] = Shelf(self.statistics, holds=True, room=ROOM)
        if _too_many(self.systems, self.metrics, shelf):
            return
        # Those in the store are of one test set: they need not be read to be compared.
        kept = self.statistics.kept if isinstance(self.statistics, Shelf) else {}
        here = shelf.keys() - {key for key, value in kept.items() if isinstance(value, Later)}
        for name in self.metrics:
            lengths = {shelf[name, system].shape[0] for system in self.systems if (name, system) in here}
            if len(lengths) > 1:
                raise AlignmentError(f"{name}: systems have different numbers of segments: {sorted(lengths)}")
            values = self.board[name].values if name in self.board.by_name else np.empty(0)
            for system, value in zip(self.systems, values, strict=False):
                if (name, system) in here and np.isfinite(value) and not np.isfinite(shelf[name, system].sum()):
                    raise AlignmentError(
                        f"{name}: a segment of {system} is NaN, its score is not; leave the segment out"
                    )
        object.__setattr__(self, "statistics", shelf)

    @property
    def bulky(self) -> bool:
        """Whether there are too many statistics to hold any in memory, or to be drawn from unless that is asked for."""
        return not (isinstance(self.statistics, Shelf) and self.statistics.holds)

    @property
    def systems(self) -> tuple[str, ...]:
        return self.board.systems

    @cached_property
    def metric_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.board.metrics)

    @cached_property
    def measure_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.board.measures)

    @cached_property
    def x(self) -> Doubles:
        """(metrics, systems): every metric, turned so that more is better."""
        return _stacked([column.oriented for column in self.board.metrics], len(self.systems))

    @cached_property
    def y(self) -> Doubles:
        """(measures, systems): every measure, turned so that more is better."""
        return _stacked([column.oriented for column in self.board.measures], len(self.systems))

    def segments(self, metric: str) -> int:
        """How many segments a metric was summed over; 0 where only its scores are known."""
        if metric not in self._segments:
            known = metric in self.metrics and bool(self.systems)
            known = known and all((metric, system) in self.statistics for system in self.systems)
            self._segments[metric] = int(self.statistics[metric, self.systems[0]].shape[0]) if known else 0
        return self._segments[metric]

    @cached_property
    def _segments(self) -> dict[str, int]:
        """What `segments` found before: looking may read the store."""
        return {}

    def topics(self, measure: str) -> int:
        """How many topics a measure was averaged over; 0 where only its values are known."""
        return int(self.per_topic[measure].shape[1]) if measure in self.per_topic else 0

    def is_mean(self, measure: str) -> bool:
        """Whether a measure's value is the mean over its topics, by trial; sums are much faster than trials."""
        aggregate, values = self.measures[measure].aggregate, self.per_topic[measure]
        trials = (values, np.linspace(0.1, 1.0, values.shape[1]))
        return all(np.allclose(aggregate(trial), trial.mean(axis=-1), rtol=1e-12, atol=0) for trial in trials)

    def sign(self, column: str) -> float:
        """-1 where less is better in that column."""
        return 1.0 if self.board[column].higher_is_better else -1.0

    def rows(self, systems: Sequence[str]) -> Ints:
        """(systems,): the rows of these systems in the board."""
        place = {system: row for row, system in enumerate(self.systems)}
        return np.array([place[system] for system in systems], dtype=np.int64)

    def only(self, kept: "np.typing.NDArray[np.bool_]") -> "Evidence":
        """The same columns over the systems for which `kept` (systems,) is true."""
        rows = np.flatnonzero(kept)
        board = Scoreboard(
            tuple(self.systems[i] for i in rows),
            tuple(replace(column, values=column.values[rows]) for column in self.board.columns),
            {name: tuple(texts[i] for i in rows) for name, texts in self.board.metadata.items()},
        )
        return replace(self, board=board, per_topic={name: values[rows] for name, values in self.per_topic.items()})

    def columns(self, names: "frozenset[str] | set[str]") -> "Evidence":
        """The same systems with the named columns alone."""
        kept = tuple(column for column in self.board.columns if column.name in names)
        return replace(self, board=replace(self.board, columns=kept))


def _too_many(systems: Sequence[str], metrics: Iterable[str], statistics: Mapping[tuple[str, str], Statistics]) -> bool:
    if len(systems) > MOST_SYSTEMS:
        return True
    # The first will do: all statistics are rows for the lines of one test set.
    known = ((name, system) for name in metrics for system in systems)
    first = next((key for key in known if key in statistics), None)
    return first is not None and len(systems) * statistics[first].shape[0] > MOST_SEGMENTS


@dataclass(frozen=True)
class Hole:
    """A column with missing systems, and their names."""

    column: str
    systems: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} has no value for {', '.join(self.systems)}"


def holes(evidence: Evidence) -> list[Hole]:
    """Every column with a missing or non-finite value, naming the systems."""
    return [
        Hole(column.name, tuple(s for s, v in zip(evidence.systems, column.values, strict=True) if not np.isfinite(v)))
        for column in evidence.board.columns
        if not np.isfinite(column.values).all()
    ]


def panels(evidence: Evidence, complete: bool = False) -> Iterator[tuple[Evidence, str]]:
    """Parts of the evidence without holes, each with a note that names the missing systems.

    First the columns that have every system. With `complete`, then every column with holes, with all the complete
    columns of the other side and over the systems it has: "tau only over complete pairs", with its own n.
    """
    holed = {hole.column: hole for hole in holes(evidence)}
    whole = {column.name for column in evidence.board.columns} - set(holed)
    yield evidence.columns(whole), ""
    if not complete:
        return
    for name, hole in holed.items():
        column = evidence.board[name]
        others = {other.name for other in evidence.board.columns if other.role != column.role and other.name in whole}
        kept = np.array([system not in hole.systems for system in evidence.systems])
        part = evidence.columns(others | {name}).only(kept)
        yield part, f"over {len(part.systems)} of {len(evidence.systems)} systems: {hole}"


def _stacked(columns: list[Doubles], n: int) -> Doubles:
    return np.stack(columns).astype(np.float64) if columns else np.empty((0, n))
