"""Parts of the prior: units, metrics, curves."""

import numpy as np

from clirbench.statistics.model.parts import curve_parts, metrics_part, noise_structure, unit_part
from clirbench.statistics.model.posterior import posterior
from tests.statistics.worlds import known_noise


def test_units_that_say_nothing_are_no_part() -> None:
    assert unit_part(["a", "a", "a"]) == []
    assert unit_part(["a", "b", "c"]) == []
    (part,) = unit_part(["a", "b", "a"])
    assert part.alternatives[0].tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def test_constant_and_incomplete_metrics_are_left_out() -> None:
    assert metrics_part(np.array([[1.0, 1.0, 1.0], [1.0, np.nan, 2.0]])) == []
    assert metrics_part(np.empty((0, 3))) == []
    scaled = [metrics_part(np.array([[1.0, 2.0, 4.0]]) * k)[0].alternatives[0] for k in (1, 1000)]
    assert np.allclose(*scaled)


def test_covariances_are_positive() -> None:
    step, run = np.tile(np.arange(1.0, 9), 3), np.repeat(["a", "b", "c"], 8)
    for matrix in [k for part in curve_parts(step, run) for k in part.alternatives] + noise_structure(run, step):
        assert np.linalg.eigvalsh(matrix)[0] > -1e-9
    assert [part.name for part in curve_parts(step, run)] == ["learning", "curve", "wander", "run"]
    assert [part.name for part in curve_parts(step[:8], run[:8])] == ["learning", "curve", "wander"]


def test_a_curve_is_smoothed() -> None:
    """60 checkpoints on a smooth curve: knowing the steps takes away more than four tenths of the error."""
    step = np.arange(1.0, 61)
    truth = 3 * (1 - np.exp(-step / 8)) - 2 * np.maximum(step - 30, 0) / 30
    run = np.zeros(60, dtype=np.int64)
    smooth, rough = [], []
    for seed in range(4):
        seen = truth + 0.4 * np.random.default_rng(seed).normal(size=60)
        smooth.append(posterior(seen, known_noise(0.4, 60), curve_parts(step, run)).draws.mean(axis=0) - truth)
        rough.append(posterior(seen, known_noise(0.4, 60)).draws.mean(axis=0) - truth)
    assert np.std(smooth) < 0.6 * np.std(rough)
