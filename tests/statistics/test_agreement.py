"""tau between groups with its interval and tests: against scipy, draws from a t copula of our own, and worlds."""

from collections.abc import Callable, Iterator
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from scipy.stats import kendalltau, multivariate_t, t

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics import agreement
from clirbench.statistics.agreement import (
    Agreement,
    _inverted,
    agreements,
    groups_needed,
    interval,
    jackknifed,
    of_units,
    permutation_correlations,
    taus,
    upper_tail,
)
from clirbench.statistics.belonging import numbered_runs
from clirbench.statistics.decision import compare_with_baseline
from clirbench.statistics.given import estimates, no_interval


def worlds(n: int, metrics: int, tau: float, alike: float, seed: int, number: int = 120) -> list[list[Agreement]]:
    """Agreements of metrics whose true tau is `tau`, normal columns, what is not shared with the measure `alike`."""
    rng, r = np.random.default_rng(seed), np.sin(np.pi / 2 * tau)
    found = []
    for _ in range(number):
        y = rng.normal(size=n)
        rest = np.sqrt(alike) * rng.normal(size=n) + np.sqrt(1 - alike) * rng.normal(size=(metrics, n))
        found.append(agreements(r * y + np.sqrt(1 - r**2) * rest, y, np.arange(n)))
    return found


def test_tau_is_kendalls_and_holes_have_their_own_n() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(6, size=(2, 14)).astype(float)
    holed = x.copy()
    holed[:3] = np.nan
    whole, less = agreements(np.stack([x, holed]), y, np.arange(14))
    assert whole.tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    assert less.tau == pytest.approx(kendalltau(x[3:], y[3:]).statistic, abs=1e-12)
    assert (whole.groups, less.groups, less.n_systems) == (14, 11, 11)


RELEASE = pytest.mark.release


@pytest.mark.parametrize(
    ("n", "tau"),
    [pytest.param(5, 0.6, marks=RELEASE), (9, 0.5), (13, 0.8), pytest.param(21, 0.2, marks=RELEASE)],
)
def test_the_bound_is_where_the_upper_tail_of_a_t_copula_is_025(n: int, tau: float) -> None:
    """Oracle: scipy draws a bivariate t with 4 degrees of freedom, scipy counts tau; 1,500 samples."""
    low, high = interval(tau, n)
    for bound, expected in ((low, 0.025), (high, 0.975)):
        rho = np.sin(np.pi / 2 * bound)
        drawn = multivariate_t([0, 0], [[1, rho], [rho, 1]], df=4, seed=n).rvs((1500, n))
        taus = np.array([kendalltau(*sample.T).statistic for sample in drawn])
        mid = (taus > tau + 1e-9).mean() + (np.abs(taus - tau) <= 1e-9).mean() / 2
        assert mid == pytest.approx(expected, abs=0.016)


def test_few_groups_reach_far_down_even_where_all_pairs_agree() -> None:
    """The prototype outside the project had .35, .55, .67 for 5, 6, 7."""
    assert [round(interval(1.0, n)[0], 2) for n in (5, 6, 7)] == pytest.approx([0.35, 0.55, 0.67], abs=0.02)
    assert interval(1.0, 5)[1] == 1.0
    assert interval(-1.0, 5)[0] == -1.0
    low, high = interval(0.4, 12)
    assert interval(-0.4, 12) == pytest.approx((-high, -low))


def test_one_metric_has_its_own_one_sided_bound_and_more_metrics_lower_ones() -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=16)
    x = y + np.array([[0.5], [0.6], [0.7], [3.0]]) * rng.normal(size=(4, 16))
    (alone,) = agreements(x[:1], y, np.arange(16))
    together = agreements(x, y, np.arange(16))
    assert alone.lower == pytest.approx(_inverted(upper_tail(alone.tau, 16), 0.05))
    assert together[0].lower < alone.lower
    assert (together[0].tau, together[0].low) == (alone.tau, alone.low)
    assert together[3].p_value == max(one.p_value for one in together)
    copies = agreements(np.tile(x[0], (4, 1)), y, np.arange(16))
    assert copies[0].lower == pytest.approx(copies[3].lower, abs=1e-9)


