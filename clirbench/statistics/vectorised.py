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
    from scipy.stats import rankdata

    return pearson_grid(rankdata(x, axis=-1), rankdata(y, axis=-1))


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
