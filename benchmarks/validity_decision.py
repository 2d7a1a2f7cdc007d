"""Do decisions keep what they promise? Posterior, ceiling, baseline, pairs and plans in worlds whose truth is known.

    python benchmarks/validity_decision.py --repetitions 400 --cells "decision" --write FILE

A row for every world and quantity. Coverage and sets pass where the 99 % Monte Carlo interval touches at least .94,
error rates where it touches at most .06, expectations where it touches .05 SD of the truth.
Widths stand beside those of an oracle that knows the noise, the law of the truth and how metrics are related to it.
"""

# ruff: noqa: E402
import argparse
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path[0] = str(Path(__file__).resolve().parents[1])  # else benchmarks/statistics.py hides the standard library's

import numpy as np

from benchmarks.sweep_worlds import KINDS, SweepRecipe
from benchmarks.worlds import BASE, NULL_WORLDS, TRUE_WORLDS, Recipe, World
from clirbench.measures.base import arithmetic
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.baseline import against
from clirbench.statistics.model.ceiling import Errors, between_error, ceiling, corrected_tau
from clirbench.statistics.model.decision import decide, true_values
from clirbench.statistics.model.noise import topic_noise
from clirbench.statistics.model.parts import noise_structure
from clirbench.statistics.model.pseudo_bias import pseudo_bias
from clirbench.statistics.model.randomisation import compare_systems
from clirbench.statistics.model.rise import rise_for
from clirbench.statistics.model.shipping import CAREFUL, CENTRAL, best_set, p_of_best, standings
from clirbench.statistics.model.soft_accuracy import mid_p_values, soft_accuracy

Doubles = np.typing.NDArray[np.float64]
Seen = Iterator[tuple[str, float]]
"""Names of what one repetition saw, with values; NaN where nothing was said.

A name begins with its kind: `cover`, `error`, `bias`, `power`; `width NAME` and `oracle NAME` are widths.
"""


@dataclass(frozen=True)
class Average:
    """A measure that is the mean of its topics."""

    name: str = "MAP"
    higher_is_better: bool = True
    signature: str = "mean"
    uses_qrels: bool = True

    def per_topic(self, run: object, judged: object) -> Doubles:
        raise NotImplementedError("values are made")

    def aggregate(self, values: Doubles) -> Doubles:
        return arithmetic(values)


def evidence_of(world: World) -> Evidence:
    return Evidence(world.board, per_topic={"MAP": world.per_topic}, measures={"MAP": Average()})


@dataclass(frozen=True, eq=False)
class Oracle:
    """The exact posterior of the truth for normal worlds: `gain` (n, n + metrics n), `root` of what is left."""

    gain: Doubles
    root: Doubles

    def draws(self, world: World, rng: np.random.Generator, samples: int = 2000) -> Doubles:
        middle = self.gain @ np.concatenate([world.y, *world.x])
        return np.asarray(middle + rng.normal(size=(samples, len(middle))) @ self.root.T)


@cache
def oracle(recipe: Recipe) -> Oracle | None:
    """None where the world is not normal or too large."""
    unit, metrics = recipe.unit, len(recipe.taus)
    n = len(unit)
    if recipe.binary or recipe.levels or recipe.bent or recipe.holes or n * metrics > 800:
        return None
    alike = recipe.alike * (unit[:, None] == unit[None, :]) + (1 - recipe.alike) * np.eye(n)
    rho = np.sin(np.pi * np.array(recipe.taus) / 2)
    rest = np.sqrt(1 - rho**2)
    variance = (1 - recipe.metric_reliability) / recipe.metric_reliability
    error = recipe._topic_variance / recipe.topics * alike
    tied = recipe.shared * math.sqrt(variance * recipe.topics / (recipe._topic_variance or 1.0))
    between = np.outer(rho, rho) + np.outer(rest, rest) * (recipe.common + (1 - recipe.common) * np.eye(metrics))
    between = between + variance * (1 - recipe.shared**2) * np.eye(metrics)
    joint = np.block(
        [
            [alike + error + 1e6, np.kron(rho, alike) + np.kron(np.full(metrics, tied), error)],
            [
                (np.kron(rho, alike) + np.kron(np.full(metrics, tied), error)).T,
                np.kron(between, alike) + tied**2 * np.kron(np.ones((metrics, metrics)), error),
            ],
        ]
    )
    cross = np.concatenate([alike, np.kron(rho, alike)], axis=1)
    gain = np.linalg.solve(joint + 1e-9 * np.eye(len(joint)), cross.T).T
    left = alike - gain @ cross.T
    return Oracle(gain, np.linalg.cholesky((left + left.T) / 2 + 1e-9 * np.eye(n)))


