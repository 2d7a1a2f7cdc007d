"""Learning curves: which points belong together, and what is drawn of them."""

from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np
import pytest

from clirbench.report.decision import learning_curves, write
from clirbench.scoreboard import Scoreboard
from tests.report.boards import board, result

STEPS = ["30", "1,0", "20", "10", "20", "30", ""]
RUNS = ["a", "a", "a", "b", "b", "b", "b"]
MAP = [0.3, 0.1, 0.2, 0.2, 0.5, nan, 0.9]


def made() -> Scoreboard:
    return board({"BLEU": [3.0, 1, 2, 4, 9, 5, 100]}, {"MAP": MAP}, {"step": STEPS, "run": RUNS}, list("tuvwxyz"))


def test_points_of_a_run_are_in_the_order_of_steps_and_runs_have_a_mean() -> None:
    plot = learning_curves(made(), shipped="v")["MAP"]
    points = {name: [(dot[0], dot[1]) for dot in dots] for name, dots in plot.lines.items()}
    assert points == {
        "a": [(10, 0.1), (20, 0.2), (30, 0.3)],
        "b": [(10, 0.2), (20, 0.5)],  # neither a hole nor a system without a step
        "mean over runs, with one standard deviation": [(10, pytest.approx(0.15)), (20, pytest.approx(0.35))],
        "recommended: v": [(20, 0.1), (20, 0.5)],
    }
    least = [0.15 - np.std([0.1, 0.2], ddof=1), 0.35 - np.std([0.2, 0.5], ddof=1)]
    assert [y for _, y in plot.outlines[0]] == pytest.approx(least)
    columns = tuple(replace(c, higher_is_better=c.name != "BLEU") for c in made().columns)
    plots = learning_curves(Scoreboard(made().systems, columns, made().metadata))
    assert [plot.title, plots["BLEU"].title] == ["best: step 20", "best: step 10"]


def test_no_steps_no_figure(tmp_path: Path) -> None:
    plain = board({"BLEU": [1.0, 2, 3]}, {"MAP": [1.0, 2, 3]}, {}, list("abc"))
    assert learning_curves(plain) == {}
    write(tmp_path, result(plain, [], []))
    assert not list(tmp_path.iterdir())
    write(tmp_path, result(made(), [], []))
    assert [path.name for path in tmp_path.iterdir()] == ["learning_curves.svg"]