def test_a_perfect_column_silences_no_other() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=12)
    perfect, other = agreements(np.stack([y, y + 0.4 * rng.normal(size=12)]), y, np.arange(12))
    assert (perfect.tau, perfect.high) == (1.0, 1.0)
    assert perfect.lower > 0.8
    assert other.lower > 0.25


def test_upper_bounds_mirror_lower_ones() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=15)
    x = np.stack([y + rng.normal(size=15), rng.normal(size=15)])
    for one, turned in zip(agreements(x, y, np.arange(15)), agreements(-x, y, np.arange(15)), strict=True):
        assert one.upper == pytest.approx(-turned.lower, abs=0.01)


def test_what_cannot_be_tested_says_why() -> None:
    y = np.arange(8.0)
    constant, few = agreements(np.stack([np.ones(8), np.where(y < 2, y, np.nan)]), y, np.arange(8))
    assert np.isnan(constant.tau)
    assert constant.note == "a column is constant between units"
    assert (few.tau, few.note) == (1.0, "too few independent groups (2)")
    (one,) = agreements(y[None], y, np.zeros(8, dtype=np.int64))
    assert one.note == "fewer than two independent groups"


def test_very_many_systems_have_an_interval_without_their_pairs() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=2001)
    x = y + rng.normal(size=2001)
    (found,) = agreements(x[None], y, np.arange(2001))
    assert found.tau == pytest.approx(kendalltau(x, y).statistic)
    assert 0.03 < found.high - found.low < 0.08
    (grouped,) = agreements(x[None], y, np.minimum(np.arange(2001), 1999))
    assert "at most 2000 are compared pair by pair" in grouped.note


def orders(n: int) -> tuple[np.ndarray, np.ndarray]:
    """An order of n systems for every tau that they can have, and how many orders have each tau (by recursion)."""
    counts = np.ones(1)
    for k in range(2, n + 1):
        counts = np.convolve(counts, np.ones(k))
    made = []
    for inversions in range(len(counts)):
        left, order, rest = inversions, [], list(range(n))
        for k in range(n - 1, -1, -1):
            step = min(k, left)
            order.append(rest.pop(step))
            left -= step
        made.append(order)
    return np.array(made, dtype=float), counts / counts.sum()


@pytest.mark.parametrize("n", [4, 5, 6, 9, 12])
def test_a_useless_metric_alone_is_shown_in_at_most_six_of_a_hundred_orders(n: int) -> None:
    """Every order of n systems is equally likely where the metric has nothing to do with the measure: no sampling."""
    made, shares = orders(n)
    shown = [agreements(x[None], np.arange(n, dtype=float), np.arange(n))[0].lower > 0 for x in made]
    assert shares[shown].sum() <= 0.06


@pytest.mark.parametrize("n", [5, 7, 9])
def test_p_of_a_metric_alone_is_exact_for_up_to_nine_systems(n: int) -> None:
    """Oracle: scipy's exact one-sided test."""
    y = np.arange(n, dtype=float)
    for x in np.random.default_rng(n).permuted(np.tile(y, (8, 1)), axis=1):
        (found,) = agreements(x[None], y, np.arange(n))
        if found.tau > 0:
            expected = kendalltau(x, y, alternative="greater", method="exact").pvalue
            assert found.p_value == pytest.approx(expected, rel=1e-9)
            assert (found.p_value < 0.05) == (found.lower > 0)


