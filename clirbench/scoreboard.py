"""The scoreboard: systems x columns, computed here or read from tables; everything statistical starts from it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.types import JUDGES, UNKNOWN, Doubles, by_key

Role = Literal["metric", "measure"]
REGISTERED = "RBO(p=0.9)"
"""The measure that answers are about where no judgments are read: fixed before any result, for the reasons in docs."""


@dataclass(frozen=True, eq=False)
class Column:
    """One number for each system: an MT metric or an IR measure; NaN is a hole, never a zero.

    `table` is the title of the tau table a measure belongs to; `origin` says whether it was computed or imported.
    `parts`: the signatures that two columns may share: a metric's own; of a measure those of the retriever, topics,
    judgments and measure. `declared`: what these parts declare of themselves, by name, None where
    one does not say; empty for an imported column.
    """

    name: str
    role: Role
    values: Doubles
    higher_is_better: bool = True
    signature: str = ""
    table: str = ""
    origin: Literal["computed", "imported"] = "computed"
    parts: tuple[str, ...] = field(default=(), compare=False)
    declared: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def judged_by(self) -> str:
        """The source of a measure's judgments (`Judge`), where it is known; `imported` of a column that is read."""
        return str(self.declared.get("judged_by") or UNKNOWN) if self.origin == "computed" else self.origin

    @property
    def retriever(self) -> str:
        """The kind of retriever that a measure is of, where it is known; `imported` of a column that is read."""
        return str(self.declared.get("retriever") or UNKNOWN) if self.origin == "computed" else self.origin

    @property
    def oriented(self) -> Doubles:
        """The values turned round where less is better, so that more is always better."""
        return self.values if self.higher_is_better else -self.values


@dataclass(frozen=True, eq=False)
class Scoreboard:
    """Systems (rows, in a fixed order), their metadata, and the columns of numbers; `primary`: see `first_measure`."""

    systems: tuple[str, ...]
    columns: tuple[Column, ...]
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    primary: str = ""

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            said = f"columns both computed and imported, or given twice: {', '.join(doubled)}. Rename an imported one"
            raise ConfigError(f"{said} ('scores.rename={{OLD: NEW}}') or leave it out (scores.ignore=[NAME])")
        if quoted := [name for name in (*names, *self.metadata) if '"' in name]:
            said = f"a column's name with a quote is not read alike by all programs: {', '.join(quoted)}."
            raise ConfigError(f"{said} Rename it ('scores.rename={{OLD: NEW}}' for an imported one)")
        for column in self.columns:
            if column.values.shape != (len(self.systems),):
                raise ConfigError(f"column {column.name}: {column.values.shape} values, {len(self.systems)} systems")

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        return MappingProxyType({column.name: column for column in self.columns})

    def __getitem__(self, name: str) -> Column:
        if name not in self.by_name:
            raise UnknownName("column", name, self.by_name)
        return self.by_name[name]

    @property
    def metrics(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role == "metric")

    @property
    def measures(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role == "measure")

    @property
    def first_measure(self) -> Column | None:
        """What answer and decision are about: `primary`, or the first of those that come first; None without a measure.

        By people's judgments, by other judgments that are read, the registered one, any other.
        """
        return self[self.primary] if self.primary else min(self.measures, key=_precedence, default=None)

    @property
    def first_is_listed(self) -> bool:
        """Whether `first_measure` is so only because it was listed first, of several."""
        first = self.first_measure
        return first is not None and not self.primary and len(self.measures) > 1 and _precedence(first) == 3

    @property
    def tables(self) -> tuple[str, ...]:
        """Titles of the tau tables, in the order of their first measure."""
        return tuple(dict.fromkeys(column.table for column in self.measures))

    def above(self, other: "Scoreboard") -> "Scoreboard":
        """The same with the rows of another board, of the same columns, below its own."""
        if not other.systems:
            return self
        columns = (
            replace(own, values=np.append(own.values, below.values))
            for own, below in zip(self.columns, other.columns, strict=True)
        )
        empty = ("",) * len(other.systems)
        metadata = {name: (*texts, *other.metadata.get(name, empty)) for name, texts in self.metadata.items()}
        return Scoreboard((*self.systems, *other.systems), tuple(columns), metadata, self.primary)

    def holes(self, explained: Collection[str] = ()) -> list[str]:
        """One line for all columns that miss the same systems; none of `explained` systems without any value."""
        if not self.columns:
            return []
        missing = np.isnan([column.values for column in self.columns])
        missing &= ~(missing.all(axis=0) & np.isin(self.systems, list(explained)))
        absent = (tuple(np.array(self.systems)[row].tolist()) for row in missing)
        columns = by_key(zip(absent, (column.name for column in self.columns), strict=True))
        return [f"{', '.join(held)}: no value for {', '.join(names)}" for names, held in columns.items() if names]


def _precedence(measure: Column) -> int:
    if measure.judged_by in JUDGES:
        return int(measure.judged_by != "people")
    return 2 if measure.name.partition("[")[0] == REGISTERED else 3


NO_ROWS = Scoreboard((), ())


def aligned(values: Mapping[str, float], systems: Sequence[str]) -> Doubles:
    """Values by system as a column in the order of `systems`; NaN where a system has none."""
    return np.array([values.get(system, np.nan) for system in systems], dtype=np.float64)
