"""Is a candidate better than the system in production? From the topics of the two alone."""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.decision import topic_values
from clirbench.statistics.model.noise import mean_limits, p_above
from clirbench.statistics.model.randomisation import mean_difference_p
from clirbench.types import Doubles

FEWEST_SHARED = 8


@dataclass(frozen=True)
class BaselineComparison:
    """A candidate against a baseline on one measure, in a population of topics of which these are a sample.

    `difference` = candidate - baseline, oriented; `low`, `high`: its .95 interval; `p_better` = P(true difference > 0),
    `p_loss` = P(true difference < -margin), both with a flat prior. `verdict`: if there is no difference, `better` or
    `worse` has a probability of at most .05 (.025 each for symmetric differences); if the candidate is worse by
    `margin`, so has `not worse` or `better`; else `open`. With fewer than 12 topics and differences as skewed as
    those of a gamma law of shape .5 it was .08. NaN and `open`, with a note, where no test is possible.
    """

    difference: float
    low: float
    high: float
    p_better: float
    p_loss: float
    margin: float
    p_value: float
    verdict: str
    n_topics: int
    note: str = ""


def compare_with_baseline(
    candidate: Doubles, baseline: Doubles, margin: float = 0.0, *, others: int = 1, seed: int = 0
) -> BaselineComparison:
    """Compares values (topics,) of the same topics, more is better; `margin` >= 0 in units of the measure.

    Student's t of the differences and Hall's transformation of it, which corrects for skewness, both give interval and
    probabilities; the wider and the less sure is printed. A verdict needs the interval and the exact randomisation
    test. With `others` candidates against one baseline every rate is divided by their number (Bonferroni). Fewer
    than 8 topics are not tested. **Source:** Smucker et al. 2007; Hall 1992, "On the removal of skewness by
    transformation"; margin: Wellek 2010, 5.3.
    """
    d = candidate - baseline
    d = d[np.isfinite(d)]
    k = len(d)
    mean = float(d.mean()) if k else nan
    note = f"{k} topics: at least {FEWEST_SHARED} are needed" if k < FEWEST_SHARED else ""
    if not note and float(np.ptp(d)) <= 1e-12 * float(np.abs(d).max(initial=1e-300)):
        note = "all differences are the same"
    if note:
        return BaselineComparison(mean, nan, nan, nan, nan, margin, nan, "open", k, note)
    alpha = 0.025 / others
    low, high = mean_limits(d, alpha)
    verdict = "open"
    # Worse, but by less than the margin, is what the margin allows.
    if low > 0 and mean_difference_p(d, sides=1, seed=seed) <= alpha:
        verdict = "better"
    elif low > -margin and mean_difference_p(d + margin, sides=1, seed=seed) <= alpha:
        verdict = "not worse"
    elif high < 0 and mean_difference_p(-d, sides=1, seed=seed) <= alpha:
        verdict = "worse"
    p = mean_difference_p(d, seed=seed)
    return BaselineComparison(mean, low, high, p_above(d, 0.0), 1 - p_above(d, -margin), margin, p, verdict, k)


def candidates(
    evidence: Evidence, measure: str, baseline: str, margin: float = 0.0, *, seed: int = 0
) -> dict[str, BaselineComparison]:
    """Every other system against `baseline`, the most better first; the rates hold for all of them together.

    Systems without a value are left out. Without per-topic values nothing is tested; the note has this reason.
    """
    kept = np.isfinite(evidence.board[measure].values)
    part = evidence.only(kept | (np.array(evidence.systems) == baseline))
    values = topic_values(part, measure)
    names = [name for name in part.systems if name != baseline]
    if values is None or not kept[evidence.systems.index(baseline)]:
        note = "no per-topic values" if values is None else f"{baseline} has no {measure}"
        return {name: BaselineComparison(nan, nan, nan, nan, nan, margin, nan, "open", 0, note) for name in names}
    own = dict(zip(part.systems, values, strict=True))
    found = {n: compare_with_baseline(own[n], own[baseline], margin, others=len(names), seed=seed) for n in names}
    return dict(sorted(found.items(), key=lambda item: -item[1].difference))