def test_metrics_move_together_over_all_orders_of_the_measure() -> None:
    """Oracle: tau of both metrics with every order of five systems; a hole, and groups of copies of one system."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(3, 5)), rng.normal(size=5)
    x[2, 4] = np.nan
    every = np.array(list(permutations(range(5))))

    def of(column: np.ndarray) -> list[float]:
        kept = np.isfinite(column)
        return [kendalltau(column[kept], y[order][kept]).statistic for order in every]

    expected = np.corrcoef([of(column) for column in x])
    assert permutation_correlations(x, y, np.arange(5)) == pytest.approx(expected, abs=1e-9)
    twice = np.repeat(np.arange(5), 2)
    assert permutation_correlations(x[:2, twice], y[twice], twice) == pytest.approx(expected[:2, :2], abs=1e-9)
    assert (permutation_correlations(np.tile(x[:1], (2, 150)), np.tile(y, 150), np.arange(750)) == np.eye(2)).all()


def test_metrics_with_holes_next_to_a_perfect_one_are_shown() -> None:
    """Nine systems; a column with tau 1, one that is good, and one that is good and has six systems of nine."""
    y = np.arange(9.0)
    good = np.array([0, 1, 2, 4, 3, 5, 6, 7, 8.0])
    holed = np.where(y < 3, np.nan, y)
    perfect, whole, fewer = agreements(np.stack([y, good, holed]), y, np.arange(9))
    assert (fewer.groups, fewer.tau) == (6, 1.0)
    assert min(perfect.lower, whole.lower, fewer.lower) > 0
    assert max(perfect.p_value, whole.p_value, fewer.p_value) < 0.05


def test_groups_needed_are_those_that_show_it_four_times_in_five() -> None:
    needed = groups_needed(0.6, 0.05)
    assert needed is not None
    shown = sum(each[0].lower > 0 for each in worlds(needed, 1, 0.6, 0.0, seed=8))
    assert 0.68 < shown / 120 < 0.94
    assert groups_needed(0.0, 0.05) is None
    assert groups_needed(0.02, 0.05) is None


def test_the_tail_is_numpys_interpolation_and_ties_far_out_stay_ties() -> None:
    """Far out the table is flat: metrics that it cannot order are ordered by their tau."""
    for tau, groups in ((0.3, 7), (-0.9, 100), (0.6, 300)):
        sizes, table = agreement._table()
        seen = np.clip(agreement.GRID + (tau - agreement.GRID) * np.sqrt(max(groups, 100) / 100), -1, 1)
        at = int(np.clip(np.searchsorted(sizes, groups), 1, len(sizes) - 1))
        low, high = (
            np.array([np.interp(t, agreement.COORDINATE, row) for t, row in zip(np.arcsin(seen), side, strict=True)])
            for side in table[at - 1 : at + 1]
        )
        roots = np.sqrt([sizes[at - 1], min(groups, 100), sizes[at]])
        share = (roots[1] - roots[0]) / (roots[2] - roots[0])
        expected = np.maximum.accumulate(low + share * (high - low))
        assert agreement.upper_tail(tau, groups) == pytest.approx(expected, abs=1e-12)
    assert len({float(agreement.upper_tail(-tau, 300)[32]) for tau in (0.915, 0.923, 0.926)}) == 1


def alone(n: int) -> np.ndarray:
    return np.arange(n)


def test_units_count_alike_however_many_systems_they_have() -> None:
    """Three units with one order of their pairs each, and a copy of a system as second member of its unit."""
    x, y = np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 3.0, 2.0])
    copied = np.array([0, 0, 0, 1, 2])
    rows = np.array([0, 0, 0, 1, 2])
    assert taus(x[:, rows], y[rows], copied)[0, 0] == pytest.approx(taus(x, y, alone(3))[0, 0])


def test_of_a_mean_is_students_interval() -> None:
    values = np.random.default_rng(0).normal(size=9)
    found = jackknifed(values.mean(), [np.delete(values, i).mean() for i in range(9)])
    half = t.ppf(0.975, 8) * values.std(ddof=1) / 3
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert jackknifed(1.0, [1.0] * 5).note == "too few independent systems (5)"
    assert "undefined" in jackknifed(1.0, [float("nan")] * 8).note


def test_tau_between_units_by_hand() -> None:
    unit = np.array([0, 0, 1])
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    # pairs (0, 2) agree, (1, 2) disagree, each of weight 1 / 2; (0, 1) is within a unit
    assert taus(x, y, unit)[0] == 0
    x, y = np.random.default_rng(1).integers(0, 5, size=(2, 12)).astype(float)
    rest = [kendalltau(np.delete(x, i), np.delete(y, i)).statistic for i in range(12)]
    assert taus(x, y, np.arange(12)) == pytest.approx([kendalltau(x, y).statistic, *rest])
    assert np.isnan(taus(np.ones(3), y[:3], np.arange(3))).all()


def test_the_jackknife_by_hand_beyond_twelve_units() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 13))
    found = estimates(x[None], y, alone(13))
    without = [kendalltau(np.delete(x, i), np.delete(y, i)).statistic for i in range(13)]
    jackknife = 12 / 13 * ((np.array(without) - np.mean(without)) ** 2).sum()
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    pairs = [(i, j) for i in range(13) for j in range(i)]
    apart = [signs[p] * signs[q] for p in pairs for q in pairs if not set(p) & set(q)]
    unbiased = found.tau[0] ** 2 - np.mean(apart)
    assert found.variance[0] == pytest.approx(max((3 * jackknife + unbiased) / 4, jackknife / 2))
    assert ((found.spread * (1 - found.tau**2)) ** 2).sum() == pytest.approx(found.variance[0])


def test_no_interval_says_why() -> None:
    rng = np.random.default_rng(0)
    few = estimates(rng.normal(size=(1, 5)), rng.normal(size=5), alone(5))
    assert no_interval(few, 0) == "too few independent systems (5)"
    assert "how sure tau is cannot" in no_interval(estimates(np.arange(8.0)[None], np.arange(8.0), alone(8)), 0)
    assert "constant" in no_interval(estimates(np.ones((1, 8)), np.arange(8.0), alone(8)), 0)


def test_sums_over_units_are_those_of_their_pairs() -> None:
    """Units in any order, one that does not occur; the oracle multiplies by membership."""
    rng = np.random.default_rng(0)
    unit, pairs = np.array([3, 0, 3, 1, 0, 3]), rng.normal(size=(2, 6, 6))
    membership = (np.array([0, 1, 3])[:, None] == unit).astype(float)
    assert of_units(pairs, unit) == pytest.approx(membership @ pairs @ membership.T)


def decided_without_a_difference() -> Iterator[bool]:
    """Ten candidates that are as good as the baseline: whether any is called better or worse (Bonferroni)."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        baseline, *candidates = rng.normal(size=(11, 12))
        yield any(compare_with_baseline(one, baseline, others=10).verdict != "open" for one in candidates)


