"""Score tables made elsewhere, read into a scoreboard: `+experiment=scores`, published numbers, human scores."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from clirbench.checks import name_list, one_of
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName, gathered, raise_all
from clirbench.files.tables import LARGEST, MISSING, TextTable, as_number, read_table, system_column
from clirbench.scoreboard import Column, Scoreboard, aligned
from clirbench.text import near_path
from clirbench.types import Doubles

EMBEDDED = "embedded:"
ERRORS = re.compile(r"(h?ter|[wc]er|metricx|autorank)(?![a-z]).*", re.IGNORECASE)
"""Metrics in which less is better by definition: edit rates, MetricX (errors from 0 to 25), WMT's mean rank."""
_COLUMN_LISTS = ("measures", "lower_is_better", "ignore", "metadata")
LIKE_A_NUMBER = re.compile(r"[+-]?[\d.,_' ]*\d[\d.,_' ]*%?")
"""Cells that people mean as numbers, `12,5`, `23%`, `1_000`, `1'000`, whatever the grammar says."""


@dataclass(frozen=True)
class ScoreTables:
    """Tables (TSV or CSV) with a column `system` or `name` and one row for each system, joined by system.

    `tables` are files, or `embedded:NAME` for one that is shipped. A numeric column is an MT metric, or an IR
    measure where `measures` names it; a text column, or one that `metadata` names, describes the systems. `rename`
    comes first: the other lists use the new names. A system missing from a table is a hole in its columns. `title`
    heads the tau table of the imported measures. `missing` says what an empty or NaN cell of a numeric column is: an
    `error`, a reason to leave that system's row out (`drop`), or a `hole`, which its column has. With a `mark`, an
    imported measure that is computed too is called `NAME[mark]`. A text column with one of the names `metrics` is an
    error, unless `metadata` names it. `further`: tables that are read already, such as the official scores of a folder.

    `read` raises `InputError` for a system that stands twice, a cell that is missing or infinite, text in a column
    that is named as numeric; `ConfigError` for a column that is in two tables, or both computed and imported;
    `UnknownName` for a column that no table has; all at once as `Problems`.
    """

    tables: str | Sequence[str] = ()
    measures: str | Sequence[str] = ()
    lower_is_better: str | Sequence[str] = ()
    ignore: str | Sequence[str] = ()
    metadata: str | Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    title: str = ""
    missing: str = "error"
    mark: str = ""
    metrics: Collection[str] = ()
    further: tuple[TextTable, ...] = ()

    def __post_init__(self) -> None:
        for key in ("tables", *_COLUMN_LISTS):
            object.__setattr__(self, key, name_list(f"scores.{key}", getattr(self, key)))
        if not isinstance(self.rename, Mapping):
            raise ConfigError(f"scores.rename={self.rename}: pairs were expected, 'scores.rename={{OLD: NEW}}'")
        one_of("scores.missing", self.missing, ("error", "drop", "hole"))
        if both := sorted(set(self.measures) & set(self.metadata)):
            raise ConfigError(f"scores.measures and scores.metadata both name {', '.join(both)}")

    def with_table(self, path: str | Path) -> "ScoreTables":
        """The same with one more table, such as the scores.tsv of a folder."""
        return replace(self, tables=(*self.tables, str(path)))

    def read(self, computed: Collection[str] = ()) -> Scoreboard:
        """All columns as a scoreboard; `computed` are the names of columns that the run computes itself."""
        errors: list[ClirbenchError] = []
        tables: list[TextTable] = []
        for name in dict.fromkeys(self.tables):
            with gathered(errors):
                if not (path := table_path(name)).exists():
                    raise InputError(f"{path}: no such file{near_path(path)}")
                tables.append(read_table(path))
        raise_all(errors)
        tables += self.further
        original = {name for table in tables for name in _data_columns(table)}
        with gathered(errors):
            tables = [self._renamed(table) for table in tables]
        raise_all(errors)
        if not tables:
            raise ConfigError("scores.tables is not set: name the score tables, 'scores.tables=[FILE]'")
        errors += [UnknownName("column in scores.rename", old, original) for old in self.rename if old not in original]
        errors += self._unknown(tables)
        errors += self._collisions(tables, computed)
        found = _Found()
        for table in tables:
            with gathered(errors):
                self._add(table, found, errors)
        raise_all(errors)
        systems = tuple(found.systems)
        listed = (name for name in self.measures if name in found.numbers)
        names = (next(listed) if name in self.measures else name for name in found.numbers)  # measures as listed
        columns = tuple(self._column(name, aligned(found.numbers[name], systems), computed) for name in names)
        metadata = {name: tuple(texts.get(s, "") for s in systems) for name, texts in found.texts.items()}
        return Scoreboard(systems, columns, metadata)

    def _column(self, name: str, values: Doubles, computed: Collection[str]) -> Column:
        measure = name in self.measures
        return Column(
            f"{name}[{self.mark}]" if self._is_marked(name, computed) else name,
            "measure" if measure else "metric",
            values,
            higher_is_better=name not in self.lower_is_better and not (not measure and less_is_better(name, values)),
            signature="imported",
            table=self.title if measure else "",
            origin="imported",
        )

    def _renamed(self, table: TextTable) -> TextTable:
        header = tuple(self.rename.get(name, name) for name in table.header)
        if doubled := sorted({name for name in header if header.count(name) > 1}):
            raise ConfigError(f"{table.where}: after scores.rename columns stand twice: {', '.join(doubled)}")
        table = replace(table, header=header)
        table.unique(system_column(table))
        return table

    def _unknown(self, tables: Sequence[TextTable]) -> list[ClirbenchError]:
        """Names in the lists that no table has, once columns are renamed."""
        known = {name for table in tables for name in _data_columns(table)}
        return [
            UnknownName(f"column in scores.{key}", name, known)
            for key in _COLUMN_LISTS
            for name in getattr(self, key)
            if name not in known
        ]

    def _collisions(self, tables: Sequence[TextTable], computed: Collection[str]) -> list[ClirbenchError]:
        errors: list[ClirbenchError] = []
        first: dict[str, str] = {}
        remedy = "leave one out (scores.ignore=[NAME]) or rename it ('scores.rename={OLD: NEW}')"
        for table in tables:
            for name in _data_columns(table):
                if name in self.ignore:
                    continue
                if name in computed and not self._is_marked(name, computed):
                    errors.append(ConfigError(f"column {name} is computed and also in {table.where}; {remedy}"))
                if name in first:
                    errors.append(ConfigError(f"column {name} is in {first[name]} and in {table.where}; {remedy}"))
                first.setdefault(name, table.where)
        return errors

    def _add(self, table: TextTable, found: "_Found", errors: list[ClirbenchError]) -> None:
        """Sort the columns of one table into numbers and texts; cells that are neither go to `errors`."""
        systems = table.column(system_column(table))
        numeric: dict[str, dict[str, float]] = {}
        for name in _data_columns(table):
            cells = dict(zip(systems, table.column(name), strict=True))
            if name in self.ignore:
                continue
            if name in self.metadata or not (self._is_named(name) or _is_numeric(list(cells.values()))):
                found.texts[name] = {system: cell.strip() for system, cell in cells.items()}
                if name not in self.metadata:
                    errors += _nearly_numeric(table.where, name, cells, name in self.metrics)
                continue
            with gathered(errors):
                numeric[name] = _numbers(table.where, name, cells)
        holes = [(s, name) for name, values in numeric.items() for s, value in values.items() if math.isnan(value)]
        if self.missing == "error":
            errors += [
                InputError(
                    f"{table.where}: system {system!r}, column {name!r}: no number; fill the cell, leave the column "
                    f"out ('scores.ignore=[{name}]') or such systems (scores.missing=drop), or let its tau be over the "
                    "others (scores.missing=hole)"
                )
                for system, name in holes
            ]
        dropped = {system for system, _ in holes} if self.missing == "drop" else set()
        found.systems.update(dict.fromkeys(system for system in systems if system not in dropped))
        for name, values in numeric.items():
            found.numbers[name] = {system: value for system, value in values.items() if system not in dropped}

    def _is_marked(self, name: str, computed: Collection[str]) -> bool:
        return bool(self.mark) and name in self.measures and name in computed

    def _is_named(self, name: str) -> bool:
        return name in self.measures or name in self.lower_is_better


