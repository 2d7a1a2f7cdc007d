"""Several collections pooled: each metric's tau and each pair's difference, by source of judgments, measure, retriever.

A stratum holds estimates that may be pooled; a setting is one measure of one collection, and settings of collections
that have something in common are one entry.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan, sqrt
from pathlib import Path

import numpy as np

from clirbench.errors import InputError
from clirbench.labs.collections.model import (
    FEWEST_FREEDOM,
    FEWEST_TO_PREDICT,
    joined,
    pooled_mean,
    prediction,
    tau_covariance,
)
from clirbench.labs.collections.reading import Collection, collections, counted_as_one, different, differing
from clirbench.pages import fixed
from clirbench.scoreboard import Column
from clirbench.statistics.coefficients import holm
from clirbench.statistics.given import estimates, real_metrics
from clirbench.types import Doubles, Ints, by_key

FEWEST_UNITS = 4
COSTLIEST = 0.1
"""The share of systems that one metric's holes may cost the comparison of all; a metric that costs more is left out."""
LEAST = 1e-12
"""A variance below it is no noise that could be known."""


@dataclass(frozen=True, order=True)
class Stratum:
    """What is never averaged: the source of judgments (a `Judge`, or `imported`), the measure, the retriever."""

    judge: str
    measure: str
    retriever: str

    @classmethod
    def of(cls, measure: Column) -> "Stratum":
        """From what a measure's parts declare; an imported one declares nothing."""
        name = measure.name.partition("[")[0]
        return cls(measure.judged_by, name, measure.retriever)

    def __str__(self) -> str:
        """`MAP (pseudo-relevance, bm25)`."""
        retriever = f", {self.retriever}" if self.retriever != self.judge else ""
        return f"{self.measure} ({self.judge}{retriever})"


@dataclass(frozen=True)
class Compared(Stratum):
    """A metric, or (`other`) its difference from another one, in one stratum."""

    metric: str
    other: str

    @property
    def stratum(self) -> Stratum:
        return Stratum(self.judge, self.measure, self.retriever)

    @property
    def name(self) -> str:
        """`MacroF1 - BLEU`."""
        return f"{self.metric} - {self.other}" if self.other else self.metric


@dataclass(frozen=True)
class Pooled(Compared):
    """One metric's tau with a measure, or (`other`) how much higher it is than another's, over collections.

    `value` in [-1, 1], of differences in [-2, 2]; `ci_low`, `ci_high`: of the mean over collections; `p_holm`: over all
    pairs of the stratum, or of a family of the plan; `new_low`, `new_high`: where a new collection's true value is.
    `collections` that count, of `settings` that were pooled; `sd_between` collections, `share` of the variance that is
    not noise, `p_same` of "noise explains all". `texts`: groups of collections that share something; `interval`: over
    which of the two it is; `makers`: the share of the squared error that common makers of systems add.
    In a planned study `view` of the data, `verdict`, and `needed`: the number of collections that would settle it.
    """

    value: float
    ci_low: float
    ci_high: float
    p_value: float
    p_holm: float
    new_low: float
    new_high: float
    collections: int
    settings: int
    systems: int
    sd_between: float
    share: float
    p_same: float
    texts: int
    interval: str
    makers: float
    note: str
    view: str = ""
    verdict: str = ""
    needed: str = ""


@dataclass(frozen=True)
class Point(Compared):
    """What one collection says: `value` -+ 1.96 `error`, its error from the pooled tau; `settings` that it averages."""

    collection: str
    value: float
    error: float
    systems: int
    settings: int


@dataclass(frozen=True, eq=False)
class Setting:
    """One measure of one collection: how each of its metrics agrees with it, over the same systems.

    `tau`: (m,) between units; `influence`: (units, m); `labels`: the units'; `between`: (m, m) taus of the metrics with
    each other.
    """

    name: str
    collection: Collection
    metrics: tuple[str, ...]
    tau: Doubles
    influence: Doubles
    labels: tuple[str, ...]
    between: Doubles


@dataclass(frozen=True, eq=False)
class PooledEntry:
    """Settings of one collection, joined: their mean, its variance from joint resamples, independent systems."""

    value: float
    variance: float
    systems: int = 0
    settings: tuple[Setting, ...] = ()

    @property
    def name(self) -> str:
        return "+".join(setting.name for setting in self.settings)


