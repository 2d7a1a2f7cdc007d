"""What a tau rests on: single systems, outliers, groups of systems, the lower half."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import UnknownName
from clirbench.statistics.coefficients import Coefficient, coefficient
from clirbench.statistics.evidence import Evidence, panels
from clirbench.types import Doubles

Kept = NDArray[np.bool_]
CUTOFF = 2.5
MAD_TO_SD = 1.483


@dataclass(frozen=True)
class Robustness:
    """One tau over some of the systems, beside the tau over all (`overall`).

    `check`: `leave-one-out lowest` / `highest` (the system whose loss moves tau most), `without outliers of ...`,
    `top half by ...`, `group COLUMN`; `detail` names the systems left out or the group.
    """

    measure: str
    metric: str
    check: str
    detail: str
    value: float
    p_value: float
    n_systems: int
    overall: float
    change: float
    note: str = ""


def robustness(
    evidence: Evidence, groups: tuple[str, ...] = (), *, name: str = "kendall", complete: bool = False
) -> list[Robustness]:
    """Every check for every measure and metric; `groups` are metadata columns.

    A check that leaves fewer than 2 systems, or makes a column constant, is undefined with the reason. Raises
    `UnknownName` for a metadata column that does not exist.
    **Source:** outliers: Mathur, Baldwin and Cohn 2020, section 4.
    """
    for column in groups:
        if column not in evidence.board.metadata:
            raise UnknownName("metadata column", column, evidence.board.metadata)
    found = []
    for part, note in panels(evidence, complete):
        for k, measure in enumerate(part.measure_names):
            for m, metric in enumerate(part.metric_names):
                x, y = part.x[m], part.y[k]
                overall = coefficient(name)(x, y).value
                for check, detail, result in _checks(part, measure, metric, x, y, groups, name):
                    row = Robustness(
                        measure=measure,
                        metric=metric,
                        check=check,
                        detail=detail,
                        value=result.value,
                        p_value=result.p_value,
                        n_systems=result.n,
                        overall=overall,
                        change=result.value - overall,
                        note="; ".join(filter(None, [note, result.note])),
                    )
                    found.append(row)
    return found


def _checks(
    evidence: Evidence, measure: str, metric: str, x: Doubles, y: Doubles, groups: tuple[str, ...], name: str
) -> Iterator[tuple[str, str, Coefficient]]:
    function = coefficient(name)
    yield from _leave_one_out(evidence, x, y, name)
    for label, out in (
        (measure, outliers(y)),
        (metric, outliers(x)),
        (f"{measure} or {metric}", outliers(y) | outliers(x)),
    ):
        if out.any():
            gone = ", ".join(system for system, o in zip(evidence.systems, out, strict=True) if o)
            yield f"without outliers of {label}", gone, function(x[~out], y[~out])
        else:
            yield f"without outliers of {label}", "no outliers", function(x, y)
    for label, column in ((measure, y), (metric, x)):
        top = column >= np.sort(column)[::-1][(len(column) - 1) // 2] if len(column) else np.zeros(0, dtype=bool)
        yield f"top half by {label}", f"{int(top.sum())} of {len(column)}", function(x[top], y[top])
    for group in groups:
        texts = np.array(evidence.board.metadata[group])
        for text in dict.fromkeys(texts.tolist()):
            inside = texts == text
            yield f"group {group}", text or "(empty)", function(x[inside], y[inside])


def _leave_one_out(evidence: Evidence, x: Doubles, y: Doubles, name: str) -> Iterator[tuple[str, str, Coefficient]]:
    """The lowest and the highest tau without one system; the first of several that tie."""
    results = [coefficient(name)(np.delete(x, i), np.delete(y, i), p_value="scipy") for i in range(len(x))]
    values = np.array([result.value for result in results])
    if not len(values) or np.isnan(values).all():
        return
    for label, at in (("lowest", int(np.nanargmin(values))), ("highest", int(np.nanargmax(values)))):
        exact = coefficient(name)(np.delete(x, at), np.delete(y, at))
        yield f"leave-one-out {label}", f"without {evidence.systems[at]}", exact


def outliers(column: Doubles, cutoff: float = CUTOFF) -> Kept:
    """(n,): |value - median| / (1.483 MAD) > cutoff, on both sides; none where half of the values are equal.

    1.483 makes the MAD of a normal column its SD. **Source:** Mathur, Baldwin and Cohn 2020, eq. 1-2 (cutoff 2.5).
    """
    if not len(column):
        return np.zeros(0, dtype=np.bool_)
    distance = np.abs(column - np.median(column))
    mad = MAD_TO_SD * np.median(distance)
    return np.asarray(distance > cutoff * mad) if mad > 0 else np.zeros(len(column), dtype=np.bool_)
