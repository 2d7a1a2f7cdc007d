"""`analysis=[differences]`: is one metric a better predictor than another?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, isnan, nan

import numpy as np

from clirbench.pages.table import Table
from clirbench.pages.wording import short
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.pseudo_bias import TauGap, tau_gaps, twice_judged
from clirbench.statistics.p_values import holm, significance
from clirbench.statistics.units.belonging import Units, known_before, units_of
from clirbench.statistics.units.better import EXHAUSTIVE, gap, unit_swaps
from clirbench.statistics.units.given import ALONG
from clirbench.statistics.units.influence import estimates

DIFFERENCES = (
    "Tau of metric_a and of metric_b with the measure, and a test of their difference: the values of whole systems "
    "change sides between the two metrics, as ranks; where systems form units, the difference of tau between units is "
    "held against its jackknife error. p_holm is corrected for all pairs of metrics with that measure."
)
CLUSTERS = (
    "Metrics by their coefficient; a new cluster begins where every metric above differs significantly from every "
    "metric below."
)
BIAS = (
    "bias: tau with the measure by pseudo-relevance less tau with the same measure by the judgments, over the "
    "same systems; above 0 the metric looks better by pseudo-relevance. The intervals are not corrected for their "
    "number."
)
BIAS_COLUMNS = (
    "pseudo", "judged", "metric", "tau_pseudo", "tau_judged", "bias", "ci_low", "ci_high", "n_systems", "n_units",
    "note",
)  # fmt: skip


@dataclass(frozen=True)
class DifferencesAnalysis:
    """Tables `differences` and `clusters`; `pseudo_bias`, where measures have both pseudo-relevance and judgments.

    The test is `units.better.gap`: a system's values change sides between the two metrics, as ranks; where units hold
    several systems, values and test are of tau between units. `samples` are more where the correction needs more;
    metrics with holes take part only if `complete`. Exchanges of segments (Deutsch et al. 2021) have more power, but
    reject too often where two equally good metrics see whole systems differently: at alpha .05, 15 systems, 40
    segments, and such disagreement being .4 of a segment's noise, in .30 of simulations; exchanges of systems in .06.
    **Source:** Deutsch, Dror and Roth 2021, section 3.3; Holm 1979.
    """

    samples: int = 1000
    alpha: float = 0.05
    complete: bool = True
    seed: int = 0

    def tables(self, result: Result) -> Sequence[Table]:
        evidence = result.evidence
        rows = differences(evidence, self, result.units)
        size = sizes(evidence, self.samples, self.seed)
        title = "Is one metric a better predictor than another?"
        header = ("measure", "metric", "value", "rank", "cluster")
        tables = [
            Table.of("differences", title, Difference, rows, [DIFFERENCES, size]),
            Table("clusters", "Significance clusters of metrics", header, tuple(clusters(rows)), (CLUSTERS, size)),
        ]
        if bias := tau_gaps(evidence.board, result.units, twice_judged(evidence.board)):
            title = "Does a metric look better by pseudo-relevance than by the judgments?"
            tables.append(Table.of("pseudo_bias", title, TauGap, bias, [BIAS, size], header=BIAS_COLUMNS))
        return tables


@dataclass(frozen=True)
class Difference:
    """Whether metric_a predicts the measure better than metric_b.

    `difference` = value_a - value_b of `coefficient`. `p_value` is two-sided; `p_holm` corrects it over all pairs of
    metrics with that measure, and `significant` means p_holm < alpha. `samples` 0: all exchanges were counted.
    """

    measure: str
    metric_a: str
    metric_b: str
    coefficient: str
    value_a: float
    value_b: float
    difference: float
    p_value: float
    p_holm: float
    significant: str
    n_systems: int
    samples: int
    seed: int
    note: str = ""


def differences(
    evidence: Evidence, how: DifferencesAnalysis = DifferencesAnalysis(), units: Units | None = None
) -> list[Difference]:
    """Every pair of metrics, for every measure.

    A pair that cannot be tested has p NaN and a note: so have all along training, and those whose smallest attainable
    p, corrected, is not below alpha.
    """
    units = units_of(evidence.board) if units is None else units
    known = {column.name for column in evidence.board.metrics if known_before(column.name)}
    evidence = evidence.columns({column.name for column in evidence.board.columns} - known)
    parts = [(next(iter(panels(evidence)))[0], units, ""), *(_holed_pairs(evidence, units) if how.complete else ())]
    pairs = Counter[str]()
    for part, _, _ in parts:
        pairs.update(dict.fromkeys(part.measure_names, len(part.metric_names) * (len(part.metric_names) - 1) // 2))
    family = max(pairs.values(), default=0)
    rows = [row for part, own, note in parts for row in _tested(part, own, note, how, family)]
    for measure in dict.fromkeys(row.measure for row in rows):
        places = [at for at, row in enumerate(rows) if row.measure == measure]
        for at, p in zip(places, holm([rows[at].p_value for at in places]), strict=True):
            rows[at] = replace(rows[at], p_holm=p, significant=significance(p, how.alpha))
    return rows


def _holed_pairs(evidence: Evidence, units: Units) -> Iterator[tuple[Evidence, Units, str]]:
    """Pairs with a metric or a measure with missing systems, each over the systems that all three columns have."""
    finite = {column.name: np.isfinite(column.values) for column in evidence.board.columns}
    for measure in evidence.measure_names:
        for pair in combinations(evidence.metric_names, 2):
            kept = np.logical_and.reduce([finite[name] for name in (*pair, measure)])
            if not kept.all():
                part = evidence.columns({*pair, measure}).only(kept)
                yield part, units.only(np.flatnonzero(kept)), f"over {int(kept.sum())} of {len(kept)} systems"


def _tested(part: Evidence, units: Units, note: str, how: DifferencesAnalysis, family: int) -> Iterator[Difference]:
    """Every pair of columns without holes; `family`: pairs that are corrected together."""
    n, alone = len(part.systems), units.independent
    refusal = ""
    if n < 3:
        refusal = f"{n} systems: too few for this test"
    elif units.along_training:
        refusal = ALONG
    elif alone and 2.0 ** (1 - n) * family >= how.alpha:
        refusal = f"not run: {n} systems and {family} pairs cannot give a corrected p below {short(how.alpha)}"
    samples = 0 if not alone or units.number <= EXHAUSTIVE else max(how.samples, ceil(2 * family / how.alpha))
    swaps = unit_swaps(units.number, samples, how.seed) if alone and not refusal else None
    between = not alone and not refusal
    jackknife = f"jackknife over {units.number} units ({units.source})" if between else ""
    unit = units.index if between else np.arange(n)
    values = [estimates(part.x, column, unit).tau for column in part.y]
    for k, measure in enumerate(part.measure_names):
        for a, b in combinations(range(len(part.metric_names)), 2):
            p, why = nan, refusal
            if not refusal:
                found = gap(part.x[a], part.x[b], part.y[k], units.index, alpha=how.alpha, swaps=swaps)
                p, why = found.p_value, found.note or jackknife
            yield Difference(
                measure=measure,
                metric_a=part.metric_names[a],
                metric_b=part.metric_names[b],
                coefficient="kendall between units" if between else "kendall",
                value_a=float(values[k][a]),
                value_b=float(values[k][b]),
                difference=float(values[k][a] - values[k][b]),
                p_value=p,
                p_holm=nan,
                significant="undefined",
                n_systems=n,
                samples=samples,
                seed=how.seed,
                note="; ".join(filter(None, [note, why])),
            )


def clusters(rows: Sequence[Difference]) -> Iterator[tuple[str, str, float, int, int]]:
    """Significance clusters as WMT prints them: a line is drawn where everything above beats everything below.

    Measure, metric, value, rank and cluster, metrics ordered by their coefficient, descending; of measures with a
    tested pair. **Source:** Bojar et al. 2014.
    """
    for measure in dict.fromkeys(row.measure for row in rows if not isnan(row.p_value)):
        here = [row for row in rows if row.measure == measure]
        values = {row.metric_a: row.value_a for row in here} | {row.metric_b: row.value_b for row in here}
        ranked = sorted((m for m in values if not isnan(values[m])), key=lambda m: (-values[m], m))
        apart = {frozenset((row.metric_a, row.metric_b)) for row in here if row.significant == "true"}
        cluster = 1
        for rank, metric in enumerate(ranked):
            above, below = ranked[:rank], ranked[rank:]
            if above and all(frozenset((a, b)) in apart for a in above for b in below):
                cluster += 1
            yield measure, metric, values[metric], rank + 1, cluster