def decision(recipe: Recipe, rng: np.random.Generator, seed: int) -> Seen:
    """The posterior and what is decided from it."""
    world = recipe.draw(rng)
    truth, best = world.true_y, int(world.true_y.argmax())
    sd = float(truth.std()) if recipe.binary else 1.0
    found = decide(evidence_of(world), "MAP", unit=world.unit, same_lines=recipe.shared > 0, seed=seed)
    if found.reason:
        yield "cover set", math.nan
        return
    at = {system: i for i, system in enumerate(world.systems)}
    rows = [at[row.system] for row in found.standings]
    within = np.zeros(len(truth), dtype=bool)
    within[rows] = [row.in_set for row in found.standings]
    yield "cover set", float(within[best])
    yield "width set", float(within.sum())
    yield from posterior_rows(found.draws, truth)
    first = found.standings[0]
    yield "bias P(best) of the shipped", first.p_best - float(at[first.system] == best)
    yield "bias loss of the shipped", (first.expected_loss - (truth.max() - truth[rows[0]])) / sd
    lost = [(truth.max() - truth[x == x.max()].mean()) / sd if np.isfinite(x).all() else math.nan for x in world.x]
    expected = [row.expected / sd for row in found.regrets]
    lost = [value for value in lost if not math.isnan(value)]
    if len(expected) == len(lost) and expected:
        yield "bias regret of metrics", float(np.mean(expected) - np.mean(lost))
        least = int(np.argmin(expected))
        yield "bias regret, least", expected[least] - lost[least]
        row = found.regrets[least]
        yield "cover regret, least", float(row.low - 1e-12 <= lost[least] * sd <= row.high + 1e-12)
    else:
        yield "bias regret of metrics", math.nan
        yield "bias regret, least", math.nan
        yield "cover regret, least", math.nan
    known = oracle(recipe)
    if known is not None:
        drawn = known.draws(world, rng)
        yield "oracle set", float(best_set(p_of_best(drawn)).sum())
        low, high = _central(drawn, 0.95)
        yield "oracle interval", float(np.median(high - low))


def posterior_rows(draws: Doubles, truth: Doubles) -> Seen:
    low, high = _central(draws, CENTRAL)
    level = truth - truth.mean()
    yield "cover interval", float(((low <= level) & (level <= high)).mean())
    yield "width interval", float(np.median(high - low))


def _central(draws: Doubles, share: float) -> tuple[Doubles, Doubles]:
    """Of deviations from the mean of all systems: the level is as measured."""
    found = np.quantile(draws - draws.mean(axis=1, keepdims=True), [(1 - share) / 2, (1 + share) / 2], axis=0)
    return found[0], found[1]


def noise_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> Seen:
    """Corrected tau and ceiling."""
    world = recipe.draw(rng)
    noise = topic_noise(world.per_topic, noise_structure(world.unit))
    error = between_error(noise.covariance, world.unit)
    variance = (1 - recipe.metric_reliability) / recipe.metric_reliability
    covariance = recipe.shared * math.sqrt(variance * recipe._topic_variance / recipe.topics)
    if not np.isfinite(world.x[0]).all():
        return
    found = corrected_tau(world.x[0], world.y, Errors(variance, error, covariance), world.unit)
    said = not math.isnan(found.low)
    yield "cover corrected tau", float(found.low <= recipe.taus[0] <= found.high) if said else math.nan
    yield "width corrected tau", found.high - found.low
    top = ceiling(world.y, error, noise.freedom, world.unit)
    true_error = recipe._topic_variance / recipe.topics
    perfect = 2 / math.pi * math.asin(math.sqrt(1 / (1 + true_error)))
    yield "cover ceiling", float(top.low <= perfect <= top.high) if not math.isnan(top.low) else math.nan
    yield "width ceiling", top.high - top.low
    known = ceiling(world.y, true_error, math.inf, world.unit)
    yield "oracle ceiling", known.high - known.low


