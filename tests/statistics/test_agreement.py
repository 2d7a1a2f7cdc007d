"""tau between groups and its interval: scipy, the formulas once more in plain loops, all orders, and worlds."""

from collections.abc import Callable, Iterator
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import kendalltau, norm, t

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics import agreement
from clirbench.statistics.agreement import Agreement, Pairs, agreements, effective_number, groups_needed, taus, variance
from clirbench.statistics.belonging import numbered_runs
from clirbench.statistics.decision import compare_with_baseline
from clirbench.statistics.given import estimates
from clirbench.statistics.noise import jackknifed


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
    assert (whole.groups, less.groups) == (14, 11)


@pytest.mark.parametrize("n", [2, 3, 8, 40])
def test_without_agreement_the_variance_is_kendalls_and_with_full_agreement_0(n: int) -> None:
    """Kendall 1938: 2 (2n + 5) / (9n (n - 1))."""
    assert variance(0.0, n) == pytest.approx(2 * (2 * n + 5) / (9 * n * (n - 1)))
    assert variance(np.array([-1.0, 1.0]), n) == pytest.approx([0, 0], abs=1e-15)


def test_the_variance_is_that_of_normal_columns() -> None:
    """Oracle: 4,000 samples of 12 normal pairs with tau .6, tau by scipy; standard error of the variance 2 %."""
    rng, rho = np.random.default_rng(5), np.sin(np.pi / 2 * 0.6)
    x, e = rng.normal(size=(2, 4000, 12))
    seen = [kendalltau(a, b).statistic for a, b in zip(x, rho * x + sqrt(1 - rho**2) * e, strict=True)]
    assert np.var(seen, ddof=1) == pytest.approx(float(variance(0.6, 12)), rel=0.06)


def by_hand(x: np.ndarray, y: np.ndarray, side: float) -> tuple[float, float, float]:
    """low, high and the one-sided p of one metric of untied systems: the formulas of the interval in plain loops."""
    n = len(y)
    tau = kendalltau(x, y).statistic
    rest = [kendalltau(np.delete(x, i), np.delete(y, i)).statistic for i in range(n)]
    jackknife = (n - 1) / n * sum((one - np.mean(rest)) ** 2 for one in rest)
    pairs = n * (n - 1) / 2
    drawn_in = tau * pairs / (pairs + 1)

    def v(true: float) -> float:
        return 2 / (n * (n - 1)) * (
            1 - true**2 + 2 * (n - 2) * (1 / 9 - 4 / np.pi**2 * np.arcsin(np.sin(np.pi * true / 2) / 2) ** 2)
        )  # fmt: skip

    f2 = (20 * 1.15**2 + (n - 1) * jackknife / v(drawn_in)) / (19 + n)

    def off(true: float) -> float:
        z = -norm.ppf(side)
        return float(abs(tau - true) - z * sqrt(f2 * (0.8 * v(true) + 0.2 * v(drawn_in))))

    low = brentq(off, -1, tau) if off(-1) > 0 else -1.0
    high = brentq(off, tau, 1) if off(1) > 0 else 1.0
    return low, high, float(norm.sf(tau / sqrt(f2 * (0.8 * v(0) + 0.2 * v(drawn_in)))))


@pytest.mark.parametrize(("n", "noise"), [(10, 0.3), (10, 3.0), (17, 0.8), (40, 0.5)])
def test_interval_and_p_are_the_formulas_in_plain_loops(n: int, noise: float) -> None:
    rng = np.random.default_rng(n)
    y = rng.normal(size=n)
    x = y + noise * rng.normal(size=(4, n))
    (alone,) = agreements(x[:1], y, np.arange(n))
    low, high, p = by_hand(x[0], y, 0.025)
    assert (alone.low, alone.high) == pytest.approx((low, high), abs=1e-5)
    assert alone.p_value == pytest.approx(min(1, 2 * p))
    eigenvalues = np.linalg.eigvalsh(np.corrcoef([np.sign(row[:, None] - row).ravel() for row in x]))
    together = max(2, 1 + 3 * (1 - eigenvalues.var(ddof=1) / 4))
    for found, column in zip(agreements(x, y, np.arange(n)), x, strict=True):
        low, high, p = by_hand(column, y, 0.05 / together)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-5)
        assert found.p_value == pytest.approx(min(1, p * together))


