"""Metrics under several scorings: tau between groups is scipy's where systems are alone, and what is shown."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.correlation import Scoring, scoring_taus

N = 12
TRUTH = np.arange(N, dtype=np.float64)
RNG = np.random.default_rng(0)
METRICS = (
    Column("good", "metric", TRUTH[::-1] * 1.0, higher_is_better=False),
    Column("noise", "metric", RNG.permutation(TRUTH)),
    Column("half", "metric", np.where(TRUTH < 6, TRUTH, np.nan)),
)


def board(**metadata: tuple[str, ...]) -> Scoreboard:
    return Scoreboard(tuple(f"s{i}" for i in range(N)), METRICS, metadata)


def test_tau_and_what_is_shown() -> None:
    scorings = [Scoring("one", TRUTH), Scoring("other", RNG.permutation(TRUTH))]
    rows = {(r.scoring, r.metric): r for r in scoring_taus(scorings, METRICS, units_of(board()))}
    for scoring in scorings:
        for metric in METRICS:  # each over the systems that have a value
            expected = kendalltau(metric.oriented, scoring.values, nan_policy="omit").statistic
            assert rows[scoring.name, metric.name].tau == pytest.approx(expected)
    assert rows["one", "good"].shown
    assert not rows["one", "noise"].shown
    assert rows["one", "half"].shown


def test_one_group_shows_nothing() -> None:
    units = units_of(board(run=("r",) * (N - 1) + ("r",), step=tuple(map(str, range(N)))))
    assert {row.shown for row in scoring_taus([Scoring("one", TRUTH)], METRICS, units)} == {False}


def test_scorings_with_holes_use_the_systems_that_have_a_value() -> None:
    values = TRUTH.copy()
    values[3] = np.nan
    row = scoring_taus([Scoring("one", values)], METRICS[:1], units_of(board()))[0]
    assert (row.tau, row.shown) == (1.0, True)


def test_without_metrics_there_are_no_rows() -> None:
    assert scoring_taus([Scoring("one", TRUTH)], (), units_of(board())) == []
