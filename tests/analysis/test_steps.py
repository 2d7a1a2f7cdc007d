"""Training runs from metadata."""

import numpy as np
import pytest

from clirbench.analysis.evidence import Evidence
from clirbench.analysis.steps import has_steps, series_of
from clirbench.errors import InputError, UnknownName
from clirbench.scoreboard import Column, Scoreboard


def checkpoints(steps: list[str], runs: list[str] | None = None, x: list[float] | None = None) -> Evidence:
    n = len(steps)
    metadata = {"step": tuple(steps)} | ({"run": tuple(runs)} if runs else {})
    values = np.array(x if x else range(n), dtype=float)
    columns = (Column("x", "metric", values), Column("y", "measure", np.arange(float(n))))
    return Evidence(Scoreboard(tuple(f"s{i}" for i in range(n)), columns, metadata))


def test_order_replicates_and_runs() -> None:
    runs = series_of(checkpoints(["2000", "1,000", "1_000", "", "3e3"], ["a", "a", "a", "a", "b"]), series="run")
    assert [(run.name, run.steps.tolist()) for run in runs] == [("a", [1000, 2000]), ("b", [3000])]
    assert [members.tolist() for members in runs[0].members] == [[1, 2], [0]]
    assert runs[0].means(np.array([5.0, 1, 2, 9, 9])).tolist() == [1.5, 5]


def test_without_steps_and_errors() -> None:
    assert not has_steps(checkpoints(["", ""]).board)
    assert not has_steps(checkpoints(["1", "2"]).board, step="epoch")
    assert not has_steps(checkpoints(["1", "1"]).board)
    assert has_steps(checkpoints(["1", "2"]).board)
    with pytest.raises(InputError, match="system s1: step 'last' is not a number"):
        series_of(checkpoints(["1", "last"]))
    with pytest.raises(UnknownName, match="metadata column 'runs'.*Did you mean 'run'"):
        series_of(checkpoints(["1"], ["a"]), series="runs")
