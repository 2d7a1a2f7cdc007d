"""Tables with tabs and commas."""

import csv
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.files.tables import as_number, read_table
from clirbench.pages import write_tsv


def test_tabs_commas_comments_and_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text('# origin\nsystem\tx\n\n"a"\t1,5\r\n')
    table = read_table(tmp_path / "a.tsv")
    assert (table.header, table.rows, table.numbers) == (("system", "x"), (('"a"', "1,5"),), (4,))
    (tmp_path / "a.csv").write_text('system,x\n"a,\nb",1\nc,2\n')
    table = read_table(tmp_path / "a.csv")
    assert table.rows == (("a,\nb", "1"), ("c", "2"))
    assert table.numbers == (2, 4)
    (tmp_path / "a.txt").write_text("system,x\na,1\n")
    assert read_table(tmp_path / "a.txt").rows == (("a", "1"),)


@pytest.mark.parametrize("cell", ["1_5", "12,5", "23%", "1'000", "٣", "0x1", "1e", "", "+", "1 2"])
def test_what_is_no_number(cell: str) -> None:
    assert as_number(cell) is None


@given(st.floats(allow_nan=False))
def test_what_is_a_number(value: float) -> None:
    assert as_number(f" {value!r} ") == value
    assert (as_number("+.5"), as_number("5."), as_number("1E3")) == (0.5, 5, 1000)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Cf"])), min_size=1, max_size=4))
def test_what_we_write_is_what_we_pandas_and_csv_read(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str]
) -> None:
    path = tmp_path_factory.mktemp("cells") / "t.tsv"
    header = [f"c{i}" for i in range(len(cells) + 1)]
    write_tsv(path, header, [["a", *cells]])
    assert read_table(path).rows == (("a", *cells),)
    with path.open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream, delimiter="\t")) == [header, ["a", *cells]]
    frame = pandas.read_csv(path, sep="\t", dtype=str, keep_default_na=False, encoding="utf-8")
    assert list(frame.iloc[0]) == ["a", *cells]
