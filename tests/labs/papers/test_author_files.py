"""Files of authors: what stands above the header, spare tabs, and errors with their line."""

from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import InputError, UnknownName
from clirbench.labs.papers.author_files import group_scores, read_author_table
from tests.conftest import write_lines


def test_comments_blank_lines_and_spare_tabs_are_passed_over(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", ["# scores", "", "system\tBLEU\t", "a\t1.5\t\t", "", "# b\t"])
    table = read_author_table(tmp_path / "x")
    assert table.text("system") == ["a", "# b"]
    assert table.lines == [4, 6]
    np.testing.assert_equal(table.numbers("BLEU"), [1.5, np.nan])


def test_a_header_may_stand_below_other_text(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", ["Loaded\t5", "Type \t Refs", "the\t 7"])
    assert read_author_table(tmp_path / "x", first="Type").numbers("Refs") == [7]


def test_errors_name_the_line(tmp_path: Path) -> None:
    write_lines(tmp_path / "empty", ["# nothing"])
    with pytest.raises(InputError, match="is empty, a header line was expected"):
        read_author_table(tmp_path / "empty")
    write_lines(tmp_path / "long", ["a\tb", "1\t2\t3"])
    with pytest.raises(InputError, match="line 2: 3 columns, the header has 2"):
        read_author_table(tmp_path / "long")
    write_lines(tmp_path / "x", ["a\tb", "1\tmany"])
    with pytest.raises(InputError, match="line 2: column b: 'many' is not a number"):
        read_author_table(tmp_path / "x").numbers("b")
    with pytest.raises(UnknownName, match="column in .* 'c'"):
        read_author_table(tmp_path / "x").text("c")


def test_groups_are_spelt_as_printed_and_a_file_may_be_one_group(tmp_path: Path) -> None:
    write_lines(tmp_path / "one", ["Langs\tsystem\tx", "de-en\ta\t1", "fr-en\ta\t2", "DE-EN\tb\t3"])
    write_lines(tmp_path / "two", ["system\tx", "a\t4"])
    files = {"A": str(tmp_path / "one"), "B": str(tmp_path / "two")}
    found = group_scores(files, {"Langs": "group"}, ["x"], {"de-en": "DE-EN"})
    assert {name: (group.systems, group.columns["x"]) for name, group in found.items()} == {
        "DE-EN": (["a", "b"], [1, 3]),
        "fr-en": (["a"], [2]),
        "B": (["a"], [4]),
    }
