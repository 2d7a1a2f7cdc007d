"""Is a candidate better than the system in production? From the topics of the two alone."""

from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.statistics.model.randomisation import mean_difference_p
from clirbench.types import Doubles

FEWEST = 6
VERDICTS = ("better", "not worse", "worse", "open")


@dataclass(frozen=True)
class Comparison:
    """A candidate against a baseline on one measure, in a population of topics of which these are a sample.

    `difference` = candidate - baseline, oriented; `low`, `high`: its .95 interval; `p_better` = P(true difference > 0),
    `p_loss` = P(true difference < -margin), both with a flat prior. `verdict`: `better` and `worse` are each wrong in
    at most .025 of the cases where there is no difference, `not worse` (by more than `margin`) in at most .025 of
    those where it is worse by the margin; else `open`. NaN and `open` with a note where nothing can be said.
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


def against(
    candidate: Doubles, baseline: Doubles, margin: float = 0.0, *, others: int = 1, seed: int = 0
) -> Comparison:
    """Compares values (topics,) of the same topics, more is better; `margin` >= 0 in units of the measure.

    Student's t of the differences gives interval and probabilities. A verdict needs both t and the randomisation
    test, because neither alone keeps its rate for the skewed differences of few topics. With `others` candidates
    against one baseline every rate is divided by their number (Bonferroni). No verdict for fewer than 6 topics: all
    signs alike have p = 1 / 32 with 5. **Source:** Smucker et al. 2007; Urbano et al. 2019; margin: Wellek 2010, 5.3.
    """
    from scipy.stats import t

    d = candidate - baseline
    d = d[np.isfinite(d)]
    k = len(d)
    mean = float(d.mean()) if k else nan
    if k < FEWEST:
        note = f"{k} topics: at least {FEWEST} are needed"
        return Comparison(mean, nan, nan, nan, nan, margin, nan, "open", k, note)
    error = float(d.std(ddof=1) / np.sqrt(k))
    if error == 0:
        note = "all differences are the same"
        return Comparison(mean, nan, nan, nan, nan, margin, nan, "open", k, note)
    alpha = 0.025 / others
    half = float(t.ppf(1 - alpha, k - 1)) * error
    p = mean_difference_p(d, seed=seed)
    verdict = "open"
    if mean - half > 0 and _one_sided(d, seed) <= alpha:
        verdict = "better"
    elif mean + half < 0 and _one_sided(-d, seed) <= alpha:
        verdict = "worse"
    elif mean - half > -margin and _one_sided(d + margin, seed) <= alpha:
        verdict = "not worse"
    p_loss = float(t.cdf((-margin - mean) / error, k - 1))
    return Comparison(
        mean, mean - half, mean + half, float(t.sf(-mean / error, k - 1)), p_loss, margin, p, verdict, k
    )  # fmt: skip


def _one_sided(d: Doubles, seed: int) -> float:
    return mean_difference_p(d, sides=1, seed=seed)
