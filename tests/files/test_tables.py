"""Tables with tabs and commas."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import InputError
from clirbench.files.tables import read_table


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


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.tsv", "", r"t\.tsv: is empty, a header line was expected"),
        ("t.tsv", "# only\n", r"is empty"),
        ("t.tsv", "a\tb\n1\n", r"line 2: 1 columns, the header has 2"),
        ("t.tsv", "a\ta\n", r"line 1: columns stand twice: a"),
        ("t.csv", 'a,b\n"x\n', r"line 2: not a comma-separated table"),
        ("t.csv", 'a,b\n"x"y,1\n', r"line 2: not a comma-separated table"),
    ],
)
def test_faulty_tables(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / name)


@given(
    st.sampled_from(["t.csv", "t.tsv", "t.txt"]),
    st.binary(max_size=40) | st.text('a,"\t\n\r#\0', max_size=40).map(str.encode),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / name
    path.write_bytes(content)
    try:
        table = read_table(path)
    except InputError:
        return
    assert all(len(row) == len(table.header) for row in table.rows)
