"""Ceiling, baseline, rises of metrics and bias of pseudo-relevance, for benchmarks/validity.py.

Widths stand beside those of an oracle that knows the noise. The decision has a gate of its own, decision_validity.py.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from benchmarks.validity_units import Cell
from benchmarks.worlds import BASE, NULL_WORLDS, TRUE_WORLDS, Recipe
from clirbench.labs.choosing.choice import rise_of
from clirbench.statistics.agreement import jackknifed, taus
from clirbench.statistics.ceiling import between_error, ceiling
from clirbench.statistics.decision import compare_with_baseline, jackknifed_slope
from clirbench.statistics.noise import topic_noise

Doubles = np.typing.NDArray[np.float64]
See = Iterator[tuple[str, float]]


def noise_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """The ceiling."""
    world = recipe.draw(rng)
    noise = topic_noise(world.per_topic, world.unit)
    error = between_error(noise.covariance, world.unit)
    top = ceiling(world.y, error, noise.freedom, world.unit)
    true_error = recipe._topic_variance / recipe.topics
    perfect = 2 / math.pi * math.asin(math.sqrt(1 / (1 + true_error)))
    yield "cover ceiling", float(top.low <= perfect <= top.high) if not math.isnan(top.low) else math.nan
    yield "width ceiling", top.high - top.low
    known = ceiling(world.y, true_error, math.inf, world.unit)
    yield "oracle ceiling", known.high - known.low


def pair_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Rise, bias of pseudo-relevance."""
    world = recipe.draw(rng)
    found = rise_of(jackknifed_slope(world.x[0], world.y, world.unit)) if np.isfinite(world.x[0]).all() else None
    if found is not None:
        truth = population_rise(recipe) if recipe.taus[0] else math.inf
        yield "cover rise for .8", float(found.low <= truth <= found.high) if not math.isnan(found.low) else math.nan
        yield "width rise for .8", found.high / found.low
        pseudo = world.y + 0.5 * rng.normal(size=len(world.y))
        gap = taus(world.x[0], pseudo, world.unit) - taus(world.x[0], world.y, world.unit)
        bias = jackknifed(float(gap[0]), gap[1:])
        if recipe.alike == 0:
            expected = population_bias(recipe)
            said = not math.isnan(bias.low)
            yield "cover bias of pseudo-relevance", float(bias.low <= expected <= bias.high) if said else math.nan
            yield "width bias of pseudo-relevance", bias.high - bias.low


@cache
def population_rise(recipe: Recipe) -> float:
    from clirbench.statistics.decision import logistic_slope, rising_pairs

    rng = np.random.default_rng(5)
    found = []
    for _ in range(8):
        big = replace(recipe, units=600, size=1, sizes=(), holes=()).draw(rng)
        found.append(math.log(4) / float(logistic_slope(*rising_pairs(big.x[0], big.y))))
    return float(np.exp(np.mean(np.log(found))))


@cache
def population_bias(recipe: Recipe) -> float:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(5)
    big = replace(recipe, units=20_000, size=1, sizes=(), holes=(), topics=50)
    if recipe.topics != 50:
        scale = recipe._topic_variance / recipe.topics
        big = replace(big, reliability=1 / (1 + scale))
    world = replace(big, topics=1, reliability=1 / (1 + big._topic_variance / 50 / 50)).draw(rng)
    pseudo = world.y + 0.5 * rng.normal(size=len(world.y))
    return float(kendalltau(world.x[0], pseudo).statistic - kendalltau(world.x[0], world.y).statistic)


def baseline_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Two systems; differences normal, skewed, or mostly 0; `reliability` is not used."""
    k, margin = recipe.topics, 0.3
    for shape in ("normal", "skewed", "mostly ties"):
        d = rng.normal(size=k) if shape == "normal" else rng.exponential(size=k) - 1
        if shape == "mostly ties":
            d = rng.normal(size=k) * (rng.uniform(size=k) < 0.3) * 1.8
        zero = np.zeros(k)
        verdict = compare_with_baseline(d, zero, margin, seed=seed)
        said = verdict.verdict
        wrong = float(said in ("better", "worse")) if not verdict.note else math.nan
        yield f"error better or worse, {shape}", wrong
        low = compare_with_baseline(d - margin, zero, margin, seed=seed)
        wrong = float(low.verdict in ("better", "not worse")) if not low.note else math.nan
        yield f"error not worse, {shape}", wrong
        bad = compare_with_baseline(-d - margin, zero, margin, seed=seed)
        wrong = float(bad.verdict in ("better", "not worse")) if not bad.note else math.nan
        yield f"error not worse, {shape} the other way", wrong
        covered = float(verdict.low <= 0 <= verdict.high) if not verdict.note else math.nan
        yield f"cover difference, {shape}", covered
        up = compare_with_baseline(d + 0.5, zero, margin, seed=seed)
        yield f"power better by .5 SD, {shape}", float(up.verdict == "better") if not up.note else math.nan


def _cells(
    start: str,
    check: Callable[..., See],
    worlds: Mapping[str, Recipe],
    share: float = 0.25,
    slow: Mapping[str, float] = {},
) -> dict[str, Cell]:
    return {
        f"{start}: {name}": Cell(
            partial(check, recipe), recipe.units if len(recipe.unit) == recipe.units else 0, slow.get(name, share)
        )
        for name, recipe in worlds.items()
    }


NORMAL = {name: w for name, w in TRUE_WORLDS.items() if not (w.binary or w.levels or w.bent or w.holes)}
OFTEN = (
    "base",
    "5 systems",
    "8 systems",
    "38 systems",
    "5 topics",
    "150 topics",
    "reliability 0.5",
    "reliability 0.99",
)
DECISIONS: Mapping[str, Cell] = {
    **_cells("noise", noise_rows, NORMAL, share=1.0),
    **_cells(
        "pairs", pair_rows, {name: TRUE_WORLDS[name] for name in OFTEN}, slow={"38 systems": 0.05, "150 topics": 0.1}
    ),
    **_cells("pairs, tau 0", pair_rows, {name: NULL_WORLDS[name] for name in ("base", "8 systems")}),
    **_cells(
        "baseline", baseline_rows, {f"{k} topics": replace(BASE, topics=k) for k in (5, 8, 12, 20, 50, 150)},
        slow={"50 topics": 0.25, "150 topics": 0.1},
    ),
}  # fmt: skip
