"""Cells and verdicts; a run fails on what nothing explains, once everything is written."""

from clirbench.labs.papers.cells import Known, PaperCell, cells_table, entries_for_place, known_differences
from clirbench.labs.papers.published import DATA
from tests.conftest import Cli


def test_verdicts() -> None:
    known = [Known(".3", "beta 2"), Known(".6", "a typing error", "published error")]
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
    entries = [
        {"row": "Wins", "metric": "BLEU", "right": "3", "note": "miscounted"},
        {"row": "Wins", "measure": "MAP", "metric": "BLEU", "ours": "4", "note": "another rule"},
    ]
    both = known_differences(entries, row="Wins", measure="MAP", metric="BLEU")
    assert both == [Known("3", "miscounted", "published error"), Known("4", "another rule", "explained")]
    assert (
        known_differences(entries, row="Wins", measure="RBO", metric="BLEU") == both[:1]
    )  # a key that is not given fits any
    assert known_differences(entries, row="Mean", measure="MAP", metric="BLEU") == []
    assert entries_for_place([{"rank": "6"}], rank=6) == [{"rank": "6"}]


def test_what_differs_makes_the_run_fail_and_nothing_else_does() -> None:
    cells = [
        PaperCell("r", "m", "x", printed=".3", shown=".3", value=0.3),
        PaperCell("r", "m", "y", printed=".5", note="no texts"),
        PaperCell("r", "m", "z", printed=".4", shown=".3", value=0.3),
    ]
    table = cells_table("t", "Table T", cells)
    (failure,) = table.failures
    assert str(failure) == "Table T: r m z is printed .4, ours is .3, and nothing explains it"
    assert cells_table("t", "Table T", cells[:2]).failures == ()
    assert table.text[0] == "3 cells: 1 as printed, 1 no scores, 1 differs."
    assert table.rows[1][7] != table.rows[1][7]  # no value: NaN


def test_a_table_without_one_cell_to_compare_makes_the_run_fail() -> None:
    missing = PaperCell("r", "m", "y", printed=".5", note="no texts")
    (failure,) = cells_table("t", "Table T", [missing, missing]).failures
    assert str(failure) == "Table T: none of the 2 cells could be compared: no texts"
    # A cell of ours that is not printed is a finding too.
    assert cells_table("t", "Table T", [missing, PaperCell("r", "m", "x", shown=".3")]).failures == ()


def test_texts_that_are_not_at_hand_are_asked_for_once_the_printed_cells_are_written(cli: Cli) -> None:
    done = cli("+experiment=gowda2021_table14", "hydra.run.dir=out")
    assert done.returncode == 3
    assert "none of the 20 cells could be compared: the texts of RO-EN are missing" in done.stderr
    assert len((cli.cwd / "out" / "gowda2021_table14.tsv").read_text(encoding="utf-8").splitlines()) == 21


def test_an_unexplained_cell_is_written_and_then_fails(cli: Cli) -> None:
    # Wins of Table 11 were printed wrongly; without the list of errata nothing explains them.
    done = cli("+experiment=gowda2021_table11", "paper.errata=[]", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "Wins Human BLEU is printed 4, ours is 3, and nothing explains it" in done.stderr
    assert "differs" in (cli.cwd / "out" / "gowda2021_table11.tsv").read_text(encoding="utf-8")
    assert "85 cells" in done.stdout


def test_one_command_prints_and_writes_the_table(cli: Cli) -> None:
    done = cli("+experiment=gowda2021_table4", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert "108 cells: 71 as printed, 1 published error, 36 not printed." in done.stdout
    assert (cli.cwd / "out" / "report.md").read_text(encoding="utf-8").startswith("# gowda2021_table4\n")


def test_scores_that_are_not_shipped_are_asked_for(cli: Cli) -> None:
    done = cli("+experiment=gowda2021_table9", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "paper.scores={WMT19: FILE}" in done.stderr


def test_names_of_ones_own_can_be_given_on_the_command_line(cli: Cli) -> None:
    done = cli("+experiment=gowda2021_table9", "paper.scores={WMT19: none.tsv}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "paper.scores: none.tsv of WMT19 does not exist" in done.stderr
    done = cli("+experiment=gowda2021_table13", "paper.folders={FR-EN: none}", "hydra.run.dir=out2")
    assert done.returncode == 1
    assert "none" in done.stderr
    assert "Could not override" not in done.stderr


def test_the_scores_of_2019_can_be_given_to_table_3(cli: Cli) -> None:
    # Those of 2018 in their place: they are read, and what is printed for 2019 does not come out.
    path = DATA / "gowda2021_wmt18.tsv"
    done = cli("+experiment=gowda2021_table3", f"paper.scores={{WMT19: {path}}}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "WMT19 Mean Human BLEU is printed .771" in done.stderr
