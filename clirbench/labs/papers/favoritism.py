"""`analysis=[favoritism]`: the segments on which a metric favours one of two systems; published lists of them.

**Source:** Gowda et al. 2021, section 4.1; Tables 7, 13 and 14 (deltas), 8 (one segment), 15 to 20 (the segments).

`analysis=[differences]`: is one metric a better predictor than another?
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import ceil, isnan, nan
from typing import Any

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.published import (
    Entry,
    Outputs,
    PairTable,
    PaperCell,
    how_to_give,
    joined,
    known_of,
    leading,
    load_published,
    texts_of,
)
from clirbench.labs.papers.rankings import corpus_score, left_out_scores, segment_scores
from clirbench.metrics.base import Metric, Statistics
from clirbench.pages import Table, short
from clirbench.report.facts import sizes
from clirbench.result import Inputs, Result
from clirbench.statistics.belonging import Units, known_before, units_of
from clirbench.statistics.ceiling import TauGap, tau_gaps, twice_judged
from clirbench.statistics.coefficients import holm, significance
from clirbench.statistics.given import ALONG, estimates
from clirbench.statistics.grades import EXHAUSTIVE, Evidence, gap, panels, unit_swaps
from clirbench.types import Doubles, Ints, TestSet

WINS = ("metric", "segment", "score_a", "score_b", "better")
COLUMNS = ("metric", "rank", "segment", "delta", "favours", "reference")
READING = (
    "Corpus influence (leave-one-out): delta is how much the corpus score of the first system changes by having the "
    "segment, less the same for the second, on the metric's own scale; above 0 the metric favours the first there. "
    "Segments with a large delta show what a metric rewards; the deltas of all segments do not sum to the difference "
    "of the scores."
)


@dataclass(frozen=True)
class FavoritismAnalysis:
    """Every segment by its sentence scores, and by how much each metric of the run favours one of two systems there.

    `pair`: the systems, as `pair=[A,B]`; needless where only two take part. `top`: how many segments of each metric
    the report shows; `favoritism.tsv` has all. Raises `ConfigError` for a run without texts, metrics or a pair.
    """

    pair: Sequence[str] | None = None
    top: int = 10

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ConfigError(f"analyses.favoritism.top={self.top}: at least 1")

    def check(self, result: Result) -> tuple[Inputs, list[str]]:
        """The texts and the pair; raises `ConfigError` where they are not to be had, `UnknownName` for a system."""
        inputs = result.texts("favoritism")
        systems = [*texts_of(inputs.translations)]
        pair = [str(name) for name in self.pair or (systems if len(systems) == 2 else ())]
        for name in pair:
            if name not in systems:
                raise UnknownName("system of pair", name, systems)
        if len(set(pair)) != 2 or len(pair) != 2:
            raise ConfigError(
                f"analysis favoritism compares two different systems: choose pair=[A,B] of {', '.join(systems)}"
            )
        if not result.experiment.metrics:
            raise ConfigError("analysis favoritism needs a metric with statistics, such as metric=[BLEU]")
        return inputs, pair

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, pair = self.check(result)
        test, texts = inputs.corpus.test, texts_of(inputs.translations)
        columns = {"reference": test.references[0]}
        for name in pair:
            columns[name if name not in (*COLUMNS, "source") else f"system {name}"] = texts[name].lines()
        if test.source is not None:
            columns["source"] = tuple(test.source)
        segments = list(zip(*columns.values(), strict=True))
        rows, shown, wins = list[tuple[Any, ...]](), list[tuple[Any, ...]](), list[tuple[Any, ...]]()
        for metric in result.experiment.metrics:
            both = [result.statistics[key] for system in pair if (key := (metric.name, system)) in result.statistics]
            if len(both) < 2:
                continue
            delta = favoritism(metric, *both)
            found = [
                (metric.name, rank, at + 1, value, _favoured(value, pair), *segments[at])
                for rank, at in enumerate(rank_segments(delta).tolist(), start=1)
                for value in (float(delta[at]),)
            ]
            rows += found
            shown += found[: self.top]
            a, b = (segment_scores(metric, statistics) for statistics in both)
            better = np.sign(a - b) * (1 if metric.higher_is_better else -1)
            scored = zip(a.tolist(), b.tolist(), better, strict=True)
            wins += [(metric.name, at, x, y, _favoured(sign, pair)) for at, (x, y, sign) in enumerate(scored, start=1)]
        header, title = (*COLUMNS[:-1], *columns), f"{pair[0]} against {pair[1]}"
        return (
            Table("favoritism_top", f"Favoritism: {title}", header, tuple(shown), (READING,)),
            Table("favoritism", f"Favoritism: {title}, every segment", header, tuple(rows), shown=0),
            Table("segment_wins", f"Sentence by sentence: {title}", WINS, tuple(wins), shown=0),
        )


def favoritism(metric: Metric, ours: Statistics, theirs: Statistics) -> Doubles:
    """delta_i = (M(A) - M(A without i)) - (M(B) - M(B without i)) for every segment i: (segments,).

    Exact: the segment's statistics are subtracted from the sums and the score is computed again, so that word types
    which only that segment has leave the vocabulary of MacroF. On the metric's own scale; positive favours A, also
    where less is better. 0 for a segment that both translate alike, if the rest is alike.
    **Source:** Gowda et al. 2021, section 4.1, equation 1.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    first, second = (np.asarray(corpus_score(metric, s) - left_out_scores(metric, s)) for s in (ours, theirs))
    return np.asarray(sign * (first - second))


