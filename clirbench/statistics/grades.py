"""How strong the evidence is that a metric orders systems as a measure does: one word, from bounds of tau."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from clirbench.metrics.segments import weighted_median
from clirbench.statistics.units.agreement import Agreement, agreements
from clirbench.types import Doubles, Ints

STRONG, MODERATE, WEAK = "strong", "moderate", "weak"
OPEN, LITTLE, NOISY, CONTRADICTED = "open", "little", "too noisy to tell", "contradicted"
SHOWN = {STRONG: 0.5, MODERATE: 0.25, WEAK: 0.0}
"""Grades above chance, and what the simultaneous lower bound of tau must reach; that of `weak` is above 0."""
GRADES = (STRONG, MODERATE, WEAK, OPEN, LITTLE, NOISY, CONTRADICTED)
RELIABLE = 0.6
"""The reliability over topics below which a measure cannot rank the systems."""
OUTLYING = 2.5
HALF_OF_SCORINGS = 0.5
COVARIATE = "covariate"
"""What lowers a grade to weak where a covariate orders the systems as well as the metric."""


@dataclass(frozen=True)
class Graded:
    """The grade of one metric, and why it is lower than its bound: what `lowered` it."""

    grade: str
    lowered: str = ""


def grade(lower: float, upper: float, reliability: float = nan) -> str:
    """The grade of simultaneous bounds of tau; nothing where there are none."""
    if isnan(lower):
        return ""
    for name, least in SHOWN.items():
        if lower >= least and lower > 0:
            return name
    if upper < 0:
        return CONTRADICTED
    if reliability < RELIABLE:
        return NOISY
    return LITTLE if upper < SHOWN[STRONG] else OPEN


def one_lower(name: str) -> str:
    """The next grade below one that is above chance; others stay."""
    return GRADES[GRADES.index(name) + 1] if name in SHOWN else name


def graded(
    found: Sequence[Agreement],
    x: Doubles,
    y: Doubles,
    unit: Ints,
    *,
    reliability: float = nan,
    alpha: float = 0.05,
    seed: int = 0,
) -> list[Graded]:
    """A grade for each metric of `agreements`; one step lower where low outliers of the measure carry it.

    A low outlier is 2.5 scaled median deviations below the median of the measure.
    """
    grades = [grade(one.lower, one.upper, reliability) for one in found]
    low = low_outliers(y, unit)
    if not low.any() or not SHOWN.keys() & set(grades):
        return [Graded(name) for name in grades]
    rest = agreements(x, np.where(low, nan, y), unit, alpha=alpha, seed=seed)
    without = [grade(one.lower, one.upper, reliability) or OPEN for one in rest]
    return [
        Graded(one_lower(name), "outliers")
        if name in SHOWN and GRADES.index(less) > GRADES.index(name)
        else Graded(name)
        for name, less in zip(grades, without, strict=True)
    ]


def low_outliers(y: Doubles, unit: Ints) -> "np.typing.NDArray[np.bool_]":
    """(n,): values more than 2.5 times 1.4826 median absolute deviations below the median; holes are none.

    A system weighs 1 / (systems of its group), so that a copy of a system moves neither the median nor the deviations.
    """
    known = np.isfinite(y)
    if not known.any():
        return np.zeros(len(y), dtype=bool)
    _, own, sizes = np.unique(unit[known], return_inverse=True, return_counts=True)
    kept, weight = y[known], 1 / sizes[own]
    middle = float(weighted_median(kept, weight))
    spread = 1.4826 * float(weighted_median(np.abs(kept - middle), weight))
    return np.asarray(y < middle - OUTLYING * spread) if spread > 0 else np.zeros(len(y), dtype=bool)


def at_most_weak(graded: Graded) -> Graded:
    """The grade, but weak where it is higher: a covariate explains everything."""
    return Graded(WEAK, f"{graded.lowered} {COVARIATE}".strip()) if graded.grade in (STRONG, MODERATE) else graded


def after_scorings(graded: Graded, shown: int, scorings: int) -> Graded:
    """The grade, one step lower where fewer than half of the other scorings of the same topics show the metric.

    One that a covariate has limited to weak stays: it was two steps higher, or one.
    """
    limited = COVARIATE in graded.lowered.split()
    if graded.grade in SHOWN and not limited and shown < HALF_OF_SCORINGS * scorings:
        return Graded(one_lower(graded.grade), " ".join(filter(None, (graded.lowered, "scorings"))))
    return graded


def reliability(values: Doubles) -> float:
    """The reliability of systems' means over topics, 1 - MS(residual) / MS(systems). `values`: (systems, topics).

    NaN for fewer than 2 systems or topics, or holes that leave fewer; at most 1, at least 0.
    **Source:** Hoyt 1941, "Test reliability estimated by analysis of variance".
    """
    whole = values[np.isfinite(values).all(axis=1)]
    n, k = whole.shape
    if n < 2 or k < 2:
        return nan
    between = k * float(np.var(whole.mean(axis=1), ddof=1))
    rest = whole - whole.mean(axis=1, keepdims=True) - whole.mean(axis=0) + whole.mean()
    noise = float((rest**2).sum()) / ((n - 1) * (k - 1))
    return max(0.0, 1 - noise / between) if between > 0 else nan


def topics_to_add(found: float, topics: int) -> int | None:
    """How many topics more make a measure of this reliability reach .6; None where it has none.

    **Source:** Spearman 1910; Brown 1910.
    """
    if not found > 0:
        return None
    return max(0, int(np.ceil(topics * (RELIABLE / (1 - RELIABLE) * (1 - found) / found - 1))))
