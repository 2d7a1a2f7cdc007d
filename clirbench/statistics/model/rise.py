"""By how much must a metric rise for retrieval to improve with probability .8?"""

from math import exp, inf, log, nan

import numpy as np

from clirbench.statistics.improvement import logistic_slope, rising_pairs
from clirbench.statistics.model.jackknife import Interval, leave_one_out
from clirbench.types import Doubles, Ints


def rise_for(x: Doubles, y: Doubles, unit: Ints, probability: float = 0.8, widest: float = 10.0) -> Interval:
    """The rise r with P(measure improves | metric rises by r) = `probability`, in points of the metric, and interval.

    P = 1 / (1 + exp(-b r)) over pairs of systems, r = log(p / (1 - p)) / b. Interval: delete-one-unit jackknife on
    log r. No number (NaN, note) where b <= 0, for fewer than 6 units, where every pair is ordered alike (b has no
    maximum), or where the interval's ends differ by more than `widest` times. `probability` in (.5, 1).
    """

    def rise(kept: "np.typing.NDArray[np.bool_]") -> float:
        rises, better = rising_pairs(x[kept], y[kept])
        slope = float(logistic_slope(rises, better)) if len(rises) else nan
        # 50 / mean rise is where the slope stops if no finite one is best.
        if not slope > 0 or slope * float(rises.mean()) > 49:
            return nan
        return log(probability / (1 - probability)) / slope

    found = leave_one_out(rise, unit, lambda v: log(v) if v > 0 else nan, lambda v: exp(v) if v < 700 else inf)
    if np.isnan(found.low):
        return Interval(nan, note=found.note)
    if found.high > widest * found.low:
        return Interval(nan, note=f"between {found.low:.2g} and {found.high:.2g}: too wide to print a number")
    return found
