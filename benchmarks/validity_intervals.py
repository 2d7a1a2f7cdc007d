"""Is the one interval of tau right, and what the answer prints of it? Cells of benchmarks/validity.py.

Written down before the first result. The constants of `statistics.agreement` are given (Esscher's variance, 20 prior
units, 1.15, .8 and .2); nothing here chooses one. n = 5, 8, 10, 16, 24, 40 systems, drawn with replacement, from:

* `real`: WMT folders with at least five systems, in the order of their names; every second is left out and judged
  here, the others are not looked at (RBO by key terms helped to choose the constants, of which folders is not known;
  titles, sentences and MAP did not). Every column is standardised within its folder; all folders are one population.
  Four of them: RBO by key terms, titles and sentences, MAP by key terms; and `one folder`: each repetition a folder
  with at least n and 16 systems, RBO by key terms. A system drawn twice is a tie that a coin decides, as in the truth.
* `copula`: normal, t (3 degrees of freedom) and Clayton of benchmarks/worlds.py with tau .3, .6, .85, no noise, errors
  of metrics correlated .5.
* `topics`: the systems of `real`, measured by 30 or 100 topics of each folder, drawn with replacement, RBO by key
  terms and by titles; the truth is tau in the population by these topics, which is what the interval is of.

In every repetition the first 1, 3 and 5 metrics are one run, of `copula` the first 8 too (scoring all texts by eight
was too slow: changed before the first result). First-named is the metric with the best low end.

* `cover`: one metric alone, by turns; `width` its width.
* `error first of m`: the low end of the first-named lies above its truth.
* `error permuted, first of m`: shown (low end above 0) where the measure's values are permuted.
* `error printed`: "(at least X %)" of the answer's first sentence, of five metrics, above the truth as printed; every
  tenth repetition, so that each family has at least 1,000.
* `power .25` and `.5`: the low end of the first-named of five reaches it.

Pass marks, and the rule for low outliers (2.5 scaled deviations below the median of the measure; `error outlying`):
benchmarks/RESULTS.md. 1,000 repetitions, of `topics` 500; a cell is held to its mark up to its 99 % Monte Carlo error.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.folders import METRICS, measured, wmt
from benchmarks.validity_cells import Cell, See, held
from benchmarks.worlds import BASE, Recipe
from clirbench.engines.local import Serial
from clirbench.report.answer import answered
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import agreements
from clirbench.statistics.coefficients import signs
from clirbench.statistics.correlation import correlate
from clirbench.types import Doubles

SIZES = (5, 8, 10, 16, 24, 40)
RUNS, MOST = (1, 3, 5, 8), 8
PRINTED = re.compile(r"at least (\d+) %")
FEWEST, ONE_FOLDER = 5, 16
Draw = Callable[[int, np.random.Generator], tuple[Doubles, Doubles, Doubles]]
"""From n to x (metrics, n), y (n,) and the true taus (metrics,)."""


def left_out() -> list[Path]:
    """Every second WMT folder, in the order of their names."""
    return wmt(FEWEST)[1::2]


@cache
def columns(topics: str, measure: str) -> list[tuple[Doubles, Doubles]]:
    """(metrics, systems), (systems, topics) of every folder that is left out."""
    return [(made["x"], made[measure]) for made in (measured(folder, topics) for folder in left_out())]


def standard(columns: Doubles) -> Doubles:
    return np.asarray((columns - columns.mean(axis=-1, keepdims=True)) / columns.std(axis=-1, keepdims=True))


@cache
def population(topics: str, measure: str) -> tuple[Doubles, Doubles, Doubles]:
    """x (metrics, systems), y (systems,) and taus of all folders together."""
    every = columns(topics, measure)
    x = np.concatenate([standard(one) for one, _ in every], axis=1)
    y = np.concatenate([standard(values.mean(axis=1)) for _, values in every])
    return x, y, true_taus(x, y)


def true_taus(x: Doubles, y: Doubles) -> Doubles:
    """tau of two systems drawn with replacement, ties decided by a coin."""
    order = signs(y)
    return np.array([(signs(row) * order).sum() for row in x]) / len(y) ** 2


def sampled(
    x: Doubles, y: Doubles, taus: Doubles, n: int, rng: np.random.Generator
) -> tuple[Doubles, Doubles, Doubles]:
    rows = rng.integers(len(y), size=n)
    return x[:, rows] + 1e-9 * rng.normal(size=(len(x), n)), y[rows] + 1e-9 * rng.normal(size=n), taus


def pooled(topics: str, measure: str, n: int, rng: np.random.Generator) -> tuple[Doubles, Doubles, Doubles]:
    return sampled(*population(topics, measure), n, rng)


def one_folder(n: int, rng: np.random.Generator) -> tuple[Doubles, Doubles, Doubles]:
    fit = [one for one in columns("keyterms", "RBO(p=0.9)") if one[0].shape[1] >= max(n, ONE_FOLDER)]
    x, values = fit[rng.integers(len(fit))]
    x, y = standard(x), standard(values.mean(axis=1))
    return sampled(x, y, true_taus(x, y), n, rng)


def resampled(topics: str, number: int, n: int, rng: np.random.Generator) -> tuple[Doubles, Doubles, Doubles]:
    every = columns(topics, "RBO(p=0.9)")
    x = population(topics, "RBO(p=0.9)")[0]
    y = np.concatenate([standard(v[:, rng.integers(v.shape[1], size=number)].mean(axis=1)) for _, v in every])
    return sampled(x, y, true_taus(x, y), n, rng)


def made(recipe: Recipe, n: int, rng: np.random.Generator) -> tuple[Doubles, Doubles, Doubles]:
    world = replace(recipe, units=n).draw(rng)
    return world.true_x, world.true_y, np.array(recipe.taus)


def interval(draw: Draw, n: int, rng: np.random.Generator, seed: int) -> See:
    """One run of n systems."""
    x, y, taus = draw(n, rng)
    unit, at, other = np.arange(n), seed % len(x), rng.permutation(y)
    (alone,) = agreements(x[at : at + 1], y, unit)
    yield from held("interval of one metric", alone, float(taus[at]))
    low = np.median(y) - 2.5 * 1.4826 * np.median(np.abs(y - np.median(y)))
    for number in (number for number in RUNS if number <= len(x)):
        lows = np.array([one.low for one in agreements(x[:number], y, unit)])
        wrong = float(lows.max() > taus[lows.argmax()])
        yield f"error first of {number} above the truth", wrong
        permuted = agreements(x[:number], other, unit)
        yield f"error permuted, first of {number} shown", float(max(one.low for one in permuted) > 0)
        if number == 5:
            yield "error outlying, first of 5 above the truth", wrong if y.min() < low else math.nan
            yield "power .25", float(lows.max() >= 0.25)
            yield "power .5", float(lows.max() >= 0.5)
    if seed % 10 == 0:
        yield from printed(x[:5], y, taus)


def printed(x: Doubles, y: Doubles, taus: Doubles) -> See:
    """What the answer says of five metrics."""
    columns = [Column(name, "metric", row) for name, row in zip(METRICS, x, strict=False)]
    names = tuple(f"{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(len(y)))
    board = Scoreboard(names, (*columns, Column("MAP", "measure", y, declared={"judged_by": "people"})))
    said = answered(Result(Experiment("world", Serial(), units="none"), board, tuple(correlate(board, ["kendall"]))))
    number, first = PRINTED.search(said.sentences[0]), next(iter(said.grades))
    above = number is not None and int(number[1]) / 100 > (1 + taus[METRICS.index(first)]) / 2
    yield "error printed", float(above)
    yield "note printed, where a number is", math.nan if number is None else float(above)


POPULATIONS = (*product(("keyterms", "titles", "sentences"), ("RBO(p=0.9)",)), ("keyterms", "MAP"))


def intervals() -> Iterator[tuple[str, Cell]]:
    for n in SIZES:
        for topics, measure in POPULATIONS:
            draw: Draw = partial(pooled, topics, measure)
            yield f"interval: real, {topics}, {measure}, {n} systems", Cell(partial(interval, draw, n), data=True)
        if n <= ONE_FOLDER:
            yield f"interval: real, one folder, {n} systems", Cell(partial(interval, one_folder, n), data=True)
        for topics, number in product(("keyterms", "titles"), (30, 100)):
            draw = partial(resampled, topics, number)
            name = f"interval: topics, {number} {topics}, {n} systems"
            yield name, Cell(partial(interval, draw, n), share=0.5, data=True)
        for copula, tau in product(("normal", "t", "clayton"), (0.3, 0.6, 0.85)):
            recipe = replace(BASE, taus=(tau,) * MOST, copula=copula)
            cell = Cell(partial(interval, partial(made, recipe), n))
            yield f"interval: copula, {copula}, tau {tau:g}, {n} systems", cell


INTERVALS: Mapping[str, Cell] = dict(intervals())
