from clirbench.report.html.grid import MOST_ROWS, analysis_grid, systems_grid, tau_grid
from clirbench.result import AnalysisTable
from clirbench.statistics.correlation import Correlation
from tests.report.boards import board

NAN = float("nan")


def test_tau_cells_say_what_they_are_in_text_and_not_by_colour_alone() -> None:
    made = board({"A": [1, 2, 3], "B": [1, 2, 3], "C": [1, 1, 1]}, {"MAP": [1, 2, 3]})
    rows = [
        Correlation("MAP", "A", "kendall", 0.95, 0.00001, 3, "true"),
        Correlation("MAP", "B", "kendall", -0.32, 0.41, 3, "false"),
        Correlation("MAP", "C", "kendall", NAN, NAN, 3, "undefined", "C is constant"),
    ]
    grid = tau_grid(made, rows, "kendall", "", "caption")
    (name, a, b, c) = grid.rows[0]
    assert name.text == "MAP"
    assert (a.text, a.style) == (".950", "pos l10 best")
    assert a.tip == "A with MAP: .950, p < .0001, 3 systems"
    assert (b.text, b.style) == ("-.320 x", "neg l3 dull")
    assert b.tip.endswith("p = .4100, 3 systems, not significant")
    assert (c.text, c.tip) == ("undefined", "C with MAP: undefined, C is constant")


def test_holes_of_systems_are_dashes_that_sort_last_and_the_best_is_bold() -> None:
    grid = systems_grid(board({"BLEU": [10, 30, NAN]}, {"MAP": [0.1, 0.2, 0.3]}, {"step": ["1,000", "2,000", ""]}))
    assert grid.header == ("system", "step", "BLEU", "MAP")
    assert grid.numeric == (False, True, True, True)
    texts = [[cell.text for cell in row] for row in grid.rows]
    assert texts[2] == ["s3", "", "–", "0.3000"]
    assert [row[2].sort for row in grid.rows] == [10, 30, float("-inf")]
    assert [row[2].style for row in grid.rows] == ["", "best", ""]
    assert grid.rows[0][1].sort == 1000


def test_long_analyses_are_cut_with_their_count_and_name_their_file() -> None:
    rows = tuple((f"s{i}", i, NAN if i else float("inf"), True) for i in range(MOST_ROWS + 7))
    grid = analysis_grid(AnalysisTable("power", "Power", ("name", "n", "value", "yes"), rows))
    assert (len(grid.rows), grid.left_out, grid.file) == (MOST_ROWS, 7, "power")
    assert [cell.text for cell in grid.rows[0]] == ["s0", "0", "∞", "true"]
    assert grid.rows[1][2].text == "–"