def less_is_better(name: str, values: Doubles) -> bool:
    """Whether the name is known for it; not where no value is above 0, as where somebody turned them round already."""
    return bool(ERRORS.fullmatch(name)) and bool((values > 0).any())


@dataclass
class _Found:
    """What the tables hold so far: systems in order of appearance, numbers and texts by column and system."""

    systems: dict[str, None] = field(default_factory=dict)
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)


def table_path(name: str) -> Path:
    """A file as it is named, or a shipped table for `embedded:NAME`; raises `UnknownName` for one that is not."""
    if not name.startswith(EMBEDDED):
        return Path(name).expanduser()
    data = (Path(__file__).parents[1] / "data").glob("*_scores.tsv")
    shipped = {path.name.removesuffix("_scores.tsv"): path for path in data}
    shipped |= {path.name.removesuffix(".tsv.gz"): path for path in manifest_folder().glob("*.human.tsv.gz")}
    wanted = name.removeprefix(EMBEDDED)
    if wanted not in shipped:
        raise UnknownName("embedded score table", wanted, shipped)
    return shipped[wanted]


def manifest_folder() -> Path:
    """Where the manifests of data sets lie: in the package (a wheel) or beside it (a checkout)."""
    package = Path(__file__).parents[1]
    inside = package / "data_manifests"
    return inside if inside.is_dir() else package.parent / "data_manifests"


