"""Every column against every column, in many resamples at once: the coefficients in vectorised form."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.types import Doubles, Ints

Grid = Callable[[Doubles, Doubles], Doubles]
AT_ONCE = 1 << 21
"""Pairs of systems times orders that are held at once."""


def balances(ordered: Doubles, columns: NDArray[Any], first: Ints, second: Ints) -> Doubles:
    """(samples, metrics): sum over pairs of systems of `ordered` (metrics, pairs) times the sign of each column's pair.

    `columns`: (samples, n); pair k is of the systems `first[k]` and `second[k]`. With the signs of a metric's pairs
    this is concordant less discordant pairs, the numerator of every tau.
    """
    sums = np.empty((len(columns), len(ordered)))
    size = max(1, AT_ONCE // max(1, len(first)))
    for start in range(0, len(columns), size):
        some = columns[start : start + size]
        sums[start : start + size] = np.sign(some[:, first] - some[:, second]) @ ordered.T
    return sums


def pearson_grid(x: Doubles, y: Doubles) -> Doubles:
    """Pearson's r: (samples, metrics, n), (samples, measures, n) -> (samples, metrics, measures); NaN if constant."""
    return np.clip(standardised(x) @ standardised(y).swapaxes(1, 2), -1.0, 1.0)  # rounding may pass 1


def spearman_grid(x: Doubles, y: Doubles) -> Doubles:
    """Spearman's rho (Pearson's r of mid-ranks); shapes as in `pearson_grid`."""
    return pearson_grid(ranks(x), ranks(y))


def ranks(columns: Doubles) -> Doubles:
    """1, 2, ... along the last axis, ties at their mean; NaN for a row with a hole. As `scipy.stats.rankdata`.

    That one takes half a second to import.
    """
    order = np.argsort(columns, axis=-1, kind="stable")
    ordered = np.take_along_axis(columns, order, axis=-1)
    begins = np.ones(columns.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(columns.shape, dtype=bool)
    ends[..., :-1] = begins[..., 1:]
    at = np.arange(columns.shape[-1])
    first = np.maximum.accumulate(np.where(begins, at, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, at, len(at))[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty(columns.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(columns).any(axis=-1, keepdims=True), np.nan, found)


GRIDS: Mapping[str, Grid] = MappingProxyType({"pearson": pearson_grid, "spearman": spearman_grid})
"""The coefficients that are resampled."""


def standardised(columns: Doubles) -> Doubles:
    """Centred and at length 1 along the last axis; NaN where constant.

    Scaled by the largest magnitude first, so that tiny spreads survive.
    """
    centred = columns - columns.mean(axis=-1, keepdims=True)
    constant = (columns == columns[..., :1]).all(axis=-1, keepdims=True)
    scaled = centred / np.where(constant, np.nan, np.abs(centred).max(axis=-1, keepdims=True))
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))
