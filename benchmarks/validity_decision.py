"""What is said of decisions, for benchmarks/validity.py: posterior, costs, ceiling, baseline, pairs of systems.

Widths stand beside those of an oracle that knows the noise: the same posterior with the true covariance of the noise.
A further row tells the size of the set if the law of the truth and how metrics are related to it were known as well.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from benchmarks.sweep_worlds import KINDS, SweepRecipe
from benchmarks.validity_units import Cell
from benchmarks.worlds import BASE, NULL_WORLDS, TRUE_WORLDS, Recipe, World
from clirbench.labs.papers.statistics.pair_tests import PairTests, compare_systems
from clirbench.measures.base import arithmetic
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.baseline import compare_with_baseline
from clirbench.statistics.model.ceiling import between_error, ceiling, corrected_tau
from clirbench.statistics.model.decision import decide, true_values
from clirbench.statistics.model.noise import Noise, doubly_centred, topic_noise
from clirbench.statistics.model.parts import noise_structure
from clirbench.statistics.model.pseudo_bias import pseudo_bias
from clirbench.statistics.model.rise import jackknifed_slope, rise_of
from clirbench.statistics.model.shipping import CAREFUL, CENTRAL, best_set, p_of_best, standings
from clirbench.statistics.model.soft_accuracy import mid_p_values, soft_accuracy

Doubles = np.typing.NDArray[np.float64]
See = Iterator[tuple[str, float]]


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


def alike_matrix(recipe: Recipe) -> Doubles:
    unit = recipe.unit
    return np.asarray(recipe.alike * (unit[:, None] == unit[None, :]) + (1 - recipe.alike) * np.eye(len(unit)))


def noise_known(covariance: Doubles) -> Noise:
    """What an oracle knows: the covariance of the noise of the means."""
    return Noise(doubly_centred(covariance), math.inf, 1.0)


@cache
def oracle(recipe: Recipe) -> Oracle | None:
    """None where the world is not normal or too large."""
    unit, metrics = recipe.unit, len(recipe.taus)
    n = len(unit)
    if recipe.binary or recipe.levels or recipe.bent or recipe.holes or n * metrics > 800:
        return None
    alike = alike_matrix(recipe)
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


def decision(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """The posterior and what is decided from it."""
    world = recipe.draw(rng)
    truth, best = world.true_y, int(world.true_y.argmax())
    sd = float(truth.std()) if recipe.binary else 1.0
    found = decide(evidence_of(world), "MAP", unit=world.unit, same_lines=recipe.shared > 0, seed=seed)
    if found.reason:
        yield "cover set that may be shipped", math.nan
        return
    at = {system: i for i, system in enumerate(world.systems)}
    rows = [at[row.system] for row in found.standings]
    within = np.zeros(len(truth), dtype=bool)
    within[rows] = [row.in_set for row in found.standings]
    yield "cover set that may be shipped", float(within[best])
    yield "width set that may be shipped", float(within.sum())
    yield from posterior_rows(found.draws, truth, said=not math.isnan(found.standings[0].low))
    first = found.standings[0]
    yield "bias P(best) of the shipped", first.p_best - float(at[first.system] == best)
    yield "bias expected loss of the shipped", (first.expected_loss - (truth.max() - truth[rows[0]])) / sd
    lost = [(truth.max() - truth[x == x.max()].mean()) / sd if np.isfinite(x).all() else math.nan for x in world.x]
    expected = [row.expected / sd for row in found.regrets]
    lost = [value for value in lost if not math.isnan(value)]
    if len(expected) == len(lost) and expected:
        yield "bias expected regret of the metrics", float(np.mean(expected) - np.mean(lost))
        least = int(np.argmin(expected))
        yield "bias expected regret of the least-regret metric", expected[least] - lost[least]
        row = found.regrets[least]
        yield "cover regret of the least-regret metric", float(row.low - 1e-12 <= lost[least] * sd <= row.high + 1e-12)
    else:
        yield "bias expected regret of the metrics", math.nan
        yield "bias expected regret of the least-regret metric", math.nan
        yield "cover regret of the least-regret metric", math.nan
    if not recipe.binary:
        metrics = np.empty((0, len(truth))) if recipe.shared else world.x
        noise = noise_known(recipe._topic_variance / recipe.topics * alike_matrix(recipe))
        drawn = true_values(world.y, noise, metrics, world.unit, None, seed).draws
        yield "oracle set that may be shipped", float(best_set(p_of_best(drawn)).sum())
        low, high = _central(drawn, 0.95)
        yield "oracle true values, interval", float(np.median(high - low))
    known = oracle(recipe)
    if known is not None:
        yield "note size of the set if everything is known", float(best_set(p_of_best(known.draws(world, rng))).sum())


def posterior_rows(draws: Doubles, truth: Doubles, said: bool = True) -> See:
    if not said:
        yield "cover true values, interval", math.nan
        yield "width true values, interval", math.nan
        return
    low, high = _central(draws, CENTRAL)
    level = truth - truth.mean()
    yield "cover true values, interval", float(((low <= level) & (level <= high)).mean())
    yield "width true values, interval", float(np.median(high - low))


def _central(draws: Doubles, share: float) -> tuple[Doubles, Doubles]:
    """Of deviations from the mean of all systems: the level is as measured."""
    found = np.quantile(draws - draws.mean(axis=1, keepdims=True), [(1 - share) / 2, (1 + share) / 2], axis=0)
    return found[0], found[1]


def noise_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Corrected tau and ceiling."""
    world = recipe.draw(rng)
    noise = topic_noise(world.per_topic, noise_structure(world.unit))
    error = between_error(noise.covariance, world.unit)
    variance = (1 - recipe.metric_reliability) / recipe.metric_reliability
    covariance = recipe.shared * math.sqrt(variance * recipe._topic_variance / recipe.topics)
    if not np.isfinite(world.x[0]).all():
        return
    found = corrected_tau(world.x[0], world.y, variance, error, world.unit, covariance)
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


