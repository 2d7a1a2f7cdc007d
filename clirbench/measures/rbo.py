"""Rank-biased overlap of two rankings: how alike they are, the top of the lists weighing most."""

from dataclasses import dataclass, field

import numpy as np

from clirbench.errors import ConfigError
from clirbench.measures.ordinals import shared_ordinals
from clirbench.types import Doubles, Ints, Judged, Run


@dataclass(frozen=True)
class RBO:
    """Extrapolated rank-biased overlap between a system's ranking and the English side's own.

    RBO_EXT = (1-p)/p (sum_{d=1..l} X_d/d p^d + sum_{d=s+1..l} X_s (d-s)/(s d) p^d) + ((X_l - X_s)/l + X_s/s) p^l,
    where X_d is the number of documents the two lists share down to depth d, s <= l their lengths. `p` in (0, 1) is
    the persistence; `depth` cuts both lists. The value is in [0, 1], 1 for identical lists; an empty list scores 0.
    Raises `ConfigError` for a parameter out of range.

    **Source:** Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010, eq. 32.
    """

    p: float = 0.98
    depth: int = 1000
    name: str = "RBO"
    higher_is_better: bool = field(default=True, init=False)
    uses_qrels: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.p, float) or not 0 < self.p < 1:
            raise ConfigError(f"measure {self.name}: p={self.p!r} must be a number between 0 and 1, both excluded")
        if not isinstance(self.depth, int) or self.depth < 1:
            raise ConfigError(f"measure {self.name}: depth={self.depth!r} must be a whole number of at least 1")

    @property
    def signature(self) -> str:
        return f"{self.name}|measure:RBO|p:{self.p:g}|depth:{self.depth}|variant:ext|ties:doc_id|unmatched:0"

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        ordinals = shared_ordinals(run, judged.ideal)
        scratch = np.full(len(judged.ideal.doc_ids) + 1, -1, dtype=np.int64)
        return np.array([self._topic(run, judged.ideal, t, ordinals, scratch) for t in judged.topic_ids], dtype=float)

    def _topic(self, run: Run, ideal: Run, topic_id: str, ordinals: Ints, scratch: Ints) -> float:
        ours, theirs = run.position.get(topic_id), ideal.position.get(topic_id)
        if ours is None or theirs is None:
            return 0.0
        x = ordinals[run.documents[run.offsets[ours] : run.offsets[ours + 1]][: self.depth]]
        y = ideal.documents[ideal.offsets[theirs] : ideal.offsets[theirs + 1]][: self.depth]
        if not len(x) or not len(y):
            return 0.0
        scratch[y] = np.arange(len(y))
        at = scratch[x]
        scratch[y] = -1
        found = at >= 0
        entered = np.maximum(at[found], np.flatnonzero(found))
        return extrapolated(entered, len(x), len(y), self.p)

    def aggregate(self, values: Doubles) -> Doubles:
        """Mean over the last axis; no topic at all is NaN."""
        if values.shape[-1] == 0:
            return np.full(values.shape[:-1], np.nan)
        return np.asarray(values.mean(axis=-1))


def extrapolated(entered: Ints, length_x: int, length_y: int, p: float) -> float:
    """RBO_EXT (eq. 32) from the 0-based depths at which the shared documents enter the overlap."""
    short, long = min(length_x, length_y), max(length_x, length_y)
    depth = np.arange(1, long + 1, dtype=np.float64)
    weight = p**depth
    overlap = np.cumsum(np.bincount(entered, minlength=long)).astype(np.float64)
    at_short, at_long = overlap[short - 1], overlap[-1]
    beyond = depth[short:]
    total = (overlap / depth) @ weight + (at_short / short) * ((beyond - short) / beyond) @ weight[short:]
    return float((1 - p) / p * total + ((at_long - at_short) / long + at_short / short) * weight[-1])
