"""A system's score from its statistics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from clirbench.later import Later, load_value
from clirbench.metrics.base import Metric, Statistics
from clirbench.recent import keep_recent
from clirbench.types import Doubles


@dataclass(frozen=True)
class CorpusScore:
    """(metric, one system's statistics) -> the system's score, one number: scored once, not read again by each run."""

    def releases_gil(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> bool:
        return getattr(item[0], "releases_gil", False)

    def kind(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> str:
        return item[0].name

    def __call__(self, item: tuple[Metric, Statistics | Later[Statistics]]) -> Doubles:
        metric, held = item
        totals = _kept_totals(held) if isinstance(held, Later) else _totals(held)
        return np.asarray(metric.score(totals)).reshape(1)


def _totals(held: Any) -> Doubles:
    return np.asarray(load_value(held).sum(axis=0)).reshape(-1)


_kept_totals = keep_recent(1)(_totals)
"""For metrics that count the same, which come one after the other."""
