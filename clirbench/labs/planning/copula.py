"""Simulated studies: how often would the shipped test find that one metric predicts better than another?

Simulated from a normal copula, which is all that tau feels: true values of metrics and measure have the correlations
behind the taus that are assumed, and each column has noise of its own reliability. Resampling the systems themselves
would make ties and pretend that these 16 are all there are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.statistics.p_values import holm
from clirbench.statistics.units.better import EXHAUSTIVE, SAMPLES, gap, unit_swaps
from clirbench.types import Doubles

STEP = 0.02
"""Differences in tau that are tried lie so far apart."""
SCREEN = 100
"""Exchanges after which a difference that four times alpha of them reach is taken for not significant."""
Test = Callable[[Doubles, Doubles], float]
"""(2, n) of two metrics, (n,) of the measure -> two-sided p of their difference, uncorrected."""


@dataclass(frozen=True)
class CopulaModel:
    """What is assumed. `taus` (k,): noise-free tau of each metric with the measure; `among` (k, k): of the metrics.

    `reliability` (k + 1,) in (0, 1]: of each metric, the measure last: share of its variance over systems that is not
    noise. All finite, taus in (-1, 1). `family`: pairs of metrics that are corrected together, at least k (k - 1) / 2.
    """

    names: tuple[str, ...]
    taus: Doubles
    among: Doubles
    reliability: Doubles
    family: int

    def correlations(self) -> Doubles:
        """(k + 1, k + 1): sin(pi tau / 2), the measure last.

        Raises `ConfigError` that names the columns where no systems could have such taus. **Source:** Greiner 1909.
        """
        k = len(self.names)
        names = (*self.names, "the measure")
        if noisy := [name for name, kept in zip(names, self.reliability, strict=True) if not 0 < kept <= 1]:
            raise ConfigError(f"nothing but noise is seen of {', '.join(noisy)} (reliability not above 0)")
        full = np.eye(k + 1)
        full[:k, :k] = self.among
        full[:k, k] = full[k, :k] = self.taus
        np.fill_diagonal(full, 1.0)
        found = np.asarray(np.sin(np.pi / 2 * full))

        def possible(chosen: Sequence[int]) -> bool:
            return bool(float(np.linalg.eigvalsh(found[np.ix_(chosen, chosen)])[0]) >= 1e-9)

        if possible(range(k + 1)):
            return found
        fewest = (chosen for size in range(2, k + 2) for chosen in combinations(range(k + 1), size))
        named = next(chosen for chosen in fewest if not possible(chosen))
        told = "; ".join(f"{names[i]} and {names[j]} {full[i, j]:.3f}" for i, j in combinations(named, 2))
        raise ConfigError(f"no systems can have these taus together: {told}")

    @property
    def impossible(self) -> str:
        """Why no systems can have these taus; nothing where they can."""
        try:
            self.correlations()
        except ConfigError as problem:
            return str(problem)
        return ""

    def moved(self, metric: int, tau: float) -> "CopulaModel":
        """The same with another tau of one metric with the measure."""
        return replace(self, taus=np.where(np.arange(len(self.taus)) == metric, tau, self.taus))


def simulated(plan: CopulaModel, n: int, simulations: int, seed: int) -> tuple[Doubles, Doubles]:
    """Metrics (simulations, k, n) and measure (simulations, n), as measured."""
    root = np.linalg.cholesky(plan.correlations() + 1e-10 * np.eye(len(plan.names) + 1))
    rng = np.random.default_rng([seed, n])
    # Truth and noise are drawn in the same order whatever is assumed, so that powers can be compared.
    truth = rng.normal(size=(simulations, n, len(root))) @ root.T
    noise = rng.normal(size=truth.shape) * np.sqrt(1 / plan.reliability - 1)
    seen = (truth + noise).swapaxes(1, 2)
    return seen[:, :-1], seen[:, -1]


def perm_systems_test(n: int, family: int, alpha: float, seed: int) -> Test:
    """`perm-systems`, as `differences` does it for n systems."""
    unit = np.arange(n)
    swaps = unit_swaps(n, max(SAMPLES, ceil(2 * family / alpha)), seed)

    def test(x: Doubles, y: Doubles) -> float:
        if n > EXHAUSTIVE:
            screened = gap(x[0], x[1], y, unit, alpha=alpha, swaps=swaps[:SCREEN]).p_value
            if not screened <= 4 * alpha:
                return screened
        return gap(x[0], x[1], y, unit, alpha=alpha, swaps=swaps).p_value

    return test


def power_of(
    plan: CopulaModel, pair: tuple[int, int], n: int, test: Test, *, alpha: float, simulations: int, seed: int
) -> float:
    """Share of simulations in which `test`, corrected by Holm over the family, calls the two metrics different.

    Where the family is larger than the plan, those beyond it are taken not to be found: never too large a power.
    """
    a, b = min(pair), max(pair)
    others = [list(other) for other in combinations(range(len(plan.names)), 2) if other != (a, b)]
    found = 0
    for x, y in zip(*simulated(plan, n, simulations, seed), strict=True):
        p = test(x[[a, b]], y)
        found += p < alpha and _survives_holm(p, [(x[other], y) for other in others], test, plan.family, alpha)
    return found / simulations


def _survives_holm(p: float, others: Sequence[tuple[Doubles, Doubles]], test: Test, family: int, alpha: float) -> bool:
    """Whether Holm's correction lets p stand; others are tested only as long as that is open."""
    if family * p < alpha:
        return True
    larger, smaller = 0, list[float]()
    for other in others:
        # Enough others must be smaller for p, multiplied by what is left of the family, to be below alpha.
        if (family - len(others) + larger) * p >= alpha:
            return False
        q = test(*other)
        larger, smaller = (larger, [*smaller, q]) if q < p else (larger + 1, smaller)
    return holm([*smaller, p], family)[-1] < alpha


def smallest_difference(
    plan: CopulaModel, pair: tuple[int, int], wanted: float, power: Callable[[CopulaModel], float]
) -> float:
    """The smallest difference in noise-free tau whose power is at least `wanted`; NaN where none that is possible is.

    Searched by moving the second metric's tau down from the first's, in steps of .02 by halving; taus among metrics
    stay, so beyond some difference the taus are impossible together.
    """
    a, b = pair
    steps = np.arange(STEP, 1.0 + plan.taus[a], STEP)
    possible = [
        moved for moved in (plan.moved(b, float(plan.taus[a] - step)) for step in steps) if not moved.impossible
    ]
    if not possible or power(possible[-1]) < wanted:
        return nan
    low, high = -1, len(possible) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(possible[middle]) >= wanted else (middle, high)
    return float(plan.taus[a] - possible[high].taus[b])
