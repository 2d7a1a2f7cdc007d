"""What all published tables share: their cells and verdicts, printed and authors' files, texts of two systems."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.datasets.manifests import ManifestFiles, load_manifest
from clirbench.errors import ClirbenchError, ConfigError, InputError, MissingData, NothingCompared, UnknownName
from clirbench.files.score_tables import EMBEDDED, table_path
from clirbench.files.tables import TextTable, read_table
from clirbench.pages import Table, number
from clirbench.result import Result
from clirbench.systems.files import FileSystems
from clirbench.text import Text, TextFile
from clirbench.types import TestSet, Translation

DATA = Path(__file__).with_name("data")
HEADER = ("row", "measure", "metric", "published", "ours", "verdict", "remark", "value", "p_value", "n")
Entry = Mapping[str, str]
"""Of a configuration: what is known of the place that its keys name (a key that is not there fits any value)."""
Outputs = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class PaperCell:
    """One cell of a published table: where it is, theirs and ours.

    `value` has its sign and full precision; `shown` is what the table's rules print for it (three decimals, x for
    "not significant"), empty where the cell cannot be computed here; `printed` is what the paper prints, empty where
    it prints nothing. Only coefficients have a p-value and `n` systems. `known`: {right, note} is an error of the
    paper, {ours, note} a difference with a reason; either holds where we find that value, and for no other.
    """

    row: str
    measure: str
    metric: str = ""
    printed: str = ""
    shown: str = ""
    value: float = nan
    p_value: float = nan
    n: int = 0
    note: str = ""
    known: Sequence[Entry] = ()

    @property
    def verdict(self) -> str:
        """`published error`: ours is what should have been printed; `explained`: it differs for a known reason."""
        if not self.shown:
            return "no scores"
        if not self.printed:
            return "not printed"
        if self.shown == self.printed:
            return "as printed"
        return next(("published error" if "right" in entry else "explained" for entry in self._reasons), "differs")

    @property
    def remark(self) -> str:
        """Why the cell differs, where that is known, and further remarks on it."""
        reasons = self._reasons if self.verdict in ("published error", "explained") else []
        return joined(*(entry["note"] for entry in reasons), self.note)

    @property
    def _reasons(self) -> list[Entry]:
        return [entry for entry in self.known if entry.get("right", entry.get("ours")) == self.shown]


@dataclass(frozen=True, kw_only=True)
class PublishedTable(ABC):
    """A table of a paper beside ours, cell by cell: `name` is its file, `title` its heading."""

    name: str
    title: str

    @abstractmethod
    def cells(self) -> Iterable[PaperCell]:
        """Each cell: where it is, as printed, as computed here, and remarks on it."""

    def further(self) -> Sequence[Table]:
        """What else belongs to the table, such as the scores behind it."""
        return ()

    def tables(self, result: Result) -> Sequence[Table]:
        """The published table beside ours, and what else belongs to it."""
        return [self.table(), *self.further()]

    def table(self) -> Table:
        """The published table beside ours, with what makes the run fail once all is written."""
        cells = tuple(self.cells())
        counted = Counter(cell.verdict for cell in cells)
        text = f"{len(cells)} cells: {', '.join(f'{n} {verdict}' for verdict, n in counted.items())}."
        rows = tuple(
            (c.row, c.measure, c.metric, c.printed, c.shown, c.verdict, c.remark, c.value, c.p_value, c.n or "")
            for c in cells
        )
        n, failures = len(rows), tuple(self._failures(cells))
        return Table(self.name, self.title, HEADER, rows, (text,), shown=n, said=n, failures=failures)

    def _failures(self, cells: Sequence[PaperCell]) -> Iterable[ClirbenchError]:
        """Cells that differ for no known reason; or that there is not one cell to compare, and why."""
        if cells and all(cell.verdict == "no scores" for cell in cells):
            why = f"none of the {len(cells)} cells could be compared: {cells[0].remark}"
            yield NothingCompared(f"{self.title}: {why}")
        for cell in cells:
            if cell.verdict == "differs":
                place = " ".join(filter(None, (cell.row, cell.measure, cell.metric)))
                found = f"{place} is printed {cell.printed}, ours is {cell.shown}, and nothing explains it"
                yield ClirbenchError(f"{self.title}: {found}")


@dataclass(frozen=True, kw_only=True)
class PublishedFiles(PublishedTable):
    """A table made from files of the data set `manifest`, which are in `mirror` or `cache` or can be downloaded."""

    manifest: str
    mirror: str | None = None
    cache: str | None = None
    download: bool = False

    def locate(self, *names: str) -> Mapping[str, Path]:
        """The verified path of each file; raises `MissingData` with the ways to get what is not there."""
        return ManifestFiles(load_manifest(self.manifest), self.mirror, self.cache, self.download).locate(names)


@dataclass(frozen=True, kw_only=True)
class PairTable(PublishedTable):
    """A table about the two systems of `pair`, the supervised one first.

    texts: language pair to corpus; folders: language pair to a folder, in its place.
    """

    texts: Mapping[str, CorpusSource] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    pair: Sequence[str] = ("snmt", "unmt")

    def read_pair(self, label: str, labels: Iterable[str]) -> tuple[TestSet, Outputs] | None:
        """The test set of a language pair and both systems' outputs; None where nothing is known of it.

        Raises what reading a corpus raises, `ConfigError` where `pair` does not name two systems, and `UnknownName`
        for a folder of a language pair that is not among the table's `labels`.
        """
        if len(self.pair) != 2:
            raise ConfigError(f"paper.pair={list(self.pair)}: name two systems, the supervised one first")
        for given in self.folders:
            if given not in labels:
                raise UnknownName("language pair of paper.folders", given, labels)
        source = FolderCorpus(self.folders[label]) if label in self.folders else self.texts.get(label)
        if source is None:
            return None
        corpus = source.read()
        texts = texts_of(FileSystems(include=list(self.pair)).translations(corpus))
        first, second = (texts[name].lines() for name in self.pair)
        return corpus.test, (first, second)


def texts_of(translations: Iterable[Translation]) -> dict[str, Text]:
    """The translation of the MT test set by every system that has one."""
    return {translation.system: translation.test for translation in translations if translation.test is not None}


def how_to_give(label: str) -> str:
    """What to tell somebody who has no texts of a language pair."""
    return (
        f"the texts of {label} are missing; for a folder that has reference.txt, systems/snmt.txt and "
        f"systems/unmt.txt add 'paper.folders={{{label}: \"DIR\"}}'"
    )


def known_of(entries: Sequence[Entry], **where: object) -> list[Entry]:
    """The entries about a place, such as metric="BLEU"."""
    return [e for e in entries if all(str(e.get(key, value)) == str(value) for key, value in where.items())]


def joined(*notes: str) -> str:
    """The notes that say something, in one line."""
    return "; ".join(filter(None, notes))


def leading(value: float, digits: int = 3) -> str:
    """A number as the papers print it: `.071`, `-.055`, `1.099`; what is rounded to zero has no sign."""
    rounded = round(value, digits)
    return number(0.0 if rounded == 0 else rounded, digits)


def shipped_path(name: str) -> Path:
    """The file of a table that is shipped; raises `UnknownName`."""
    return path if (path := DATA / f"{name}.tsv").is_file() else table_path(EMBEDDED + name)


def load_published(name: str) -> TextTable:
    """A table that is shipped; raises `UnknownName`."""
    return read_table(shipped_path(name))


def printed_cells(name: str) -> dict[tuple[str, str], dict[str, str]]:
    """(row, measure) -> metric -> the cell as printed, from the shipped file of that name."""
    return {(record.pop("group"), record.pop("measure")): record for record in load_published(name).records()}


@dataclass(frozen=True)
class AuthorTable:
    """Columns of a file of authors, and the line of each row; raises `UnknownName` for a column it has not."""

    path: Path
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    def text(self, name: str) -> Sequence[str]:
        """The cells of a column."""
        if name not in self.columns:
            raise UnknownName(f"column in {self.path}", name, self.columns)
        return self.columns[name]

    def numbers(self, name: str) -> list[float]:
        """The cells of a column as numbers, NaN for an empty cell; raises `InputError` with the line."""
        found = []
        for line, cell in zip(self.lines, self.text(name), strict=True):
            try:
                found.append(float(cell or "nan"))
            except ValueError:
                raise InputError(f"{self.path}: line {line}: column {name}: {cell!r} is not a number") from None
        return found


def read_author_table(path: Path, first: str = "", rename: Mapping[str, str] | None = None) -> AuthorTable:
    """Read a file whose header begins with the column `first`; lines above it and blank lines are ignored.

    A row may end with spare tabs. `rename`: names of columns, old to new. Raises `MissingData`, and `InputError` where
    there is no header, and for a row that is too short or too long, with its line.
    """
    if not path.is_file():
        raise MissingData(f"{path}: no such score file")
    header: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    for line, text in enumerate(TextFile(path).lines(), 1):
        cells = [cell.strip() for cell in text.split("\t")]
        if not any(cells):
            continue
        n = len(header)
        if not header:
            if cells[0] == first or (not first and not text.startswith("#")):
                header = [name.strip() for name in text.rstrip("\t\r").split("\t")]
        elif len(cells) < n or any(cells[n:]):
            raise InputError(f"{path}: line {line}: {len(cells)} columns, the header has {n}")
        else:
            rows.append((line, cells))
    if not header:
        wanted = f"no line begins with `{first}`" if first else "is empty, a header line was expected"
        raise InputError(f"{path}: {wanted}")
    names = [(rename or {}).get(name, name) for name in header]
    columns = {name: [cells[at] for _, cells in rows] for at, name in enumerate(names)}
    return AuthorTable(path, columns, [line for line, _ in rows])
