"""Do the statistics keep what they promise? Every test, interval and set, in worlds whose truth is known.

    python benchmarks/validity.py --repetitions 400 --cells "tau 0" --write docs/explanation/validity.md

A cell is one world of benchmarks/worlds.py and one thing that is said there. It passes where the 99 % Monte Carlo
interval touches at most .06 (false positives at .05) or at least .94 (coverage at .95). Widths stand beside those of
an oracle: the same interval from the true sampling covariance of the estimates, with normal quantiles.
"""

import argparse
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from worlds import WORLDS, Recipe, World

from clirbench.statistics.units.along import at_same_step
from clirbench.statistics.units.belonging import Units, units_of
from clirbench.statistics.units.better import gap
from clirbench.statistics.units.claims import beyond_known
from clirbench.statistics.units.concordance import agreements
from clirbench.statistics.units.permutation import permutation_tests
from clirbench.statistics.units.selection import adjusted_p_values, best_metrics, common_systems

ALPHA, LEVEL = 0.05, 0.95
PERMUTATIONS, SWAPS, DRAWS = 499, 499, 999
Seen = dict[str, float]
"""What one repetition saw, by name; NaN where nothing was said."""


@dataclass(frozen=True)
class Truth:
    """tau between units of every metric, with this noise, and which metrics are the best ones."""

    tau: np.ndarray
    best: np.ndarray

    @classmethod
    def of(cls, recipe: Recipe) -> "Truth":
        unlike = {tau: recipe.taus.index(tau) for tau in recipe.taus}
        known = {tau: recipe.tau(metric) for tau, metric in unlike.items()}
        tau = np.array([known[value] for value in recipe.taus])
        return cls(tau, np.array(recipe.taus) == max(recipe.taus))


def correlations(world: World, units: Units, truth: Truth, seed: int) -> Iterator[tuple[str, float]]:
    """The interval and the test of the first metric, over the systems that it has."""
    rows = np.flatnonzero(np.isfinite(world.x[0] + world.y))
    own = units.only(rows).index
    found = agreements(world.x[:1, rows], world.y[rows], own)[0]
    said = not math.isnan(found.low)
    yield "interval", float(found.low <= truth.tau[0] <= found.high) if said else math.nan
    yield "interval width", found.high - found.low
    yield "z", math.atanh(found.tau) if said else math.nan
    if not math.isnan(found.within) and said:
        yield "alarm", float(found.disagree)
    test = permutation_tests(world.x[:1, rows], world.y[rows], own, samples=PERMUTATIONS, seed=seed)[0]
    yield "test" if truth.tau[0] < 0.1 else "test, power", below(test.p_value)


def selection(world: World, units: Units, truth: Truth, seed: int) -> Iterator[tuple[str, float]]:
    """What is said of the best metric, over common systems."""
    metrics, rows = common_systems(world.x, world.y)
    x, y, unit = world.x[metrics][:, rows], world.y[rows], units.only(rows).index
    tau, best = truth.tau[metrics], truth.best[metrics]
    adjusted = adjusted_p_values(x, y, unit, samples=PERMUTATIONS, seed=seed).adjusted
    useless = np.abs(tau) < 0.1
    if useless.any():
        yield "any useless metric", below(float(np.min(adjusted[useless])))
    if not useless.all():
        yield "a useful metric, power", below(float(np.min(adjusted[~useless])))
    found = best_metrics(x, y, unit, draws=DRAWS, seed=seed)
    first = int(found.tau.argmax()) if not np.isnan(found.tau).any() else 0
    said = not found.note
    yield "set", float(found.in_set[int(best.argmax())]) if said else math.nan
    yield "set size", float(found.in_set.sum()) if said else math.nan
    yield "winner", float(found.low[first] <= tau[first] <= found.high[first]) if said else math.nan
    yield "winner width", float(found.high[first] - found.low[first])
    yield "winner expected", float(found.expected[first] - tau[first])
    yield "winner naive", float(found.tau[first] - tau[first]) if said else math.nan
    if not best.all():
        yield "P(best)", float(found.probability[first] - best[first])
    for m, value in enumerate(np.arctanh(found.tau) if said else np.full(len(tau), np.nan)):
        yield f"z {m}", float(value)
    if len(x) > 1:
        named = "difference" if tau[0] == tau[1] else "difference, power"
        yield named, below(gap(x[0], x[1], y, unit, samples=SWAPS, seed=seed).p_value)
        if units.independent:
            yield f"{named}, z-scores", below(old_difference(x[0], x[1], y, seed))


