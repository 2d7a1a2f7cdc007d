"""Scores without each segment in turn, and the draws of sacreBLEU."""

from collections.abc import Iterator, Sequence

import numpy as np

from clirbench.metrics.base import Metric, Resampled, Statistics
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import BLOCK, HELD
from clirbench.types import Doubles, Ints, TestSet


def drawn_blocks(n: int, samples: int, sampling: str, seed: int) -> Iterator[Ints]:
    """(samples, drawn), some at a time: with replacement, exactly the items that sacreBLEU draws from this seed."""
    rng = np.random.default_rng(seed)
    size = max(BLOCK, HELD // max(1, n))
    for at in range(0, samples, size):
        rows = min(size, samples - at)
        if sampling == "replacement":
            yield np.asarray(rng.choice(n, size=(rows, n), replace=True))
        else:
            yield np.asarray(rng.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)[:, : max(1, n // 2)])


def corpus_score(metric: Metric, statistics: Statistics) -> float:
    """The score of all segments together."""
    return float(metric.score(np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)))


def text_score(metric: Metric, hypotheses: Sequence[str], test: TestSet) -> float:
    """The score of a whole output."""
    return corpus_score(metric, metric.statistics(hypotheses, test))


def left_out_scores(metric: Metric, statistics: Statistics) -> Doubles:
    """Scores without each segment in turn: (segments,). **Source:** Quenouille 1956 (the jackknife)."""
    if isinstance(metric, Resampled) and not isinstance(statistics, np.ndarray):
        return metric.left_out(statistics)
    totals = np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)
    if isinstance(statistics, np.ndarray):
        return np.asarray(metric.score(totals - statistics))
    rows = statistics.tocsr()
    blocks = range(0, rows.shape[0], BLOCK)
    return np.concatenate([metric.score(totals - rows[at : at + BLOCK].toarray()) for at in blocks])


def pseudo_values(evidence: Evidence, metric: str) -> Doubles:
    """(systems, segments): n M - (n - 1) M(-i) for every segment i, more is better, standardised over all at once.

    M is the corpus score and M(-i) the score without segment i; for a metric that is a mean over segments this is
    the segment's own score. Standardising (mean 0, SD 1 over systems and segments) lets values of two metrics be
    swapped; it changes no tau. **Source:** Tukey 1958; swapping: Deutsch et al. 2021, 3.3.
    """
    n = evidence.segments(metric)
    raw = []
    for system in evidence.systems:
        statistics = evidence.statistics[metric, system]
        whole = corpus_score(evidence.metrics[metric], statistics)
        raw.append(n * whole - (n - 1) * left_out_scores(evidence.metrics[metric], statistics))
    values = evidence.sign(metric) * np.stack(raw)
    return np.asarray((values - values.mean()) / (values.std() or 1.0))
