"""Is one metric a better predictor than another? Tests of the difference of two coefficients with one measure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import ceil, isnan, nan

import numpy as np

from clirbench.errors import UnknownName
from clirbench.labs.papers.statistics.exchange import swapped_segments
from clirbench.labs.papers.statistics.jackknife import pseudo_values
from clirbench.pages.wording import short
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.p_values import holm, significance
from clirbench.statistics.units.belonging import Units, known_before, units_of
from clirbench.statistics.units.better import EXHAUSTIVE, gap, unit_swaps
from clirbench.statistics.units.given import ALONG
from clirbench.statistics.units.influence import estimates
from clirbench.statistics.vectorised import Grid, grid, pearson_grid
from clirbench.types import Doubles

TESTS = ("perm-both", "perm-systems", "perm-inputs", "williams")
LINEAR = ("perm-both", "perm-inputs")
"""The tests that swap segments' pseudo-values."""


@dataclass(frozen=True)
class Difference:
    """Whether metric_a predicts the measure better than metric_b, by one test.

    `difference` = value_a - value_b of `coefficient`. `p_value` is two-sided; `p_holm` corrects it over all pairs of
    metrics with that measure and test, and `significant` means p_holm < alpha. `shift_a`, `shift_b`: how far the
    coefficient of the mean pseudo-values, which the swapping of segments works on, lies from the score's own (0 for
    other tests).
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


@dataclass(frozen=True)
class Comparing:
    """How metrics are compared: the settings of `analysis=[differences]`.

    `perm-systems` is `units.better.gap`: a system's values change sides between the two metrics, as ranks;
    where units hold several systems, values and test are of tau between units. `perm-inputs` swaps a segment's
    pseudo-values for all systems, `perm-both` every single pseudo-value (Deutsch et al. 2021). Segments belong to
    the MT side only: topics are other items and are not swapped. `williams` is a t-test of two Pearson's r that
    share a variable. `samples` of perm-systems are more where the correction needs more; metrics with holes take part
    only if `complete`. Raises `UnknownName` for a test.

    The null hypotheses differ, and it matters. `perm-systems` asks whether whole systems are exchangeable between
    the metrics and keeps its false-positive rate. `perm-both` and `perm-inputs` ask whether segments are: they have
    more power, but reject too often where two equally good metrics see whole systems differently. Simulated at
    alpha .05 with 15 systems and 40 segments, such disagreement being 0, .2, .4 of a segment's noise: perm-both
    .05, .14, .30; perm-inputs .04, .13, .29; perm-systems .05, .04, .06. So perm-systems is the default.
    **Source:** Deutsch, Dror and Roth 2021, section 3.3; Williams 1959; Holm 1979.
    """

    tests: Sequence[str] = ("perm-systems",)
    coefficient: str = "kendall"
    samples: int = 1000
    alpha: float = 0.05
    complete: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in TESTS:
                raise UnknownName("analyses.differences.tests", test, TESTS)


def differences(evidence: Evidence, how: Comparing = Comparing(), units: Units | None = None) -> list[Difference]:
    """Every pair of metrics, for every measure and test.

    A pair for which a test cannot be done has p NaN and a note: so have all along training, and those whose smallest
    attainable p, corrected, is not below alpha.
    """
    units = units_of(evidence.board) if units is None else units
    known = {column.name for column in evidence.board.metrics if known_before(column.name)}
    evidence = evidence.columns({column.name for column in evidence.board.columns} - known)
    parts = [(next(iter(panels(evidence)))[0], units, ""), *(_holed_pairs(evidence, units) if how.complete else ())]
    pairs = Counter(measure for part, _, _ in parts for measure in part.measure_names for _ in _pairs(part))
    family = max(pairs.values(), default=0)
    rows = []
    for part, own, note in parts:
        asked = _Asked(part, own, how, family)
        rows += [row for test in how.tests if pairs for row in _rows(asked, test, note)]
    return correct_by_holm(rows, how.alpha)


def _holed_pairs(evidence: Evidence, units: Units) -> Iterator[tuple[Evidence, Units, str]]:
    """Pairs with a metric or a measure with missing systems, each over the systems that all three columns have."""
    finite = {column.name: np.isfinite(column.values) for column in evidence.board.columns}
    for measure in evidence.measure_names:
        for pair in combinations(evidence.metric_names, 2):
            kept = np.logical_and.reduce([finite[name] for name in (*pair, measure)])
            if not kept.all():
                part = evidence.columns({*pair, measure}).only(kept)
                yield part, units.only(np.flatnonzero(kept)), f"over {int(kept.sum())} of {len(kept)} systems"


def _pairs(evidence: Evidence) -> Iterator[tuple[int, int]]:
    return combinations(range(len(evidence.metric_names)), 2)


@dataclass(frozen=True, eq=False)
class _Asked:
    """Columns without holes, and how their differences are tested; `family`: pairs that are corrected together."""

    evidence: Evidence
    units: Units
    how: Comparing
    family: int

    @cached_property
    def pseudo(self) -> dict[str, Doubles]:
        """(systems, segments) of the metrics whose segments are known."""
        names = [name for name in self.evidence.metric_names if self.evidence.segments(name) and self.evidence.systems]
        return {name: pseudo_values(self.evidence, name) for name in names}

    def refusal(self, test: str) -> str:
        """Why no pair is tested; nothing where they are."""
        n = len(self.evidence.systems)
        if n < (4 if test == "williams" else 3):
            return f"{n} systems: too few for this test"
        if self.units.along_training:
            return ALONG
        if test != "perm-systems":
            return "" if self.units.independent else f"{self.units.said}: tested by perm-systems alone"
        if self.how.coefficient != "kendall":
            return "perm-systems tests kendall alone"
        if self.units.independent and 2.0 ** (1 - n) * self.family >= self.how.alpha:
            return (
                f"not run: {n} systems and {self.family} pairs cannot give a corrected p below {short(self.how.alpha)}"
            )
        return ""

    def p_values(self, test: str) -> dict[tuple[str, str], Sequence[tuple[float, str]]]:
        """(metric_a, metric_b) -> p and note for each measure; pairs that the test cannot do are absent."""
        if test == "perm-systems":
            return self._of_units()
        if test == "williams":
            return {pair: [(p, "") for p in found] for pair, found in _williams(self.evidence).items()}
        rng, function = np.random.default_rng([self.how.seed, TESTS.index(test)]), grid(self.how.coefficient)
        sides = swapped_segments(self.pseudo, self.how.samples, rng, together=test == "perm-inputs")
        return {pair: [(float(p), "") for p in _share(function, self.evidence.y, moved)] for pair, moved in sides}

    def enough(self, test: str) -> int:
        """How many exchanges are drawn; 0 where none are, or all are counted."""
        if test != "perm-systems":
            return 0 if test == "williams" else self.how.samples
        counted = not self.units.independent or self.units.number <= EXHAUSTIVE
        return 0 if counted else max(self.how.samples, ceil(2 * self.family / self.how.alpha))

    def _of_units(self) -> dict[tuple[str, str], Sequence[tuple[float, str]]]:
        x, y, units = self.evidence.x, self.evidence.y, self.units
        swaps = unit_swaps(units.number, self.enough("perm-systems"), self.how.seed) if units.independent else None
        how = "" if units.independent else f"jackknife over {units.number} units ({units.source})"
        found: dict[tuple[str, str], Sequence[tuple[float, str]]] = {}
        for a, b in _pairs(self.evidence):
            gaps = [gap(x[a], x[b], column, units.index, alpha=self.how.alpha, swaps=swaps) for column in y]
            names = self.evidence.metric_names[a], self.evidence.metric_names[b]
            found[names] = [(one.p_value, one.note or how) for one in gaps]
        return found

    def values(self, test: str) -> tuple[str, Doubles]:
        """The coefficient's name and (metrics, measures) of it."""
        evidence = self.evidence
        if test == "perm-systems" and not self.refusal(test) and not self.units.independent:
            taus = [estimates(evidence.x, column, self.units.index).tau for column in evidence.y]
            return "kendall between units", np.stack(taus, axis=1)
        name = "pearson" if test == "williams" else self.how.coefficient
        return name, grid(name)(evidence.x[None], evidence.y[None])[0]


