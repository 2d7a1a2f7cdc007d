"""Cells and verdicts; a run fails on what nothing explains, once everything is written."""

from pathlib import Path

from clirbench.papers.cells import cells_table, compared, leading, without
from tests.conftest import Cli


def test_numbers_are_printed_as_the_papers_do() -> None:
    assert [leading(x) for x in (0.0711, -0.0548, 1.0994, -0.0001)] == [".071", "-.055", "1.099", ".000"]
    assert leading(-0.000874, 5) == "-.00087"


def test_verdicts() -> None:
    why = {".3": "beta 2"}
    assert compared("t", "r", "m", "x", 0.3, ".3", ".3").verdict == "as printed"
    assert compared("t", "r", "m", "x", 0.3, ".3", "").verdict == "not printed"
    assert compared("t", "r", "m", "x", 0.3, ".3", ".4").verdict == "differs"
    found = compared("t", "r", "m", "x", 0.3, ".3", ".4", explained=why)
    assert (found.verdict, found.note) == ("explained", "beta 2")
    # An explanation holds for the value it was given for, not for any other.
    assert compared("t", "r", "m", "x", 0.5, ".5", ".4", explained=why).verdict == "differs"


def test_what_differs_makes_the_run_fail_and_nothing_else_does() -> None:
    cells = [
        compared("t", "r", "m", "x", 0.3, ".3", ".3"),
        without("t", "r", "m", "y", ".5", "no texts"),
        compared("t", "r", "m", "z", 0.3, ".3", ".4"),
    ]
    table = cells_table("t", "Table T", cells)
    assert table.failures == ("Table T: r m z is printed .4, ours is .3, and nothing explains it",)
    assert cells_table("t", "Table T", cells[:2]).failures == ()
    assert table.text[0] == "3 cells: 1 as printed, 1 no scores, 1 differs."
    assert table.rows[1][7] != table.rows[1][7]  # no value: NaN


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
    assert "none.tsv: no such score file" in done.stderr
    done = cli("+experiment=gowda2021_table13", "paper.folders={FR-EN: none}", "hydra.run.dir=out2")
    assert done.returncode == 1
    assert "none" in done.stderr
    assert "Could not override" not in done.stderr


def test_the_scores_of_2019_can_be_given_to_table_3(cli: Cli) -> None:
    # Those of 2018 in their place: they are read, and what is printed for 2019 does not come out.
    path = Path(__file__).parents[2] / "clirbench" / "data" / "papers" / "gowda2021_wmt18.tsv"
    done = cli("+experiment=gowda2021_table3", f"paper.parts.WMT19.scores={{WMT19: {path}}}", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "WMT19 Mean Human BLEU is printed .771" in done.stderr
