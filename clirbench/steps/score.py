"""A system's score from its statistics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clirbench.later import Later, opened
from clirbench.metrics.base import Metric, Statistics
from clirbench.types import Doubles


@dataclass(frozen=True)
class CorpusScore:
    """(metric, one system's statistics) -> the system's score, one number: scored once, not read again by each run."""

    def releases_gil(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> bool:
        return getattr(item[0], "releases_gil", False)

    def __call__(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> Doubles:
        metric, held = item
        statistics: Any = opened(held)
        return np.asarray(metric.score(np.asarray(statistics.sum(axis=0)).reshape(-1))).reshape(1)