@dataclass(frozen=True)
class Pooling:
    """Everything that was pooled: `rows`, `points` (what each collection says), `collections` by name, `merged`: which
    runs count as one collection, why, and how to undo that, and `notes`."""

    rows: tuple[Pooled, ...]
    points: tuple[Point, ...]
    collections: tuple[str, ...]
    merged: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def strata(self) -> dict[Stratum, list[Pooled]]:
        return by_key((row.stratum, row) for row in self.rows)


def pool(
    folders: Sequence[Path],
    groups: Sequence[str] = (),
    measures: Sequence[str] = (),
    metrics: Sequence[str] = (),
    apart: Sequence[str] = (),
) -> Pooling:
    """Pool runs (their folders) and score tables with a column `collection` (files; `measures` are their IR
    measures, `metrics` those of their other columns that count: all by default).

    `groups`: what collections may share (`pair`, `year`, of `pool.about`); those with an equal value are kept together.
    `apart`: runs, by name, that count by themselves though they share texts with others.
    Raises `InputError` for a folder that is no run, a collection that stands twice, runs without a common metric or
    measure.
    """
    held = collections(folders, groups, measures, metrics, apart)
    found, notes = strata(held)
    merged = tuple(counted_as_one(held))
    parts = [pool_stratum(stratum, settings, groups) for stratum, settings in found.items()]
    rows = tuple(row for own, _ in parts for row in own)
    if not rows:
        raise InputError(_nothing(held, merged, notes))
    points = tuple(point for _, own in parts for point in own)
    return Pooling(rows, points, tuple(one.name for one in held), merged, (*differing(held), *notes))


def _nothing(held: Sequence[Collection], merged: Sequence[str], notes: Sequence[str]) -> str:
    if len(held) == 1:
        return f"there is nothing to pool: {held[0].name} is one collection; name the folders of two runs or more"
    if merged and not different(held):
        return f"there is nothing to pool: {merged[0]}"
    lines = [f"{one.name}: {', '.join(column.name for column in one.board.columns) or 'no column'}" for one in held]
    head = "no two of these collections have a metric and a measure in common, judged in the same way:"
    return "\n  ".join([head, *lines, *merged, *notes])


def strata(held: Sequence[Collection]) -> tuple[dict[Stratum, list[Setting]], list[str]]:
    """The settings of each stratum, and why measures or metrics were left out."""
    found: dict[Stratum, list[Setting]] = {}
    notes: dict[str, None] = {}
    for collection in held:
        for measure in collection.board.measures:
            setting = _setting(collection, measure)
            if isinstance(setting, Setting):
                found.setdefault(Stratum.of(measure), []).append(setting)
                lost = [c.name for c in real_metrics(collection.board) if c.name not in setting.metrics]
                if lost:
                    notes[f"{collection.name}: {', '.join(lost)}: holes, or one value for all systems"] = None
            else:
                notes[f"{collection.name}: {setting}"] = None
    return found, list(notes)


def _setting(collection: Collection, measure: Column) -> Setting | str:
    """One setting, or why there is none."""
    if collection.units.along_training:
        return "left out: checkpoints along training, whose tau proves nothing"
    columns = real_metrics(collection.board)
    if not columns:
        return "left out: it has no metric"
    x, y = np.stack([column.oriented for column in columns]), measure.oriented
    kept, rows = common_systems(x, y)
    kept = np.array([m for m in kept.tolist() if np.ptp(x[m][rows]) > 0], dtype=np.int64)
    own = collection.units.only(rows)
    if not len(kept) or not len(rows) or np.ptp(y[rows]) == 0 or own.number < FEWEST_UNITS:
        return f"{measure.name} is left out: fewer than {FEWEST_UNITS} independent systems that differ"
    part = x[kept][:, rows]
    found = estimates(part, y[rows], own.index)
    between = np.stack([estimates(part, column, own.index).tau for column in part])
    _, bracket, mark = measure.name.partition("[")
    name = f"{collection.name} {bracket}{mark}" if bracket else collection.name
    metrics, labels = tuple(columns[m].name for m in kept.tolist()), tuple(dict.fromkeys(own.labels))
    return Setting(name, collection, metrics, found.tau, found.influence, labels, between)


