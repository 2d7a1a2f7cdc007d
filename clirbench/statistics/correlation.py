"""The tau table: every IR measure against every MT metric, across the systems of a scoreboard."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Literal

from clirbench.pages.wording import fixed
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.bootstrap import Bootstrap, intervals
from clirbench.statistics.coefficients import UNTESTED, Coefficient, coefficient, complete_pairs
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.ceiling import without_noise
from clirbench.statistics.p_values import significance
from clirbench.statistics.units.belonging import Units, units_of
from clirbench.statistics.units.claims import Claim, claims
from clirbench.statistics.units.jackknife import MOST, too_many
from clirbench.statistics.vectorised import GRIDS

NO_METRIC = "this column counts steps of training: it is no metric"
Significance = Literal["true", "false", "undefined"]


@dataclass(frozen=True)
class Correlation:
    """One row of correlations.tsv: does `metric` order the systems as `measure` does?

    `value` in [-1, 1] (more is closer agreement; columns where less is better were turned round before), `p_value`
    two-sided, `n_systems` how many systems it was computed over. Systems that are not independent (`Units`) have the
    p of permuted units, for kendall alone; along training, or with too few units, `significant` is `undefined` and
    `note` says why. `ci_low`, `ci_high`: the interval that `scheme` names (`with_intervals`). `p_method`: `exact`,
    `normal`, `permutation` (then `p_error` is its standard error), `scipy` or `units`. `corrected`: tau without
    measurement noise, `ceiling`: expected of a perfect metric (`with_corrections`), with .95 intervals; for kendall
    alone.
    """

    measure: str
    metric: str
    coefficient: str
    value: float
    p_value: float
    n_systems: int
    significant: Significance
    note: str = ""
    ci_low: float = nan
    ci_high: float = nan
    scheme: str = ""
    p_method: str = ""
    p_error: float = 0.0
    corrected: float = nan
    corrected_low: float = nan
    corrected_high: float = nan
    corrected_note: str = ""
    ceiling: float = nan
    ceiling_low: float = nan
    ceiling_high: float = nan


def correlate(
    board: Scoreboard,
    coefficients: Sequence[str] = ("kendall", "spearman", "pearson"),
    *,
    alpha: float = 0.05,
    p_value: str = "exact",
    complete: bool = True,
    seed: int = 0,
    units: Units | None = None,
) -> list[Correlation]:
    """Every coefficient of every (measure, metric) pair, in the order of the columns.

    `significant` is `p < alpha`. A pair with a hole is computed over the systems that have both values, and `n_systems`
    and the note say so; without `complete` it is undefined. `units`: default, what `units_of` finds. Of more than
    2,000 systems only Kendall's tau is tested.
    """
    units = units_of(board) if units is None else units
    rows = []
    for measure in board.measures:
        for metric in board.metrics:
            for name in coefficients:
                # What units replace is not worked out, nor orders of very many systems.
                many = len(board.systems) > MOST and not name.startswith("kendall")
                tested = p_value if units.independent and not many else UNTESTED
                found, note = _found(board, measure, metric, name, tested, complete, seed)
                if many:
                    note = "; ".join(filter(None, [too_many(found.n), note]))
                row = Correlation(
                    measure=measure.name,
                    metric=metric.name,
                    coefficient=name,
                    value=found.value,
                    p_value=found.p_value,
                    n_systems=found.n,
                    significant=significance(found.p_value, alpha),
                    note=note,
                    p_method=p_value if isnan(found.value) else found.p_method,
                    p_error=found.p_error,
                )
                rows.append(row)
    if units.independent:
        return rows
    said = by_pair(claims(board, units, alpha=alpha, seed=seed))
    return [_between_units(row, said.get((row.measure, row.metric)), units, alpha) for row in rows]


def _between_units(row: Correlation, claim: Claim | None, units: Units, alpha: float) -> Correlation:
    """The row with the p of permuted units; NaN for other coefficients than kendall, which have no such test."""
    if isnan(row.value):
        return row
    if claim is None or row.coefficient != "kendall":
        why = NO_METRIC if claim is None else f"{units.said}: tested for kendall alone"
        return replace(row, p_value=nan, significant="undefined", p_method="", p_error=0.0, note=_and(row, why))
    return replace(
        row,
        p_value=claim.p_value,
        significant=significance(claim.p_value, alpha),
        p_method="" if isnan(claim.p_value) else "units",
        p_error=claim.p_error,
        note=_and(row, claim.note, _between(claim)),
    )


def by_pair(found: Sequence[Claim]) -> dict[tuple[str, str], Claim]:
    return {(claim.measure, claim.metric): claim for claim in found}


def _between(claim: Claim) -> str:
    """tau between units and within them, where there are both."""
    if isnan(claim.tau):
        return ""
    within = "" if isnan(claim.within) else f", within them {fixed(claim.within, 3)}"
    alarm = ", which differ: neither stands for both" if claim.disagree else ""
    return f"tau between units {fixed(claim.tau, 3)}{within}{alarm}"


def _and(row: Correlation, *notes: str) -> str:
    """Both as one note: first `notes`, such as why nothing was tested, then the row's own."""
    return "; ".join(filter(None, dict.fromkeys((*notes, row.note))))


