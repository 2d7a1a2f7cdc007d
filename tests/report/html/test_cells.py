import pytest

from clirbench.pages.table import Table
from clirbench.report.facts import tau_tables
from clirbench.report.html.cells import MOST_ROWS, cut, numeric, rows_of
from clirbench.report.html.report import systems_shown
from clirbench.report.tables import systems_table
from clirbench.statistics.correlation import Correlation
from tests.report.boards import board, result

NAN = float("nan")


def test_tau_cells_say_what_they_are_in_text_and_not_by_colour_alone() -> None:
    made = board({"A": [1, 2, 3], "B": [1, 2, 3], "C": [1, 1, 1]}, {"MAP": [1, 2, 3]})
    rows = [
        Correlation("MAP", "A", "kendall", 0.95, 0.00001, 3, "true"),
        Correlation("MAP", "B", "kendall", -0.32, 0.41, 3, "false"),
        Correlation("MAP", "C", "kendall", NAN, NAN, 3, "undefined", "C is constant"),
    ]
    ((name, a, b, c),) = rows_of(tau_tables(made, rows, "kendall")[0])
    assert name["text"] == "MAP"
    assert (a["text"], a["style"], a["key"]) == (".950", "pos l10 best", "A")
    assert a["tip"] == "A with MAP: .950, p < .0001, 3 systems"
    assert (b["text"], b["style"]) == ("-.320 x", "neg l3 dull")
    assert b["tip"].endswith("p = .4100, 3 systems, not significant")
    assert (c["text"], c["style"]) == ("undefined", "none")
    assert c["tip"] == "C with MAP: undefined, C is constant"


def test_holes_of_systems_are_dashes_that_sort_last_and_the_best_is_bold() -> None:
    made = board({"BLEU": [10, 30, NAN]}, {"MAP": [0.1, 0.2, 0.3]}, {"step": ["1,000", "2,000", ""]})
    table = systems_table(made)
    assert table.header == ("system", "step", "BLEU", "MAP")
    assert numeric(table) == [False, True, True, True]
    rows = rows_of(table)
    assert [cell["text"] for cell in rows[2]] == ["d3", "", "–", "0.3000"]
    assert [row[2]["sort"] for row in rows] == [10, 30, float("-inf")]
    assert [row[2]["style"] for row in rows] == ["", "best", ""]
    assert rows[0][1]["sort"] == 1000


def test_metadata_sort_as_numbers_only_where_they_are_numbers() -> None:
    made = board({"BLEU": [1, 2, 3]}, {"MAP": [1, 2, 3]}, {"a": ["1_5", "2", "x"], "b": ["12,5", "1,234,567", "1e3"]})
    cells = [[cell["sort"] for cell in row[1:3]] for row in rows_of(systems_table(made))]
    assert cells == [["1_5", "12,5"], [2, 1234567], ["x", 1000]]


def test_long_analyses_are_cut_with_their_count_and_name_their_file() -> None:
    rows = tuple((f"s{i}", i, NAN if i else float("inf"), True) for i in range(MOST_ROWS + 7))
    table, left_out = cut(Table("power", "Power", ("name", "n", "value", "yes"), rows))
    assert (len(table.rows), left_out, table.name) == (MOST_ROWS, 7, "power")
    cells = rows_of(table)
    assert [cell["text"] for cell in cells[0]] == ["s0", "0", "∞", "true"]
    assert cells[1][2]["text"] == "–"


def test_of_very_many_systems_the_best_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.report.html.report.MOST_SYSTEMS", 2)
    table, left_out = systems_shown(result(board({"BLEU": [1, 2, 3]}, {"MAP": [0.3, NAN, 0.5]})))
    assert [row[0] for row in table.rows] == ["b1", "d3"]
    assert (left_out, table.name) == (1, "systems")
