"""What all published tables share: each module of this room says what its table is and how a cell of it is computed."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.datasets.manifests import ManifestFiles, Places, load_manifest
from clirbench.files.score_tables import EMBEDDED, table_path
from clirbench.files.tables import Table, read_table
from clirbench.labs.papers.cells import PaperCell, cells_table
from clirbench.result import AnalysisTable, Result

DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, kw_only=True)
class PublishedTable(ABC):
    """A table of a paper beside ours, cell by cell: `name` is its file, `title` its heading."""

    name: str
    title: str

    @abstractmethod
    def cells(self) -> Iterable[PaperCell]:
        """Each cell: where it is, as printed, as computed here, and remarks on it."""

    def further(self) -> Sequence[AnalysisTable]:
        """What else belongs to the table, such as the scores behind it."""
        return ()

    def tables(self, result: Result) -> Sequence[AnalysisTable]:
        """The published table beside ours, and what else belongs to it."""
        return [self.table(), *self.further()]

    def table(self) -> AnalysisTable:
        """The published table beside ours."""
        return cells_table(self.name, self.title, tuple(self.cells()))


@dataclass(frozen=True, kw_only=True)
class PublishedFiles(PublishedTable):
    """A table made from files of the data set `manifest`, which are in `mirror` or `cache` or can be downloaded."""

    manifest: str
    mirror: str | None = None
    cache: str | None = None
    download: bool = False

    def locate(self, *names: str) -> Mapping[str, Path]:
        """The verified path of each file; raises `MissingData` with the ways to get what is not there."""
        return ManifestFiles(load_manifest(self.manifest), Places(self.mirror, self.cache, self.download)).locate(names)


def shipped_path(name: str) -> Path:
    """The file of a table that is shipped; raises `UnknownName`."""
    return path if (path := DATA / f"{name}.tsv").is_file() else table_path(EMBEDDED + name)


def load_published(name: str) -> Table:
    """A table that is shipped; raises `UnknownName`."""
    return read_table(shipped_path(name))


def printed_cells(name: str) -> dict[tuple[str, str], dict[str, str]]:
    """(row, measure) -> metric -> the cell as printed, from the shipped file of that name."""
    cells = {}
    for record in load_published(name).records():
        place = record.pop("group"), record.pop("measure")
        cells[place] = record
    return cells