def along(world: World, units: Units, truth: Truth, seed: int) -> Iterator[tuple[str, float]]:
    """Claims along training, of metrics whose curves have nothing to do with the measure's."""
    found = at_same_step(world.x, world.y, units.index, units.steps, samples=PERMUTATIONS, seed=seed)
    yield "same step, runs permuted", below(found[0].p_value)
    yield "difference", below(gap(world.x[0], world.x[1], world.y, units.index, samples=SWAPS, seed=seed).p_value)
    agreement = agreements(world.x[:1], world.y, units.index)[0]
    yield "interval", math.nan if math.isnan(agreement.low) else 0.0


def given(world: World, units: Units, truth: Truth, seed: int) -> Iterator[tuple[str, float]]:
    """Metrics that say nothing beyond the covariate."""
    found = beyond_known(world.board, units, ["training_lines"], samples=PERMUTATIONS, seed=seed)["MAP", "m0"]
    yield f"beyond, {found.method}", below(found.p_value)


CHECKS: Mapping[str, tuple[Callable[[World, Units, Truth, int], Iterator[tuple[str, float]]], ...]] = {
    "tau .6": (correlations, selection),
    "tau 0": (correlations, selection),
    "training": (along,),
    "given": (given,),
}
"""By the first words of a world's name."""


def below(p: float) -> float:
    return math.nan if math.isnan(p) else float(p < ALPHA)


def old_difference(a: np.ndarray, b: np.ndarray, y: np.ndarray, seed: int) -> float:
    """The test of differences as it was: z-scores instead of normal scores."""
    from clirbench.statistics.units.concordance import pair_weights
    from clirbench.statistics.units.loops import swapped_differences

    swaps = np.random.default_rng([seed, 2]).integers(2, size=(SWAPS + 1, len(y))).astype(np.float64)
    swaps[0] = 0
    z = [(column - column.mean()) / column.std() for column in (a, b)]
    found = np.abs(swapped_differences(z[0], z[1], y, pair_weights(np.arange(len(y))), swaps))
    return float((found >= found[0] - 1e-12).mean())


def repetition(recipe: Recipe, truth: Truth, kind: str, seed: int) -> Seen:
    world = recipe.draw(np.random.default_rng(seed))
    units = units_of(world.board)
    return {name: value for check in CHECKS[kind] for name, value in check(world, units, truth, seed)}


@dataclass(frozen=True)
class Row:
    """One line of the table. `rate` among the repetitions in which something was said; `said`: their share."""

    world: str
    what: str
    rate: float
    low: float
    high: float
    said: float
    width: float
    oracle: float
    verdict: str


def cell(name: str, repetitions: int, seed: int) -> list[Row]:
    """All rows of one world."""
    recipe, kind = WORLDS[name], name.split(":")[0]
    truth = Truth.of(recipe) if kind.startswith("tau") else Truth(np.zeros(len(recipe.taus)), np.ones(1, dtype=bool))
    start = seed * 1_000_003
    seen: dict[str, list[float]] = defaultdict(list)
    for at in range(repetitions):
        for what, value in repetition(recipe, truth, kind, start + at).items():
            seen[what].append(value)
    values = {what: np.array(column) for what, column in seen.items()}
    return [
        row(name, what, column, *widths(what, values, truth))
        for what, column in values.items()
        if not what.endswith(("width", "size")) and not what.startswith("z")
    ]


