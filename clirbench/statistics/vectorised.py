"""Every column against every column, in many resamples at once: the coefficients in vectorised form."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from clirbench.errors import UnknownName
from clirbench.types import Doubles

Grid = Callable[[Doubles, Doubles], Doubles]


def kendall_grid(x: Doubles, y: Doubles) -> Doubles:
    """tau-b: (samples, metrics, n) and (samples, measures, n) -> (samples, metrics, measures); NaN if constant."""
    from clirbench.statistics.compiled import tau_b_grid

    return np.asarray(tau_b_grid(np.ascontiguousarray(x), np.ascontiguousarray(y)))


def pearson_grid(x: Doubles, y: Doubles) -> Doubles:
    """Pearson's r; shapes as in `kendall_grid`."""
    return np.clip(_standard(x) @ _standard(y).swapaxes(1, 2), -1.0, 1.0)  # rounding may pass 1


def spearman_grid(x: Doubles, y: Doubles) -> Doubles:
    """Spearman's rho (Pearson's r of mid-ranks); shapes as in `kendall_grid`."""
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


GRIDS: Mapping[str, Grid] = MappingProxyType(
    {"kendall": kendall_grid, "pearson": pearson_grid, "spearman": spearman_grid}
)


def grid(name: str) -> Grid:
    """The vectorised coefficient of that name; an unknown name raises `UnknownName` with the choices."""
    if name not in GRIDS:
        raise UnknownName("coefficient for resampling", name, GRIDS)
    return GRIDS[name]


def _standard(columns: Doubles) -> Doubles:
    """Centred and at length 1 along the last axis; NaN where constant."""
    centred = columns - columns.mean(axis=-1, keepdims=True)
    constant = (columns == columns[..., :1]).all(axis=-1, keepdims=True)
    length = np.where(constant, np.nan, np.sqrt((centred**2).sum(axis=-1, keepdims=True)))
    return np.asarray(centred / length)
