"""Rounding and summaries of published tables, by hand."""

from fractions import Fraction

import numpy as np

from clirbench.labs.papers.printing import decimals, half_up, leading, print_cell, summary, thousandths


def test_numbers_are_printed_as_the_papers_do() -> None:
    assert [leading(x) for x in (0.0711, -0.0548, 1.0994, -0.0001)] == [".071", "-.055", "1.099", ".000"]
    assert leading(-0.000874, 5) == "-.00087"


def test_rounding() -> None:
    assert thousandths(-0.2) == -200
    assert thousandths(-0.2, absolute=True) == 200
    assert decimals(Fraction(7325, 10000)) == ".733"  # halves go up
    assert decimals(Fraction(1)) == "1.000"
    assert decimals(Fraction(-1, 5)) == "-.200"
    assert half_up(0.00045, 4) == 0.0005  # as it is written; its double lies below
    assert half_up(-0.0025, 3) == -0.003
    assert print_cell(0.345, 0.05, 0.05, False) == "x.345"
    assert print_cell(-0.345, 0.04, 0.05, True) == ".345"
    assert print_cell(float("nan"), float("nan"), 0.05, True) == "undefined"


def test_summaries_by_hand() -> None:
    values = np.array([[500, 700], [600, 600], [900, 100]])
    significant = np.array([[True, True], [True, True], [True, False]])
    kept = significant.all(axis=1)
    assert summary("Mean", values, significant, kept, 0) == (0.55, ".550")
    assert summary("Median", values, significant, kept, 1) == (0.65, ".650")
    assert summary("SD", values, significant, kept, 0)[1] == ".071"  # sqrt(.005)
    assert [summary("Wins", values, significant, kept, at)[1] for at in (0, 1)] == ["2", "2"]  # a tie is shared
    none = np.zeros(3, dtype=bool)
    assert summary("Mean", values, significant, none, 0)[1] == "undefined"
    assert summary("Median", values, significant, none, 0)[1] == "undefined"
    assert summary("SD", values, significant, none, 0)[1] == "undefined"
