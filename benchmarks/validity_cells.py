"""What is claimed of the systems of one run, in worlds whose truth is known: the cells of benchmarks/validity.py.

A cell yields names and values, see there. `difference` and `given` are tests of metrics; `noise`
and `baseline` claims of ceiling and baseline; `decision` is read as it is printed.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import clirbench as cb
from benchmarks.worlds import BASE, COVARIATE_WORLDS, NULL_WORLDS, TRUE_WORLDS, Recipe
from clirbench.engines.local import Serial
from clirbench.measures.base import arithmetic
from clirbench.report.decision import decision_tables
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import Interval
from clirbench.statistics.belonging import units_of
from clirbench.statistics.ceiling import between_error, ceiling, freedom
from clirbench.statistics.decision import compare_with_baseline
from clirbench.statistics.given import Permuting, beyond_known
from clirbench.statistics.grades import Evidence, gap
from clirbench.types import Doubles

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


def held(what: str, found: Interval, truth: float) -> See:
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
    p = gap(a, b, y, units.only(rows).index, samples=DRAWS, seed=seed).p_value
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


MIRROR, KEEP = Path("../shared/data"), Path("runs/validity")
"""The folder of real data; where rankings are kept."""
MEASURES = ("MAP", "RBO(p=0.9)")


@dataclass(frozen=True)
class Average:
    """A measure that is the mean of its topics."""

    name: str = "MAP"
    higher_is_better: bool = True
    signature: str = "mean"
    uses_qrels: bool = True
    needs_relevant: bool = True

    def per_topic(self, run: object, judged: object) -> Doubles:
        raise NotImplementedError("values are made")

    def aggregate(self, values: Doubles) -> Doubles:
        return arithmetic(values)


class Given(Result):
    """A run whose evidence is given."""

    given: Evidence

    @property
    def evidence(self) -> Evidence:  # type: ignore[override]
        return self.given


def decision(
    draw: Callable[[np.random.Generator], tuple[Doubles, Doubles]], rng: np.random.Generator, seed: int
) -> See:
    """What the cells of decision.tsv and picks.tsv hold of `draw` (true means, values of some topics)."""
    truth, values = draw(rng)
    names, measured = tuple(f"s{i:02d}" for i in range(len(values))), values.mean(axis=1)
    second = np.where(np.arange(len(values)) == measured.argmax(), measured.min() - 1, measured)
    board = Scoreboard(names, (Column("second", "metric", second), Column("MAP", "measure", measured)))
    result = Given(Experiment("made", Serial(), seed=seed, units="none"), board, ())
    object.__setattr__(result, "given", Evidence(board, per_topic={"MAP": values}, measures={"MAP": Average()}))
    tables = {table.name: [dict(zip(table.header, row, strict=True)) for row in table.rows]
              for table in decision_tables(result)}  # fmt: skip
    if "decision" not in tables:
        return
    rows, (pick,) = tables["decision"], tables["picks"]
    by_name = dict(zip(names, truth.tolist(), strict=True))
    true = np.array([by_name[row["system"]] for row in rows])

    def share(what: str, kept: list[dict[str, Any]], values: Doubles) -> float:
        ends = [(float(row[f"{what}low"]), float(row[f"{what}high"])) for row in kept]
        return float(np.mean([inside(low, v, high) for (low, high), v in zip(ends, values.tolist(), strict=True)]))

    yield "printed low, high", share("", rows, true)
    yield "printed difference_low, difference_high", share("difference_", rows[1:], true[1:] - true[0])
    tied = np.array([row["in_set"] == "true" for row in rows])
    yield "printed in_set", float(true[tied].max() == true.max())
    loss = np.array([true[0] - by_name[pick["system"]]])
    yield "printed loss_low, loss_high of a pick by the same topics", share("loss_", [pick], loss)
    yield "note size of the set", float(tied.sum())
    yield "note recommended is the best", float(true[0] == true.max())
    yield "note p_best of the recommended", float(rows[0]["p_best"])
    if true.std():
        off = float(rows[0]["expected_loss"]) + true[0] - true.max()
        yield "note expected_loss less the true loss, SD", off / truth.std()


@dataclass(frozen=True)
class Made:
    """Simulated topics: value = difficulty + effect (1 + s topic) + noise of a size that differs between systems.

    `spread`: SD of the effects, in SDs of the noise of one topic; `grows`: s. Noise is t with 4 degrees of freedom, or
    mostly 0 and skewed like average precision.
    """

    systems: int = 16
    spread: float = 0.15
    grows: float = 1.0
    sizes: tuple[float, float] = (0.5, 2.0)
    skewed: bool = False
    tied: int = 1

    def draw(self, topics: int, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
        truth = np.sort(rng.normal(size=self.systems)) * self.spread
        truth[-self.tied :] = truth[-self.tied]
        sizes = rng.permutation(np.geomspace(*self.sizes, self.systems))
        effect = 1 + self.grows * rng.normal(size=topics)
        noise = rng.standard_t(4, size=(self.systems, topics)) / math.sqrt(2)
        if self.skewed:
            noise = (rng.exponential(size=noise.shape) * (rng.uniform(size=noise.shape) < 0.5) - 0.5) / 0.87
        return truth, truth[:, None] * effect + sizes[:, None] * noise + rng.normal(size=topics)


MADE: Mapping[str, Made] = {
    "noise differs, grows with the effect": Made(),
    "the same, wide effects": Made(spread=0.6, grows=2.0),
    "the same, skewed": Made(skewed=True),
    "5 systems": Made(systems=5),
    "40 systems": Made(systems=40),
    "all equal": Made(tied=16),
    "all equal, the same noise": Made(tied=16, sizes=(1.0, 1.0)),
    "two are best": Made(tied=2, spread=0.3),
}


@cache
def population(name: str, measure: str) -> Doubles:
    """(systems, topics): all topics of a real collection, systems in order of their value; rankings are made once."""
    file = KEEP / f"{name}-{measure}.npy".replace("/", "-")
    if not file.exists():
        settings: dict[str, Any] = {"measures": list(MEASURES), "metric": ["BLEU"], "paths__cache": str(KEEP / "store")}
        settings |= {"relevance__k": 10, "relevance__force": True, "folder": str(MIRROR / name)}
        if name == "ladder":
            home = MIRROR / "europarl" / "fr-en-ladder"
            settings |= {"folder": str(home / "collection"), "test_folder": str(home / "news")}
            settings |= {"topics": "keyterms", "topics__n": 1000}
        rows = cb.run("folder", **settings).per_topic
        values = rows[rows.measure == measure].pivot(index="system", columns="topic_id", values="value")
        np.save(file, values.dropna(axis=1).to_numpy())
    values = np.load(file)
    return np.asarray(values[np.argsort(values.mean(axis=1))])


def real(name: str, measure: str, most: int | None, topics: int, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
    """The means of all topics of the lowest systems of a real collection, and some of its topics with replacement."""
    kept = population(name, measure)[:most]
    return kept.mean(axis=1), kept[:, rng.integers(kept.shape[1], size=topics)]


WMT = ("wmt21/de-en", "wmt21/zh-en", "wmt22/de-en", "wmt22/zh-en", "wmt23/zh-en")
REAL = {"ladder": ("ladder", None), "ladder, the lower 8": ("ladder", 8), **{name: (name, None) for name in WMT}}


def decisions() -> Iterator[tuple[str, Cell]]:
    for measure, (world, (name, most)), topics in itertools.product(MEASURES, REAL.items(), (20, 50, 150)):
        see = partial(decision, partial(real, name, measure, most, topics))
        yield f"decision: {world}, {measure}, {topics} topics", Cell(see, share=0.1, data=True)
    for (world, made), topics in itertools.product(MADE.items(), (5, 10, 20, 50, 150)):
        yield (
            f"decision: made: {world}, {topics} topics",
            Cell(partial(decision, partial(made.draw, topics)), share=0.1),
        )


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
    **dict(decisions()),
}  # fmt: skip
