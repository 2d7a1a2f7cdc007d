"""From a scoreboard to what may be claimed: every metric against every measure, and the best metrics of a measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np

from clirbench.errors import UnknownName
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import Units, covariates, known_before
from clirbench.statistics.units.concordance import agreements
from clirbench.statistics.units.given import Beyond, Permuting, beyond
from clirbench.statistics.units.jackknife import MOST, too_many
from clirbench.statistics.units.permutation import SAMPLES, Tested, permutation_tests
from clirbench.statistics.units.selection import Best, adjusted_p_values, best_metrics, common_systems
from clirbench.types import Doubles, Ints

ALONG = "checkpoints along training: description only, claims need replicate runs at the same steps"


@dataclass(frozen=True)
class Claim:
    """How one metric agrees with one measure, over the systems that both have.

    `tau`, `within`, `ci_low`, `ci_high`, `disagree`: see `concordance.Agreement`. `p_value`: units permuted;
    `p_adjusted`: for all metrics that are compared over the same systems. NaN where it is not said, `note` says why.
    `scheme` names what the interval is of and how it was found.
    """

    measure: str
    metric: str
    tau: float
    within: float
    ci_low: float
    ci_high: float
    p_value: float
    p_adjusted: float
    disagree: bool
    n_systems: int
    n_units: int
    units: str
    scheme: str
    note: str
    p_error: float = 0.0


def claims(
    board: Scoreboard,
    units: Units,
    *,
    alpha: float = 0.05,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
    tested: bool = True,
) -> list[Claim]:
    """A row for every measure and metric; columns that are `known_before` are none. Intervals hold `level` of the time.

    Along training there is neither interval nor p: see `given.within_strata`. Without `tested`, a row that has an
    interval has no p.
    """
    rows, how = [], Permuting(alpha, samples, seed)
    metrics = real_metrics(board)
    for measure in board.measures:
        looked = tested and not units.along_training
        adjusted = _adjusted(metrics, measure, units, how) if looked else {}
        found: dict[str, Claim] = {}
        for alike in _with_the_same_holes(metrics, measure):
            found |= _claimed(alike, measure, units, how, adjusted, level, tested)
        rows += [found[metric.name] for metric in metrics]
    return rows


def _with_the_same_holes(metrics: Sequence[Column], measure: Column) -> list[list[Column]]:
    """Metrics that are held against the measure over the same systems, and so under the same exchanges."""
    groups: dict[bytes, list[Column]] = {}
    for metric in metrics:
        groups.setdefault((np.isfinite(metric.values) & np.isfinite(measure.values)).tobytes(), []).append(metric)
    return list(groups.values())


def real_metrics(board: Scoreboard) -> tuple[Column, ...]:
    """The metric columns but for those that are `known_before`, which nobody declared metadata."""
    return tuple(column for column in board.metrics if not known_before(column.name))


def _adjusted(metrics: Sequence[Column], measure: Column, units: Units, how: Permuting) -> dict[str, float]:
    """Adjusted p by name, of the metrics that are compared."""
    if not metrics or len(measure.values) > MOST:
        return {}
    x, y = np.stack([column.oriented for column in metrics]), measure.oriented
    compared, rows = common_systems(x, y)
    compared, rows = _varying(x, y, compared, rows)
    if not len(compared):
        return {}
    part = x[compared][:, rows]
    unit = units.only(rows).index
    found = adjusted_p_values(part, y[rows], unit, alpha=how.alpha, samples=how.samples, seed=how.seed)
    return {metrics[m].name: float(p) for m, p in zip(compared.tolist(), found.adjusted, strict=True)}


def _varying(x: Doubles, y: Doubles, compared: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The metrics that are not constant over these systems; none where the measure is."""
    if not len(rows) or np.ptp(y[rows]) == 0:
        return compared[:0], rows
    return compared[np.ptp(x[compared][:, rows], axis=1) > 0], rows


def _claimed(
    metrics: Sequence[Column],
    measure: Column,
    units: Units,
    how: Permuting,
    adjusted: Mapping[str, float],
    level: float,
    tested: bool,
) -> dict[str, Claim]:
    """The claims of metrics that lack the same systems, by name."""
    rows = np.flatnonzero(np.isfinite(metrics[0].values) & np.isfinite(measure.values))
    own = units.only(rows)
    if own.number < 2 or len(rows) > MOST:
        few = ALONG if units.along_training else "fewer than two independent systems"
        note = few if own.number < 2 else too_many(len(rows))
        return {metric.name: _unsaid(metric, measure, units, len(rows), own.number, note) for metric in metrics}
    x, y = np.stack([metric.oriented[rows] for metric in metrics]), measure.oriented[rows]
    agreed = agreements(x, y, own.index, level)
    tests: Sequence[Tested | None] = [None] * len(metrics)
    if not units.along_training and (tested or any(isnan(found.low) for found in agreed)):
        tests = permutation_tests(x, y, own.index, alpha=how.alpha, samples=how.samples, seed=how.seed)
    claimed = {}
    for metric, found, test in zip(metrics, agreed, tests, strict=True):
        if isnan(found.tau):
            claimed[metric.name] = _unsaid(metric, measure, units, len(rows), own.number, found.note)
            continue
        low, high, p, error, note = found.low, found.high, nan, 0.0, found.note
        if units.along_training:
            low, high, note = nan, nan, ALONG
        elif test is not None:
            p = test.p_value
            error = 0.0 if test.exact or isnan(p) else sqrt(p * (1 - p) / how.samples)
            notes = (test.note,) if test.note.startswith(found.note) else (test.note, found.note)
            note = "; ".join(filter(None, notes))
        scheme = "" if isnan(low) else f"{100 * level:g} %: {_estimand(own)}"
        claimed[metric.name] = Claim(
            measure.name, metric.name, found.tau, found.within, low, high, p, adjusted.get(metric.name, nan),
            found.disagree, len(rows), own.number, own.source, scheme, note, error,
        )  # fmt: skip
    return claimed