def pair_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
    """Best against the rest where all systems are equal, soft accuracy, rise, bias of pseudo-relevance."""
    world = recipe.draw(rng)
    if world.per_topic.shape[1] >= 5:
        level = world.per_topic - world.true_y[:, None] * (0 if recipe.binary else 1)
        board = replace(world.board, columns=tuple(c for c in world.board.columns if c.role == "measure"))
        board = replace(board, columns=(replace(board.columns[0], values=level.mean(axis=1)),))
        rows = compare_systems(
            Evidence(board, per_topic={"MAP": level}, measures={"MAP": Average()}), PairTests(seed=seed)
        )
        if not recipe.binary:
            told = [row.p_holm for row in rows if not math.isnan(row.p_holm)]
            yield "error best against the rest, equal systems", float(min(told) < 0.05) if told else math.nan
    found = rise_of(jackknifed_slope(world.x[0], world.y, world.unit)) if np.isfinite(world.x[0]).all() else None
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


def soft_rows(recipe: Recipe, rng: np.random.Generator, seed: int) -> See:
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


def sweep_rows(recipe: SweepRecipe, rng: np.random.Generator, seed: int) -> See:
    """The set along training, with and without metrics."""
    world = recipe.draw(rng)
    y = world.per_topic.mean(axis=1)
    noise = topic_noise(world.per_topic, noise_structure(world.run, world.step))
    best, sd = int(world.true_y.argmax()), float(world.true_y.std())
    yield "note size of the set if everything is known", float(best_set(p_of_best(recipe.oracle(rng, world))).sum())
    for name, metrics in (("", world.metrics), (", without metrics", np.empty((0, len(y))))):
        draws = true_values(y, noise, metrics, world.run, world.step, seed).draws
        within = best_set(p_of_best(draws), CAREFUL)
        yield f"cover set that may be shipped{name}", float(within[best])
        yield f"width set that may be shipped{name}", float(within.sum())
        known = true_values(y, noise_known(recipe.noise / recipe.topics), metrics, world.run, world.step, seed).draws
        yield f"oracle set that may be shipped{name}", float(best_set(p_of_best(known)).sum())
        first = standings([str(i) for i in range(len(y))], draws)[0]
        lost = world.true_y.max() - world.true_y[int(first.system)]
        yield f"bias P(best) of the shipped{name}", first.p_best - float(int(first.system) == best)
        # Not printed along training; this row is why.
        yield f"note expected loss of the shipped less the true one, SD{name}", (first.expected_loss - lost) / sd


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


def _without(worlds: Mapping[str, Recipe]) -> dict[str, Recipe]:
    return {name: recipe for name, recipe in worlds.items() if name not in ELSEWHERE}


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
ELSEWHERE = (
    "6 systems",
    "7 systems",
    "bent",
    "15 metrics, 38 systems",
    "7 units, one of 10",
    "unequal units",
    "unequal units, 16",
    "4 families of 4, alike 0.8",
    "2 families of 8, alike 0.8",
    "t copula, 8 systems",
    "t copula, 38 systems",
    "clayton copula, 8 systems",
    "clayton copula, 38 systems",
)
"""Worlds that are left to correlations: a posterior costs fifty times as much as a tau."""
SWEEPS: Mapping[str, SweepRecipe] = {
    **{
        f"{kind}, {runs} run{'s' * (runs > 1)} of {steps}": SweepRecipe(kind=kind, runs=runs, steps=steps)
        for kind in KINDS
        for runs, steps in ((1, 60), (3, 20))
    },
    **{
        f"{kind}, {what}": SweepRecipe(kind=kind, **options)
        for kind in ("plateau",)
        for what, options in {
            "noise of neighbours not alike": {"neighbours": 0.0},
            "no wandering": {"wander": 0.0, "own": 0.05},
            "12 topics": {"topics": 12},
            "useless metrics": {"metric_noise": 5.0},
        }.items()
    },
}
DECISIONS: Mapping[str, Cell] = {
    **_cells("decision, tau .6", decision, _without(TRUE_WORLDS), slow={"100 systems": 0.05}),
    **_cells("decision, tau 0", decision, _without(NULL_WORLDS), slow={"100 systems": 0.05}),
    **_cells("noise", noise_rows, NORMAL, share=1.0),
    **_cells(
        "pairs", pair_rows, {name: TRUE_WORLDS[name] for name in OFTEN}, slow={"38 systems": 0.05, "150 topics": 0.1}
    ),
    **_cells("pairs, tau 0", pair_rows, {name: NULL_WORLDS[name] for name in ("base", "8 systems")}),
    **_cells("soft", soft_rows, {name: TRUE_WORLDS[name] for name in ("base", "8 systems", "5 topics")}),
    **_cells(
        "baseline", baseline_rows, {f"{k} topics": replace(BASE, topics=k) for k in (5, 8, 12, 20, 50, 150)},
        slow={"50 topics": 0.25, "150 topics": 0.1},
    ),
    **{
        f"sweep: {name}": Cell(partial(sweep_rows, recipe), 0, 0.05)
        for name, recipe in SWEEPS.items()
    },
}  # fmt: skip
