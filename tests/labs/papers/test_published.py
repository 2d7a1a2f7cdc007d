"""Published tables: cells and verdicts, authors' files; a run fails on what nothing explains, once all is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import InputError, UnknownName
from clirbench.labs.papers.published import PaperCell, PublishedTable, known_of, read_author_table
from tests.conftest import Cli, write_lines


@dataclass(frozen=True, kw_only=True)
class Made(PublishedTable):
    """Cells as they are given."""

    name: str = "t"
    title: str = "Table T"
    given: Sequence[PaperCell]

    def cells(self) -> Sequence[PaperCell]:
        return self.given


def test_verdicts() -> None:
    known = [{"ours": ".3", "note": "beta 2"}, {"right": ".6", "note": "a typing error"}]
    assert PaperCell("r", "m", "x", printed=".3", shown=".3").verdict == "as printed"
    assert PaperCell("r", "m", "x", shown=".3").verdict == "not printed"
    assert PaperCell("r", "m", "x", printed=".4", shown=".3").verdict == "differs"
    assert PaperCell("r", "m", "x", printed=".4", known=known).verdict == "no scores"
    found = PaperCell("r", "m", "x", printed=".4", shown=".3", note="n", known=known)
    assert (found.verdict, found.remark) == ("explained", "beta 2; n")
    found = PaperCell("r", "m", "x", printed=".4", shown=".6", known=known)
    assert (found.verdict, found.remark) == ("published error", "a typing error")
    # What is known holds for the value it was said of, not for any other, and says nothing where both agree.
    found = PaperCell("r", "m", "x", printed=".4", shown=".5", note="n", known=known)
    assert (found.verdict, found.remark) == ("differs", "n")
    assert PaperCell("r", "m", "x", printed=".3", shown=".3", known=known).remark == ""


def test_what_is_known_of_a_place() -> None:
    """A key that is not given fits any value; of those that are given, all count."""
    entries = [{"row": "Wins", "metric": "BLEU"}, {"row": "Wins", "measure": "MAP", "metric": "BLEU"}]
    assert known_of(entries, row="Wins", measure="RBO", metric="BLEU") == entries[:1]


def test_what_differs_makes_the_run_fail_and_nothing_else_does() -> None:
    cells = [
        PaperCell("r", "m", "x", printed=".3", shown=".3", value=0.3),
        PaperCell("r", "m", "y", printed=".5", note="no texts"),
        PaperCell("r", "m", "z", printed=".4", shown=".3", value=0.3),
    ]
    table = Made(given=cells).table()
    (failure,) = table.failures
    assert str(failure) == "Table T: r m z is printed .4, ours is .3, and nothing explains it"
    assert Made(given=cells[:2]).table().failures == ()
    assert table.text[0] == "3 cells: 1 as printed, 1 no scores, 1 differs."
    assert table.rows[1][7] != table.rows[1][7]  # no value: NaN


def test_a_table_without_one_cell_to_compare_makes_the_run_fail() -> None:
    missing = PaperCell("r", "m", "y", printed=".5", note="no texts")
    (failure,) = Made(given=[missing, missing]).table().failures
    assert str(failure) == "Table T: none of the 2 cells could be compared: no texts"
    # A cell of ours that is not printed is a finding too.
    assert Made(given=[missing, PaperCell("r", "m", "x", shown=".3")]).table().failures == ()


def test_texts_that_are_not_at_hand_are_asked_for_once_the_printed_cells_are_written(cli: Cli) -> None:
    done = cli("+experiment=gowda2021_table14", "hydra.run.dir=out")
    assert done.returncode == 3
    assert "none of the 20 cells could be compared: the texts of RO-EN are missing" in done.stderr
    assert len((cli.cwd / "out" / "gowda2021_table14.tsv").read_text(encoding="utf-8").splitlines()) == 21


def test_comments_blank_lines_and_spare_tabs_are_passed_over(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", ["# scores", "", "system\tBLEU\t", "a\t1.5\t\t", "", "# b\t"])
    table = read_author_table(tmp_path / "x")
    assert table.text("system") == ["a", "# b"]
    assert table.lines == [4, 6]
    np.testing.assert_equal(table.numbers("BLEU"), [1.5, np.nan])


def test_a_header_may_stand_below_other_text(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", ["Loaded\t5", "Type \t Refs", "the\t 7"])
    assert read_author_table(tmp_path / "x", first="Type").numbers("Refs") == [7]
    with pytest.raises(InputError, match="no line begins with `Kind`"):
        read_author_table(tmp_path / "x", first="Kind")


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