def _estimand(units: Units) -> str:
    """What the interval is of, and how it was found."""
    if units.independent:
        of, sample = "tau of these topics and segments; systems are a sample", f"{units.number} systems"
    else:
        of = "tau between units, of these topics and segments; units are a sample"
        sample = f"{units.number} units ({units.source})"
    return f"{of}; jackknife over {sample}, t"


def _unsaid(metric: Column, measure: Column, units: Units, n: int, number: int, note: str) -> Claim:
    return Claim(
        measure.name, metric.name, nan, nan, nan, nan, nan, nan, False, n, number, units.source, "", note
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Selected:
    """Which metrics may be the best for one measure, trivial predictors among them.

    `names` of the columns compared, `trivial`: which of them are known before anything is translated; `best`: aligned
    with `names`; `left_out`: metrics not compared, for their holes; `rows`: the systems compared.
    """

    measure: str
    names: tuple[str, ...]
    trivial: tuple[bool, ...]
    best: Best
    left_out: tuple[str, ...]
    rows: Ints

    @property
    def why(self) -> str:
        """Why nothing is said of the best; nothing where something is."""
        name = self.names[self.best.unknown]
        return self.best.note.replace("tau is", f"tau of {name} is").replace("a column is", f"{name} is")


def selected(board: Scoreboard, measure: Column, units: Units, *, seed: int = 0) -> Selected | None:
    """The comparison of all metrics and trivial predictors over common systems; None along training, for too many
    systems or without metrics.

    A trivial predictor is turned so that it agrees with the measure: whoever picks by it knows which way it goes. One
    that is in the set does as well as the metrics as far as can be told.
    """
    metrics = real_metrics(board)
    if units.along_training or not metrics or len(board.systems) > MOST:
        return None
    y = measure.oriented
    x = np.stack([column.oriented for column in metrics])
    whole, rows = common_systems(x, y)
    compared, rows = _varying(x, y, whole, rows)
    columns = [(metrics[m].name, metrics[m].oriented[rows]) for m in compared.tolist()]
    own = units.only(rows)
    if not columns or own.number < 2:
        return None
    trivial = [
        (name, values[rows])
        for name, values in covariates(board, units).items()
        if np.isfinite(values[rows]).all() and np.ptp(values[rows]) > 0
    ]
    turned = [-1.0 if agreements(values[None], y[rows], own.index)[0].tau < 0 else 1.0 for _, values in trivial]
    every = [*columns, *((name, sign * values) for sign, (name, values) in zip(turned, trivial, strict=True))]
    best = best_metrics(np.stack([values for _, values in every]), y[rows], own.index, seed=seed)
    return Selected(
        measure.name,
        tuple(name for name, _ in every),
        tuple(at >= len(columns) for at in range(len(every))),
        best,
        tuple(column.name for m, column in enumerate(metrics) if m not in whole),
        rows,
    )


def beyond_known(
    board: Scoreboard, units: Units, names: Sequence[str], how: Permuting
) -> dict[tuple[str, str], Beyond]:
    """What each metric says of each measure beyond the named covariates, by (measure, metric).

    Where systems are units by themselves but a further metadata column takes the same few values at every value of
    the covariate (two vocabularies at each training size), those values are the units: it may move both sides alike
    everywhere. Raises `UnknownName` for a covariate that the systems do not have.
    """
    known = covariates(board, units)
    for name in names:
        if name not in known:
            raise UnknownName("covariate", name, known)
    given = np.stack([known[name] for name in names])
    found = {}
    for measure in board.measures:
        for metric in real_metrics(board):
            rows = np.flatnonzero(np.isfinite(metric.values + measure.values) & np.isfinite(given).all(axis=0))
            if len(rows) < 2:
                nothing = Beyond(nan, nan, "", 0, len(rows), len(rows), 1.0, "fewer than two independent systems")
                found[measure.name, metric.name] = nothing
                continue
            unit = _factor(board, units, names, rows)
            x, y = metric.oriented[None, rows], measure.oriented[rows]
            one = beyond(x, y, unit, given[:, rows], how)[0]
            found[measure.name, metric.name] = one
    return found


def _factor(board: Scoreboard, units: Units, names: Sequence[str], rows: Ints) -> Ints:
    """(rows,): the units; those of the further columns that repeat, where systems are units by themselves."""
    if not units.independent:
        return units.only(rows).index
    repeated = []
    for name, cells in board.metadata.items():
        labels = [cells[i] for i in rows.tolist()]
        if name not in names and 1 < len(set(labels)) <= len(labels) / 2:
            repeated.append(labels)
    labels = ["/".join(values) for values in zip(*repeated, strict=True)] if repeated else []
    if not labels or len(set(labels)) > len(labels) / 2:
        return units.only(rows).index
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    return np.array([number[label] for label in labels], dtype=np.int64)
