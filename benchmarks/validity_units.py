"""Tests of differences, along training and beyond covariates, for benchmarks/validity.py."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.worlds import COVARIATE_WORLDS, NULL_WORLDS, TRAINING_WORLDS, TRUE_WORLDS, Recipe
from clirbench.statistics.belonging import units_of
from clirbench.statistics.given import Permuting, beyond_known, within_strata
from clirbench.statistics.grades import gap, swapped_differences

Seen = dict[str, np.ndarray]
"""What the repetitions of a cell saw, by name; NaN where nothing was said."""
See = Iterator[tuple[str, float]]
ALPHA = 0.05
PERMUTATIONS, SWAPS = 499, 499


@dataclass(frozen=True)
class Cell:
    """`see(rng, seed)`: one repetition; `units`: independent units, 0 where they are not alone; `share`: of all
    repetitions, less than 1 for what costs much."""

    see: Callable[[np.random.Generator, int], See]
    units: int
    share: float = 1.0


def correlations(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """The difference of the first two metrics, over the systems that both and the measure have."""
    world = recipe.draw(rng)
    if len(world.x) < 2:
        return
    rows = np.flatnonzero(np.isfinite(world.x[0] + world.x[1] + world.y))
    units = units_of(world.board)
    a, b, y = world.x[0, rows], world.x[1, rows], world.y[rows]
    kind = "error" if recipe.taus[0] == recipe.taus[1] else "power"
    p = gap(a, b, y, units.only(rows).index, samples=SWAPS, seed=seed).p_value
    yield f"{kind} difference of two metrics", below(p)
    yield "p difference of two metrics", p
    if units.independent and kind == "power":
        yield "old difference of two metrics", below(old_difference(a, b, y, seed))


def old_difference(a: np.ndarray, b: np.ndarray, y: np.ndarray, seed: int) -> float:
    """The test of differences as it was: z-scores instead of ranks."""
    swaps = np.random.default_rng([seed, 2]).integers(2, size=(SWAPS + 1, len(y))).astype(np.float64)
    swaps[0] = 0
    z = [(column - column.mean()) / column.std() for column in (a, b)]
    found = np.abs(swapped_differences(z[0], z[1], y, swaps))
    return float((found >= found[0] - 1e-12).mean())


def training(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Claims along training, of metrics whose curves have nothing to do with the measure's."""
    world = recipe.draw(rng)
    units = units_of(world.board)
    found = within_strata(
        world.x, world.y, units.index, units.steps.tolist(), Permuting(samples=PERMUTATIONS, seed=seed)
    )
    yield "error same step, runs permuted", below(found[0].p_value)
    yield (
        "error difference of two metrics",
        below(gap(world.x[0], world.x[1], world.y, units.index, samples=SWAPS, seed=seed).p_value),
    )


def given(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Metrics that say nothing beyond the covariate."""
    world = recipe.draw(rng)
    found = beyond_known(
        world.board, units_of(world.board), ["training_lines"], Permuting(samples=PERMUTATIONS, seed=seed)
    )
    yield f"error beyond the covariate, {found['MAP', 'm0'].method}", below(found["MAP", "m0"].p_value)


def below(p: float) -> float:
    return math.nan if math.isnan(p) else float(p < ALPHA)


def _cell(see: Callable[[Recipe, np.random.Generator, int], See], recipe: Recipe, share: float = 1.0) -> Cell:
    units = recipe.units if len(recipe.unit) == recipe.units and not recipe.curve else 0
    large = units > 40 or (recipe.covariate > 0 and units > 20)
    return Cell(partial(see, recipe), units, share / 2 if large else share)


CORRELATIONS: Mapping[str, Cell] = {
    **{f"tau .6: {name}": _cell(correlations, recipe) for name, recipe in TRUE_WORLDS.items()},
    **{f"tau 0: {name}": _cell(correlations, recipe) for name, recipe in NULL_WORLDS.items()},
    **{f"training: {name}": _cell(training, recipe) for name, recipe in TRAINING_WORLDS.items()},
    **{f"given: {name}": _cell(given, recipe) for name, recipe in COVARIATE_WORLDS.items()},
}
