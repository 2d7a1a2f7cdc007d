"""The curve that the stop rule goes by, and its verdict in words."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.labs.watching.stopping import Outlook, in_words, learning_curve
from clirbench.measures.parsing import parse
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.grades import Evidence
from clirbench.types import Doubles
from tests.report.boards import result


@pytest.mark.parametrize(
    ("values", "metadata", "at", "means"),
    [  # two runs at their common steps; a checkpoint without a value
        (np.arange(10.0).reshape(5, 2), {"step": ("10", "2", "10", "2", "30"), "run": tuple("aabbb")}, [2, 10],
         [[4, 5], [2, 3]]),
        (np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, 4.0]]), {"step": tuple("123")}, [1, 3], [[1, 2], [3, 4]]),
    ],
)  # fmt: skip
def test_the_curve_is_the_mean_over_runs_at_their_common_steps(
    values: Doubles, metadata: dict[str, tuple[str, ...]], at: list[float], means: list[list[float]]
) -> None:
    n = len(values)
    columns = (Column("M", "metric", np.arange(float(n))), Column("MAP", "measure", values.mean(axis=1)))
    made = Scoreboard(tuple("vwxyz"[:n]), columns, metadata)
    found = result(made, [], [])
    object.__setattr__(found, "evidence", Evidence(made, {}, {}, {"MAP": values}, {"MAP": parse("MAP")}))
    curve, steps = learning_curve(found, "MAP")
    assert (steps.tolist(), curve.tolist()) == (at, means)
    assert len(learning_curve(found, "RBO")[1]) == 0


def test_words() -> None:
    state = Outlook(best=9000, since=4000, gain=0.005, horizon=10, window=13, low=-0.01, high=0.004)
    words = in_words(state, "MAP", 20)
    assert words.startswith(
        "No gain since step 4000: if the trend of the last 13 checkpoints holds, the next 10 gain [-.010, .004] MAP, "
        "each limit with 95 %; .005 is worth the wait. Of simulated trainings"
    )
    assert in_words(replace(state, high=-0.001), "MAP", 20).startswith("Past the peak: if the trend")
    assert in_words(replace(state, low=0.001, high=0.1), "MAP", 20).endswith("the next 10 gain [.001, .100] MAP, each "
        "limit with 95 %.")  # fmt: skip
    assert in_words(replace(state, high=0.1), "MAP", 20) == (
        "Cannot tell: if the trend of the last 13 checkpoints holds, the next 10 gain [-.010, .100] MAP, each limit "
        "with 95 %: more topics or checkpoints would tell."
    )
    assert in_words(None, "MAP", 3).startswith("Go on: 3 checkpoints")
