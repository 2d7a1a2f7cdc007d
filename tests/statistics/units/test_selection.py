import numpy as np

from clirbench.statistics.units.selection import adjusted_p_values, best_metrics, common_systems, step_down


def test_a_metric_over_few_systems_is_left_out() -> None:
    x = np.ones((3, 20))
    x[0, 4:] = np.nan
    x[1, 19] = np.nan
    metrics, systems = common_systems(x, np.ones(20))
    assert metrics.tolist() == [1, 2]
    assert systems.tolist() == list(range(19))


def test_holes_of_the_measure_cost_no_metric() -> None:
    y = np.ones(20)
    y[:10] = np.nan
    metrics, systems = common_systems(np.ones((2, 20)), y)
    assert (len(metrics), systems.tolist()) == (2, list(range(10, 20)))
    assert len(common_systems(np.full((2, 3), np.nan), np.ones(3))[0]) == 0


def test_step_down_by_hand() -> None:
    """Metric 1 first: minima of both .25 .5 .25 .5 reach .25 twice; metric 0 then by itself."""
    each = np.array([[0.5, 0.25], [0.75, 0.5], [0.25, 1.0], [1.0, 0.5]])
    assert step_down(each).tolist() == [0.5, 0.5]


def test_one_metric_needs_no_adjustment_and_copies_none_either() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(1, 12)), rng.normal(size=12)
    alone = adjusted_p_values(x, y, np.arange(12), samples=499)
    assert alone.adjusted[0] == alone.p_values[0]
    copies = adjusted_p_values(np.tile(x, (5, 1)), y, np.arange(12), samples=499)
    assert copies.adjusted.tolist() == [alone.p_values[0]] * 5


def test_useless_metrics_are_not_named() -> None:
    """Fixed seed, 300 worlds of 15 useless metrics on 16 systems: uncorrected, the best has p < .05 in most."""
    rng = np.random.default_rng(7)
    named, uncorrected = 0, 0
    for _ in range(300):
        found = adjusted_p_values(rng.normal(size=(15, 16)), rng.normal(size=16), np.arange(16), samples=199)
        named += found.adjusted.min() < 0.05
        uncorrected += found.p_values.min() < 0.05
    assert uncorrected / 300 > 0.3
    assert named / 300 < 0.06 + 3 * np.sqrt(0.06 * 0.94 / 300)


def test_the_set_keeps_equals_and_drops_the_useless() -> None:
    """Fixed seed: three equally good metrics and three useless ones on 38 systems, 200 worlds."""
    rng = np.random.default_rng(8)
    kept, useless, held = [], [], []
    truth = 2 / np.pi * np.arcsin(0.9 / np.hypot(0.9, 0.44))
    for _ in range(200):
        y = rng.normal(size=38)
        x = np.array([0.9] * 3 + [0.0] * 3)[:, None] * y + rng.normal(size=(6, 38)) * 0.44
        found = best_metrics(x, y, np.arange(38), draws=499)
        kept.append(found.in_set[0])
        useless.append(found.in_set[3:].mean())
        first = found.tau.argmax()
        held.append(found.low[first] <= truth <= found.high[first])
    assert np.mean(kept) > 0.94 - 3 * np.sqrt(0.94 * 0.06 / 200)
    assert np.mean(useless) < 0.1
    assert np.mean(held) > 0.94 - 3 * np.sqrt(0.94 * 0.06 / 200)


def test_nothing_is_said_of_few_units_or_of_a_perfect_tau() -> None:
    rng = np.random.default_rng(9)
    few = best_metrics(rng.normal(size=(3, 5)), rng.normal(size=5), np.arange(5))
    assert few.in_set.all()
    assert np.isnan(few.low).all()
    assert "too few" in few.note
    y = np.arange(8.0)
    perfect = best_metrics(np.stack([y, rng.normal(size=8)]), y, np.arange(8))
    assert "tau is 1" in perfect.note


def test_equal_columns_stay_together_and_intervals_hold_tau() -> None:
    rng = np.random.default_rng(10)
    y = rng.normal(size=20)
    x = y + rng.normal(size=(3, 20))
    x[1] = x[0]
    found = best_metrics(x, y, np.arange(20))
    assert found.in_set[0] == found.in_set[1]
    assert found.p_best[0] == found.p_best[1]
    assert (found.low < found.tau).all()
    assert (found.tau < found.high).all()
