"""What is said of correlations between units, for benchmarks/validity.py: tests, intervals, sets and sentences."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from benchmarks.worlds import COVARIATE_WORLDS, NULL_WORLDS, TRAINING_WORLDS, TRUE_WORLDS, Recipe, World
from clirbench.report.answer import answer
from clirbench.statistics.units.belonging import Units, units_of
from clirbench.statistics.units.better import gap
from clirbench.statistics.units.claims import beyond_known
from clirbench.statistics.units.concordance import agreements
from clirbench.statistics.units.given import Permuting, within_strata
from clirbench.statistics.units.loops import swapped_differences
from clirbench.statistics.units.permutation import permutation_tests
from clirbench.statistics.units.selection import adjusted_p_values, best_metrics, common_systems

Seen = dict[str, np.ndarray]
"""What the repetitions of a cell saw, by name; NaN where nothing was said."""
See = Iterator[tuple[str, float]]
ALPHA, LEVEL = 0.05, 0.95
PERMUTATIONS, SWAPS, DRAWS = 499, 499, 999
USELESS = 0.1


@dataclass(frozen=True)
class Cell:
    """`see(rng, seed)`: one repetition; `units`: independent units, 0 where they are not alone; `share`: of all
    repetitions, less than 1 for what costs much."""

    see: Callable[[np.random.Generator, int], See]
    units: int
    share: float = 1.0


@dataclass(frozen=True, eq=False)
class Truth:
    """tau between units of every metric, with this noise, and which metrics are the best ones."""

    tau: np.ndarray
    best: np.ndarray


@cache
def truth_of(recipe: Recipe) -> Truth:
    known = {tau: recipe.tau(recipe.taus.index(tau)) for tau in dict.fromkeys(recipe.taus)}
    return Truth(np.array([known[tau] for tau in recipe.taus]), np.array(recipe.taus) == max(recipe.taus))


def correlations(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Everything between units, of one world."""
    world, truth = recipe.draw(rng), truth_of(recipe)
    units = units_of(world.board)
    yield from one_metric(world, units, truth, seed)
    yield from several_metrics(world, units, truth, seed)


def one_metric(world: World, units: Units, truth: Truth, seed: int) -> See:
    """The interval and the test of the first metric, over the systems that it has."""
    rows = np.flatnonzero(np.isfinite(world.x[0] + world.y))
    own = units.only(rows).index
    found = agreements(world.x[:1, rows], world.y[rows], own)[0]
    said = not math.isnan(found.low)
    yield "cover tau, interval", float(found.low <= truth.tau[0] <= found.high) if said else math.nan
    yield "width tau, interval", found.high - found.low
    yield "z", math.atanh(found.tau) if said else math.nan
    test = permutation_tests(world.x[:1, rows], world.y[rows], own, samples=PERMUTATIONS, seed=seed)[0]
    kind = "error" if abs(truth.tau[0]) < USELESS else "power"
    yield f"{kind} tau, permutation p", below(test.p_value)
    yield "p tau, permutation p", test.p_value
    if kind == "error" and not math.isnan(found.within):
        yield "error alarm: between and within units differ", float(found.disagree)


def several_metrics(world: World, units: Units, truth: Truth, seed: int) -> See:
    """What is said of the best metric and of differences, over common systems."""
    metrics, rows = common_systems(world.x, world.y)
    x, y, unit = world.x[metrics][:, rows], world.y[rows], units.only(rows).index
    tau, best = truth.tau[metrics], truth.best[metrics]
    adjusted = adjusted_p_values(x, y, unit, samples=PERMUTATIONS, seed=seed).adjusted
    useless = np.abs(tau) < USELESS
    if useless.any():
        yield "error a useless metric is shown to agree", below(float(np.min(adjusted[useless])))
    if not useless.all():
        yield "power a useful metric is shown to agree", below(float(np.min(adjusted[~useless])))
    found = best_metrics(x, y, unit, draws=DRAWS, seed=seed)
    said = not found.note
    yield "cover set of metrics", float(found.in_set[best].all()) if said else math.nan
    yield "width set of metrics", float(found.in_set.sum()) if said else math.nan
    first = int(found.tau.argmax()) if said else 0
    ranged = said and not math.isnan(found.low[first])
    inside = found.low[first] <= tau[first] <= found.high[first]
    yield "cover tau of the first metric, simultaneous interval", float(inside) if ranged else math.nan
    yield "width tau of the first metric, simultaneous interval", float(found.high[first] - found.low[first])
    for m, value in enumerate(np.arctanh(found.tau) if said else np.full(len(tau), math.nan)):
        yield f"z {m}", float(value)
    if len(x) > 1:
        kind = "error" if tau[0] == tau[1] else "power"
        p = gap(x[0], x[1], y, unit, samples=SWAPS, seed=seed).p_value
        yield f"{kind} difference of two metrics", below(p)
        yield "p difference of two metrics", p
        if units.independent and kind == "power":
            yield "old difference of two metrics", below(old_difference(x[0], x[1], y, seed))


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
    said = answer(world.board, units, seed=seed)
    yield (
        "error answer: a metric that says nothing agrees",
        float(bool(said.metrics) or any("runs with more" in sentence for sentence in said.sentences)),
    )


