"""How sure is it that retrieval improves when a metric rises by x?"""

from math import nan

import numpy as np

from clirbench.statistics.units.jackknife import Interval, jackknifed
from clirbench.types import Doubles, Ints


def better_with(slope: Interval, rise: float = 1.0) -> Interval:
    """P(the measure improves | the metric rises by `rise`) and its interval, of a slope from `jackknifed_slope`."""
    slopes = np.array([slope.value, slope.low, slope.high])
    value, low, high = (1 / (1 + np.exp(-np.clip(slopes * rise, -700, 700)))).tolist()
    return Interval(value, low, high, note=slope.note)


def jackknifed_slope(x: Doubles, y: Doubles, unit: Ints) -> Interval:
    """b of P(measure improves | metric rises by r) = 1 / (1 + exp(-b r)), delete-one-unit jackknife; `unit` (n,).

    No interval (note) for fewer than 6 units and where every pair is ordered alike: b has no maximum then.
    """
    rises, better = rising_pairs(x, y)
    ends = unit[np.stack(np.triu_indices(len(x), 1))]

    def slope(kept: "np.typing.NDArray[np.bool_]", near: float = 0.0) -> float:
        if not kept.any():
            return nan
        found = float(logistic_slope(rises[kept], better[kept], near))
        # 50 / mean rise is where the slope stops if no finite one is best.
        return nan if abs(found) * float(rises[kept].mean()) > 49 else found

    whole = slope(np.ones(len(rises), dtype=bool))
    near = whole if np.isfinite(whole) else 0.0
    return jackknifed(whole, [slope((ends != group).all(axis=0), near) for group in np.unique(unit)])


def rising_pairs(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """For every pair of systems: by how much x rises, and whether y does too (1, 0; .5 where y is tied).

    `x`, `y`: (..., systems); returns (..., pairs) in the order of `np.triu_indices`. A rise of 0 orders nothing.
    """
    lower, upper = np.triu_indices(x.shape[-1], 1)
    rise, gain = x[..., upper] - x[..., lower], y[..., upper] - y[..., lower]
    return np.abs(rise), (np.sign(gain) * np.sign(rise) + 1) / 2


def logistic_slope(rises: Doubles, better: Doubles, near: float = 0.0) -> Doubles:
    """The maximum-likelihood b of P(better) = 1 / (1 + exp(-b rise)), over the last axis; NaN where no rise is > 0.

    `rises`, `better`: (..., pairs); a rise of 0 has no effect; `near`: where the search begins. Where every pair
    improves the likelihood has no maximum: b stops at 50 / mean rise, whose P is 1 in print.
    """
    scale = rises.mean(axis=-1, keepdims=True) if rises.shape[-1] else np.zeros((*rises.shape[:-1], 1))
    z = rises / np.where(scale > 0, scale, 1.0)
    low, high = np.full(scale.shape, -50.0), np.full(scale.shape, 50.0)
    slope = np.clip(near * scale, -49, 49)
    for _ in range(40):  # Newton's step, or the middle of the bracket where it would leave it
        p = 1 / (1 + np.exp(-np.clip(slope * z, -700, 700)))
        gradient = (z * (better - p)).sum(axis=-1, keepdims=True)
        low, high = np.where(gradient > 0, slope, low), np.where(gradient > 0, high, slope)
        curvature = (z * z * p * (1 - p)).sum(axis=-1, keepdims=True)
        step = slope + gradient / np.where(curvature > 1e-12, curvature, 1e-12)
        following = np.where((step > low) & (step < high), step, (low + high) / 2)
        moved, slope = np.abs(following - slope).max(initial=0.0), following
        if moved < 1e-10:
            break
    return np.asarray(np.where(scale > 0, slope / np.where(scale > 0, scale, 1.0), nan)[..., 0])
