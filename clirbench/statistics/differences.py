"""Is one metric a better predictor than another? Tests of the difference of two coefficients with one measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import numpy as np

from clirbench.errors import UnknownName
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.exchange import swapped_both, swapped_inputs, swapped_systems
from clirbench.statistics.p_values import significance
from clirbench.statistics.resampling import PseudoValues, pseudo_values
from clirbench.statistics.vectorised import Grid, grid, pearson_grid
from clirbench.types import Doubles

TESTS = ("perm-both", "perm-systems", "perm-inputs", "williams")


@dataclass(frozen=True)
class Difference:
    """Whether metric_a predicts the measure better than metric_b, by one test.

    `difference` = value_a - value_b. `p_value` is two-sided; `p_holm` corrects it over all pairs of metrics with
    that measure and test, and `significant` means p_holm < alpha. `shift_a`, `shift_b`: how far the coefficient of
    the mean pseudo-values, which the swapping of segments works on, lies from the score's own (0 for other tests).
    """

    measure: str
    metric_a: str
    metric_b: str
    test: str
    coefficient: str
    value_a: float
    value_b: float
    difference: float
    p_value: float
    p_holm: float
    significant: str
    shift_a: float
    shift_b: float
    n_systems: int
    n_segments: int
    samples: int
    seed: int
    note: str = ""


def differences(
    evidence: Evidence,
    tests: Sequence[str] = ("perm-systems", "perm-both"),
    *,
    coefficient: str = "kendall",
    samples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    complete: bool = False,
) -> list[Difference]:
    """Every pair of metrics, for every measure and test; metrics with holes take part only if `complete`.

    `perm-systems` swaps a system's standardised scores between the two metrics, `perm-inputs` a segment's
    pseudo-values for all systems, `perm-both` every single pseudo-value (Deutsch et al. 2021). Segments belong to
    the MT side only: topics are other items and are not swapped. `williams` is a t-test of two Pearson's r that
    share a variable. A pair for which a test cannot be done has p NaN and a note. Raises `UnknownName`.

    The null hypotheses differ, and it matters. `perm-systems` asks whether whole systems are exchangeable between
    the metrics and keeps its false-positive rate. `perm-both` and `perm-inputs` ask whether segments are: they have
    more power, but reject too often where two equally good metrics see whole systems differently. Simulated at
    alpha .05 with 15 systems and 40 segments, such disagreement being 0, .2, .4 of a segment's noise: perm-both
    .05, .14, .30; perm-inputs .04, .13, .29; perm-systems .05, .04, .06. So perm-systems comes first.
    **Source:** Deutsch, Dror and Roth 2021, section 3.3; Williams 1959; Holm 1979.
    """
    for test in tests:
        if test not in TESTS:
            raise UnknownName("test of differences", test, TESTS)
    rows: list[Difference] = []
    for part, note in panels(evidence):
        rows += _panel(part, tests, coefficient, samples, seed, note)
    if complete:
        rows += _holed_pairs(evidence, tests, coefficient, samples, seed)
    return corrected(rows, alpha)


def _holed_pairs(
    evidence: Evidence, tests: Sequence[str], coefficient: str, samples: int, seed: int
) -> list[Difference]:
    """Pairs with a metric or a measure that lacks systems, each over the systems that all three columns have."""
    finite = {column.name: np.isfinite(column.values) for column in evidence.board.columns}
    rows = []
    for measure in evidence.measure_names:
        for pair in combinations(evidence.metric_names, 2):
            kept = np.logical_and.reduce([finite[name] for name in (*pair, measure)])
            if not kept.all():
                part = evidence.columns({*pair, measure}).only(kept)
                note = f"over {int(kept.sum())} of {len(kept)} systems"
                rows += _panel(part, tests, coefficient, samples, seed, note)
    return rows


def _panel(
    evidence: Evidence, tests: Sequence[str], coefficient: str, samples: int, seed: int, note: str
) -> list[Difference]:
    if len(evidence.metric_names) < 2 or not evidence.measure_names:
        return []
    wanted = {"perm-both", "perm-inputs"} & set(tests)
    pseudo = {
        name: pseudo_values(evidence, name)
        for name in evidence.metric_names
        if wanted and evidence.segments(name) and len(evidence.systems)
    }
    found = []
    for test in tests:
        p_values = _p_values(evidence, test, coefficient, samples, seed, pseudo)
        found += _rows(evidence, test, coefficient, samples, seed, note, p_values, pseudo)
    return found


def _p_values(
    evidence: Evidence, test: str, coefficient: str, samples: int, seed: int, pseudo: Mapping[str, PseudoValues]
) -> dict[tuple[str, str], Doubles]:
    """(metric_a, metric_b) -> p-values (measures,); pairs that the test cannot do are absent."""
    rng = np.random.default_rng([seed, TESTS.index(test)])
    n = len(evidence.systems)
    if n < 3:
        return {}
    if test == "williams":
        return _williams(evidence) if n > 3 else {}
    function = grid(coefficient)
    if test == "perm-systems":
        scores = dict(zip(evidence.metric_names, evidence.x, strict=True))
        swapped = swapped_systems(scores, samples, rng)
    elif test == "perm-inputs":
        swapped = swapped_inputs({name: held.values for name, held in pseudo.items()}, samples, rng)
    else:
        swapped = swapped_both({name: held.values for name, held in pseudo.items()}, samples, rng)
    return {pair: _share(function, evidence.y, *sides) for pair, sides in swapped}


def _share(function: Grid, y: Doubles, swapped: Doubles, exhaustive: bool) -> Doubles:
    """Two-sided p of the first sample, which is unswapped: (samples, 2, systems) -> (measures,)."""
    values = function(swapped, np.broadcast_to(y, (len(swapped), *y.shape)))
    delta = np.abs(values[:, 0] - values[:, 1])
    reached = (delta >= delta[0] - 1e-12)[0 if exhaustive else 1 :]
    undefined = np.isnan(delta[0])
    share = reached.mean(axis=0) if exhaustive else (1 + reached.sum(axis=0)) / (1 + len(reached))
    return np.asarray(np.where(undefined, nan, share))


def _williams(evidence: Evidence) -> dict[tuple[str, str], Doubles]:
    with_measures = pearson_grid(evidence.x[None], evidence.y[None])[0]
    among = pearson_grid(evidence.x[None], evidence.x[None])[0]
    n = len(evidence.systems)
    return {
        (evidence.metric_names[a], evidence.metric_names[b]): np.array(
            [
                williams(float(with_measures[a, k]), float(with_measures[b, k]), float(among[a, b]), n)
                for k in range(len(evidence.y))
            ]
        )
        for a, b in combinations(range(len(evidence.metric_names)), 2)
    }


def williams(r12: float, r13: float, r23: float, n: int) -> float:
    """Two-sided p of "r12 = r13" for Pearson's r of two columns (2, 3) with a common one (1).

    t = (r12 - r13) sqrt((n-1)(1+r23) / (2 |R| (n-1)/(n-3) + ((r12+r13)/2)^2 (1-r23)^3)), n - 3 degrees of freedom,
    |R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23. n > 3; NaN where an r is; 1 where both columns agree perfectly.
    **Source:** Williams 1959; Steiger 1980, eq. 7.
    """
    from scipy.stats import t as student

    if isnan(r12) or isnan(r13) or n <= 3:
        return nan
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if below <= 0:
        return 1.0
    statistic = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below)
    return float(2 * student.sf(abs(statistic), n - 3))


def _rows(
    evidence: Evidence, test: str, coefficient: str, samples: int, seed: int, note: str,
    p_values: Mapping[tuple[str, str], Doubles], pseudo: Mapping[str, PseudoValues],
) -> list[Difference]:  # fmt: skip
    name = "pearson" if test == "williams" else coefficient
    function = grid(name)
    own = function(evidence.x[None], evidence.y[None])[0]
    linear = test in ("perm-both", "perm-inputs")
    shift = np.zeros_like(own)
    for at, metric in enumerate(evidence.metric_names):
        if linear and metric in pseudo:
            shift[at] = function(pseudo[metric].means[None, None], evidence.y[None])[0, 0] - own[at]
    found = []
    for k, measure in enumerate(evidence.measure_names):
        for a, b in combinations(range(len(evidence.metric_names)), 2):
            pair = (evidence.metric_names[a], evidence.metric_names[b])
            p = float(p_values[pair][k]) if pair in p_values else nan
            segments = min(evidence.segments(metric) for metric in pair)
            why = _why_undefined(evidence, test, segments) if isnan(p) else ""
            row = Difference(
                measure=measure,
                metric_a=pair[0],
                metric_b=pair[1],
                test=test,
                coefficient=name,
                value_a=float(own[a, k]),
                value_b=float(own[b, k]),
                difference=float(own[a, k] - own[b, k]),
                p_value=p,
                p_holm=nan,
                significant="undefined",
                shift_a=float(shift[a, k]),
                shift_b=float(shift[b, k]),
                n_systems=len(evidence.systems),
                n_segments=segments,
                samples=0 if test == "williams" else samples,
                seed=seed,
                note="; ".join(filter(None, [note, why])),
            )
            found.append(row)
    return found


def _why_undefined(evidence: Evidence, test: str, segments: int) -> str:
    n = len(evidence.systems)
    if n < (4 if test == "williams" else 3):
        return f"{n} systems: too few for this test"
    if test in ("perm-both", "perm-inputs") and not segments:
        return "needs the segments of both metrics; only scores are known"
    return "a column is constant"


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm-adjusted p-values of one family: max over smaller ones of (m - rank + 1) p, at most 1; NaN stays NaN.

    **Source:** Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    defined = sorted((p, i) for i, p in enumerate(p_values) if not isnan(p))
    adjusted = [nan] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(defined):
        highest = max(highest, min(1.0, (len(defined) - rank) * p))
        adjusted[i] = highest
    return adjusted


def corrected(rows: Sequence[Difference], alpha: float) -> list[Difference]:
    """The rows with Holm's correction over each (measure, test): all pairs of metrics in that table."""
    families: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        families.setdefault((row.measure, row.test), []).append(i)
    done = list(rows)
    for members in families.values():
        for i, p in zip(members, holm([rows[i].p_value for i in members]), strict=True):
            done[i] = replace(rows[i], p_holm=p, significant=significance(p, alpha))
    return done


@dataclass(frozen=True)
class Cluster:
    """A metric's place for one measure; metrics of one cluster are not told apart from every one below it."""

    measure: str
    test: str
    metric: str
    value: float
    rank: int
    cluster: int


def clusters(rows: Sequence[Difference]) -> list[Cluster]:
    """Significance clusters as WMT prints them: a line is drawn where everything above beats everything below.

    From the rows of `differences`; metrics ordered by their coefficient, descending. **Source:** Bojar et al. 2014.
    """
    found = []
    for measure, test in dict.fromkeys((row.measure, row.test) for row in rows):
        here = [row for row in rows if (row.measure, row.test) == (measure, test)]
        values = {row.metric_a: row.value_a for row in here} | {row.metric_b: row.value_b for row in here}
        ranked = sorted((m for m in values if not isnan(values[m])), key=lambda m: (-values[m], m))
        apart = {frozenset((row.metric_a, row.metric_b)) for row in here if row.significant == "true"}
        cluster = 1
        for rank, metric in enumerate(ranked):
            above, below = ranked[:rank], ranked[rank:]
            if above and all(frozenset((a, b)) in apart for a in above for b in below):
                cluster += 1
            found.append(Cluster(measure, test, metric, values[metric], rank + 1, cluster))
    return found
