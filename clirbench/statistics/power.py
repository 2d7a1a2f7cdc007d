"""How many systems and topics would it take to see that one metric predicts better than another?

Simulated from a smooth model of the run: true system qualities are jointly normal after a change of scale (a normal
copula, which is all that tau feels), with noise from segments and topics of the size that resampling shows.
Resampling the systems themselves would make ties and pretend that the 16 at hand are all there are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan

import numpy as np

from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.resampling import Draws, resampled_x, resampled_y
from clirbench.statistics.vectorised import kendall_grid
from clirbench.types import Doubles

SYSTEMS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384)
TOPICS = (25, 50, 100, 150, 250, 500, 1000, 2500)


@dataclass(frozen=True)
class Power:
    """What it takes to tell a difference in tau of `difference` from none, two-sided at `alpha`.

    `power`: with the systems and topics at hand; `smallest_seen`: the |difference in tau| that must be exceeded
    there. `systems_needed`: the fewest systems with power >= `wanted` at today's topics; `topics_needed`: the fewest
    topics at today's number of systems (inf: more than was tried, or no number would do). `metric_a` is the best
    metric of the run for that measure, `metric_b` the runner-up, moved to `difference` below it.
    """

    measure: str
    metric_a: str
    metric_b: str
    difference: float
    wanted: float
    alpha: float
    power: float
    smallest_seen: float
    systems_needed: float
    topics_needed: float
    n_systems: int
    n_topics: int
    n_segments: int
    simulations: int
    seed: int
    note: str = ""


@dataclass(frozen=True)
class Model:
    """Latent correlations of two metrics and a measure, free of noise, and how reliable each column is now.

    `with_measure`: of each metric with the measure; `between`: of the metrics; all in (-1, 1). `reliability`: share
    of a column's variance over systems that is not noise, for (metric, metric, measure), in (0, 1].
    """

    with_measure: tuple[float, float]
    between: float
    reliability: tuple[float, float, float]

    def differences(self, n: int, more_topics: float, simulations: int, seed: int) -> Doubles:
        """(simulations,): tau(a, measure) - tau(b, measure) of n simulated systems, with so many times the topics."""
        rng = np.random.default_rng([seed, n])
        latent = rng.normal(size=(simulations, n, 3)) @ _root(self.with_measure, self.between).T
        measure = self.reliability[2]
        kept = np.array([*self.reliability[:2], measure / (measure + (1 - measure) / more_topics)])
        seen = np.sqrt(kept) * latent + np.sqrt(1 - kept) * rng.normal(size=latent.shape)
        taus = kendall_grid(seen[:, :, :2].swapaxes(1, 2), seen[:, :, 2:].swapaxes(1, 2))[:, :, 0]
        return np.asarray(taus[:, 0] - taus[:, 1])


def power_table(
    evidence: Evidence,
    sizes: Sequence[float] = (0.05, 0.1, 0.2),
    *,
    wanted: float = 0.8,
    alpha: float = 0.05,
    simulations: int = 400,
    seed: int = 0,
) -> list[Power]:
    """A row for every measure and size of difference, for the two best metrics; columns with holes are left out.

    The test simulated is the one of level alpha on the difference of two tau-b, its critical value found under a
    model with equal taus. Undefined for fewer than 3 systems or fewer than 2 metrics.
    """
    part, _ = next(iter(panels(evidence)))
    if len(part.metric_names) < 2 or len(part.systems) < 3 or not part.measure_names:
        return []
    taus = kendall_grid(part.x[None], part.y[None])[0]
    among = kendall_grid(part.x[None], part.x[None])[0]
    reliable_x, reliable_y = reliabilities(part, seed)
    rows = []
    for k, measure in enumerate(part.measure_names):
        order = [m for m in np.argsort(-taus[:, k], kind="stable").tolist() if not isnan(taus[m, k])]
        if len(order) < 2:
            continue
        a, b = order[:2]
        for size in sizes:
            kept = (reliable_x[a], reliable_x[b], reliable_y[k])
            models = _models(float(taus[a, k]), size, float(among[a, b]), kept)
            pair = (part.metric_names[a], part.metric_names[b])
            rows.append(_row(part, measure, pair, models, size, wanted, alpha, simulations, seed))
    return rows


def _row(
    evidence: Evidence, measure: str, pair: tuple[str, str], models: tuple[Model, Model], size: float,
    wanted: float, alpha: float, simulations: int, seed: int,
) -> Power:  # fmt: skip
    model, equal = models
    n, topics = len(evidence.systems), evidence.topics(measure)

    def power(systems: int, more: float) -> tuple[float, float]:
        null = np.abs(equal.differences(systems, more, simulations, seed))
        critical = float(np.quantile(null, 1 - alpha))
        return float((np.abs(model.differences(systems, more, simulations, seed + 1)) > critical).mean()), critical

    now, critical = power(n, 1.0)
    systems_needed = _smallest(SYSTEMS, wanted, lambda systems: power(systems, 1.0)[0])
    topics_needed = _smallest(TOPICS, wanted, lambda many: power(n, many / topics)[0]) if topics else nan
    notes = []
    if not topics:
        notes.append("no per-topic values: the measure is taken as free of noise")
    if model.between >= 0.999:
        notes.append("the two metrics order the systems alike")
    return Power(
        measure=measure,
        metric_a=pair[0],
        metric_b=pair[1],
        difference=size,
        wanted=wanted,
        alpha=alpha,
        power=now,
        smallest_seen=critical,
        systems_needed=systems_needed,
        topics_needed=topics_needed,
        n_systems=n,
        n_topics=topics,
        n_segments=min(evidence.segments(metric) for metric in pair),
        simulations=simulations,
        seed=seed,
        note="; ".join(notes),
    )


def _smallest(tried: Sequence[int], wanted: float, power: Callable[[int], float]) -> float:
    """The first of rising numbers whose power is enough, by halving; inf where the last is not."""
    if power(tried[-1]) < wanted:
        return inf
    low, high = -1, len(tried) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(tried[middle]) >= wanted else (middle, high)
    return float(tried[high])


def _models(tau: float, size: float, among: float, reliability: tuple[float, float, float]) -> tuple[Model, Model]:
    """The model with taus `tau` and `tau - size`, and the one with both at their mean."""

    def latent(value: float, first: float, second: float) -> float:
        return float(np.clip(np.sin(np.pi / 2 * value) / np.sqrt(first * second), -0.999, 0.999))

    between = latent(among, reliability[0], reliability[1])
    own = latent(tau, reliability[0], reliability[2])
    other = latent(max(tau - size, -1.0), reliability[1], reliability[2])
    middle = latent(tau - size / 2, reliability[0], reliability[2])
    return Model((own, other), between, reliability), Model((middle, middle), between, reliability)


def _root(with_measure: tuple[float, float], between: float) -> Doubles:
    """A matrix whose product with its transpose is the correlation matrix nearest to the one asked for."""
    a, b = with_measure
    wanted = np.array([[1, between, a], [between, 1, b], [a, b, 1]])
    values, vectors = np.linalg.eigh(wanted)
    root = vectors * np.sqrt(np.clip(values, 1e-9, None))
    return np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True))


def reliabilities(evidence: Evidence, seed: int = 0, samples: int = 200) -> tuple[Doubles, Doubles]:
    """Share of every metric's and measure's variance over systems that is not segment or topic noise.

    1 - (variance of a system's place under resampled items) / (variance over systems), at least .05; what moves all
    systems alike (a hard topic) is no noise here. 1 where items are unknown. Returns (metrics,), (measures,).
    """
    x = resampled_x(evidence, Draws(("segments",), samples, seed=seed))
    y = resampled_y(evidence, Draws(("topics",), samples, seed=seed))
    return _reliability(x, evidence.x), _reliability(y, evidence.y)


def _reliability(resampled: Doubles, observed: Doubles) -> Doubles:
    placed = resampled - resampled.mean(axis=2, keepdims=True)
    noise = placed.var(axis=0).mean(axis=1)
    spread = observed.var(axis=1)
    return np.asarray(np.clip(1 - noise / np.where(spread > 0, spread, 1.0), 0.05, 1.0))
