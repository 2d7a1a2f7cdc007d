"""Tables with tabs and commas."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from clirbench.files.tables import as_number, read_table


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
