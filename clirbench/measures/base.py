"""What an IR measure is: one value for each scored topic, and a mean over them."""

from typing import Protocol, runtime_checkable

import numpy as np

from clirbench.types import Doubles, Judged, Run


@runtime_checkable
class Measure(Protocol):
    """An IR measure; a frozen dataclass whose fields are its configuration.

    It may say what it `needs` of a run (a set of `Need`), see `relevance/base.py`.
    """

    @property
    def name(self) -> str:
        """The column's name, as the user wrote it: `MAP`, `nDCG@20`, `RBO(p=0.9)`."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher value means better retrieval."""

    @property
    def signature(self) -> str:
        """Everything that can move the number: parameters, cut-off, treatment of ties, library version."""

    @property
    def uses_qrels(self) -> bool:
        """Whether the measure reads judgments; False for RBO and others that compare with the ideal run alone."""

    @property
    def needs_relevant(self) -> bool:
        """Whether only topics with a relevant document count; False for RBO, and where false alarms count (AQWV)."""

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        """One value for each of `judged.topic_ids`, in that order; a topic that retrieved nothing scores 0."""

    def aggregate(self, values: Doubles) -> Doubles:
        """The system's value from per-topic values, vectorised over leading axes: (..., topics) -> (...)."""


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


class ArithmeticMean:
    """A measure whose value for a system is the mean over its topics."""

    def aggregate(self, values: Doubles) -> Doubles:
        """(..., topics) -> (...); see `arithmetic`."""
        return arithmetic(values)


class ByJudgments:
    """A measure of topics that have a relevant document; higher is better."""

    higher_is_better = True
    uses_qrels = True
    needs_relevant = True