def common_systems(x: Doubles, y: Doubles) -> tuple[Ints, Ints]:
    """(metrics, systems) that are compared: indices such that no value is missing.

    The metrics with most holes are left out until the others lack no more than a tenth of the systems that the
    measure has. `x`: (metrics, n), `y`: (n,), NaN for holes.
    """
    there = np.isfinite(x) & np.isfinite(y)
    wanted = (1 - COSTLIEST) * np.isfinite(y).sum()
    kept = list(range(len(x)))
    while kept:
        systems = np.flatnonzero(there[kept].all(axis=0))
        if len(systems) >= wanted:
            return np.array(kept, dtype=np.int64), systems
        kept.remove(min(kept, key=lambda m: (int(there[m].sum()), -m)))
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)


def pool_stratum(
    stratum: Stratum, settings: Sequence[Setting], groups: Sequence[str] = ()
) -> tuple[list[Pooled], list[Point]]:
    """All metrics, then all pairs of metrics, that at least two collections have; and what each collection says.

    `groups`: names in `about`; collections with an equal value in any of them are kept together.
    """
    number = Counter(metric for setting in settings for metric in setting.metrics)
    metrics = [metric for metric, settings_with in number.items() if settings_with > 1]
    rows, points = [], []
    pairs = [*((metric, "") for metric in metrics), *combinations(metrics, 2)]
    for of, entries in contrasts(stratum, settings, metrics, pairs):
        together = shared(entries, lambda one: {f"{name}={one.about[name]}" for name in groups if one.about.get(name)})
        rows.append(pooled_row(of, entries, together, f"same {' or '.join(groups)}"))
        points += [
            Point(**vars(of), collection=e.name, value=e.value, error=sqrt(e.variance), systems=e.systems,
                  settings=len(e.settings))
            for e in entries
        ]  # fmt: skip
    adjusted = iter(holm([row.p_value for row in rows if row.other]))
    return [replace(row, p_holm=next(adjusted)) if row.other else row for row in rows], points


def contrasts(
    stratum: Stratum, settings: Sequence[Setting], metrics: Sequence[str], pairs: Iterable[tuple[str, str]]
) -> Iterator[tuple[Compared, list[PooledEntry]]]:
    """Each of these taus and differences that at least two collections have, and its entries.

    `metrics`: all whose pooled taus tell the noise.
    """
    if not metrics:
        return
    noise = sampling_noise(metrics, settings)
    alike = [
        (j, i)
        for i, one in enumerate(settings)
        for j, other in enumerate(settings[:i])
        if one.collection is other.collection or one.collection.in_common(other.collection)
    ]
    for metric, other in pairs:
        of = Compared(**vars(stratum), metric=metric, other=other)
        there = [i for i, s in enumerate(settings) if metric in s.metrics and (not other or other in s.metrics)]
        signs = np.array([float(name == metric) - float(name == other) for name in metrics])
        cluster = joined([[there.index(i) for i in pair] for pair in alike if {*pair} <= {*there}], len(there))
        entries = []
        for label in np.unique(cluster):
            held = [there[i] for i in np.flatnonzero(cluster == label)]
            entries.append(_entry([settings[i] for i in held], noise[held] @ signs @ signs, of))
        if len(entries) > 1:
            yield of, entries


def _entry(settings: Sequence[Setting], variances: Doubles, of: Compared) -> PooledEntry:
    errors = np.sqrt(np.maximum(variances, 0.0))  # metrics that order alike: 0 up to rounding
    values = [float(contrast(s.tau, s, of)) for s in settings]
    variance = float(errors @ _likeness(settings, of) @ errors) / len(settings) ** 2
    return PooledEntry(float(np.mean(values)), variance, max(len(s.labels) for s in settings), tuple(settings))


def contrast(values: Doubles, setting: Setting, of: Compared) -> Doubles:
    """Of `values` (..., m) of a setting's metrics that of one, or what it is more than another's."""
    first = values[..., setting.metrics.index(of.metric)]
    return np.asarray(first - values[..., setting.metrics.index(of.other)] if of.other else first)


