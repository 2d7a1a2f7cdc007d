"""A segment's contribution to a corpus metric: its jackknife pseudo-value."""

from dataclasses import dataclass

import numpy as np

from clirbench.analysis.evidence import Evidence
from clirbench.analysis.resampling import left_out_scores
from clirbench.types import Doubles


@dataclass(frozen=True, eq=False)
class PseudoValues:
    """Standardised pseudo-values of one metric: (systems, segments), more is better."""

    metric: str
    values: Doubles

    @property
    def means(self) -> Doubles:
        """(systems,): the linear stand-in for the metric's scores."""
        return np.asarray(self.values.mean(axis=1))


def pseudo_values(evidence: Evidence, metric: str) -> PseudoValues:
    """n M - (n - 1) M(-i) for every system and segment i, then standardised over all of them at once.

    M is the corpus score and M(-i) the score without segment i; for a metric that is a mean over segments this is
    the segment's own score. Standardising (mean 0, SD 1 over systems and segments) lets values of two metrics be
    swapped; it changes no tau. **Source:** Tukey 1958; swapping: Deutsch et al. 2021, 3.3.
    """
    n = evidence.segments(metric)
    raw = []
    for system in evidence.systems:
        statistics = evidence.statistics[metric, system]
        whole = float(evidence.metrics[metric].score(np.asarray(statistics.sum(axis=0)).reshape(-1)))
        raw.append(n * whole - (n - 1) * left_out_scores(evidence.metrics[metric], statistics))
    values = evidence.sign(metric) * np.stack(raw)
    return PseudoValues(metric, (values - values.mean()) / (values.std() or 1.0))
