"""What differs between two runs, as a DataFrame and as a page."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.api.outcome import Outcome, checked_path
from clirbench.files.run_files import PROVENANCE, RESULTS
from clirbench.pages.tsv import with_words, write_tsv
from clirbench.report.compared.comparison import HEADER, Differences, RunFiles, read_run
from clirbench.report.compared.comparison import compare as compare_files
from clirbench.report.html.page import write_page
from clirbench.report.results_json import as_json

if TYPE_CHECKING:
    import pandas as pd


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

    found: Differences

    @property
    def verdict(self) -> str:
        """One sentence: do the numbers agree, and where they do not, should they?"""
        return self.found.verdict

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each difference; `unequal`: the two numbers should be equal and are not."""
        import pandas as pd

        rows = [(*change.row(), change.unequal) for change in self.found.changes]
        return pd.DataFrame(rows, columns=[*HEADER, "unequal"])

    def write_html(self, path: "str | Path") -> Path:
        """Write the page that `clirbench compare --html` writes."""
        write_page(Path(path), self.found.page())
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
    return Comparison(compare_files(_files(a), _files(b)))


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