def test_metrics_count_by_how_their_pairs_correlate() -> None:
    """Pairs of two columns without a common pair order, one group of copies, and a column with a hole."""
    assert effective_number(np.tile(np.arange(6.0), (3, 1)), np.arange(6)) == pytest.approx(1)
    unrelated = np.array([[0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 0.0, 2.0]])  # three pairs agree, three do not
    assert effective_number(unrelated, np.arange(4)) == pytest.approx(2)
    twice = np.repeat(np.arange(4), 2)
    three = np.vstack([unrelated, unrelated[:1]])
    assert effective_number(three[:, twice], twice) == pytest.approx(effective_number(three, np.arange(4)))
    holed = np.where(np.arange(4) < 1, np.nan, three)
    assert 1 <= effective_number(np.vstack([three[0], holed[1]]), np.arange(4)) <= 2


def test_blocks_of_pairs_add_up_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    x, y, unit = rng.normal(size=(5, 23)), rng.normal(size=23), np.arange(23) // 2
    whole = agreements(x, y, unit)
    monkeypatch.setattr(agreement, "AT_ONCE", 500)
    for one, other in zip(whole, agreements(x, y, unit), strict=True):
        assert (one.tau, one.low, one.high) == pytest.approx((other.tau, other.low, other.high), abs=1e-12)


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
def test_a_useless_metric_alone_is_shown_in_at_most_three_of_a_hundred_orders(n: int) -> None:
    """Every order of n systems is equally likely where the metric has nothing to do with the measure: no sampling."""
    made, shares = orders(n)
    shown = [agreements(x[None], np.arange(n, dtype=float), np.arange(n))[0].low > 0 for x in made]
    assert shares[shown].sum() <= 0.03


@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_of_up_to_nine_systems_0_is_passed_only_where_the_exact_test_agrees(n: int) -> None:
    """Oracle: scipy's exact one-sided test; a p of .05 / 2 a side."""
    y = np.arange(n, dtype=float)
    for x in np.vstack([y, np.random.default_rng(n).permuted(np.tile(y, (8, 1)), axis=1)]):
        (found,), (turned,) = agreements(x[None], y, np.arange(n)), agreements(-x[None], y, np.arange(n))
        exact = kendalltau(x, y, alternative="greater", method="exact").pvalue
        assert found.p_value >= min(1, 2 * exact) - 1e-9 or found.tau <= 0
        assert (found.p_value < 0.05) == (found.low > 0) == (turned.high < 0)
        assert found.low <= 0 or exact < 0.025


def test_metrics_with_holes_next_to_a_perfect_one_are_shown() -> None:
    """Twelve systems; a column with tau 1, one that is good, and one that is good and has seven systems of twelve."""
    y = np.arange(12.0)
    good = np.array([0, 1, 2, 4, 3, 5, 6, 7, 8, 10, 9, 11.0])
    holed = np.where(y < 5, np.nan, y)
    perfect, whole, fewer = agreements(np.stack([y, good, holed]), y, np.arange(12))
    assert (fewer.groups, fewer.tau) == (7, 1.0)
    assert min(perfect.low, whole.low, fewer.low) > 0
    assert max(perfect.p_value, whole.p_value, fewer.p_value) < 0.05


def test_a_column_that_is_constant_without_one_system_has_the_interval_of_what_is_known_before() -> None:
    """Without the last system no pair is ordered, so no jackknife: 20 units of 1.15 standard errors and no more."""
    x = np.append(np.zeros(9), 1.0)
    (found,) = agreements(x[None], np.arange(10.0), np.arange(10))
    assert found.tau == pytest.approx(kendalltau(x, np.arange(10.0)).statistic)
    assert found.low < found.tau < found.high


