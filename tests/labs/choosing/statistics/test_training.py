"""Along training: unrelated rising quantities agree, their changes do not; and how training runs are read."""

from dataclasses import fields

import numpy as np
import pytest

from clirbench.errors import InputError, UnknownName
from clirbench.labs.choosing.statistics.training import (
    Trend,
    has_steps,
    noise_floor,
    series_of,
    trends,
)
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from tests.statistics.worlds import scores_only


def checkpoints(steps: list[str], runs: list[str] | None = None, x: list[float] | None = None) -> Evidence:
    n = len(steps)
    metadata = {"step": tuple(steps)} | ({"run": tuple(runs)} if runs else {})
    values = np.array(x if x else range(n), dtype=float)
    columns = (Column("x", "metric", values), Column("y", "measure", np.arange(float(n))))
    return Evidence(Scoreboard(tuple(f"s{i}" for i in range(n)), columns, metadata))


def test_runs_are_ordered_by_step_with_their_replicates() -> None:
    runs = series_of(checkpoints(["2000", "1000", "1e3", "", "3e3"], ["a", "a", "a", "a", "b"]), series="run")
    assert [(run.name, run.steps.tolist()) for run in runs] == [("a", [1000, 2000]), ("b", [3000])]
    assert [members.tolist() for members in runs[0].members] == [[1, 2], [0]]
    assert runs[0].means(np.array([5.0, 1, 2, 9, 9])).tolist() == [1.5, 5]


def test_steps_must_be_there_and_be_numbers() -> None:
    assert not has_steps(checkpoints(["", ""]).board)
    assert not has_steps(checkpoints(["1", "1"]).board)
    assert has_steps(checkpoints(["1", "2"]).board)
    with pytest.raises(InputError, match="system s1: step 'last' is not a number"):
        series_of(checkpoints(["1", "last"]))
    for grouped in ("1,000", "1_000", "1 000", "inf", "nan"):
        with pytest.raises(InputError, match=f"step '{grouped}' is not a number; write 1000"):
            series_of(checkpoints(["1", grouped]))
    with pytest.raises(UnknownName, match="metadata column 'runs'.*Did you mean 'run'"):
        series_of(checkpoints(["1"], ["a"]), series="runs")


def test_along_training_there_is_description_and_no_p() -> None:
    """From one run nothing tells related curves from unrelated ones: 85 of 100 unrelated ones had p < .05."""
    assert not {"p_value", "p_changes", "significant"} & {field.name for field in fields(Trend)}


def test_a_trend_by_hand() -> None:
    evidence = checkpoints(["1", "2", "3", "4", "5", "6"], x=[1, 3, 2, 5, 4, 6])
    (row,) = trends(evidence)
    assert row.value == pytest.approx(11 / 15)
    assert np.isnan(row.tau_changes)  # y rises by 1 at each step
    assert (row.n_systems, row.n_steps, row.n_replicates) == (6, 6, 1)
    assert np.isnan(row.noise_metric)


def test_replicates_give_the_noise_floor() -> None:
    evidence = checkpoints(["1", "1", "2", "2", "3"], x=[1, 3, 4, 4, 9])
    (run,) = series_of(evidence)
    # squares within steps: 2 + 0, degrees of freedom 1 + 1
    assert noise_floor([run], evidence.x[0]) == pytest.approx(1)
    (row,) = trends(evidence)
    assert row.noise_metric == pytest.approx(1)
    assert row.n_replicates == 2


def test_no_trend_without_steps() -> None:
    assert trends(scores_only([[1, 2, 3]], [[1, 2, 3]])) == []