def given(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Metrics that say nothing beyond the covariate."""
    world = recipe.draw(rng)
    found = beyond_known(
        world.board, units_of(world.board), ["training_lines"], Permuting(samples=PERMUTATIONS, seed=seed)
    )
    yield f"error beyond the covariate, {found['MAP', 'm0'].method}", below(found["MAP", "m0"].p_value)


def sentences(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """The answer as it is printed: whom it trusts, the range it prints, whom it calls worse."""
    world, truth = recipe.draw(rng), truth_of(recipe)
    said = answer(world.board, units_of(world.board), seed=seed)
    trusted = [int(name[1:]) for name in said.metrics]
    first = said.sentences[0]
    useless = np.abs(truth.tau) < USELESS
    if useless.any():
        yield "error answer: a useless metric may be trusted", float(any(useless[m] for m in trusted))
    if not useless.all():
        yield "power answer: a useful metric may be trusted", float(any(not useless[m] for m in trusted))
    # A metric among the best is called worse.
    less = re.search(r"; ([^;]*?) agrees? less", first)
    wrong = less is not None and any(truth.best[int(m)] for m in re.findall(r"m(\d+)", less[1]))
    yield "error answer: one of the best metrics agrees less", float(wrong)
    printed = re.search(r"\((-?[\d.]+) to (-?[\d.]+) with 95 % confidence", first)
    low, high = (float(printed[1]), float(printed[2])) if printed else (-1.0, 1.0)
    outside = any(not low - 0.005 <= truth.tau[m] <= high + 0.005 for m in trusted)
    yield "error answer: the range of the trusted metrics does not hold their tau", float(outside)


def below(p: float) -> float:
    return math.nan if math.isnan(p) else float(p < ALPHA)


def oracles(seen: Seen) -> Seen:
    """Widths of an oracle that knows how estimates vary: their covariance over all repetitions, normal quantiles."""
    found: Seen = {}
    z = seen.get("z", np.empty(0))
    z = z[~np.isnan(z)]
    if len(z) > 2:
        half = 1.959964 * z.std(ddof=1)
        found["oracle tau, interval"] = np.tanh(z + half) - np.tanh(z - half)
    columns = [column for name, column in seen.items() if name.startswith("z ")]
    z = np.column_stack(columns) if len({len(column) for column in columns}) == 1 else np.empty((0, 1))
    z = z[~np.isnan(z).any(axis=1)]
    if len(z) < 30:
        return found
    covariance = np.cov(z.T).reshape(z.shape[1], -1)
    drawn = np.random.default_rng(0).multivariate_normal(np.zeros(len(covariance)), covariance, 4000)
    found["oracle set of metrics"] = oracle_set(z, drawn)
    error = z.std(axis=0, ddof=1)
    half = (np.quantile(np.abs(drawn / error).max(axis=1), LEVEL) * error)[z.argmax(axis=1)]
    top = z.max(axis=1)
    found["oracle tau of the first metric, simultaneous interval"] = np.tanh(top + half) - np.tanh(top - half)
    return found


def oracle_set(z: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Sizes of the set of metrics that cannot be told from the best, the true covariance known; no rounds."""
    error = (drawn[:, :, None] - drawn[:, None, :]).std(axis=0)
    scale = np.where(error > 1e-9, error, np.inf)
    limit = np.quantile(((drawn[:, :, None] - drawn[:, None, :]) / scale).max(axis=(1, 2)), LEVEL)
    deficit = ((z[:, None, :] - z[:, :, None]) / scale).max(axis=2)
    return np.asarray((deficit <= limit).sum(axis=1, dtype=np.float64))


def _cell(see: Callable[[Recipe, np.random.Generator, int], See], recipe: Recipe, share: float = 1.0) -> Cell:
    units = recipe.units if len(recipe.unit) == recipe.units and not recipe.curve else 0
    large = units > 40 or (recipe.covariate > 0 and units > 20)
    return Cell(partial(see, recipe), units, share / 2 if large else share)


SENTENCES = (
    "base",
    "8 systems",
    "38 systems",
    "ties in both",
    "8 families of 5, alike 0.8",
    "5 families of 8, alike 0.98",
)
CORRELATIONS: Mapping[str, Cell] = {
    **{f"tau .6: {name}": _cell(correlations, recipe) for name, recipe in TRUE_WORLDS.items()},
    **{f"tau 0: {name}": _cell(correlations, recipe) for name, recipe in NULL_WORLDS.items()},
    **{f"training: {name}": _cell(training, recipe) for name, recipe in TRAINING_WORLDS.items()},
    **{f"given: {name}": _cell(given, recipe) for name, recipe in COVARIATE_WORLDS.items()},
    **{
        f"sentences, tau .6: {name}": _cell(sentences, TRUE_WORLDS[name], 0.25)
        for name in (*SENTENCES, "one better metric, 38 systems", "one useful metric")
    },
    **{f"sentences, tau 0: {name}": _cell(sentences, NULL_WORLDS[name], 0.25) for name in SENTENCES},
}