def _likeness(settings: Sequence[Setting], of: Compared) -> Doubles:
    """(s, s): correlation of the settings' estimates, from what each common unit does to both; not below 0."""
    labels = list(dict.fromkeys(label for s in settings for label in s.labels))
    influence = np.zeros((len(settings), len(labels)))
    for i, s in enumerate(settings):
        influence[i, [labels.index(label) for label in s.labels]] = contrast(s.influence, s, of)
    size = np.sqrt((influence**2).sum(axis=1))
    alike = np.clip(influence @ influence.T / np.maximum(np.outer(size, size), 1e-300), 0.0, 1.0)
    np.fill_diagonal(alike, 1.0)
    return alike


def sampling_noise(metrics: Sequence[str], settings: Sequence[Setting]) -> Doubles:
    """(settings, m, m): sampling covariance of the taus in each setting, all from the same pooled taus."""
    m = len(metrics)
    taus, between = np.full((len(settings), m), nan), np.full((len(settings), m, m), nan)
    for i, setting in enumerate(settings):
        at = [metrics.index(name) for name in setting.metrics if name in metrics]
        own = [k for k, name in enumerate(setting.metrics) if name in metrics]
        taus[i, at] = setting.tau[own]
        between[np.ix_([i], at, at)] = setting.between[np.ix_(own, own)]
    units = np.array([len(setting.labels) for setting in settings])
    middle = _average(between, units)
    np.fill_diagonal(middle, 1.0)
    return tau_covariance(_average(taus, units), np.nan_to_num(middle), units)


def _average(values: Doubles, units: Ints) -> Doubles:
    """Over the first axis, weighted by the number of independent systems, holes left out."""
    weight = np.where(np.isnan(values), 0.0, units.reshape(-1, *[1] * (values.ndim - 1)))
    return np.asarray((weight * np.nan_to_num(values)).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-300))


def shared(entries: Sequence[PooledEntry], what: Callable[[Collection], Iterable[str]]) -> Ints:
    """(entries,) labels 0, 1, ...: equal where entries are connected by something that their collections share."""
    held = [{text for setting in entry.settings for text in what(setting.collection)} - {""} for entry in entries]
    every = sorted({text for own in held for text in own})
    return joined([[i for i, own in enumerate(held) if text in own] for text in every], len(entries))


def pooled_row(
    of: Compared,
    entries: Sequence[PooledEntry],
    together: Ints | None = None,
    why: str = "",
    makers: Sequence[Mapping[str, float]] = (),
    level: float = 0.95,
) -> Pooled:
    """The row of at least two entries; `together`: labels of those that share something, `why`: what."""
    y, v = np.array([e.value for e in entries]), np.array([e.variance for e in entries])
    known, limit = bool((v >= LEAST).all()), 2.0 if of.other else 1.0
    v = np.maximum(v, LEAST)
    found = pooled_mean(y, v, level, together, makers)
    low, high, p, new = found.low, found.high, found.p_value, (nan, nan)
    if found.groups == len(y):
        # Where collections agree by luck, the mean's interval is held to its noise; a new one is no surer.
        new = prediction(y, v, level=level)
        new = (min(new[0], low), max(new[1], high)) if len(y) >= FEWEST_TO_PREDICT else new
    note = "" if len(y) >= FEWEST_TO_PREDICT else f"no prediction: fewer than {FEWEST_TO_PREDICT} collections"
    if found.freedom < FEWEST_FREEDOM and found.grouped:
        note = f"no interval: {fixed(found.freedom, 1)} degrees of freedom over groups of the {why}"
    if not known:
        low, high, p, new = nan, nan, nan, (nan, nan)
        note = "the pooled tau is 1, or both metrics order alike: how sure cannot be estimated"
    bounds = [float(np.clip(value, -limit, limit)) for value in (low, high, *new)]
    return Pooled(
        **vars(of), value=found.value, ci_low=bounds[0], ci_high=bounds[1], p_value=p, p_holm=nan, new_low=bounds[2],
        new_high=bounds[3], collections=len(y), settings=sum(len(e.settings) for e in entries),
        systems=sum(e.systems for e in entries), sd_between=sqrt(found.tau2), share=found.share, p_same=found.p_same,
        texts=found.groups, interval=why if found.grouped else "collections", makers=found.makers, note=note,
    )  # fmt: skip
