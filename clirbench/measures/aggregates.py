"""From per-topic values to a system's value, vectorised over leading axes: (..., topics) -> (...)."""

import numpy as np

from clirbench.types import Doubles

GMAP_FLOOR = 1e-5
"""trec_eval's MIN_GEO_MEAN: a topic's average precision counts at least this much in gm_map."""


def arithmetic(values: Doubles) -> Doubles:
    """Mean over the last axis; an undefined value (NaN) is left out, no value at all is NaN."""
    counted = np.isfinite(values)
    n = counted.sum(axis=-1)
    total = np.where(counted, values, 0.0).sum(axis=-1)
    return np.asarray(np.where(n > 0, total / np.maximum(n, 1), np.nan), dtype=np.float64)


def geometric(values: Doubles) -> Doubles:
    """exp(mean(log(max(value, 1e-5)))) over the last axis; no value at all is NaN.

    **Source:** Robertson, On GMAP and Other Transformations, CIKM 2006, with the floor of trec_eval's m_gm_map.c.
    """
    return np.asarray(np.exp(arithmetic(np.log(np.maximum(values, GMAP_FLOOR)))), dtype=np.float64)
