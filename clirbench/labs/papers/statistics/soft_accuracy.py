"""How often does a metric put two systems in the order the measure puts them: pairwise accuracy, plain and soft."""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.labs.papers.statistics.jackknife import pseudo_values
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.decision import topic_values
from clirbench.statistics.model.randomisation import HELD, sign_blocks
from clirbench.statistics.units.belonging import Units, units_of
from clirbench.statistics.units.concordance import signs
from clirbench.statistics.units.given import ALONG
from clirbench.statistics.units.jackknife import Interval, jackknifed, pair_totals
from clirbench.types import Doubles, Ints


@dataclass(frozen=True)
class Accuracy:
    """Pairwise accuracies of one metric for one measure; 1 is perfect, chance is .5 for the plain one.

    Over `pairs` of systems of different units. `accuracy`: share of pairs with the same sign of difference on both
    sides; a pair tied on one side only is wrong. `soft`: 1 - mean |p_metric - p_measure|, each p the one-sided mid-p
    of the difference under random exchanges of items (SPA), with its interval `soft_low`, `soft_high`. NaN without
    items on both sides; no interval for fewer than 6 units and along training.
    """

    measure: str
    metric: str
    accuracy: float
    soft: float
    soft_low: float
    soft_high: float
    pairs: int
    n_systems: int
    n_units: int
    n_topics: int
    n_segments: int
    samples: int
    seed: int
    note: str = ""


def accuracies(
    evidence: Evidence, *, samples: int = 1000, seed: int = 0, complete: bool = False, units: Units | None = None
) -> list[Accuracy]:
    """A row for every measure and metric.

    Soft pairwise accuracy was made for people's judgments of segments; here the gold side exchanges the topics'
    values of two systems and the MT side their segments' pseudo-values (the segment's own contribution for metrics
    that are means). The two sides' items are different, which SPA does not mind: it compares one p with another.
    **Source:** Kocmi et al. 2021, eq. 1; Thompson et al. 2024, section 3, carried over to retrieval.
    """
    units = units_of(evidence.board) if units is None else units
    found = []
    for part, note in panels(evidence, complete):
        own = units.only(evidence.rows(part.systems))
        alone = own.along_training  # every pair is described, and nothing is claimed
        unit = np.arange(len(part.systems)) if alone else own.index
        gold = {
            name: mid_p_values(values, samples=samples, seed=seed)
            for name in part.measure_names
            if (values := topic_values(part, name)) is not None
        }
        mine = {
            name: mid_p_values(pseudo_values(part, name), samples=samples, seed=seed + 1)
            for name in part.metric_names
            if part.segments(name)
        }
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                p, q = mine.get(metric), gold.get(measure)
                soft = soft_accuracy(p, q, unit) if p is not None and q is not None else Interval(nan)
                said = not alone and bool(soft.low == soft.low)
                right = pair_totals(_apart(unit) * (signs(part.x[m]) == signs(part.y[k])), unit)[0]
                pairs = int(_apart(unit).sum()) // 2
                row = Accuracy(
                    measure=measure,
                    metric=metric,
                    accuracy=float(right) / 2 / pairs if pairs else nan,
                    soft=soft.value,
                    soft_low=soft.low if said else nan,
                    soft_high=soft.high if said else nan,
                    pairs=pairs,
                    n_systems=len(part.systems),
                    n_units=own.number,
                    n_topics=part.topics(measure),
                    n_segments=part.segments(metric),
                    samples=samples if p is not None and q is not None else 0,
                    seed=seed,
                    note="; ".join(filter(None, (note, ALONG if alone else soft.note))),
                )
                found.append(row)
    return found


def mid_p_values(values: Doubles, *, samples: int = 1000, seed: int = 0) -> Doubles:
    """(n, n): P(the row's system beats the column's by at least the observed difference by chance), ties by half.

    `values` (systems, items): items are exchanged between two systems at random, by the same coins for all pairs;
    p = share of patterns that exceed the observed difference + half the share that equals it, so p_ij + p_ji = 1 and
    p = 1/2 where all items tie. The observed pattern is one of them. **Source:** Lancaster 1961 (mid-p).
    """
    n, items = values.shape
    means = values.mean(axis=1)
    observed = means[:, None] - means[None, :]
    slack = 1e-9 * max(float(np.abs(values).max()), 1e-300)
    above, equal, patterns = np.zeros((n, n)), np.zeros((n, n)), 0
    together = max(1, min(64, HELD // n**2))
    for keep in sign_blocks(items, samples, seed):
        patterns += len(keep)
        for at in range(0, len(keep), together):
            totals = (2 * keep[at : at + together] - 1) @ values.T / items
            moved = totals[:, :, None] - totals[:, None, :]
            above += (moved > observed + slack).sum(axis=0)
            equal += (np.abs(moved - observed) <= slack).sum(axis=0)
    return np.asarray((above + equal / 2) / patterns)


def soft_accuracy(metric: Doubles, measure: Doubles, unit: Ints) -> Interval:
    """1 - mean |p - q| over pairs of systems of different units; 1 is perfect.

    `metric`, `measure`: (n, n) from `mid_p_values`. Every pair counts alike; interval: delete-one-unit jackknife,
    within [0, 1]. NaN for fewer than 2 units. **Source:** Thompson et al. 2024, section 3.
    """
    apart, size = pair_totals(np.stack([_apart(unit) * np.abs(metric - measure), _apart(unit)]), unit)
    found = np.where(size > 0, 1 - apart / np.maximum(size, 1), nan)
    return jackknifed(float(found[0]), found[1:].tolist(), back=lambda v: float(np.clip(v, 0.0, 1.0)))


def _apart(unit: Ints) -> Doubles:
    """(n, n): 1 for systems of different units."""
    return np.asarray(unit[:, None] != unit[None, :], dtype=np.float64)
