import numpy as np
import pytest

from clirbench.statistics.units.along import at_same_step


def curves(runs: int, steps: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Metric and measure on saturating curves of their own; runs wander away from them by themselves."""
    t = np.arange(1, steps + 1) / steps
    x, y = (1 - np.exp(-4 * t) + 0.05 * rng.normal(size=(runs, steps)).cumsum(axis=1) for _ in range(2))
    return x.reshape(1, -1), y.ravel(), np.repeat(np.arange(runs), steps), np.tile(t, runs)


@pytest.mark.parametrize(("runs", "why"), [(1, "one training run"), (2, "too few"), (4, "too few")])
def test_no_claim_from_few_runs(runs: int, why: str) -> None:
    found = at_same_step(*curves(runs, 20, np.random.default_rng(0)))[0]
    assert np.isnan(found.p_value)
    assert why in found.note


def test_five_runs_that_agree_at_every_step() -> None:
    """All 120 orders of the runs: only this one and its reverse reach tau 1."""
    run, steps = np.repeat(np.arange(5), 3), np.tile([1.0, 2.0, 3.0], 5)
    x = 10 * steps + run
    found = at_same_step(x[None], 7 * steps**2 + run, run, steps)[0]
    assert (found.tau, found.p_value, found.smallest_p) == (1.0, 2 / 120, 2 / 120)


def test_unrelated_curves_are_no_evidence() -> None:
    """Fixed seed, 300 worlds of 5 runs that wander: 5 runs change places as wholes."""
    rng = np.random.default_rng(4)
    rejected = sum(at_same_step(*curves(5, 10, rng))[0].p_value < 0.05 for _ in range(300))
    assert rejected / 300 < 0.06 + 3 * np.sqrt(0.06 * 0.94 / 300)
