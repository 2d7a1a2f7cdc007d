"""The curve that the stop rule goes by, and its verdict in words."""

from dataclasses import replace

import numpy as np

from clirbench.labs.watching.outlook import in_words, learning_curve
from clirbench.labs.watching.stopping import Outlook
from clirbench.measures.parsing import parse
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from tests.report.boards import result


def test_the_curve_is_the_mean_over_runs_at_their_common_steps() -> None:
    steps, runs = ["10", "2", "10", "2", "30"], ["a", "a", "b", "b", "b"]
    values = np.arange(10.0).reshape(5, 2)
    columns = (Column("M", "metric", np.arange(5.0)), Column("MAP", "measure", values.mean(axis=1)))
    made = Scoreboard(tuple("vwxyz"), columns, {"step": tuple(steps), "run": tuple(runs)})
    found = result(made, [], [])
    object.__setattr__(found, "evidence", Evidence(made, {}, {}, {"MAP": values}, {"MAP": parse("MAP")}))
    curve, at = learning_curve(found, "MAP")
    assert at.tolist() == [2, 10]
    assert curve.tolist() == [[4, 5], [2, 3]]


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


def test_a_checkpoint_without_a_value_is_left_out() -> None:
    values = np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, 4.0]])
    columns = (Column("M", "metric", np.arange(3.0)), Column("MAP", "measure", values.mean(axis=1)))
    made = Scoreboard(tuple("vwx"), columns, {"step": ("1", "2", "3")})
    found = result(made, [], [])
    object.__setattr__(found, "evidence", Evidence(made, {}, {}, {"MAP": values}, {"MAP": parse("MAP")}))
    curve, at = learning_curve(found, "MAP")
    assert at.tolist() == [1, 3]
    assert curve.tolist() == [[1, 2], [3, 4]]
    assert len(learning_curve(found, "RBO")[1]) == 0
