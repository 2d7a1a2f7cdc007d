"""How far a system's own scores would move with other topics and segments: the ellipses of the plots."""

from dataclasses import dataclass

import numpy as np

from clirbench.statistics.evidence import Evidence
from clirbench.statistics.resampling import Draws, measure_values, metric_scores, weighted_scores
from clirbench.types import Doubles

SAMPLES = 100
MOST_SYSTEMS = 50  # more ellipses than that hide each other
COMPILED_PAYS = 5e7  # from this count of numbers on, compiling the resampling of type averages saves time


@dataclass(frozen=True)
class Spreads:
    """Evidence -> its `spreads`, as lists."""

    def __call__(self, evidence: Evidence) -> dict[str, list[float]]:
        return {name: values.tolist() for name, values in spreads(evidence).items()}


def spreads(evidence: Evidence, samples: int = SAMPLES, seed: int = 0) -> dict[str, Doubles]:
    """Column -> standard deviation for each system (systems,), over resampled topics or segments.

    Topics and segments are different items drawn independently, so that an ellipse has no tilt; all systems share
    the draws. Of more than 50 systems none has one. Columns that were read from a table have none, nor have metrics
    with too many segments to resample quickly; a system without a value has NaN.
    """
    if len(evidence.systems) > MOST_SYSTEMS:
        return {}
    draws = Draws(("topics", "segments"), samples, seed=seed)
    found = {}
    for name in evidence.measure_names:
        if n := evidence.topics(name):
            found[name] = measure_values(evidence, name, draws.items("topics", n)).std(axis=0)
    weighting = np.empty((samples, 0))  # made once for all metrics of as many segments
    for name in () if evidence.bulky else evidence.metric_names:
        if n := evidence.segments(name):
            weighting = weighting if weighting.shape[1] == n else draws.weights("segments", n)
            found[name] = _metric(evidence, name, weighting).std(axis=0)
    return found


def _metric(evidence: Evidence, name: str, weighting: Doubles) -> Doubles:
    first = evidence.statistics[name, evidence.systems[0]]
    if isinstance(first, np.ndarray):
        return metric_scores(evidence, name, weighting)
    numbers = len(weighting) * first.shape[1] * len(evidence.systems)
    metric, each = evidence.metrics[name], (evidence.statistics[name, system] for system in evidence.systems)
    if numbers > COMPILED_PAYS:
        return np.stack([weighted_scores(metric, one, weighting) for one in each], axis=1)
    return np.stack([np.asarray(metric.score(weighting @ one)) for one in each], axis=1)