def pair_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> Seen:
    """Best against the rest where all systems are equal, soft accuracy, rise, bias of pseudo-relevance."""
    world = recipe.draw(rng)
    if world.per_topic.shape[1] >= 5:
        level = world.per_topic - world.true_y[:, None] * (0 if recipe.binary else 1)
        board = replace(world.board, columns=tuple(c for c in world.board.columns if c.role == "measure"))
        board = replace(board, columns=(replace(board.columns[0], values=level.mean(axis=1)),))
        rows = compare_systems(Evidence(board, per_topic={"MAP": level}, measures={"MAP": Average()}), seed=seed)
        if not recipe.binary:
            told = [row.p_holm for row in rows if not math.isnan(row.p_holm)]
            yield "error best against the rest, equal systems", float(min(told) < 0.05) if told else math.nan
    found = rise_for(world.x[0], world.y, world.unit) if np.isfinite(world.x[0]).all() else None
    if found is not None:
        truth = population_rise(recipe) if recipe.taus[0] else math.inf
        yield "cover rise for .8", float(found.low <= truth <= found.high) if not math.isnan(found.low) else math.nan
        yield "width rise for .8", found.high / found.low
        pseudo = world.y + 0.5 * rng.normal(size=len(world.y))
        bias = pseudo_bias(world.x[0], pseudo, world.y, world.unit)
        if recipe.alike == 0:
            expected = population_bias(recipe)
            said = not math.isnan(bias.low)
            yield "cover bias of pseudo-relevance", float(bias.low <= expected <= bias.high) if said else math.nan
            yield "width bias of pseudo-relevance", bias.high - bias.low


@cache
def population_rise(recipe: Recipe) -> float:
    from clirbench.statistics.model.rise import logistic_slope, rising_pairs

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


def soft_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> Seen:
    """Soft accuracy's interval holds the value over many systems."""
    made = replace(recipe, segments=2 * recipe.topics)
    world = made.draw(rng)
    p = mid_p_values(world.per_segment[0], samples=300, seed=seed)
    q = mid_p_values(world.per_topic, samples=300, seed=seed + 1)
    found = soft_accuracy(p, q, world.unit)
    truth = population_soft(made)
    yield "cover soft accuracy", float(found.low <= truth <= found.high) if not math.isnan(found.low) else math.nan
    yield "width soft accuracy", found.high - found.low


@cache
def population_soft(recipe: Recipe) -> float:
    rng = np.random.default_rng(5)
    found = []
    for at in range(12):
        world = replace(recipe, units=100, size=1, sizes=()).draw(rng)
        p = mid_p_values(world.per_segment[0], samples=300, seed=at)
        q = mid_p_values(world.per_topic, samples=300, seed=at + 50)
        found.append(soft_accuracy(p, q, world.unit).value)
    return float(np.mean(found))


def baseline_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> Seen:
    """Two systems; differences normal, skewed, or mostly 0; `reliability` is not used."""
    k, margin = recipe.topics, 0.3
    for shape in ("normal", "skewed", "mostly ties"):
        d = rng.normal(size=k) if shape == "normal" else rng.exponential(size=k) - 1
        if shape == "mostly ties":
            d = rng.normal(size=k) * (rng.uniform(size=k) < 0.3) * 1.8
        zero = np.zeros(k)
        verdict = against(d, zero, margin, seed=seed)
        said = verdict.verdict
        wrong = float(said in ("better", "worse")) if not verdict.note else math.nan
        yield f"error better or worse, {shape}", wrong
        low = against(d - margin, zero, margin, seed=seed)
        wrong = float(low.verdict in ("better", "not worse")) if not low.note else math.nan
        yield f"error not worse, {shape}", wrong
        bad = against(-d - margin, zero, margin, seed=seed)
        wrong = float(bad.verdict in ("better", "not worse")) if not bad.note else math.nan
        yield f"error not worse, {shape} the other way", wrong
        covered = float(verdict.low <= 0 <= verdict.high) if not verdict.note else math.nan
        yield f"cover difference, {shape}", covered
        up = against(d + 0.5, zero, margin, seed=seed)
        yield f"power better by .5 SD, {shape}", float(up.verdict == "better") if not up.note else math.nan


def sweep_rows(recipe: SweepRecipe, rng: np.random.Generator, seed: int) -> Seen:
    """The set along training, with and without metrics."""
    world = recipe.draw(rng)
    y = world.per_topic.mean(axis=1)
    noise = topic_noise(world.per_topic, noise_structure(world.run, world.step))
    best = int(world.true_y.argmax())
    drawn = recipe.oracle(rng, world)
    for name, metrics in (("set", world.metrics), ("set without metrics", np.empty((0, len(y))))):
        draws = true_values(y, noise, metrics, world.run, world.step, seed).draws
        within = best_set(p_of_best(draws), CAREFUL)
        yield f"cover {name}", float(within[best])
        yield f"width {name}", float(within.sum())
        yield f"oracle {name}", float(best_set(p_of_best(drawn)).sum())
        first = standings([str(i) for i in range(len(y))], draws)[0]
        shipped = int(first.system)
        yield f"bias loss of the shipped, {name}", first.expected_loss - (world.true_y.max() - world.true_y[shipped])
        yield f"bias P(best) of the shipped, {name}", first.p_best - float(shipped == best)