def _share(function: Grid, y: Doubles, swapped: Doubles) -> Doubles:
    """Two-sided p of the first sample, which is unswapped: (samples, 2, systems) -> (measures,)."""
    values = function(swapped, np.broadcast_to(y, (len(swapped), *y.shape)))
    delta = np.abs(values[:, 0] - values[:, 1])
    share = (delta >= delta[0] - 1e-12).mean(axis=0)
    return np.asarray(np.where(np.isnan(delta[0]), nan, share))


def _williams(evidence: Evidence) -> dict[tuple[str, str], list[float]]:
    with_measures = pearson_grid(evidence.x[None], evidence.y[None])[0]
    among = pearson_grid(evidence.x[None], evidence.x[None])[0]
    n = len(evidence.systems)
    return {
        (evidence.metric_names[a], evidence.metric_names[b]): [
            williams(float(with_measures[a, k]), float(with_measures[b, k]), float(among[a, b]), n)
            for k in range(len(evidence.y))
        ]
        for a, b in _pairs(evidence)
    }


def _rows(asked: _Asked, test: str, note: str) -> Iterator[Difference]:
    evidence, refusal = asked.evidence, asked.refusal(test)
    name, own = asked.values(test)
    found = {} if refusal else asked.p_values(test)
    shift = np.zeros_like(own)
    for at, metric in enumerate(evidence.metric_names):
        if test in LINEAR and metric in asked.pseudo:
            means = asked.pseudo[metric].mean(axis=1)[None, None]
            shift[at] = grid(name)(means, evidence.y[None])[0, 0] - own[at]
    for k, measure in enumerate(evidence.measure_names):
        for a, b in _pairs(evidence):
            pair = (evidence.metric_names[a], evidence.metric_names[b])
            segments = min(evidence.segments(metric) for metric in pair)
            p, why = found[pair][k] if pair in found else (nan, refusal)
            if isnan(p) and not why:
                missing = test in LINEAR and not segments
                why = "needs the segments of both metrics; only scores are known" if missing else "a column is constant"
            yield Difference(
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
                samples=asked.enough(test),
                seed=asked.how.seed,
                note="; ".join(filter(None, [note, why])),
            )


