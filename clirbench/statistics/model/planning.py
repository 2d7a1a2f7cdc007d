"""How many systems does it take to see that one metric predicts better than another, by the test that is shipped?

Simulated from a normal copula, which is all that tau feels: true values of metrics and measure have the correlations
behind the taus that are assumed, and each column has noise of its own reliability.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.statistics.p_values import holm
from clirbench.types import Doubles

Test = Callable[[Doubles, Doubles], Sequence[float]]
"""(metrics, n), (n,) -> two-sided p of every pair of metrics, in the order of `itertools.combinations`."""


@dataclass(frozen=True)
class Plan:
    """What is assumed. `taus` (k,): noise-free tau of each metric with the measure; `among` (k, k): of the metrics.

    `reliability` (k + 1,) in (0, 1]: of each metric, the measure last: share of its variance over systems that is not
    noise. All finite, taus in (-1, 1).
    """

    names: tuple[str, ...]
    taus: Doubles
    among: Doubles
    reliability: Doubles

    def correlations(self) -> Doubles:
        """(k + 1, k + 1): sin(pi tau / 2), the measure last.

        Raises `ConfigError` that names the columns where no systems could have such taus. **Source:** Greiner 1909.
        """
        k = len(self.names)
        if len(self.reliability) != k + 1 or not ((self.reliability > 0) & (self.reliability <= 1)).all():
            raise ConfigError(f"reliability={self.reliability.tolist()}: one in (0, 1] for each metric and the measure")
        full = np.eye(k + 1)
        full[:k, :k] = self.among
        full[:k, k] = full[k, :k] = self.taus
        np.fill_diagonal(full, 1.0)
        found = np.sin(np.pi / 2 * full)
        names = (*self.names, "the measure")
        for size in range(2, k + 2):
            for chosen in combinations(range(k + 1), size):
                if float(np.linalg.eigvalsh(found[np.ix_(chosen, chosen)])[0]) < 1e-9:
                    told = "; ".join(f"{names[i]} and {names[j]} {full[i, j]:.3f}" for i, j in combinations(chosen, 2))
                    raise ConfigError(f"no systems can have these taus together: {told}")
        return np.asarray(found)

    def moved(self, metric: int, tau: float) -> "Plan":
        """The same with another tau of one metric with the measure."""
        taus = self.taus.copy()
        taus[metric] = tau
        return Plan(self.names, taus, self.among, self.reliability)


@dataclass(frozen=True)
class Power:
    """How often the pair is found different after Holm over all pairs of metrics, and what could be found at all.

    `power` +- `error` (its standard error) in [0, 1]; `smallest`: the smallest difference in noise-free tau that would
    be found with probability `wanted` at this number of systems, NaN where none that is possible would be.
    """

    metric_a: str
    metric_b: str
    difference: float
    n_systems: int
    power: float
    error: float
    wanted: float
    smallest: float
    simulations: int
    seed: int
    note: str = ""


def simulated(plan: Plan, n: int, simulations: int, seed: int) -> tuple[Doubles, Doubles]:
    """Metrics (simulations, k, n) and measure (simulations, n), as measured."""
    root = np.linalg.cholesky(plan.correlations() + 1e-10 * np.eye(len(plan.names) + 1))
    rng = np.random.default_rng([seed, n])
    # Truth and noise are drawn in the same order whatever is assumed, so that powers can be compared.
    truth = rng.normal(size=(simulations, n, len(root))) @ root.T
    noise = rng.normal(size=truth.shape) * np.sqrt(1 / plan.reliability - 1)
    seen = (truth + noise).swapaxes(1, 2)
    return seen[:, :-1], seen[:, -1]


def power_of(
    plan: Plan, pair: tuple[int, int], n: int, test: Test, *, alpha: float, simulations: int, seed: int
) -> float:
    """Share of simulations in which `test`, corrected by Holm over all pairs, calls the two metrics different."""
    at = list(combinations(range(len(plan.names)), 2)).index((min(pair), max(pair)))
    x, y = simulated(plan, n, simulations, seed)
    return float(np.mean([holm(list(test(*one)))[at] < alpha for one in zip(x, y, strict=True)]))


def power_for(
    plan: Plan, pair: tuple[int, int], n: int, test: Test,
    *, wanted: float = 0.8, alpha: float = 0.05, simulations: int = 200, seed: int = 0,
) -> Power:  # fmt: skip
    """Power for the assumed taus of a pair of metrics, and the smallest difference that would be found.

    The smallest is searched by moving the second metric's tau down from the first's, in steps of .02 by halving; taus
    among metrics stay, so beyond some difference the taus are impossible together, and the note says so.
    Raises `ConfigError` where the assumed ones are.
    """
    a, b = pair
    difference = float(plan.taus[a] - plan.taus[b])

    def power(moved: Plan) -> float:
        return power_of(moved, pair, n, test, alpha=alpha, simulations=simulations, seed=seed)

    found = power(plan)
    possible = [plan.moved(b, float(plan.taus[a] - step)) for step in np.arange(0.02, 1.0, 0.02)]
    possible = [moved for moved in possible if _possible(moved)]
    smallest, note = nan, ""
    if not possible or power(possible[-1]) < wanted:
        largest = plan.taus[a] - possible[-1].taus[b] if possible else 0.0
        note = f"no difference that is possible here (up to {largest:.2f}) would be found with probability {wanted:g}"
    else:
        low, high = -1, len(possible) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if power(possible[middle]) >= wanted else (middle, high)
        smallest = float(plan.taus[a] - possible[high].taus[b])
    error = float(np.sqrt(found * (1 - found) / simulations))
    return Power(plan.names[a], plan.names[b], difference, n, found, error, wanted, smallest, simulations, seed, note)


def _possible(plan: Plan) -> bool:
    try:
        plan.correlations()
    except ConfigError:
        return False
    return True
