"""How far training runs lie apart that differ in their seed alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from clirbench.types import Doubles

FEWEST = 10
"""Degrees of freedom from which on an interval is given: with 10 its upper end is 2.5 times its lower."""
LEVEL = 0.95


@dataclass(frozen=True)
class Spread:
    """SD over seeds within configurations, its interval (NaN below `FEWEST` degrees of freedom), and what it is of."""

    sd: float
    low: float
    high: float
    freedom: int
    configurations: int


def seed_spread(groups: Sequence[Doubles]) -> Spread:
    """s = sqrt(sum of squares within groups / nu), nu = sum(n_i - 1); the groups' means are fixed effects.

    The interval is s sqrt(nu / q) at the quantiles q of chi square with nu degrees of freedom, right for normal
    values of one variance. Groups with one value tell nothing; NaN where there are only such.

    **Source:** Neubig 2017, section 5.3, asks for the variance of training runs; the interval is the textbook's.
    """
    held = [values for values in groups if len(values) > 1]
    freedom = sum(len(values) - 1 for values in held)
    if not freedom:
        return Spread(nan, nan, nan, 0, 0)
    sd = sqrt(float(sum(((values - np.mean(values)) ** 2).sum() for values in held)) / freedom)
    low = high = nan
    if freedom >= FEWEST:
        from scipy.stats import chi2

        low, high = (sd * sqrt(freedom / float(chi2.ppf(q, freedom))) for q in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    return Spread(sd, low, high, freedom, len(held))
