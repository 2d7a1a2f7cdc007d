"""When training may stop: what the rule says of curves whose course is plain, and its probabilities."""

import numpy as np
import pytest

from benchmarks.stopping import CHECKPOINTS, CURVES, trainings
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


def stopped_at(values: Doubles) -> int:
    """The checkpoint after which the rule first says stop; one more than there are where it never does."""
    for n in range(1, len(values) + 1):
        state = outlook(values[:n], 1000 * np.arange(1.0, n + 1))
        if state is not None and state.stop:
            return n
    return len(values) + 1


def alike(world: str) -> Doubles:
    """The curve of a world, which every topic follows at a level of its own: nothing is uncertain."""
    level = CURVES[world](np.arange(1.0, CHECKPOINTS + 1))
    return np.asarray(level[:, None] + np.linspace(-0.2, 0.2, 50))


def test_a_steep_start_does_not_stop_a_training_that_rises_steadily() -> None:
    """.659 MAP at checkpoint 12, .754 at 25: a fifth of all movement so far was .1, and the rule stopped at 12."""
    assert CURVES["rising"](np.array([12.0, 25.0])).round(3).tolist() == [0.659, 0.754]
    assert stopped_at(alike("rising")) > CHECKPOINTS
    assert stopped_at(alike("log")) > CHECKPOINTS


def test_a_curve_that_is_flat_from_checkpoint_7_on_is_stopped_by_17() -> None:
    assert 12 <= stopped_at(alike("flat")) <= 17


def test_rates_over_trainings_with_the_noise_of_real_topics() -> None:
    """Of 1,000 draws with 100 topics .010 of the rising were stopped before 22, .896 of the flat by 17 (RESULTS.md)."""
    draws = 100
    rising = sum(0 < one.at < 22 for one in trainings("rising", draws, topics=100, seed=1))
    flat = sum(0 < one.at <= 17 for one in trainings("flat", draws, topics=100, seed=1))
    # 4 standard deviations of the binomial law away from those rates
    assert rising <= 5
    assert flat >= 77


@pytest.mark.parametrize("world", ["flat", "drop"])
def test_the_sentence_at_the_stop_is_true(world: str) -> None:
    """Of 1,000 draws with 100 topics every one was true (RESULTS.md)."""
    ends = trainings(world, 50, topics=100, seed=1)
    assert sum(one.at > 0 for one in ends) >= 45
    assert all(one.true for one in ends)


def test_fewer_topics_ask_for_a_larger_gain() -> None:
    """The default gain is in standard errors: with a quarter of the topics about twice as large (1 / sqrt(1/4))."""
    rng = np.random.default_rng(2)
    values = CURVES["flat"](np.arange(1.0, 25.0))[:, None] + 0.1 * rng.normal(size=(24, 4000))
    many, few = outlook(values, STEP), outlook(values[:, :1000], STEP)
    assert many is not None
    assert few is not None
    assert few.gain == pytest.approx(2 * many.gain, rel=0.1)


def test_what_training_gained_at_the_start_does_not_matter() -> None:
    values = curve(4 * (1 - np.exp(-np.arange(24) / 6.0)))
    steeper = values.copy()
    steeper[:7] -= 100.0
    one, other = outlook(values, STEP), outlook(steeper, STEP)
    assert one is not None
    assert other is not None
    assert (one.gain, one.p_gain) == (other.gain, other.p_gain)


@pytest.mark.parametrize("world", list(CURVES))
def test_the_sentence_at_the_stop_names_an_older_checkpoint(world: str) -> None:
    """Seven kinds of trainings, at every look, and the last checkpoint always the best measured."""
    rng = np.random.default_rng(3)
    values = CURVES[world](np.arange(1.0, 25.0))[:, None] + 0.3 * rng.normal(size=(24, 30))
    for n in range(FEWEST, 25):
        seen = values[:n].copy()
        seen[-1] += max(0.0, float(seen.mean(axis=1).max() - seen[-1].mean())) + 1e-6
        state = outlook(seen, STEP[:n])
        assert state is not None
        assert state.best == STEP[n - 1]
        assert state.since < STEP[n - state.horizon]


def test_gain_and_horizon() -> None:
    values = curve(STEP / 4000)
    found = [outlook(values, STEP, gain=gain) for gain in (0.0, 1.0, 100.0)]
    assert [o.gain for o in found if o] == [0.0, 1.0, 100.0]
    p = [o.p_gain for o in found if o]
    assert p[0] >= p[1] > p[2] == pytest.approx(0.0)
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
    assert Outlook(9, 3, 0.1, 5, 11, ALPHA, 0.2).verdict == "no gain since step 3"
    assert Outlook(9, 3, 0.1, 5, 11, ALPHA + 0.001, 1.0).verdict == "go on"
