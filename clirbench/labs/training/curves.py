"""`analysis=[training]`: a grid of training runs: every cell, the rule of thumb for vocabularies, the SD over seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from math import isnan, nan

import numpy as np

from clirbench.checks import number
from clirbench.errors import ConfigError
from clirbench.labs.training.spread import FEWEST, seed_spread
from clirbench.pages.table import Table
from clirbench.pages.wording import short
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.coefficients import UNTESTED, kendall
from clirbench.statistics.imbalance import Recommendation, Rows, recommendations
from clirbench.statistics.units.belonging import SEED, Units

SIZE, VOCABULARY, ARCHITECTURE, F95 = "size", "vocabulary", "architecture", "F95"
CELL = (SIZE, VOCABULARY, ARCHITECTURE, "classes", F95, "D")
"""The columns that a cell's training runs share, as far as a run has them."""
BLEU, ENOUGH = "BLEU", 10.0
"""The best system must have more than this, or nothing is concluded from a grid."""


@dataclass(frozen=True)
class Configuration:
    """The training runs of one cell: its columns, and its systems at the last checkpoint of each run (rows)."""

    values: Mapping[str, str]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class TrainingAnalysis:
    """Tables `training`, `size_alone`, `rule_of_thumb` and `seed_spread`; `floor`: the rule's least F95.

    Raises `ConfigError` where the systems have no columns size and vocabulary, or a floor that is no number.
    """

    floor: float = 100.0

    def __post_init__(self) -> None:
        number("analyses.training.floor", self.floor, least=0)

    def check(self, result: Result) -> None:
        if missing := [name for name in (SIZE, VOCABULARY) if name not in result.board.metadata]:
            raise ConfigError(f"analysis training: the systems have no column {', '.join(missing)} (clirbench train)")

    def tables(self, result: Result) -> Sequence[Table]:
        self.check(result)
        board, cells = result.board, configurations(result.board, result.units)
        found = [cell_table(board, cells)]
        if len({cell.values[SIZE] for cell in cells}) > 1:
            found.append(size_table(board, cells))
        if F95 in board.metadata:
            found.append(rule_table(board, cells, self.floor))
        if SEED in board.metadata:
            found.append(spread_table(board, cells))
        return found


def configurations(board: Scoreboard, units: Units) -> list[Configuration]:
    """The cells by size, vocabulary and architecture, in the order of the board; each unit is one training run."""
    last: dict[str, int] = {}
    for row, label in enumerate(units.labels):
        if label not in last or not units.steps[row] < units.steps[last[label]]:
            last[label] = row
    held = board.metadata
    names = [name for name in CELL if name in held and (name != ARCHITECTURE or len(set(held[name])) > 1)]
    cells: dict[tuple[str, ...], list[int]] = {}
    for row in last.values():
        cells.setdefault(tuple(held[name][row] for name in names), []).append(row)
    return [Configuration(dict(zip(names, key, strict=True)), tuple(rows)) for key, rows in cells.items()]