def test_groups_needed_are_those_that_show_it_four_times_in_five() -> None:
    needed = groups_needed(0.6, 0.025)
    assert needed is not None
    shown = sum(each[0].low > 0 for each in worlds(needed, 1, 0.6, 0.0, seed=8))
    assert 0.68 < shown / 120 < 0.94
    assert groups_needed(0.0, 0.05) is None
    assert groups_needed(0.02, 0.05) is None


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
    found = estimates(x[None], y, np.arange(13))
    without = [kendalltau(np.delete(x, i), np.delete(y, i)).statistic for i in range(13)]
    jackknife = 12 / 13 * ((np.array(without) - np.mean(without)) ** 2).sum()
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    pairs = [(i, j) for i in range(13) for j in range(i)]
    apart = [signs[p] * signs[q] for p in pairs for q in pairs if not set(p) & set(q)]
    unbiased = found.tau[0] ** 2 - np.mean(apart)
    assert found.variance[0] == pytest.approx(max((3 * jackknife + unbiased) / 4, jackknife / 2))
    assert ((found.spread * (1 - found.tau**2)) ** 2).sum() == pytest.approx(found.variance[0])


def test_of_few_untied_units_the_variance_is_at_most_that_of_normal_columns() -> None:
    """.437 / (n - 4) on atanh(tau): Fieller, Hartley and Pearson 1957; not where two values of a column are tied."""
    x, y = np.random.default_rng(1).normal(size=(2, 8))
    found = estimates(np.stack([x, np.maximum(x, np.sort(x)[1])]), y, np.arange(8))
    untied, tied = found.variance / (1 - found.tau**2) ** 2
    assert (untied, tied > 0.437 / 4) == (pytest.approx(0.437 / 4), True)


def test_sums_over_units_are_those_of_their_pairs() -> None:
    """Units in any order, one that does not occur; the oracle multiplies by membership."""
    rng = np.random.default_rng(0)
    unit, values = np.array([3, 0, 3, 1, 0, 3]), rng.normal(size=(2, 6, 6))
    membership = (np.array([0, 1, 3])[:, None] == unit).astype(float)
    membership /= membership.sum(axis=1, keepdims=True)
    every = membership @ (values + values.swapaxes(1, 2)) @ membership.T * (1 - np.eye(3))
    pairs = Pairs.of(unit)
    assert pairs.of_units((values + values.swapaxes(1, 2))[:, pairs.first, pairs.second]) == pytest.approx(every)


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
            yield numbered_runs(Scoreboard(names, (column,))) is not None

    return orders


def shown_by_chance(systems: int, metrics: int = 1) -> Callable[[], Iterator[bool]]:
    """In all orders of unrelated systems: p below .05 for any metric, which is where its low end is above 0."""

    def orders() -> Iterator[bool]:
        x = np.random.default_rng(systems).permuted(np.tile(np.arange(systems), (metrics, 1)), axis=1)
        for values in permutations(range(systems)):
            y = np.array(values, dtype=np.float64)
            found = agreements(x.astype(np.float64), y, np.arange(systems))
            assert all((one.p_value < 0.05) == (one.low > 0) for one in found)
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
        pytest.param(shown_by_chance(6), 6 / 720, 0.05, id="six systems"),
        pytest.param(shown_by_chance(5, metrics=4), 0, 0.05, id="five systems, four metrics"),
    ],
)
def test_a_rate_is_as_promised(event: Callable[[], Iterator[bool]], least: float, most: float) -> None:
    seen = list(event())
    drawn = len(seen) == 300  # rates of random worlds have an error, those of all orders have none
    slack = 2.5 * sqrt(0.05 * 0.95 / 300) if drawn else 1e-9
    assert least - slack <= np.mean(seen) <= most + slack
