"""Is one metric a better predictor than another, across units?"""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.statistics.units.concordance import pair_weights
from clirbench.statistics.units.given import normal_scores
from clirbench.types import Doubles, Ints

EXHAUSTIVE = 12
SAMPLES = 1999


@dataclass(frozen=True)
class Gap:
    """tau between units of one metric less that of another; `p_value` two-sided, NaN with its reason in `note`."""

    difference: float
    p_value: float
    smallest_p: float
    exact: bool
    note: str = ""


def unit_swaps(unit: Ints, samples: int = SAMPLES, seed: int = 0) -> tuple[Doubles, bool]:
    """(samples, n) of 0 and 1, alike within a unit; the first row is all 0; and whether these are all there are.

    All 2^units up to 12 units, else the identity and `samples` random ones.
    """
    units = int(unit.max()) + 1
    if units <= EXHAUSTIVE:
        return ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)[:, unit], True
    swaps = np.random.default_rng([seed, units]).integers(2, size=(samples + 1, units)).astype(np.float64)
    swaps[0] = 0
    return swaps[:, unit], False


def gap(
    a: Doubles,
    b: Doubles,
    y: Doubles,
    unit: Ints,
    *,
    alpha: float = 0.05,
    swaps: tuple[Doubles, bool] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Gap:
    """Whether metric a agrees with the measure better than metric b: both metrics' values change sides by units.

    Null hypothesis: a unit's values under a and b are exchangeable. Metrics are exchanged as normal scores of their
    ranks, so that no monotone transform changes anything. `a`, `b`, `y`: (n,), finite; `swaps`: of `unit_swaps`,
    where many pairs are tested.
    **Source:** Deutsch, Dror and Roth 2021 (perm-systems); normal scores: van der Waerden 1952.
    """
    from clirbench.statistics.units.loops import swapped_differences

    drawn, exact = swaps or unit_swaps(unit, samples, seed)
    units = int(unit.max()) + 1
    smallest = min(1.0, 2.0 ** (1 - units))
    scores = normal_scores(np.stack([a, b]))
    found = swapped_differences(scores[0], scores[1], np.asarray(y, dtype=np.float64), pair_weights(unit), drawn)
    if smallest >= alpha:
        note = f"too few independent systems ({units}): the smallest possible p is {smallest:.3f}"
        return Gap(float(found[0]), nan, smallest, exact, note)
    return Gap(float(found[0]), float((np.abs(found) >= abs(found[0]) - 1e-12).mean()), smallest, exact)
