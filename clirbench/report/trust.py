"""The first sentence of the answer: which metrics may be trusted to order the systems, and how sure that is."""

from collections.abc import Iterable, Sequence
from math import factorial, isnan

import numpy as np

from clirbench.analyses.wording import join_names, number, plural
from clirbench.scoreboard import Column
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.claims import Claim, Selected
from clirbench.statistics.units.concordance import CONSTANT
from clirbench.statistics.units.jackknife import FEWEST, Interval
from clirbench.statistics.units.selection import COSTLIEST
from clirbench.types import UNKNOWN

MOST = 6
"""So many names of metrics at most in one sentence."""
NOUNS = {
    "system": "systems",
    "family": "families",
    "group": "groups",
    "run": "runs",
    "series": "series",
    "seed": "seeds",
    "configuration": "configurations",
    "name": "training runs",
    "one training run": "training runs",
    "equal scores": "systems (the others are copies of them)",
}


def named(column: Column) -> str:
    """`MAP (pseudo-relevance)`; the name alone where people judged, or where a score table has the measure."""
    if column.origin == "imported" or column.judged_by == "people":
        return column.name
    return f"{column.name} ({'unknown judgments' if column.judged_by == UNKNOWN else column.judged_by})"


def trusted_metrics(rows: Sequence[Claim], chosen: Selected, alpha: float) -> tuple[str, ...]:
    """Metrics that agree, corrected for all that were looked at, and that cannot be told from the best."""
    inside = {name for name, kept in zip(chosen.names, chosen.best.in_set.tolist(), strict=True) if kept}
    return tuple(row.metric for row in rows if _agrees(row, alpha) and (chosen.best.note or row.metric in inside))


def _agrees(row: Claim, alpha: float) -> bool:
    return row.tau > 0 and row.p_adjusted < alpha


def agreement(
    rows: Sequence[Claim],
    chosen: Selected | None,
    trusted: Sequence[str],
    column: Column,
    units: Units,
    alpha: float,
    ceiling: Interval | None,
) -> str:
    """Sentence one: the set of metrics, their tau, and how sure; or why there is none."""
    compared = [row for row in rows if not isnan(row.p_adjusted)]
    if chosen is None or not compared:
        why = _needed(rows, column, units, alpha)
        return f"Whether any metric orders these systems as {named(column)} does cannot be said: {why}."
    own = units.only(chosen.rows)
    agreeing = [row for row in compared if _agrees(row, alpha)]
    looked = f", corrected for {plural(len(compared), 'metric')}" if len(compared) > 1 else ""
    left = (
        f"; not compared, because systems are missing: {join_names(chosen.left_out, MOST)}" if chosen.left_out else ""
    )
    if not agreeing:
        top = max(compared, key=lambda row: row.tau)
        found = f"is not significant ({p_said(top.p_adjusted)}{looked})" if top.tau > 0 else "is not above 0"
        return (
            f"No metric is shown to order these {own.said} as {named(column)} does: the highest tau, "
            f"{number(top.tau)} of {top.metric}, {found}{left}."
        )
    if not trusted:
        alone = join_names([name for name, kept in zip(chosen.names, chosen.best.in_set, strict=True) if kept], MOST)
        return f"No metric orders these {own.said} by {named(column)} as well as {alone} alone does{left}."
    inside = [row for row in compared if row.metric in trusted]
    bounds = _bounds(chosen, trusted)
    sure = [p_said(max(row.p_adjusted for row in inside)) + looked]
    agree = "agrees" if len(trusted) == 1 else "agree"
    said = f"{join_names(trusted, MOST)} {agree} with {named(column)} on the order of these {own.said}"
    if bounds:
        low, high = bounds
        sure = [f"{number(low, 2)} to {number(high, 2 if high < 0.995 else 3)} with 95 % confidence", *sure]
        if low > 0:
            said = f"{join_names(trusted, MOST)} may be trusted to order these {own.said} by {named(column)}"
    if ceiling is not None:
        sure.append(f"a perfect metric: about {number(ceiling.value)}, {number(ceiling.low)} to {number(ceiling.high)}")
    said += f": tau {tau_span(row.tau for row in inside)} ({'; '.join(sure)})"
    if chosen.best.note:
        which = "how sure that is" if len(compared) == 1 else "which of the metrics is best"
        return f"{said}; {which} cannot be said ({chosen.why}){left}."
    if len(trusted) > 1:
        said += ", and none of them is shown to be better than another"
    kept = {name for name, inside in zip(chosen.names, chosen.best.in_set.tolist(), strict=True) if inside}
    less = [row.metric for row in compared if row.metric not in kept]
    unshown = [row.metric for row in compared if row.metric in kept and row.metric not in trusted]
    if less:
        said += f"; {join_names(less, MOST)} {'agrees' if len(less) == 1 else 'agree'} less"
    if unshown:
        said += f"; of {join_names(unshown, MOST)} no agreement is shown"
    return f"{said}{left}."


def tau_span(taus: Iterable[float]) -> str:
    """`.894`, or `.848 to .909`."""
    ends = sorted(taus)
    return " to ".join(dict.fromkeys((number(ends[0]), number(ends[-1]))))


def _needed(rows: Sequence[Claim], column: Column, units: Units, alpha: float) -> str:
    """Why nothing can be said, and how many units would be enough."""
    fewest = max(FEWEST, fewest_units(alpha))
    constant = [row for row in rows if isnan(row.tau)]
    if units.number < fewest and len(constant) < len(rows):
        noun = NOUNS.get(units.source, f"units ({units.source})")
        return f"{units.number} independent {noun} are too few, at least {fewest} are needed"
    values = column.values[np.isfinite(column.values)]
    if rows and max(row.n_systems for row in rows) < (1 - COSTLIEST) * len(values):
        return f"every metric lacks more than a tenth of the {len(values)} systems that have {column.name}"
    if len(values) > 1 and np.ptp(values) == 0:
        return f"{column.name} is the same for all of them"
    if rows and all(row.note == CONSTANT for row in rows):
        names = join_names([row.metric for row in rows], MOST)
        return f"{names} {'is' if len(rows) == 1 else 'are'} the same for all of them"
    return "; ".join(dict.fromkeys(row.note.partition(";")[0] for row in rows if row.note))


def fewest_units(alpha: float) -> int:
    """The fewest units of which one order in n! is rarer than alpha, two-sided."""
    return next(n for n in range(2, 30) if 2 / factorial(n) < alpha)


def _bounds(chosen: Selected, trusted: Sequence[str]) -> tuple[float, float] | None:
    """An interval that holds for all of the set at once; none with few units."""
    if np.isnan(chosen.best.low).any():
        return None
    at = [place for place, name in enumerate(chosen.names) if name in trusted]
    return float(chosen.best.low[at].min()), float(chosen.best.high[at].max())


def p_said(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {number(value)}"
