"""What is claimed of the systems of one run, in worlds whose truth is known: the cells of benchmarks/validity.py.

A cell yields names and values, see there. `difference` and `given` test metrics. The decision: these_systems.py.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchmarks.worlds import BASE, COVARIATE_WORLDS, NULL_WORLDS, TRUE_WORLDS, Recipe
from clirbench.statistics.agreement import Agreement, Interval
from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import between_error, ceiling, freedom
from clirbench.statistics.decision import compare_with_baseline
from clirbench.statistics.given import Permuting, beyond_known
from clirbench.statistics.grades import gap, unit_swaps

See = Iterator[tuple[str, float]]
ALPHA = 0.05
DRAWS = 499


@dataclass(frozen=True)
class Cell:
    """`see(rng, seed)`: one repetition; `units`: independent units, 0 where they are not alone; `share`: of all
    repetitions, less than 1 for what costs much; `data`: whether it needs the folder of real data."""

    see: Callable[[np.random.Generator, int], See]
    units: int = 0
    share: float = 1.0
    data: bool = False


def below(p: float) -> float:
    return math.nan if math.isnan(p) else float(p < ALPHA)


def inside(low: float, truth: float, high: float) -> float:
    """1 where an interval holds the truth, up to rounding; NaN where there is none."""
    return math.nan if math.isnan(low) else float(low - 1e-12 <= truth <= high + 1e-12)


def held(what: str, found: Interval | Agreement, truth: float) -> See:
    yield f"cover {what}", inside(found.low, truth, found.high)
    yield f"width {what}", found.high - found.low


def difference(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """The difference of the first two metrics, over the systems that both and the measure have."""
    world = recipe.draw(rng)
    if len(world.x) < 2:
        return
    rows = np.flatnonzero(np.isfinite(world.x[0] + world.x[1] + world.y))
    units = units_of(world.board)
    a, b, y = world.x[0, rows], world.x[1, rows], world.y[rows]
    kind = "error" if recipe.taus[0] == recipe.taus[1] else "power"
    own = units.only(rows)
    p = gap(a, b, y, own.index, swaps=unit_swaps(own.number, DRAWS, seed)).p_value
    yield f"{kind} difference of two metrics", below(p)
    yield "p difference of two metrics", p


def given(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Metrics that say nothing beyond the covariate."""
    board = recipe.draw(rng).board
    found = beyond_known(board, units_of(board), ["training_lines"], Permuting(samples=DRAWS, seed=seed))["MAP", "m0"]
    yield f"error beyond the covariate, {found.method}", below(found.p_value)


def noise(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """The ceiling, beside that of an oracle that knows the noise."""
    world = recipe.draw(rng)
    found = np.cov(world.per_topic) / recipe.topics
    true = recipe._topic_variance / recipe.topics
    top = ceiling(world.y, between_error(found, world.unit), freedom(found, recipe.topics), world.unit)
    yield from held("ceiling", top, 2 / math.pi * math.asin(math.sqrt(1 / (1 + true))))
    known = ceiling(world.y, true, 1e9, world.unit)
    yield "oracle ceiling", known.high - known.low


def baseline(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Two systems; differences normal, skewed, or mostly 0; of the recipe only its topics count."""
    k, margin = recipe.topics, 0.3
    for shape in ("normal", "skewed", "mostly ties"):
        d = rng.normal(size=k) if shape == "normal" else rng.exponential(size=k) - 1
        if shape == "mostly ties":
            d = rng.normal(size=k) * (rng.uniform(size=k) < 0.3) * 1.8
        cases = {
            f"error better or worse, {shape}": (d, ("better", "worse")),
            f"error not worse, {shape}": (d - margin, ("better", "not worse")),
            f"error not worse, {shape} the other way": (-d - margin, ("better", "not worse")),
            f"power better by .5 SD, {shape}": (d + 0.5, ("better",)),
        }
        for name, (values, claims) in cases.items():
            found = compare_with_baseline(values, np.zeros(k), margin, seed=seed)
            yield name, math.nan if found.note else float(found.verdict in claims)
            if values is d:
                yield f"cover difference, {shape}", inside(found.low, 0, found.high)


def cells(
    start: str,
    see: Callable[[Recipe, np.random.Generator, int], See],
    worlds: Mapping[str, Recipe],
    share: float = 1.0,
    slow: Mapping[str, float] = {},
) -> dict[str, Cell]:
    found = {}
    for name, recipe in worlds.items():
        units = recipe.units if len(recipe.unit) == recipe.units else 0
        large = see in (difference, given) and (units > 40 or (recipe.covariate > 0 and units > 20))
        found[f"{start}: {name}"] = Cell(partial(see, recipe), units, slow.get(name, share / 2 if large else share))
    return found


NORMAL = {name: w for name, w in TRUE_WORLDS.items() if not (w.binary or w.levels or w.bent or w.holes)}
SYSTEMS: Mapping[str, Cell] = {
    **cells("tau .6", difference, TRUE_WORLDS),
    **cells("tau 0", difference, NULL_WORLDS),
    **cells("given", given, COVARIATE_WORLDS),
    **cells("noise", noise, NORMAL),
    **cells("baseline", baseline, {f"{k} topics": replace(BASE, topics=k) for k in (5, 8, 12, 20, 50, 150)}, 0.25,
            {"150 topics": 0.1}),
}  # fmt: skip
