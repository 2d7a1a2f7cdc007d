"""When training may stop: what the rule says of curves whose course is plain, and its probabilities."""

import numpy as np
import pytest

from benchmarks.sweep_worlds import SweepRecipe
from clirbench.labs.watching.stopping import ALPHA, FEWEST, Outlook, outlook
from clirbench.types import Doubles


def curve(level: Doubles, topics: int = 40, noise: float = 0.3) -> Doubles:
    rng = np.random.default_rng(4)
    return np.asarray(level[:, None] + rng.normal(size=topics) + noise * rng.normal(size=(len(level), topics)))


STEP = np.arange(1.0, 25.0) * 1000


def test_a_curve_that_rises_goes_on() -> None:
    found = outlook(curve(STEP / 4000), STEP, gain=0.5)  # in five checkpoints it will have risen by 1.25
    assert found is not None
    assert found.verdict == "go on"
    assert found.p_gain > 0.9
    assert found.best == STEP[-1]


def test_a_curve_that_falls_is_past_its_peak() -> None:
    found = outlook(curve(4 - np.abs(STEP - 12_000) / 3000), STEP)
    assert found is not None
    assert found.verdict == "past the peak"
    assert abs(found.best - 12_000) <= 1000
    assert found.p_gain <= ALPHA


def test_a_flat_curve_has_no_gain() -> None:
    found = outlook(curve(4 * (1 - np.exp(-np.arange(60) / 4.0))), np.arange(1.0, 61.0))
    assert found is not None
    assert found.verdict.startswith("no gain since step ")
    assert found.p_past < 0.95


@pytest.mark.parametrize(
    ("kind", "n", "verdicts"),
    [("overfitting", 55, {"past the peak"}), ("plateau", 40, {"no gain", "go on"}), ("rising", 40, {"go on"})],
)
def test_the_sentence_is_true_of_its_kind_of_training(kind: str, n: int, verdicts: set[str]) -> None:
    recipe = SweepRecipe(kind=kind, runs=5, steps=60)
    rng = np.random.default_rng(0)
    for _ in range(6):
        world = recipe.draw(rng)
        values, truth = world.per_topic.reshape(5, 60, -1).mean(axis=0), world.true_y.reshape(5, 60).mean(axis=0)
        found = outlook(values[:n], np.arange(1.0, n + 1))
        assert found is not None
        assert found.verdict.partition(" since")[0] in verdicts
        since = truth[int(found.best) - 1 : n]
        if found.verdict == "past the peak":
            assert truth[n - 1] < truth[:n].max() - found.gain
        elif found.stop:
            assert since.max() <= since[0] + found.gain


def test_gain_and_horizon() -> None:
    values = curve(STEP / 4000)
    found = [outlook(values, STEP, gain=gain) for gain in (0.0, 1.0, 100.0)]
    assert [o.gain for o in found if o] == [0.0, 1.0, 100.0]
    p = [o.p_gain for o in found if o]
    assert p[0] >= p[1] > p[2] == 0
    near, far = (outlook(values, STEP, gain=2.0, horizon=horizon) for horizon in (2, 20))
    assert near is not None
    assert far is not None
    assert near.p_gain < far.p_gain


def test_units_of_measure_and_step_do_not_matter() -> None:
    values = curve(4 * (1 - np.exp(-np.arange(24) / 6.0)))
    one, other = outlook(values, STEP), outlook(1000 * values - 7, STEP / 1000)
    assert one is not None
    assert other is not None
    assert one.p_gain == pytest.approx(other.p_gain, abs=1e-6)
    assert other.gain == pytest.approx(1000 * one.gain)


def test_too_early() -> None:
    assert outlook(curve(STEP / 4000)[: FEWEST - 1], STEP[: FEWEST - 1]) is None
    assert outlook(np.ones((24, 40)), STEP) is None
    assert outlook(np.full((24, 40), np.nan), STEP) is None


def test_the_verdict_is_of_the_numbers() -> None:
    assert Outlook(3, 0.1, 5, ALPHA, 0.2).verdict == "no gain since step 3"
    assert Outlook(3, 0.1, 5, ALPHA + 0.001, 1.0).verdict == "go on"
