"""From settings to pooled estimates: each metric's tau and each pair's difference, stratum by stratum."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import numpy as np

from clirbench.labs.collections.statistics.clusters import cluster_robust, joined, sign_flip
from clirbench.labs.collections.statistics.random_effects import FEWEST_TO_PREDICT, INTERVAL, pooled_mean, prediction
from clirbench.labs.collections.statistics.settings import AboutMetric, Setting, Stratum, same_collection
from clirbench.labs.collections.statistics.variances import tau_covariance
from clirbench.pages.wording import fixed, short
from clirbench.statistics.p_values import holm
from clirbench.types import Doubles, Ints


@dataclass(frozen=True)
class Pooled(AboutMetric):
    """One metric's tau with a measure, or (`other`) how much higher it is than another's, over collections.

    `value` in [-1, 1], of differences in [-2, 2]; `ci_low`, `ci_high`: of the mean over collections; `p_holm`: over all
    pairs of the stratum; `new_low`, `new_high`: where a new collection's true value lies. `collections` that count,
    of `settings` that were pooled; `sd_between` collections, `share` of the variance that is not noise, `p_same` of
    "noise explains all". `p_flip`: by flipping signs, `smallest_flip` the smallest it could be. `least`, `most`: with
    one collection left out; `fragile`: those without which the interval's verdict on 0 is another.
    """

    other: str
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
    freedom: float
    sd_between: float
    share: float
    p_same: float
    p_flip: float
    smallest_flip: float
    least: float
    most: float
    fragile: str
    scheme: str
    note: str


@dataclass(frozen=True)
class Point(AboutMetric):
    """What one collection says: `value` -+ 1.96 `error`, its error from the pooled tau; `settings` that it averages."""

    other: str
    collection: str
    value: float
    error: float
    systems: int
    settings: int


@dataclass(frozen=True, eq=False)
class PooledEntry:
    """Settings of one collection, joined: their mean, its variance from joint resamples, independent systems."""

    names: tuple[str, ...]
    value: float
    variance: float
    systems: int
    settings: tuple[Setting, ...]


def pool_stratum(
    stratum: Stratum, settings: Sequence[Setting], groups: Sequence[str] = (), *, level: float = 0.95, seed: int = 0
) -> tuple[list[Pooled], list[Point]]:
    """All metrics, then all pairs of metrics, that at least two collections have; and what each collection says.

    `groups`: names in `about`; collections with an equal value in any of them are kept together (CR2).
    """
    metrics = [
        m for m in dict.fromkeys(m for s in settings for m in s.metrics) if sum(m in s.metrics for s in settings) > 1
    ]
    noise = sampling_noise(metrics, settings)
    alike = list(same_collection(settings))
    contrasts = [(m, "") for m in metrics] + list(combinations(metrics, 2))
    rows, points = [], []
    for metric, other in contrasts:
        there = [i for i, s in enumerate(settings) if metric in s.metrics and (not other or other in s.metrics)]
        signs = np.array([float(m == metric) - float(m == other) for m in metrics])
        variances = np.einsum("a,kab,b->k", signs, noise[there], signs) if there else np.empty(0)
        pairs = [[there.index(i) for i in pair] for pair in alike if set(pair) <= set(there)]
        entries = list(entries_of([settings[i] for i in there], pairs, variances, metric, other))
        if len(entries) < 2:
            continue
        row = _pooled(stratum, metric, other, entries, groups, level, seed)
        rows.append(row)
        points += [_point(row, entry) for entry in entries]
    adjusted = iter(holm([row.p_value for row in rows if row.other]))
    return [replace(row, p_holm=next(adjusted)) if row.other else row for row in rows], points


def estimates_of(settings: Sequence[Setting], metric: str, other: str = "") -> list[PooledEntry]:
    """The tau of a metric, or how much higher it is than another's, of each collection that has it."""
    metrics = list(dict.fromkeys(name for setting in settings for name in setting.metrics))
    there = [i for i, s in enumerate(settings) if metric in s.metrics and (not other or other in s.metrics)]
    if not there:
        return []
    signs = np.array([float(name == metric) - float(name == other) for name in metrics])
    variances = np.einsum("a,kab,b->k", signs, sampling_noise(metrics, settings)[there], signs)
    pairs = [[there.index(i) for i in pair] for pair in same_collection(settings) if set(pair) <= set(there)]
    return list(entries_of([settings[i] for i in there], pairs, variances, metric, other))


def sampling_noise(metrics: Sequence[str], settings: Sequence[Setting]) -> Doubles:
    """(settings, m, m): sampling covariance of the taus in each setting, all from the same pooled taus."""
    m = len(metrics)
    taus, between = np.full((len(settings), m), nan), np.full((len(settings), m, m), nan)
    for i, setting in enumerate(settings):
        at = [metrics.index(name) for name in setting.metrics if name in metrics]
        own = [k for k, name in enumerate(setting.metrics) if name in metrics]
        taus[i, at] = setting.tau[own]
        between[np.ix_([i], at, at)] = setting.between[np.ix_(own, own)]
    units = np.array([setting.units for setting in settings])
    middle = _average(between, units)
    np.fill_diagonal(middle, 1.0)
    return tau_covariance(_average(taus, units), np.nan_to_num(middle), units)


def _average(values: Doubles, units: Ints) -> Doubles:
    """Over the first axis, weighted by the number of independent systems, holes left out."""
    weight = np.where(np.isnan(values), 0.0, units.reshape(-1, *[1] * (values.ndim - 1)))
    return np.asarray((weight * np.nan_to_num(values)).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-300))