def _data_columns(table: TextTable) -> list[str]:
    key = system_column(table)
    return [name for name in table.header if name != key]


def _is_numeric(cells: Collection[str]) -> bool:
    """Whether every cell that is not missing is a number, and there is one."""
    present = [cell for cell in cells if cell.strip().lower() not in MISSING]
    return bool(present) and all(as_number(cell) is not None for cell in present)


def _nearly_numeric(where: str, name: str, cells: Mapping[str, str], named: bool) -> list[ClirbenchError]:
    """An error where a metric would vanish silently: some cells are no numbers of a column `named` as a metric is, or
    of one in which most cells are meant as numbers."""
    present = {system: cell for system, cell in cells.items() if cell.strip().lower() not in MISSING}
    meant = sum(as_number(cell) is not None or bool(LIKE_A_NUMBER.fullmatch(cell.strip())) for cell in present.values())
    if meant * 2 <= len(present) and not (named and present):
        return []
    slips = [(system, cell) for system, cell in present.items() if as_number(cell) is None]
    listed = ", ".join(f"{cell!r} (system {system!r})" for system, cell in slips[:3])
    return [
        InputError(
            f"{where}: column {name!r}: {len(slips)} of {len(present)} cells are not a number: {listed}; write 12.5 or "
            f"1e-3, without commas, underscores and %, or say that the column is text ('scores.metadata=[{name}]')"
        )
    ]


def _numbers(where: str, name: str, cells: Mapping[str, str]) -> dict[str, float]:
    """Numbers by system, NaN where a cell is missing; raises `InputError` for text and for infinity."""
    numbers: dict[str, float] = {}
    for system, cell in cells.items():
        value = math.nan if cell.strip().lower() in MISSING else as_number(cell)
        if value is None or abs(value) > LARGEST:
            raise InputError(
                f"{where}: system {system!r}, column {name!r}: {cell!r} is not a finite number (of at most {LARGEST:g})"
            )
        numbers[system] = value
    return numbers