def joined_by_chance(systems: int) -> Callable[[], Iterator[bool]]:
    """In all orders of independent systems: numbers in names make one run of them."""

    def orders() -> Iterator[bool]:
        names = tuple(f"v{100 + 7 * i * i}" for i in range(systems))
        for values in permutations(range(systems)):
            column = Column("MAP", "measure", np.array(values, dtype=np.float64))
            yield numbered_runs(Scoreboard(names, (column,)))[0] != ()

    return orders


def shown_by_chance(systems: int, metrics: int = 1) -> Callable[[], Iterator[bool]]:
    """In all orders of unrelated systems: p below .05 for any metric, which is where its lower bound is above 0."""

    def orders() -> Iterator[bool]:
        x = np.random.default_rng(systems).permuted(np.tile(np.arange(systems), (metrics, 1)), axis=1)
        for values in permutations(range(systems)):
            y = np.array(values, dtype=np.float64)
            found = agreements(x.astype(np.float64), y, np.arange(systems))
            assert all((one.p_value < 0.05) == (one.lower > 0) for one in found)
            yield any(one.p_value < 0.05 for one in found)

    return orders


@pytest.mark.parametrize(
    ("event", "least", "most"),
    [
        pytest.param(decided_without_a_difference, 0, 0.05, id="ten candidates"),
        pytest.param(joined_by_chance(5), 5 / 120, 5 / 120, id="five numbered names"),
        pytest.param(joined_by_chance(6), 6 / 720, 6 / 720, id="six numbered names"),
        pytest.param(shown_by_chance(3), 0, 0, id="three systems"),
        pytest.param(shown_by_chance(4), 0, 0.05, id="four systems"),
        pytest.param(shown_by_chance(5), 0, 0.05, id="five systems"),
        pytest.param(shown_by_chance(6), 0.01, 0.05, id="six systems"),
        pytest.param(shown_by_chance(5, metrics=4), 0, 0.05, id="five systems, four metrics"),
    ],
)
def test_a_rate_is_as_promised(event: Callable[[], Iterator[bool]], least: float, most: float) -> None:
    seen = list(event())
    drawn = len(seen) == 300  # rates of random worlds have an error, those of all orders have none
    slack = 2.5 * sqrt(0.05 * 0.95 / 300) if drawn else 1e-9
    assert least - slack <= np.mean(seen) <= most + slack