def with_intervals(
    rows: Sequence[Correlation], evidence: Evidence, how: Bootstrap, complete: bool = False, units: Units | None = None
) -> list[Correlation]:
    """The rows with intervals: of units for kendall; resampled for spearman and pearson, if systems are independent.

    `scheme` says what the interval is of and how it was made; a note of the interval joins the row's.
    """
    units = units_of(evidence.board) if units is None else units
    said = by_pair(claims(evidence.board, units, level=how.level, seed=how.draws.seed, tested=False))
    rows = [_jackknifed(row, said.get((row.measure, row.metric))) for row in rows]
    names = [name for name in dict.fromkeys(row.coefficient for row in rows) if name in GRIDS and name != "kendall"]
    if not units.independent or not names or len(evidence.systems) > MOST:
        return rows
    found = intervals(evidence, names, how, complete)
    joined = []
    for row in rows:
        interval = found.get((row.measure, row.metric, row.coefficient))
        if interval is not None:
            known = not interval.note or interval.note in row.note or isnan(row.value)
            note = row.note if known else "; ".join(filter(None, [row.note, interval.note]))
            row = replace(row, ci_low=interval.low, ci_high=interval.high, scheme=how.scheme, note=note)
        joined.append(row)
    return joined


def with_corrections(
    rows: Sequence[Correlation], evidence: Evidence, units: Units, *, same_lines: bool = False, seed: int = 0
) -> list[Correlation]:
    """The rows of kendall with tau without noise and its ceiling, or `corrected_note`, why there is none."""
    found = without_noise(evidence, units, same_lines=same_lines, seed=seed)
    joined = []
    for row in rows:
        if row.coefficient == "kendall" and (row.measure, row.metric) in found:
            true, top = found[row.measure, row.metric].corrected, found[row.measure, row.metric].ceiling
            row = replace(row, corrected=true.value, corrected_low=true.low, corrected_high=true.high)
            row = replace(row, corrected_note=true.note, ceiling=top.value, ceiling_low=top.low, ceiling_high=top.high)
        joined.append(row)
    return joined


def _jackknifed(row: Correlation, claim: Claim | None) -> Correlation:
    if row.coefficient != "kendall" or isnan(row.value) or claim is None:
        return row
    note = _and(row, claim.note) if isnan(claim.ci_low) and claim.note not in row.note else row.note
    return replace(row, ci_low=claim.ci_low, ci_high=claim.ci_high, scheme=claim.scheme, note=note)


def _found(
    board: Scoreboard, measure: Column, metric: Column, name: str, p_value: str, complete: bool, seed: int
) -> tuple[Coefficient, str]:
    """The coefficient and its note."""
    x, y = metric.oriented, measure.oriented
    n_all = len(board.systems)
    kept, others = complete_pairs(x, y)
    over = "" if len(kept) == n_all else f"correlation.complete_pairs=true takes the other {len(kept)}"
    if complete:
        x, y = kept, others
        over = f"over {len(x)} of {n_all} systems (correlation.complete_pairs)" if over else ""
    found: Coefficient = coefficient(name)(x, y, p_value=p_value, seed=seed)
    return found, "; ".join(filter(None, [over, found.note]))
