"""Scores made elsewhere: tables with a row for each system, as a scoreboard (`ScoreTables`: `+experiment=scores`,
published numbers, human scores), and files as other programs write them (`score_rows`), recognised by what they hold:

    one number (or None) a line                             BLEURT (score_files.py), GEMBA, and many others
    SYSTEM SCORE                                            mt-metrics-eval, metric-scores/ and human-scores/
    {FILE: [{..., "COMET": 0.8731}, ...]}                   comet-score --to_json
    {"prediction": 1.2, ...} a line                         MetricX (metricx24/predict.py), perhaps with system_id
    a header with a column of systems                       any TSV or CSV: each column of numbers is a metric

Every layout becomes rows: `score`, and `system`, `segment` and `metric` where the file has them. A system of
comet-score is the path FILE; `keys_by_file` says whose translation that is.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any

from clirbench.checks import name_list, one_of
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName, gathered, raise_all, shorten
from clirbench.files import tables
from clirbench.files.run_files import numbers
from clirbench.files.tables import MISSING, TextTable, as_number, first_of, read_table, system_column
from clirbench.scoreboard import Column, Scoreboard, aligned
from clirbench.text import TextFile, did_you_mean, whole_content
from clirbench.types import Doubles, by_key

EMBEDDED = "embedded:"
ERRORS = re.compile(r"(h?ter|[wc]er|metricx|autorank)(?![a-z]).*", re.IGNORECASE)
"""Metrics in which less is better by definition: edit rates, MetricX (errors from 0 to 25), WMT's mean rank."""
LONG = ["metric", "score", "system"]
_COLUMN_LISTS = ("measures", "lower_is_better", "ignore", "metadata")
LIKE_A_NUMBER = re.compile(r"[+-]?[\d.,_' ]*\d[\d.,_' ]*%?( *(±|\+/?-)[\d., ]*%?)?")
"""Cells that people mean as numbers, `12,5`, `23%`, `1_000`, `1'000`, `.31 ± .02`, whatever the grammar says."""
SUMMARIES = ("mean", "median")
"""Names of rows that are made of all others; `avg` may be a system, of averaged checkpoints."""
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([,_' ]\d{3})+(\.\d+)?|[^,]*")
"""Such cells whose marks stand between groups of digits."""


@dataclass(frozen=True)
class ScoreTables:
    """Tables (TSV or CSV) with a column `system` or `name` and one row for each system, joined by system.

    `tables` are files, or `embedded:NAME` for one that is shipped. A numeric column is an MT metric, or an IR measure
    where `measures` names it; a text column, or one that `metadata` names, describes the systems. `rename` comes first:
    the other lists use the new names. `reference`: the reference of the test set that a metric, also one of files,
    scores against, or that an imported measure is made from, by its letter, or `none`. A system missing from a table is
    a hole in its columns. `title` heads the tau table of the imported measures. `missing` says what an empty or NaN
    cell of a numeric column is: an `error`, or a `hole`, which its column has. With a `mark`, an imported measure that
    is computed too is called `NAME[mark]`. A text column with one of the names `metrics` is an error, unless `metadata`
    names it. A table of the columns system, metric and score alone
    has a column for each metric. `further`: tables that are read already, such as the official scores of a folder.

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
    reference: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    title: str = ""
    missing: str = "error"
    mark: str = ""
    metrics: Collection[str] = ()
    further: tuple[TextTable, ...] = ()

    def __post_init__(self) -> None:
        for key in ("tables", *_COLUMN_LISTS):
            object.__setattr__(self, key, name_list(f"scores.{key}", getattr(self, key)))
        for key, value, pairs in (("rename", self.rename, "{OLD: NEW}"), ("reference", self.reference, "{COLUMN: A}")):
            if not isinstance(value, Mapping):
                raise ConfigError(f"scores.{key}={value}: pairs were expected, 'scores.{key}={pairs}'")
        one_of("scores.missing", self.missing, ("error", "hole"))
        if both := sorted(set(self.measures) & set(self.metadata)):
            raise ConfigError(f"scores.measures and scores.metadata both name {', '.join(both)}")

    def read(self, computed: Collection[str] = ()) -> Scoreboard:
        """All columns as a scoreboard; `computed` are the names of columns that the run computes itself."""
        errors: list[ClirbenchError] = []
        named, tables = set[str](), list[TextTable]()
        given: list[str | TextTable] = [*dict.fromkeys(self.tables), *self.further]
        for one in given:
            with gathered(errors):
                table = one if isinstance(one, TextTable) else _table_at(table_path(one))
                for part in by_metric(table) if sorted(map(str.lower, table.header)) == LONG else [table]:
                    named.update(_data_columns(part))
                    tables.append(self._renamed(part))
        for table in tables:
            with gathered(errors):
                self._refuse_marks(table)
        raise_all(errors)
        if not tables:
            raise ConfigError("scores.tables is not set: name the score tables, 'scores.tables=[FILE]'")
        columns = self._columns(tables, computed, errors)
        renamed = {name for table in tables for name in _data_columns(table)}
        systems = tuple(dict.fromkeys(name for table in tables for name in table.column(system_column(table))))
        if self.measures and {*self.measures} <= {*systems} - renamed:
            raise InputError(f"{tables[0].where}: {', '.join(self.measures)} are rows; turn the table: a row a system")
        for key in ("rename", *_COLUMN_LISTS):
            names = named if key == "rename" else renamed
            unknown = (name for name in getattr(self, key) if name not in names)
            errors += [UnknownName(f"column in scores.{key}", name, names) for name in unknown]
        numeric: dict[str, dict[str, float]] = {}
        for name, (table, cells) in columns.items():
            with gathered(errors):
                if found := self._numbers(table, name, cells):
                    numeric[name] = found
                    holes = [system for system, value in found.items() if math.isnan(value)]
                    errors += [_hole(table.where, name, system) for system in holes if self.missing == "error"]
        raise_all(errors)
        listed = (name for name in self.measures if name in numeric)
        ordered = (next(listed) if name in self.measures else name for name in numeric)  # measures as listed
        texts = {name: cells for name, (_, cells) in columns.items() if name not in numeric}
        metadata = {name: tuple(of.get(system, "").strip() for system in systems) for name, of in texts.items()}
        made = tuple(self._column(name, aligned(numeric[name], systems), computed) for name in ordered)
        return Scoreboard(systems, made, metadata)

    def _refuse_marks(self, table: TextTable) -> None:
        """Raise one `InputError`, with what mends it, for a table whose numbers have commas, %, or digits in groups,
        or that has columns without a name or rows of no system."""
        for at, name in enumerate(table.header, start=1):
            if not name.strip() or name.startswith("Unnamed: "):
                said = f"column {at} has no name, as row numbers that pandas writes (index=False leaves them out)"
                raise InputError(f"{table.where}: {said}; take it out: a column is a metric")
        if of_all := [name for name in table.column(system_column(table)) if name.lower() in SUMMARIES]:
            raise InputError(f"{table.where}: row {of_all[0]!r} is of no system; take it out")
        odd: dict[str, list[str]] = {}
        for name in (name for name in _data_columns(table) if name not in (*self.metadata, *self.ignore)):
            held = [cell.strip() for cell in table.column(name) if cell.strip().lower() not in MISSING]
            if all(map(LIKE_A_NUMBER.fullmatch, held)) and (wrong := [one for one in held if as_number(one) is None]):
                odd[name] = wrong
        if not odd:
            return
        for name, wrong in odd.items():
            if 0 < sum("%" in cell for cell in wrong) < sum(bool(cell.strip()) for cell in table.column(name)):
                said = "some cells have a % and some have none; write all in one unit (20.1% is .201)"
                raise InputError(f"{table.where}: column {name!r}: {said}")
        cells = [cell for of in odd.values() for cell in of]
        marked = [cell for cell in cells if re.search(r"\d[,_' ]\d", cell)]
        sed = r"s/([0-9])[,_' ]([0-9])/\1\2/g" if all(map(GROUPED.fullmatch, marked)) else r"s/([0-9]),([0-9])/\1.\2/g"
        percent, spread = "s/%//g", r"s/ *(±|\+[^A-Za-z0-9]?-) *[0-9]*[.]?[0-9]+//g"
        needed = (bool(marked), "%" in "".join(cells), any(re.search("[±+]", cell[1:]) for cell in cells))
        seds = ";".join(one for one, there in zip((sed, percent, spread), needed, strict=True) if there)
        typed = f'sed -E "{seds}" {quote(table.where)} > new{quote(Path(table.where).suffix)}'
        said = f"column {', '.join(map(repr, odd))}: such as {', '.join(map(repr, cells[:3]))}; 12.5 and 1e-3 are read,"
        text = f"without commas, spaces, % and ±; type {typed} (if it is text, 'scores.metadata=[{','.join(odd)}]')"
        raise InputError(f"{table.where}: {said} {text}")

    def _column(self, name: str, values: Doubles, computed: Collection[str]) -> Column:
        measure = name in self.measures
        # Not where no value is above 0, as where somebody turned them round already.
        errors = not measure and ERRORS.fullmatch(name) and (values > 0).any()
        return Column(
            f"{name}[{self.mark}]" if self._is_marked(name, computed) else name,
            "measure" if measure else "metric",
            values,
            higher_is_better=not errors and name not in self.lower_is_better,
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

    def _columns(
        self, tables: Sequence[TextTable], computed: Collection[str], errors: list[ClirbenchError]
    ) -> dict[str, tuple[TextTable, dict[str, str]]]:
        """The table and the cells by system of each column; one that is there twice goes to `errors`."""
        columns: dict[str, tuple[TextTable, dict[str, str]]] = {}
        again: dict[str, list[str]] = {}
        for table in tables:
            systems = table.column(system_column(table))
            for name in _data_columns(table):
                if name in self.ignore:
                    continue
                twice = "is computed and also" if name in computed and not self._is_marked(name, computed) else ""
                if twice := twice or (f"is in {columns[name][0].where} and" if name in columns else ""):
                    again.setdefault(f"{twice} in {table.where}", []).append(name)
                columns.setdefault(name, (table, dict(zip(systems, table.column(name), strict=True))))
        for twice, names in again.items():
            remedy = f"leave one out ('scores.ignore=[{','.join(names)}]') or rename it ('scores.rename={{OLD: NEW}}')"
            errors.append(ConfigError(f"column {', '.join(names)} {twice}; {remedy}"))
        return columns

    def _numbers(self, table: TextTable, name: str, cells: Mapping[str, str]) -> dict[str, float]:
        """The numbers of a column by system, NaN where a cell is missing; none for a column of text.

        Raises `InputError` for text and for infinity in a column that is named as numeric, and where a metric would
        vanish silently: some cells are no numbers of a column named as a metric is, or in which most are meant as such.
        """
        present = {system: cell for system, cell in cells.items() if cell.strip().lower() not in MISSING}
        slips = [(system, cell) for system, cell in present.items() if as_number(cell) is None]
        if name in self.metadata:
            return {}
        if (slips or not present) and name not in self.measures and name not in self.lower_is_better:
            meant = len(present) - sum(not LIKE_A_NUMBER.fullmatch(cell.strip()) for _, cell in slips)
            if present and (name in self.metrics or meant * 2 > len(present)):
                listed = ", ".join(f"{cell!r} (system {system!r})" for system, cell in slips[:3])
                said = f"column {name!r}: {len(slips)} of {len(present)} cells are not a number: {listed}"
                cure = "write 12.5 or 1e-3, without commas, underscores and %, or say that the column is text"
                raise InputError(f"{table.where}: {said}; {cure} ('scores.metadata=[{name}]')")
            return {}
        return dict(zip(cells, numbers(table, name, MISSING), strict=True))

    def _is_marked(self, name: str, computed: Collection[str]) -> bool:
        return bool(self.mark) and name in self.measures and name in computed


def by_metric(table: TextTable) -> list[TextTable]:
    """A table with the columns system, metric and score, in any case, as one table for each metric."""
    header = [name.lower() for name in table.header]
    rows = [[row[header.index(name)] for name in ("metric", "system", "score")] for row in table.rows]
    cells = by_key((row[0], (row[1], row[2])) for row in rows)
    lines = by_key((row[0], line) for row, line in zip(rows, table.numbers, strict=True))
    return [TextTable(table.where, ("system", name), tuple(of), tuple(lines[name])) for name, of in cells.items()]


def _table_at(path: Path) -> TextTable:
    if not path.exists():
        raise InputError(f"{path}: no such file{did_you_mean(path)}")
    return read_table(path)


def _hole(where: str, name: str, system: str) -> InputError:
    said = f"{where}: system {system!r}, column {name!r}: no number; fill the cell, leave the column out"
    cure = f"('scores.ignore=[{name}]') or the row, or let its tau be over the others (scores.missing=hole)"
    return InputError(f"{said} {cure}")


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


Row = tuple[int, dict[str, str]]
"""The line of the file, and cells by name."""

SYSTEMS = ("system", "system_id", "sys", "system_name", "mt_system", "name")
SEGMENTS = ("segment", "segment_id", "seg", "seg_id", "line")
SCORES = ("prediction", "score")
HOLES = MISSING - {"-"}
"""Cells, in lower case, that say that there is no score."""


def score_rows(path: Path) -> Iterator[Row]:
    """The rows of a file of any layout above; raises `InputError`, naming the line, for what is none of them."""
    head = next((line for line in TextFile(path).lines() if line.strip()), "").removeprefix("\ufeff")
    if not head:
        raise InputError(f"{path}: is empty; scores were expected")
    if head.lstrip().startswith(("{", "[")):
        return json_rows(path)
    if is_score(head):
        return line_rows(path)
    if any(name.strip().lower() in SYSTEMS for name in re.split(r"[\t,]", head)):
        return _table(path)
    if len(cells := split(head)) == 2 and is_score(cells[1]):
        return column_rows(path, ("system", "score"))
    said = f"{path}: line 1: {shorten(head, 60)!r} begins no known file of scores: neither one number a line, nor"
    said += " SYSTEM SCORE, nor JSON, nor a header with a column system; name its columns, metric.NAME.columns=[...]"
    raise InputError(said)


def is_score(cell: str) -> bool:
    """Whether a cell is a number, or says that there is none."""
    return cell.strip().lower() in HOLES or as_number(cell) is not None


def split(line: str) -> list[str]:
    """Cells, separated by tabs, or by blanks where there is no tab."""
    cells = line.rstrip("\r").split("\t") if "\t" in line else line.split()
    return [cell.strip() for cell in cells]


def column_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Rows of the named columns; further cells are ignored. Raises `InputError` for a line with fewer cells."""
    for line, text in enumerate(TextFile(path).lines(), start=1):
        cells = split(text)
        if not any(cells):
            continue
        if len(cells) < len(columns):
            raise InputError(f"{path}: line {line}: {len(cells)} columns, {len(columns)} expected: {' '.join(columns)}")
        yield line, dict(zip(columns, cells, strict=False))


def line_rows(path: Path) -> Iterator[Row]:
    """One score a line; every line is a segment, so a blank one is an error."""
    for number, line in enumerate(TextFile(path).lines(), start=1):
        yield number, {"segment": str(number), "score": line.strip() or "(blank)"}


def _table(path: Path) -> Iterator[Row]:
    """Rows of every column that holds numbers alone; the other columns are there to be chosen by."""
    table = read_table(path)
    lower = {name.lower(): name for name in table.header}
    system = lower[next(name for name in SYSTEMS if name in lower)]
    segment = next((lower[name] for name in SEGMENTS if name in lower), None)
    others = [name for name in table.header if name not in (system, segment)]
    metrics = [name for name in others if all(map(is_score, table.column(name)))]
    if not metrics:
        raise InputError(f"{path}: beside {system} no column holds numbers alone: {', '.join(others) or 'no other'}")
    for number, record in zip(table.numbers, table.records(), strict=True):
        place = {"segment": record[segment]} if segment else {}
        texts = {name: record[name] for name in others if name not in metrics}
        for metric in metrics:
            yield number, {**texts, "system": record[system], "metric": metric, "score": record[metric], **place}


def json_rows(path: Path) -> Iterator[Row]:
    """COMET's JSON, whose records are of the file that names them, or records of JSON: a line each, or a list."""
    numbered: Iterable[tuple[int, Any]]
    try:
        content = tables.json_value(str(path), whole_content(path))
        numbered = [(1, record) for record in (content if isinstance(content, list) else [content])]
        if isinstance(content, dict) and content and all(isinstance(held, list) for held in content.values()):
            entries = [(file, at, one) for file, held in content.items() for at, one in enumerate(held)]
            scores = ((file, at, first_of(one, ("COMET",), "")) for file, at, one in entries if isinstance(one, dict))
            numbered = [(1, {"system": file, "segment": at, "score": score}) for file, at, score in scores]
    except InputError:
        numbered = tables.json_lines(path)
    seen: Counter[str] = Counter()
    for number, record in numbered:
        known = record if isinstance(record, dict) else {}
        score = first_of(known, SCORES, "")
        if isinstance(score, bool) or not isinstance(score, int | float | None):
            of = f"{known['system']}: " if "system" in known else ""
            keys = f"; keys: {', '.join(known)}" if known else ""
            raise InputError(f"{path}: line {number}: {of}no number under {', '.join(SCORES)} or COMET{keys}")
        named = str(first_of(record, SYSTEMS, ""))
        seen[named] += 1
        segment = str(first_of(record, SEGMENTS, seen[named]))
        yield number, {**({"system": named} if named else {}), "segment": segment, "score": str(score)}


def without_suffix(file: str | Path) -> str:
    """The path of a file of translations, without .txt and .gz."""
    return str(file).removesuffix(".gz").removesuffix(".txt")


def keys_by_file(files: Mapping[str, Path | None], keys: Collection[str]) -> dict[str, str]:
    """The key of each system that names its file: both end in the same folders and name, and no other pair of the two
    has more of them in common.

    files: the file of each system's translation, where it has one. keys: systems as a file of scores names them, such
    as the paths that comet-score writes.

    >>> keys_by_file({"run1-step5": Path("exp/run1/5.txt"), "b": None}, ["run1/5.txt", "run2/5.txt", "mt/b.txt"])
    {'run1-step5': 'run1/5.txt', 'b': 'mt/b.txt'}
    """
    names = [(key, Path(without_suffix(key)).parts) for key in keys]
    shared = {system: {key: _shared(system, file, parts) for key, parts in names} for system, file in files.items()}
    found = {}
    for system, lengths in shared.items():
        most = max(lengths.values(), default=0)
        best = [key for key, length in lengths.items() if most and length == most]
        if len(best) == 1 and all(other[best[0]] < most for name, other in shared.items() if name != system):
            found[system] = best[0]
    return found


def _shared(system: str, file: Path | None, parts: Sequence[str]) -> int:
    """How many folders and names, counted from the end, a path has in common with the file or the name of a system."""
    ours = [Path(without_suffix(file)).parts] if file else []
    pairs = (zip(reversed(one), reversed(parts), strict=False) for one in (*ours, (system,)))
    return max(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both)) for both in pairs)