def correct_by_holm(rows: Sequence[Difference], alpha: float) -> list[Difference]:
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
class MetricCluster:
    """A metric's cluster for one measure; every metric differs significantly from all those of other clusters."""

    measure: str
    test: str
    metric: str
    value: float
    rank: int
    cluster: int


def clusters(rows: Sequence[Difference]) -> list[MetricCluster]:
    """Significance clusters as WMT prints them: a line is drawn where everything above beats everything below.

    From the rows of `differences` that were tested; metrics ordered by their coefficient, descending.
    **Source:** Bojar et al. 2014.
    """
    found = []
    for measure, test in dict.fromkeys((row.measure, row.test) for row in rows if not isnan(row.p_value)):
        here = [row for row in rows if (row.measure, row.test) == (measure, test)]
        values = {row.metric_a: row.value_a for row in here} | {row.metric_b: row.value_b for row in here}
        ranked = sorted((m for m in values if not isnan(values[m])), key=lambda m: (-values[m], m))
        apart = {frozenset((row.metric_a, row.metric_b)) for row in here if row.significant == "true"}
        cluster = 1
        for rank, metric in enumerate(ranked):
            above, below = ranked[:rank], ranked[rank:]
            if above and all(frozenset((a, b)) in apart for a in above for b in below):
                cluster += 1
            found.append(MetricCluster(measure, test, metric, values[metric], rank + 1, cluster))
    return found


def williams(r12: float, r13: float, r23: float, n: int) -> float:
    """Two-sided p of "r12 = r13" for Pearson's r of two columns (2, 3) with a common one (1).

    t = (r12 - r13) sqrt((n-1)(1+r23) / (2 |R| (n-1)/(n-3) + ((r12+r13)/2)^2 (1-r23)^3)), n - 3 degrees of freedom,
    |R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23. n > 3; NaN where an r is; 1 where both columns agree perfectly.
    **Source:** Williams 1959; Steiger 1980, eq. 7.
    """
    from scipy.special import stdtr

    if isnan(r12) or isnan(r13) or n <= 3:
        return nan
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if below <= 0:
        return 1.0
    statistic = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below)
    return float(2 * stdtr(n - 3, -abs(statistic)))
