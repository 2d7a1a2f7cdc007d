"""What differs between two runs, as a DataFrame and as a page."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.api.outcome import Outcome, checked_path
from clirbench.files.run_files import PROVENANCE, RESULTS
from clirbench.pages.tsv import with_words, write_tsv
from clirbench.report.compared.comparison import Part, RunFiles, read_run, verdict
from clirbench.report.compared.comparison import compare as compare_files
from clirbench.report.compared.view import write_html
from clirbench.report.results_json import as_json

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("part", "what", "first", "second", "difference", "unequal")


@dataclass(frozen=True, repr=False)
class Comparison:
    """Everything that differs between two runs, part by part.

    >>> import clirbench as cb
    >>> two = [cb.run("europarl_csen_published", scores__ignore=[name]) for name in ("MicroF1", "chrF1")]
    >>> found = cb.compare(*two)
    >>> found.table.columns.tolist()
    ['part', 'what', 'first', 'second', 'difference', 'unequal']
    >>> found.write_html("compared.html").name
    'compared.html'
    """

    runs: tuple[RunFiles, RunFiles]
    parts: tuple[Part, ...]

    @property
    def verdict(self) -> str:
        """One sentence: do the numbers agree, and where they do not, should they?"""
        return verdict(self.parts)

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each difference; `unequal`: the two numbers should be equal and are not."""
        import pandas as pd

        rows = [
            (part.name, " ".join(change.what), change.first, change.second, change.difference, change.unequal)
            for part in self.parts
            for change in part.changes
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def write_html(self, path: "str | Path") -> Path:
        """Write the page that `clirbench compare --html` writes."""
        write_html(Path(path), *self.runs, self.parts)
        return Path(path)

    def __repr__(self) -> str:
        return f"<clirbench comparison: {self.verdict}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.verdict)}</p>\n{self.table.to_html(index=False, max_rows=30)}"


def compare(a: "Outcome | str | Path", b: "Outcome | str | Path") -> Comparison:
    """Compare two runs, or folders of runs, as `clirbench compare` does.

    >>> import clirbench as cb
    >>> r = cb.run("europarl_csen_published")
    >>> cb.compare(r, r).verdict
    'All 334 numbers that both runs have are equal.'
    """
    first, second = _files(a), _files(b)
    return Comparison((first, second), compare_files(first, second))


def _files(run: "Outcome | str | Path") -> RunFiles:
    with tempfile.TemporaryDirectory(prefix="clirbench-") as name:
        return read_run(folder_of(run, Path(name)))


def folder_of(run: "Outcome | str | Path", place: Path) -> Path:
    """The folder of a run; an outcome writes what is read of one to `place`, without pages and pictures."""
    if not isinstance(run, Outcome):
        return checked_path(run)
    place.mkdir(exist_ok=True)
    for table in ("systems", "correlations", "per_topic"):
        if table in run.tables:
            write_tsv(place / f"{table}.tsv", list(run.tables[table].columns), _rows(run.tables[table]))
    for file, values in ((PROVENANCE, run.provenance), (RESULTS, run.results)):
        (place / file).write_text(as_json(values), encoding="utf-8")
    return place


def _rows(table: "pd.DataFrame") -> Iterator[list[Any]]:
    return map(list, with_words(table).itertuples(index=False))
