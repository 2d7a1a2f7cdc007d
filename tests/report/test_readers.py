"""One table as four programs read it: csv, pandas, polars, and R's read.delim, whose rules are followed here."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import escape_unseen
from clirbench.files.tables import read_table
from clirbench.pages import BLANKS, write_tsv

Cells = list[list[str]]


def by_csv(path: Path) -> Cells:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="\t"))


def by_pandas(path: Path) -> Cells:
    """`pandas.read_csv(path, sep="\\t")`, but for the words (NA, null) that it would turn into holes."""
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    return [list(map(str, table.columns)), *table.to_numpy().tolist()]


def by_polars(path: Path) -> Cells:
    import polars

    table = polars.read_csv(path, separator="\t", infer_schema=False).fill_null("")
    return [table.columns, *map(list, table.rows())]


def by_r(path: Path) -> Cells:
    r"""read.delim: `sep = "\t", quote = "\"", comment.char = ""`, as R's scan.c reads a cell when `sep` is given.

    Only a quote that begins a cell opens it; within it, a doubled quote is a quote, and tabs and lines are text.
    """
    text = path.read_text(encoding="utf-8")
    rows: Cells = [[]]
    at = 0
    while at < len(text):
        cell = ""
        if text[at] == '"':
            at += 1
            while not (text[at] == '"' and text[at + 1 : at + 2] != '"'):
                at += text[at] == '"'
                cell += text[at]
                at += 1
            at += 1
        while text[at] not in "\t\n":
            cell += text[at]
            at += 1
        rows[-1].append(cell)
        if text[at] == "\n":
            rows.append([])
        at += 1
    return [row for row in rows if row]


READERS: Mapping[str, Callable[[Path], Cells]] = {"csv": by_csv, "pandas": by_pandas, "polars": by_polars, "R": by_r}


def differing(path: Path) -> list[str]:
    """The readers that do not read what csv reads."""
    expected = by_csv(path)
    return [name for name, read in READERS.items() if read(path) != expected]


# What cells are made of where tables go wrong: quotes, tabs, ends of lines, blanks, other scripts.
PIECES = st.sampled_from(
    ['"', '""', "'", "\t", "\n", "\r", "#", " ", "a", "NA", "null", "é", "\u2028", "\x00", "1.5", ","]
)
CELLS = st.lists(PIECES, max_size=5).map("".join)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=6))
def test_any_text_is_read_alike(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    path = tmp_path_factory.mktemp("cells") / "t.tsv"
    rows = [("x", *row) for row in rows]
    write_tsv(path, ["system", "a", "b b", "c"], rows)
    expected = [["system", "a", "b b", "c"], *([escape_unseen(cell.translate(BLANKS)) for cell in row] for row in rows)]
    assert by_csv(path) == expected
    assert differing(path) == []
    assert [list(row) for row in read_table(path).rows] == expected[1:]


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_that_passes_over_rows_would_be_seen(tmp_path: Path, reader: str) -> None:
    """A lone quote that is not quoted joins rows, in every reader."""
    (tmp_path / "t.tsv").write_text('type\tcount\n"\t3\nthe\t2\n"\t1\nof\t5\n')
    assert len(READERS[reader](tmp_path / "t.tsv")) < 5
