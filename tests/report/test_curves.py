"""Learning curves: which points belong together, and what is drawn of them."""

from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np

from clirbench.report.curves import curves_of, learning_curves, write
from clirbench.report.drawing import svg
from clirbench.scoreboard import Scoreboard
from tests.report.boards import board, result

STEPS = ["30", "1,0", "20", "10", "20", "30", ""]
RUNS = ["a", "a", "a", "b", "b", "b", "b"]
MAP = [0.3, 0.1, 0.2, 0.2, 0.5, nan, 0.9]


def made() -> Scoreboard:
    return board({"BLEU": [3.0, 1, 2, 4, 9, 5, 100]}, {"MAP": MAP}, {"step": STEPS, "run": RUNS}, list("tuvwxyz"))


def test_points_of_a_run_in_the_order_of_steps() -> None:
    curves = curves_of(made())
    assert curves is not None
    assert curves.runs.names == ("a", "b")
    assert curves.of_run(0, np.array(MAP)).tolist() == [1, 2, 0]
    assert curves.of_run(1, np.array(MAP)).tolist() == [3, 4], "neither a hole nor a system without a step"


def test_mean_and_standard_deviation_over_runs() -> None:
    curves = curves_of(made())
    assert curves is not None
    steps, mean, sd = curves.spread(np.array(MAP))
    assert steps.tolist() == [10, 20], "one of the two runs has no value at step 30"
    np.testing.assert_allclose(mean, [0.15, 0.35])
    np.testing.assert_allclose(sd, [np.std([0.1, 0.2], ddof=1), np.std([0.2, 0.5], ddof=1)])


def test_the_figure() -> None:
    drawing = learning_curves(made(), shipped="v")
    assert drawing is not None
    said = [label.text for label in drawing.labels]
    assert said.count("best: step 20") == 2
    assert {"a", "b", "MAP", "BLEU", "step"} <= {text.partition(" (")[0] for text in said}
    dashes = [line for line in drawing.lines if line.width == 0.8 and line.points[0][0] == line.points[1][0]]
    plain = learning_curves(made())
    assert plain is not None
    assert len(dashes) > 10
    assert len(plain.lines) == len(drawing.lines) - len(dashes)
    assert svg(drawing, "x").startswith("<svg")


def test_the_better_end_is_the_column_s() -> None:
    upside = made()
    columns = tuple(replace(c, higher_is_better=c.name != "BLEU") for c in upside.columns)
    drawing = learning_curves(Scoreboard(upside.systems, columns, upside.metadata))
    assert drawing is not None
    assert sorted(label.text for label in drawing.labels if "best" in label.text) == ["best: step 10", "best: step 20"]


def test_no_steps_no_figure(tmp_path: Path) -> None:
    plain = board({"BLEU": [1.0, 2, 3]}, {"MAP": [1.0, 2, 3]}, {}, list("abc"))
    assert curves_of(plain) is None
    assert learning_curves(plain) is None
    write(tmp_path, result(plain, [], []))
    assert not list(tmp_path.iterdir())
    write(tmp_path, result(made(), [], []))
    assert [path.name for path in tmp_path.iterdir()] == ["learning_curves.svg"]