def widths(what: str, values: Mapping[str, np.ndarray], truth: Truth) -> tuple[float, float]:
    """Median width (of a set: mean size) and the oracle's; NaN where the row has none."""
    if what == "interval" and "z" in values:
        z = values["z"][~np.isnan(values["z"])]
        if len(z) < 3:
            return math.nan, math.nan
        half = 1.959964 * z.std(ddof=1)
        return float(np.nanmedian(values["interval width"])), float(np.median(np.tanh(z + half) - np.tanh(z - half)))
    if what not in ("set", "winner"):
        return math.nan, math.nan
    z = np.column_stack([column for name, column in values.items() if name.startswith("z ")])
    z = z[~np.isnan(z).any(axis=1)]
    if len(z) < 30:
        return math.nan, math.nan
    drawn = np.random.default_rng(0).multivariate_normal(
        np.zeros(z.shape[1]), np.cov(z.T).reshape(z.shape[1], -1), 4000
    )
    if what == "set":
        return float(np.nanmean(values["set size"])), oracle_set(z, drawn)
    error = z.std(axis=0, ddof=1)
    half = np.quantile(np.abs(drawn / error).max(axis=1), LEVEL) * error
    first = z.argmax(axis=1)
    top, half = z.max(axis=1), half[first]
    return float(np.nanmedian(values["winner width"])), float(np.median(np.tanh(top + half) - np.tanh(top - half)))


def oracle_set(z: np.ndarray, drawn: np.ndarray) -> float:
    """Mean size of the set of metrics that cannot be told from the best, the true covariance known."""
    size = np.zeros(len(z))
    for m in range(z.shape[1]):
        error = (drawn - drawn[:, m : m + 1]).std(axis=0)
        scale = np.where(error > 1e-9, error, np.inf)
        limit = np.quantile(((drawn - drawn[:, m : m + 1]) / scale).max(axis=1), LEVEL)
        size += ((z - z[:, m : m + 1]) / scale).max(axis=1) <= limit
    return float(size.mean())


COVERAGE = ("interval", "set", "winner")


def row(world: str, what: str, column: np.ndarray, width: float, oracle: float) -> Row:
    told = column[~np.isnan(column)]
    said = len(told) / len(column)
    if not len(told):
        return Row(world, what, math.nan, math.nan, math.nan, 0.0, math.nan, math.nan, "not said")
    rate = float(told.mean())
    if what in ("winner expected", "winner naive", "P(best)"):
        half = 2.576 * float(told.std()) / math.sqrt(len(told))
        return Row(world, what, rate, rate - half, rate + half, said, math.nan, math.nan, "bias")
    low, high = wilson(rate, len(told))
    wide = not math.isnan(oracle) and width > 1.25 * oracle
    if what.split(",")[-1].strip() in ("power", "z-scores"):
        verdict = "power"
    elif what in COVERAGE:
        verdict = "BELOW" if high < 0.94 else "wide" if wide else "holds"
    else:
        verdict = "ABOVE" if low > 0.06 else "holds"
    return Row(world, what, rate, low, high, said, width, oracle, verdict)


def wilson(rate: float, n: int, z: float = 2.576) -> tuple[float, float]:
    """99 % interval of a share."""
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def markdown(rows: Sequence[Row]) -> str:
    lines = [
        "| World | What is said | Rate | 99 % | Said in | Width | Oracle's | |",
        "|---|---|--:|---|--:|--:|--:|---|",
    ]
    for r in rows:
        between = "" if math.isnan(r.low) else f"{r.low:.3f} to {r.high:.3f}"
        lines.append(
            f"| {r.world} | {r.what} | {number(r.rate)} | {between} | {number(r.said, 2)} | {number(r.width, 2)} "
            f"| {number(r.oracle, 2)} | {r.verdict} |"
        )
    return "\n".join(lines) + "\n"


def number(value: float, digits: int = 3) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs="*", default=[""], help="worlds whose name contains one of these")
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    names = [name for name in WORLDS if any(part in name for part in options.cells)]
    start, rows = time.perf_counter(), []
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = {name: pool.submit(cell, name, options.repetitions, options.seed) for name in names}
        for name, found in waiting.items():
            rows += found.result()
            print(f"{time.perf_counter() - start:6.0f} s  {name}", file=sys.stderr, flush=True)
    table = markdown(rows)
    print(table)
    if options.write:
        options.write.write_text(table, encoding="utf-8")
    return int(any(r.verdict in ("ABOVE", "BELOW") for r in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
