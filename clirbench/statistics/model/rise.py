"""By how much must a metric rise for retrieval to improve with probability .8?"""

from math import inf, log, nan

import numpy as np

from clirbench.statistics.improvement import logistic_slope, rising_pairs
from clirbench.statistics.model.jackknife import Interval, leave_one_out
from clirbench.types import Doubles, Ints


def rise_for(x: Doubles, y: Doubles, unit: Ints, probability: float = 0.8) -> Interval:
    """The rise r with P(measure improves | metric rises by r) = `probability`, in points of the metric, and interval.

    P = 1 / (1 + exp(-b r)) over pairs of systems, r = log(p / (1 - p)) / b, inf where b <= 0. Interval: delete-one-unit
    jackknife on b, so the upper end is inf where b may be 0: then no rise is known to be enough. No number (NaN, note)
    for fewer than 6 units and where every pair is ordered alike (b has no maximum). `probability` in (.5, 1).
    """

    def slope(kept: "np.typing.NDArray[np.bool_]") -> float:
        rises, better = rising_pairs(x[kept], y[kept])
        found = float(logistic_slope(rises, better)) if len(rises) else nan
        # 50 / mean rise is where the slope stops if no finite one is best.
        return nan if abs(found) * float(rises.mean()) > 49 else found

    found = leave_one_out(slope, unit)
    if np.isnan(found.low):
        return Interval(nan, note=found.note)
    odds = log(probability / (1 - probability))
    value, low, high = (odds / b if b > 0 else inf for b in (found.value, found.high, found.low))
    return Interval(value, low, high)
