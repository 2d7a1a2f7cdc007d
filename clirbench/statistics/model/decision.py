"""The decision on one measure: the posterior of all systems, what may be shipped, what each metric's pick costs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np

from clirbench.measures.base import arithmetic
from clirbench.pages.wording import fixed
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.noise import FEWEST_TOPICS, Noise, topic_noise
from clirbench.statistics.model.parts import curve_parts, metrics_part, noise_structure, unit_part
from clirbench.statistics.model.posterior import Posterior, posterior
from clirbench.statistics.model.shipping import CAREFUL, HELD, Regret, Standing, regret, standings
from clirbench.types import Doubles, Ints

RELIABLE = 0.45
ENOUGH_TOPICS = 20
"""Least reliability (one-sided .95 limit) and least number of topics for which expected losses are reported.
Below these, benchmarks/validity.py finds expectations off by more than .05 SD, in one direction for useful metrics
and in the other for useless ones, because the data do not show how well metrics predict."""
ALONG = "along training such losses are estimated too high"
"""Why none is reported: in simulated checkpoints with known truth they were .1 SD too high, P(best) up to .25 off."""
GROUPED = "where systems form units, metrics seem to know more than they do"
"""Why no cost of their picks is reported there: with useless metrics it was .1 to .16 SD too small."""
SAME_LINES = "test set and collection are the same lines: metrics err together with the measure"
POPULATION = "a population of topics, of which these are a sample"


@dataclass(frozen=True, eq=False)
class Decision:
    """What is known of the best system on `measure`; without rows `reason` says why nothing is known.

    `standings`: least expected loss first; `regrets`: one for each metric; `silent`: why the cost of the metrics' picks
    is left out while the set is reported (NaN: with too much noise or along training every expected loss, along
    training P(best) too). `draws` (samples, systems): the posterior.
    `reliability`: one-sided .95 limit of 1 - noise / measured variance.
    """

    measure: str
    systems: tuple[str, ...] = ()
    standings: tuple[Standing, ...] = ()
    regrets: tuple[Regret, ...] = ()
    draws: Doubles = field(default_factory=lambda: np.empty((0, 0)))
    n_topics: int = 0
    reliability: float = nan
    reason: str = ""
    silent: str = ""


def decide(
    evidence: Evidence,
    measure: str,
    *,
    unit: Ints | None = None,
    step: Doubles | None = None,
    same_lines: bool = False,
    seed: int = 0,
) -> Decision:
    """Which system to ship by `measure`, a column of the board without holes.

    `unit` (n,): the unit of every system in the board; `step` (n,) > 0: its place along training, all finite, and
    units are then runs. `same_lines`: test set and collection are the same lines: metrics then err together with the
    measure and would confirm its noise, so they are kept out of the prior and their picks have no cost.
    No decision for fewer than 2 systems or 5 topics.
    """
    part, _ = next(iter(panels(evidence)))
    if measure not in part.measure_names:
        return Decision(measure, reason=f"{measure} has holes")
    y = part.y[part.measure_names.index(measure)]
    if len(y) < 2:
        return Decision(measure, reason=f"{len(y)} system: at least 2 are needed")
    if (y == y[0]).all():
        return Decision(measure, reason=f"{measure} is the same for all systems")
    own = np.arange(len(y)) if unit is None else unit
    values = topic_values(part, measure)
    if values is None:
        return Decision(measure, reason="no per-topic values: the noise of the measure is not known")
    topics = values.shape[1]
    if topics < FEWEST_TOPICS:
        return Decision(measure, n_topics=topics, reason=f"{topics} topics: at least {FEWEST_TOPICS} are needed")
    noise, y = topic_noise(values, noise_structure(own, step)), values.mean(axis=1)
    if float(np.trace(noise.covariance)) <= 0:
        return Decision(measure, n_topics=topics, reason="all topics agree exactly: there is no noise to measure")
    found = true_values(y, noise, np.empty((0, len(y))) if same_lines else part.x, own, step, seed)
    along, grouped = step is not None, len(np.unique(own)) < len(own)
    uneven = len(set(np.bincount(own).tolist())) > 1
    places = standings(part.systems, found.draws, CAREFUL if along or topics < ENOUGH_TOPICS or uneven else HELD)
    reliability = sure_reliability(y, noise)
    noisy = reliability < RELIABLE or topics < ENOUGH_TOPICS
    silent = SAME_LINES if same_lines else GROUPED if grouped else ""
    if noisy:
        silent = f"noise is too large ({topics} topics; reliability may be as low as {fixed(reliability, 2)})"
    elif along:
        silent = ALONG
    if noisy or along:
        places = [replace(place, expected_loss=nan, p_best=nan if along else place.p_best) for place in places]
    if grouped and not along:  # among near-copies the intervals of true values held .91 to .92
        places = [replace(place, low=nan, high=nan) for place in places]
    regrets = [
        regret(name, part.systems, x, found.draws)
        for name, x in zip(part.metric_names, part.x, strict=True)
        if (x != x[0]).any() and not silent
    ]
    return Decision(
        measure, part.systems, tuple(places), tuple(regrets), found.draws, topics, reliability, silent=silent
    )  # fmt: skip


def true_values(y: Doubles, noise: Noise, metrics: Doubles, unit: Ints, step: Doubles | None, seed: int) -> Posterior:
    """The posterior with everything in its prior: metrics (k, n), units, and where there are steps the curves."""
    shared = unit_part(unit) if step is None else curve_parts(step, unit)
    return posterior(y, noise, [*metrics_part(metrics), *shared], seed=seed)


def topic_values(evidence: Evidence, measure: str) -> Doubles | None:
    """(systems, topics), more is better, whose means are the measure; topics without a value somewhere are left out.

    For an aggregate that is no mean: jackknife pseudo-values. None where only the systems' values are known.
    **Source:** Tukey 1958.
    """
    n = evidence.topics(measure)
    if n < 2:
        return None
    values, aggregate = evidence.per_topic[measure], evidence.measures[measure].aggregate
    values = values[:, np.isfinite(values).all(axis=0)]
    if np.allclose(aggregate(values), arithmetic(values), rtol=1e-12, atol=0):
        return evidence.sign(measure) * values
    n = values.shape[1]
    rest = np.stack([aggregate(np.delete(values, topic, axis=1)) for topic in range(n)], axis=1)
    return np.asarray(evidence.sign(measure) * (n * aggregate(values)[:, None] - (n - 1) * rest))


def sure_reliability(y: Doubles, noise: Noise) -> float:
    """The one-sided .95 lower limit of 1 - mean noise variance / variance of the measured values, at least 0.

    From variance / noise, F-distributed with (n - 1, freedom) degrees of freedom up to its true size.
    """
    from scipy.special import fdtri

    ratio = float(y.var(ddof=1)) / (float(np.trace(noise.covariance)) / (len(y) - 1))
    return max(0.0, 1 - float(fdtri(len(y) - 1, min(noise.freedom, 1e6), 0.95)) / ratio)


def seeds_averaged(labels: Sequence[str], decision: Decision) -> dict[str, float]:
    """Posterior mean of each label's mean over its systems (the seeds of one configuration and step)."""
    means = decision.draws.mean(axis=0)
    return {
        label: float(means[[i for i, other in enumerate(labels) if other == label]].mean())
        for label in dict.fromkeys(labels)
    }