Check = Callable[..., Seen]
OFTEN = ("base", "5 systems", "8 systems", "38 systems", "5 topics", "150 topics", "reliability 0.5")
CELLS: Mapping[str, tuple[Check, Recipe | SweepRecipe]] = {
    **{f"decision, tau .6: {name}": (decision, recipe) for name, recipe in TRUE_WORLDS.items()},
    **{f"decision, tau 0: {name}": (decision, recipe) for name, recipe in NULL_WORLDS.items()},
    **{
        f"noise: {name}": (noise_rows, recipe)
        for name, recipe in TRUE_WORLDS.items()
        if not (recipe.binary or recipe.levels or recipe.bent or recipe.holes)
    },
    **{f"pairs: {name}": (pair_rows, TRUE_WORLDS[name]) for name in (*OFTEN, "reliability 0.99")},
    **{f"pairs, tau 0: {name}": (pair_rows, NULL_WORLDS[name]) for name in ("base", "8 systems")},
    **{f"soft: {name}": (soft_rows, TRUE_WORLDS[name]) for name in ("base", "8 systems", "5 topics")},
    **{f"baseline: {k} topics": (baseline_rows, replace(BASE, topics=k)) for k in (5, 8, 12, 20, 50, 150)},
    **{
        f"sweep: {kind}, {runs} x {steps}": (sweep_rows, SweepRecipe(kind=kind, runs=runs, steps=steps))
        for kind in KINDS
        for runs, steps in ((1, 60), (2, 50), (5, 20), (1, 200))
    },
    **{
        f"sweep: {kind}, {what}": (sweep_rows, SweepRecipe(kind=kind, **options))
        for kind in KINDS
        for what, options in {
            "noise of neighbours not alike": {"neighbours": 0.0},
            "no wandering": {"wander": 0.0, "own": 0.05},
            "12 topics": {"topics": 12},
            "useless metrics": {"metric_noise": 5.0},
        }.items()
    },
}


def one(name: str, seed: int) -> dict[str, float]:
    check, recipe = CELLS[name]
    return dict(check(recipe, np.random.default_rng([seed, 16]), seed))


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
    seen: dict[str, list[float]] = defaultdict(list)
    for at in range(repetitions):
        for what, value in one(name, seed * 1_000_003 + at).items():
            seen[what].append(value)
    values = {what: np.array(column) for what, column in seen.items()}
    return [
        row(name, what, column, values, repetitions)
        for what, column in values.items()
        if what.split()[0] not in ("width", "oracle")
    ]


def row(name: str, what: str, column: Doubles, values: Mapping[str, Doubles], repetitions: int) -> Row:
    kind, _, plain = what.partition(" ")
    told = column[~np.isnan(column)]
    said = len(told) / repetitions
    if not len(told):
        return Row(name, what, math.nan, math.nan, math.nan, 0.0, math.nan, math.nan, "not said")
    rate = float(told.mean())
    half = 2.576 * float(told.std()) / math.sqrt(len(told))
    low, high = (rate - half, rate + half) if np.unique(told).size > 2 or kind == "bias" else wilson(rate, len(told))
    width = middle_of(values, f"width {plain}")
    known = middle_of(values, f"oracle {plain}")
    wide = not math.isnan(known) and width > 1.25 * known
    if kind == "cover":
        verdict = "BELOW" if high < 0.94 else "wide" if wide else "holds"
    elif kind == "error":
        verdict = "ABOVE" if low > 0.06 else "holds"
    elif kind == "bias":
        verdict = "OFF" if low > 0.05 or high < -0.05 else "holds"
    else:
        verdict = kind
    return Row(name, what, rate, low, high, said, width, known, verdict)


def middle_of(values: Mapping[str, Doubles], name: str) -> float:
    told = values[name][~np.isnan(values[name])] if name in values else np.empty(0)
    return float(np.median(told)) if len(told) else math.nan


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
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    names = [name for name in CELLS if any(part in name for part in options.cells)]
    start, rows = time.perf_counter(), []
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = {name: pool.submit(cell, name, options.repetitions, options.seed) for name in names}
        for name, found in waiting.items():
            rows += found.result()
            print(f"{time.perf_counter() - start:6.0f} s  {name}", file=sys.stderr, flush=True)
            print(markdown(found.result()), flush=True)  # a long run that is stopped leaves what it has
    table = markdown(rows)
    if options.write:
        options.write.write_text(table, encoding="utf-8")
    return int(any(r.verdict in ("ABOVE", "BELOW", "OFF") for r in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