def mean(cell: Configuration, values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    """Over the training runs that have a value; NaN where none has."""
    held = values[list(cell.rows)]
    return float(np.nanmean(held)) if np.isfinite(held).any() else nan


def cell_table(board: Scoreboard, cells: Sequence[Configuration]) -> Table:
    """A row for each cell: the means over its training runs."""
    names = list(cells[0].values)
    rows = [
        (*cell.values.values(), len(cell.rows), *(mean(cell, column.values) for column in board.columns))
        for cell in cells
    ]
    text = (
        *filter(None, [too_weak(board)]),
        "Means over seeds at the last checkpoint. F95: 95 % of a vocabulary's classes occur at least so often in the "
        "training text. D: distance of their frequencies from a balanced distribution, 0 to 1.",
    )
    header = (*names, "runs", *(column.name for column in board.columns))
    return Table(
        "training", "Training runs by size and vocabulary", header, tuple(rows), text,
        partial(curves, board, cells), said=len(rows),
    )  # fmt: skip


def too_weak(board: Scoreboard) -> str:
    """Why nothing is concluded from these systems: BLEU is known, and at most `ENOUGH`; empty where it is not so."""
    known = [value for column in board.metrics if column.name == BLEU for value in column.values if not isnan(value)]
    if max(known, default=np.inf) > ENOUGH:
        return ""
    return (
        f"No finding: nothing is concluded unless a system has a BLEU above {short(ENOUGH)}; the best has "
        f"{short(max(known), 2)}."
    )


def size_table(board: Scoreboard, cells: Sequence[Configuration]) -> Table:
    """Kendall's tau of each measure with the size of the training text, the trivial predictor, and with each metric."""
    rows = [row for cell in cells for row in cell.rows]
    size = np.array([float(cell.values[SIZE]) for cell in cells for _ in cell.rows])
    found = []
    for measure in board.measures:
        pairs = [(x, measure.oriented[rows]) for x in (size, *(metric.oriented[rows] for metric in board.metrics))]
        held = [np.isfinite(x) & np.isfinite(y) for x, y in pairs]
        taus = (kendall(x[on], y[on], p_value=UNTESTED).value for (x, y), on in zip(pairs, held, strict=True))
        found.append((measure.name, *taus))
    text = (
        f"Kendall's tau over the last checkpoints of {len(rows)} training runs: each measure with the size of the "
        "training text alone, and with each metric. Description only; what a metric adds to the size: given.tsv.",
    )
    header = ("measure", SIZE, *(metric.name for metric in board.metrics))
    return Table("size_alone", "The size of the training text as a predictor", header, tuple(found), text)


def rule_table(board: Scoreboard, cells: Sequence[Configuration], floor: float) -> Table:
    """By each column and at each size, what the largest vocabulary with F95 of at least `floor` gives up."""
    found = {column.name: rules(column, cells, floor) for column in board.columns}
    weak = too_weak(board)
    text = (
        "The rule: of the vocabularies with F95 of at least "
        f"{short(floor)} the largest (Gowda 2020, section 9). Regret: what it gives up against the best vocabulary at "
        "that size, which is chosen by the same numbers and so looks better than it is.",
        *([weak] if weak else [_judged(name, rules) for name, rules in found.items()]),
    )
    header = ("column", SIZE, "recommended", "value", "best", "best_value", "regret")
    rows = tuple((name, *astuple(rule)) for name, rules in found.items() for rule in rules)
    return Table("rule_of_thumb", "The rule of thumb for the size of a vocabulary", header, rows, text)


def rules(column: Column, cells: Sequence[Configuration], floor: float) -> list[Recommendation]:
    """The rule by one column, at each size; the difference is turned so that more is worse."""
    rows: Rows = {
        (" ".join(filter(None, (cell.values[SIZE], cell.values.get(ARCHITECTURE)))), cell.values[VOCABULARY]): {
            F95: cell.values[F95], "used": cell.values.get("classes", "0"), "score": repr(value)
        }
        for cell in cells
        if not isnan(value := mean(cell, column.oriented)) and cell.values[F95]
    }  # fmt: skip
    sign = 1.0 if column.higher_is_better else -1.0
    return [
        replace(advice, value=sign * advice.value, best_value=sign * advice.best_value)
        for advice in recommendations(rows, floor, "score")
    ]


def _judged(name: str, found: Sequence[Recommendation]) -> str:
    given = [rule.difference for rule in found if not isnan(rule.difference)]
    if not given:
        return f"{name}: no size has a vocabulary with an F95 that high: all are too large for their text."
    return (
        f"{name}: the best in {given.count(0)} of {len(given)} sizes; regret {short(float(np.mean(given)), 3)} on "
        f"average, {short(max(given), 3)} at most."
    )


def spread_table(board: Scoreboard, cells: Sequence[Configuration]) -> Table:
    """The SD over seeds of every column, one for all cells."""
    rows = [list(cell.rows) for cell in cells]
    found = {c.name: seed_spread([c.values[held][np.isfinite(c.values[held])] for held in rows]) for c in board.columns}
    few = (
        f" Below {FEWEST} degrees of freedom no interval is given: train with more seeds."
        if any(0 < row.freedom < FEWEST for row in found.values())
        else ""
    )
    text = (
        "sd: how far the last checkpoints of two training runs lie apart that differ in their seed alone, pooled over "
        "cells; size, vocabulary and architecture are fixed effects. low, high: its .95 interval by chi square, where "
        f"values are normal with one variance in all cells.{few}",
    )
    header = ("column", "sd", "low", "high", "degrees_of_freedom", "cells")
    table = tuple((name, *astuple(row)) for name, row in found.items())
    return Table("seed_spread", "Standard deviation over seeds", header, table, text, records=tuple(found.values()))


def curves(board: Scoreboard, cells: Sequence[Configuration]) -> Drawing:
    """The first two measures and the first metric over the size of the training text, a line for each vocabulary."""
    plots = []
    for column in (*board.measures[:2], *board.metrics[:1]):
        lines: dict[str, list[tuple[float, float]]] = {}
        for cell in cells:
            name = " ".join(filter(None, (cell.values[VOCABULARY], cell.values.get(ARCHITECTURE, ""))))
            lines.setdefault(name, []).append((float(cell.values[SIZE]), mean(cell, column.values)))
        plots.append(Panel("pairs", column.name, {name: sorted(points) for name, points in lines.items()}, powers="x"))
    return panels(plots)
