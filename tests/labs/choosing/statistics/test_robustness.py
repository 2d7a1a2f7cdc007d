"""What a tau rests on, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.labs.choosing.statistics.robustness import outliers, robustness, top_half_expected
from tests.statistics.worlds import scores_only


def test_outliers_by_hand() -> None:
    # median 3, distances 2 1 0 1 97: MAD 1, so beyond 2.5 * 1.483 = 3.7
    assert outliers(np.array([1.0, 2, 3, 4, 100])).tolist() == [False] * 4 + [True]
    assert outliers(np.array([-100.0, 2, 3, 4, 5])).tolist() == [True] + [False] * 4
    assert not outliers(np.array([1.0, 1, 1, 1, 9])).any()  # MAD 0: no scale to judge by
    assert outliers(np.empty(0)).tolist() == []


def test_checks_by_hand() -> None:
    evidence = scores_only([[1, 2, 3, 4, 50]], [[2, 1, 3, 4, 60]])
    evidence = replace(evidence, board=replace(evidence.board, metadata={"size": ("a", "a", "b", "b", "b")}))
    rows = {(row.check, row.detail): row for row in robustness(evidence, ("size",))}
    assert all(row.overall == pytest.approx(0.8) for row in rows.values())
    assert rows["leave-one-out highest", "without a00"].value == 1
    assert rows["leave-one-out lowest", "without c02"].value == pytest.approx(2 / 3)
    assert rows["without outliers of y0", "e04"].value == pytest.approx(2 / 3)
    assert rows["without outliers of y0 or x0", "e04"].n_systems == 4
    assert rows["top half by y0", "3 of 5"].value == 1
    assert rows["group size", "a"].value == -1
    assert rows["group size", "b"].change == pytest.approx(0.2)


def test_what_a_better_half_shows_where_tau_is_the_same_everywhere() -> None:
    mean, low, high = top_half_expected(0.7, 1000, 20)
    assert low < mean < high
    assert mean == pytest.approx(0.52, abs=0.02)
    rng, slow = np.random.default_rng(5), []
    for _ in range(600):
        x = rng.normal(size=16)
        y = np.sin(np.pi * 0.35) * x + np.cos(np.pi * 0.35) * rng.normal(size=16)
        top = np.argsort(y)[-8:]
        slow.append(kendalltau(x[top], y[top]).statistic)
    assert top_half_expected(0.7, 16)[0] == pytest.approx(np.mean(slow), abs=0.03)
    assert np.isnan(top_half_expected(1.0, 16)).all()
    assert np.isnan(top_half_expected(0.5, 2)).all()


def test_bad_input() -> None:
    rows = robustness(scores_only([[1, 2]], [[1, 2]]))
    assert {row.note for row in rows if row.check.startswith("top")} == {"1 system: at least 2 are needed"}
    constant = robustness(scores_only([[1, 1, 1, 1]], [[1, 2, 3, 4]]))
    assert all(np.isnan(row.value) for row in constant)
    assert not any(row.check.startswith("leave") for row in constant)