def rank_segments(delta: Doubles) -> Ints:
    """Segments (0-based) by falling |delta|, in order of the text where equal."""
    return np.asarray(np.argsort(-np.abs(delta), kind="stable"), dtype=np.int64)


def _favoured(delta: float, pair: Sequence[str]) -> str:
    """The system that a delta speaks for; nobody at 0."""
    return pair[0] if delta > 0 else pair[1] if delta < 0 else ""


@dataclass(frozen=True, kw_only=True)
class FavoredSegments(PairTable):
    """The segments that metrics favour most, by leave-one-out, next to the printed deltas, systems and segments.

    printed: a shipped table (columns `table`, `pair`, `metric`, `rank`, `delta`, `favours`, `segment`); number: which
    of its tables, and label: its language pair. single: deltas printed elsewhere of one segment: {segment, metric,
    delta, digits, where}. known: {metric, rank, note}, remarks on rows. The first system of `pair` is the
    one that a positive delta favours.
    """

    printed: str
    number: str
    label: str
    metrics: Mapping[str, Metric]
    single: Sequence[Entry] = ()
    known: Sequence[Entry] = ()

    def cells(self) -> Iterator[PaperCell]:
        """Delta, favoured system and segment of every printed rank; without the texts, what is printed."""
        for record in load_published(self.printed).records():
            if record["table"] == self.number:
                yield from self._ranked(record)
        for entry in self.single if self._texts else ():
            row, metric, printed, where = f"segment {entry['segment']}", entry["metric"], entry["delta"], entry["where"]
            if metric not in self._deltas:
                yield PaperCell(row, "delta", metric, printed=printed, note=f"{where}; no {metric} scores here")
                continue
            value = float(self._deltas[metric][int(entry["segment"]) - 1])
            shown = leading(value, int(entry["digits"]))
            yield PaperCell(row, "delta", metric, printed=printed, shown=shown, value=value, note=where)

    def further(self) -> Sequence[Table]:
        """The ten segments of each metric with source, reference and both outputs, as the paper's appendix has them."""
        if self._texts is None:
            return ()
        test, outputs = self._texts
        columns = (test.source or ("",) * len(test), test.references[0], *outputs)
        rows = tuple(
            (name, rank, at + 1, float(delta[at]), *(lines[at] for lines in columns))
            for name, delta in self._deltas.items()
            for rank, at in enumerate(rank_segments(delta)[:10].tolist(), start=1)
        )
        header = ("metric", "rank", "segment", "delta", "source", "reference", *self.pair)
        return [Table(f"{self.name}_segments", f"{self.title}: the segments", header, rows)]

    @cached_property
    def _texts(self) -> tuple[TestSet, Outputs] | None:
        return self.read_pair(self.label, [self.label])

    @cached_property
    def _deltas(self) -> Mapping[str, Doubles]:
        """Metric to the delta of each segment, (segments,)."""
        if self._texts is None:
            return {}
        test, (a, b) = self._texts
        return {
            name: favoritism(metric, metric.statistics(a, test), metric.statistics(b, test))
            for name, metric in self.metrics.items()
        }

    def _ranked(self, record: Mapping[str, str]) -> Iterator[PaperCell]:
        metric, row, printed = record["metric"], f"rank {record['rank']}", record["delta"]
        note = joined(*(entry["note"] for entry in known_of(self.known, metric=metric, rank=record["rank"])))
        if self._texts is None:
            yield PaperCell(row, "delta", metric, printed=printed, note=joined(note, how_to_give(self.label)))
            return
        if metric not in self._deltas:
            raise UnknownName(f"metric of {self.name}", metric, self._deltas)
        delta = self._deltas[metric]
        at = int(rank_segments(delta)[int(record["rank"]) - 1])
        value, segment = float(delta[at]), at + 1
        favours = "SN" if value > 0 else "UN"
        yield PaperCell(row, "delta", metric, printed=printed, shown=leading(value), value=value, note=note)
        yield PaperCell(row, "favours", metric, printed=record["favours"], shown=favours, value=value)
        if record["segment"]:
            yield PaperCell(row, "segment", metric, printed=record["segment"], shown=str(segment), value=segment)


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
            names = measure, part.metric_names[a], part.metric_names[b], f"kendall{' between units' * between}"
            taus = float(values[k][a]), float(values[k][b]), float(values[k][a] - values[k][b])
            yield Difference(*names, *taus, p, nan, "undefined", n, samples, how.seed, joined(note, why))


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