def entries_of(
    settings: Sequence[Setting], alike: list[list[int]], variances: Doubles, metric: str, other: str
) -> Iterator[PooledEntry]:
    """`alike`: pairs of settings of one collection."""
    cluster = joined(alike, len(settings))
    for label in range(int(cluster.max()) + 1 if len(cluster) else 0):
        own = np.flatnonzero(cluster == label).tolist()
        held = [settings[i] for i in own]
        values = [contrast(s.tau, s, metric, other) for s in held]
        errors = np.sqrt(np.maximum(variances[own], 0.0))  # metrics that order alike: 0 up to rounding
        variance = float(errors @ _likeness(held, metric, other) @ errors) / len(own) ** 2
        names = tuple(s.name for s in held)
        yield PooledEntry(names, float(np.mean(values)), variance, max(s.units for s in held), tuple(held))


def contrast(values: Doubles, setting: Setting, metric: str, other: str) -> Doubles:
    first = values[..., setting.metrics.index(metric)]
    return np.asarray(first - values[..., setting.metrics.index(other)] if other else first)


def _likeness(settings: Sequence[Setting], metric: str, other: str) -> Doubles:
    """(s, s): correlation of the settings' estimates, from what each common unit does to both; not below 0."""
    labels = list(dict.fromkeys(label for s in settings for label in s.labels))
    influence = np.zeros((len(settings), len(labels)))
    for i, setting in enumerate(settings):
        influence[i, [labels.index(label) for label in setting.labels]] = contrast(
            setting.influence, setting, metric, other
        )
    size = np.sqrt((influence**2).sum(axis=1))
    alike = np.clip(influence @ influence.T / np.maximum(np.outer(size, size), 1e-300), 0.0, 1.0)
    np.fill_diagonal(alike, 1.0)
    return alike


def _pooled(
    stratum: Stratum,
    metric: str,
    other: str,
    entries: Sequence[PooledEntry],
    groups: Sequence[str],
    level: float,
    seed: int,
) -> Pooled:
    y, v = np.array([e.value for e in entries]), np.array([e.variance for e in entries])
    limit = 2.0 if other else 1.0
    note = ""
    if not (v > 1e-12).all():
        v, note = np.maximum(v, 1e-12), "the pooled tau is 1, or both metrics order alike: how sure cannot be estimated"
    found = pooled_mean(y, v, level)
    low, high, p, freedom = found.low, found.high, found.p_value, found.freedom
    new = prediction(y, v, level=level, seed=seed)
    cluster, how = np.arange(len(y)), f"Paule-Mandel, {INTERVAL} over {len(y)} collections"
    together = joined(list(_sharing(entries, groups)), len(y))
    if groups and int(together.max()) + 1 < len(y):
        robust = cluster_robust(y, v + found.tau2, together, level)
        low, high, p, freedom, new = robust.low, robust.high, robust.p_value, robust.freedom, (nan, nan)
        cluster, how = together, f"CR2 over {int(together.max()) + 1} clusters ({', '.join(groups)})"
        if isnan(low):
            note = (
                note
                or f"no interval: {fixed(freedom, 1)} degrees of freedom, for collections that share "
                f"{' or '.join(groups)}"
            )
    elif len(y) < FEWEST_TO_PREDICT:
        note = note or f"no prediction: fewer than {FEWEST_TO_PREDICT} collections"
    if note.startswith("the pooled"):
        low, high, p, new = nan, nan, nan, (nan, nan)
    # Where collections agree by luck, the mean's interval is held to its noise; a new one is no surer than the mean.
    new = (min(new[0], low), max(new[1], high)) if not isnan(new[0]) else new
    flip, smallest = sign_flip(y, cluster, seed=seed)
    left = [pooled_mean(np.delete(y, i), np.delete(v, i), level) for i in range(len(y))]
    sure = low > 0 or high < 0
    fragile = [
        "+".join(e.names)
        for e, m in zip(entries, left, strict=True)
        if not isnan(low) and (m.low > 0 or m.high < 0) != sure
    ]
    bounds = [float(np.clip(value, -limit, limit)) for value in (low, high, *new)]
    return Pooled(
        stratum.judge, stratum.measure, stratum.retriever, metric, other, found.mean, bounds[0], bounds[1], p, nan,
        bounds[2], bounds[3], len(y), sum(len(e.names) for e in entries), sum(e.systems for e in entries), freedom,
        float(np.sqrt(found.tau2)), found.share, found.p_same, flip, smallest,
        min(m.mean for m in left), max(m.mean for m in left), ", ".join(fragile),
        "" if isnan(low) else f"{short(100 * level)} %: mean over collections like these; {how}", note,
    )  # fmt: skip


def _sharing(entries: Sequence[PooledEntry], groups: Sequence[str]) -> Iterator[list[int]]:
    """Entries that have a value of a group in common."""
    for group in groups:
        values = [{s.collection.about.get(group, "") for s in e.settings} - {""} for e in entries]
        for value in set().union(*values):
            yield [i for i, held in enumerate(values) if value in held]


def _point(row: Pooled, entry: PooledEntry) -> Point:
    name, error = "+".join(entry.names), float(np.sqrt(entry.variance))
    return Point(
        row.judge, row.measure, row.retriever, row.metric, row.other, name, entry.value, error, entry.systems,
        len(entry.names),
    )  # fmt: skip
