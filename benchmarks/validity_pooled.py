"""Does pooling over collections keep what it promises? Worlds whose truth is known, through `pool_stratum`.

    python -m benchmarks.validity_pooled --repetitions 400 --write docs

A collection has 8 to 38 systems; every metric's true tau with the measure differs from collection to collection by
`spread` (standard deviation), half of its variance common to all metrics. m0 and m1 agree equally well on average, m2
better by .1. In `shared` worlds two collections each have the same systems, their columns alike but for a fifth; in
worlds of language pairs half of a collection's variance is its pair's.
A row passes where the 99 % Monte Carlo interval touches its bound, and the median width is at most 1.25 times that of
an oracle: the same interval from the true variances of all estimates. `--write DIR` writes every row to
DIR/data/validity-pooled.tsv, and the page made from that file to DIR/explanation/validity-pooled.md.
"""

import argparse
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.validity import exact
from benchmarks.validity_page import number, read_rows, write_rows
from clirbench.labs.collections.model import pooled_mean, prediction, tau_covariance
from clirbench.labs.collections.pooling import Pooled, Stratum, pool_stratum, strata
from clirbench.labs.collections.reading import Collection
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of

TAUS = np.array([0.5, 0.5, 0.6])
COMMON = 0.5  # correlation of the metrics' errors
KEPT = 0.8  # of the variance of a column, where two collections have the same systems
SIZES = (8, 10, 12, 16, 19, 24, 30, 38)
ALPHA = 0.05
ROUND = 50


@dataclass(frozen=True)
class Recipe:
    clusters: int
    spread: float
    shared: bool
    groups: int = 0

    @property
    def name(self) -> str:
        kind = {0.0: "none", 0.1: "moderate", 0.2: "strong"}[self.spread]
        of = f"{2 * self.clusters if self.shared else self.clusters} collections"
        of += f" in {self.clusters} pairs of the same systems" if self.shared else ""
        return f"{of}{f' in {self.groups} language pairs' if self.groups else ''}, heterogeneity {kind}"

    def theta(self, rng: np.random.Generator, group: np.ndarray | None = None) -> np.ndarray:
        """(3,): true taus of one collection; where a language pair has several, half of it is the pair's."""
        own = rng.normal(size=3) * math.sqrt(0.5) + rng.normal() * math.sqrt(0.5)
        if self.groups:
            own = math.sqrt(0.5) * (own + (rng.normal(size=3) if group is None else group))
        return np.clip(TAUS + self.spread * own, -0.95, 0.95)


def seen_tau(theta: np.ndarray, shared: bool) -> np.ndarray:
    """The tau of the columns as they are seen: in shared worlds each has noise of its own."""
    return 2 / np.pi * np.arcsin((KEPT if shared else 1.0) * np.sin(np.pi * theta / 2))


def draw(recipe: Recipe, rng: np.random.Generator) -> tuple[list[Collection], list[np.ndarray], list[int]]:
    collections, truths, sizes = [], [], []
    of_pairs = rng.normal(size=(recipe.groups, 3))
    for cluster in range(recipe.clusters):
        # Pairs of unequal sizes: the first has most collections.
        pair = int(recipe.groups * (cluster / recipe.clusters) ** 1.5)
        theta = recipe.theta(rng, of_pairs[pair] if recipe.groups else None)
        n = int(rng.choice(SIZES))
        rho = np.sin(np.pi * theta / 2)
        y = rng.normal(size=n)
        errors = math.sqrt(COMMON) * rng.normal(size=n) + math.sqrt(1 - COMMON) * rng.normal(size=(3, n))
        x = rho[:, None] * y + np.sqrt(1 - rho[:, None] ** 2) * errors
        names = tuple(f"c{cluster}s{i}" for i in range(n))
        for copy in range(2 if recipe.shared else 1):
            own = np.vstack([x, y])
            if recipe.shared:
                own = math.sqrt(KEPT) * own + math.sqrt(1 - KEPT) * rng.normal(size=own.shape)
            columns = tuple(Column(f"m{m}", "metric", own[m]) for m in range(3))
            board = Scoreboard(names, (*columns, Column("MAP", "measure", own[3])))
            collections.append(Collection(f"c{cluster}-{copy}", board, units_of(board), {"pair": f"p{pair}"}))
        truths.append(seen_tau(theta, recipe.shared))
        sizes.append(n)
    return collections, truths, sizes


def contrast(values: np.ndarray, row: Pooled) -> np.ndarray:
    at = int(row.metric[1])
    return values[..., at] - values[..., int(row.other[1])] if row.other else values[..., at]


def repetition(recipe: Recipe, mean: np.ndarray, true_noise: np.ndarray, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    collections, _, sizes = draw(recipe, rng)
    fresh = seen_tau(recipe.theta(rng), recipe.shared)
    found, _ = strata(collections)
    groups = ["pair"] if recipe.groups else []
    rows, points = pool_stratum(Stratum("imported", "MAP", "imported"), next(iter(found.values())), groups)
    said: dict[str, float] = {}
    for row in rows:
        if (row.metric, row.other) not in (("m0", ""), ("m0", "m1"), ("m0", "m2")):
            continue
        what = "difference of equals" if row.other == "m1" else "difference" if row.other else "tau"
        own = [p for p in points if (p.metric, p.other) == (row.metric, row.other)]
        y = np.array([p.value for p in own])
        signs = np.array([float(row.metric == f"m{m}") - float(row.other == f"m{m}") for m in range(3)])
        v = np.array([signs @ true_noise[n] @ signs for n in sizes])
        if recipe.shared:
            v = v * 0.75  # nearly: two settings whose errors correlate by about a half
        truth, new = float(contrast(mean, row)), float(contrast(fresh, row))
        there = not math.isnan(row.ci_low)
        said[f"{what}: interval"] = float(row.ci_low <= truth <= row.ci_high) if there else math.nan
        said[f"{what}: interval width"] = row.ci_high - row.ci_low
        oracle = pooled_mean(y, v)
        if recipe.groups:
            pair = np.array([int(c.about["pair"][1:]) for c in collections])
            held = np.bincount(pair)
            oracle = pooled_mean(np.bincount(pair, y) / held, np.bincount(pair, v) / held**2)
        said[f"{what}: interval oracle"] = oracle.high - oracle.low
        told = not math.isnan(row.new_low)
        said[f"{what}: prediction"] = float(row.new_low <= new <= row.new_high) if told else math.nan
        said[f"{what}: prediction width"] = row.new_high - row.new_low
        low, high = prediction(y, v, draws=1000)
        said[f"{what}: prediction oracle"] = high - low
        if what == "difference":
            said["difference: found (power)"] = float(row.p_holm < ALPHA) if there else math.nan
        if what == "difference of equals":
            said["false difference"] = float(row.p_holm < ALPHA) if there else math.nan
            said["false difference, without Holm"] = float(row.p_value < ALPHA) if there else math.nan
    return said


BOUNDS = {"interval": 0.94, "prediction": 0.92}


def truth(recipe: Recipe) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """(3,): the mean true taus; and the true sampling covariance (3, 3) of a collection of each size."""
    rng = np.random.default_rng(0)
    truths = seen_tau(np.array([recipe.theta(rng) for _ in range(20000)]), recipe.shared)
    mean = truths.mean(axis=0)
    between = np.full((3, 3), 0.0)
    for a in range(3):
        for b in range(3):
            rho = [math.sin(math.pi * t / 2) for t in TAUS]
            r = rho[a] * rho[b] + math.sqrt((1 - rho[a] ** 2) * (1 - rho[b] ** 2)) * COMMON
            between[a, b] = 1.0 if a == b else 2 / math.pi * math.asin((KEPT if recipe.shared else 1.0) * r)
    sizes = np.array(SIZES)
    return mean, dict(zip(SIZES, tau_covariance(mean, between, sizes), strict=True))


@dataclass(frozen=True)
class Row:
    """One claim in one world; `verdict` as in `benchmarks.validity_page`, empty where nothing is promised."""

    world: str
    what: str
    repetitions: int
    rate: float
    low: float
    high: float
    width: float
    oracle: float
    verdict: str


def rows_of(recipe: Recipe, seen: dict[str, list[float]]) -> Iterator[Row]:
    for what, values in seen.items():
        if what.endswith(("width", "oracle")):
            continue
        column = np.array(values)
        column = column[~np.isnan(column)]
        if not len(column):
            if what.endswith(("interval", "prediction")):
                yield Row(recipe.name, what, len(values), *[math.nan] * 5, "not said")
            continue
        rate = float(column.mean())
        low, high = exact(rate, len(column))
        bound = BOUNDS.get(what.split(": ")[-1])
        width = float(np.nanmedian(seen[f"{what} width"])) if bound else math.nan
        oracle = float(np.nanmedian(seen[f"{what} oracle"])) if bound else math.nan
        verdict = ""
        if bound:
            verdict = "below" if high < bound else "wide" if width > 1.25 * oracle else "holds"
        elif what.startswith("false difference") and "without" not in what:
            verdict = "above" if low > 0.06 else "holds"
        yield Row(recipe.name, what, len(values), rate, low, high, width, oracle, verdict)


DATA, PAGE = Path("data/validity-pooled.tsv"), Path("explanation/validity-pooled.md")
HEAD = """<!-- Written by benchmarks/validity_pooled.py from docs/data/validity-pooled.tsv; do not edit. -->
# How pooling keeps its promises

`python -m benchmarks.validity_pooled` draws {worlds} worlds with known truth, {repetitions} times each: collections of
8 to 38 systems, whose true taus differ by a standard deviation of 0, .1 or .2; two metrics agree equally well with the
measure, and one is better by .1. An interval for the mean must hold the truth in .94, a prediction the new collection's
value in .92; clirbench may call equal metrics different in .06 (touched by the 99 % Monte Carlo interval). An oracle
knows the true variances.

{tested} promises, {held} kept. Where collections share language pairs clirbench makes no prediction ({silent} cases).

| claim | worlds | kept | rate, lowest | highest | width / oracle's, largest |
| --- | --: | --: | --: | --: | --: |
"""
TAIL = """
*difference: found (power)* is how often clirbench finds the true difference of .1: seldom, unless there are many
collections. Every world is in [validity-pooled.tsv](../data/validity-pooled.tsv).
"""


def page(rows: Sequence[Row]) -> str:
    """The page, in Markdown: one line for each claim."""
    promised = [row for row in rows if row.verdict]
    said = [row for row in promised if row.verdict != "not said"]
    head = HEAD.format(
        worlds=len({row.world for row in rows}),
        repetitions=max(row.repetitions for row in rows),
        tested=len(said),
        held=sum(row.verdict == "holds" for row in said),
        silent=len(promised) - len(said),
    )
    lines = []
    for what in dict.fromkeys(row.what for row in rows):
        of = [row for row in rows if row.what == what and row.verdict != "not said"]
        held = sum(row.verdict == "holds" for row in of) if of[0].verdict else ""
        rates = [number(end(row.rate for row in of), 3) for end in (min, max)]
        ratio = max((row.width / row.oracle for row in of if row.oracle > 0), default=math.nan)
        lines.append(f"| {what} | {len(of)} | {held} | {rates[0]} | {rates[1]} | {number(ratio, 2)} |\n")
    return head + "".join(lines) + TAIL


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clusters", type=int, nargs="*", default=[5, 10, 20])
    parser.add_argument("--groups", type=int, nargs="*", default=[10])
    parser.add_argument("--minutes", type=float, default=math.inf, help="no new round of 50 after so long")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    kinds = [(clusters, shared, 0) for shared in (False, True) for clusters in options.clusters]
    kinds += [(20, False, pairs) for pairs in options.groups]
    recipes = [Recipe(c, spread, shared, groups) for c, shared, groups in kinds for spread in (0.0, 0.1, 0.2)]
    truths = [truth(recipe) for recipe in recipes]
    seen: list[dict[str, list[float]]] = [defaultdict(list) for _ in recipes]
    rows: list[Row] = []
    # Rounds over all worlds: stopped at any time, the page has them all.
    for first in range(0, options.repetitions, ROUND):
        until = min(first + ROUND, options.repetitions)
        for recipe, (mean, noise), told in zip(recipes, truths, seen, strict=True):
            for at in range(first, until):
                for what, value in repetition(recipe, mean, noise, options.seed * 1_000_003 + at).items():
                    told[what].append(value)
        rows = [row for recipe, told in zip(recipes, seen, strict=True) for row in rows_of(recipe, told)]
        print(f"{time.perf_counter() - start:6.0f} s ({time.process_time():.0f} s of a processor): {until} repetitions",
              file=sys.stderr, flush=True)  # fmt: skip
        if options.write:
            write_rows(options.write / DATA, rows)
            (options.write / PAGE).write_text(page(read_rows(options.write / DATA, Row)), encoding="utf-8")
        if time.perf_counter() - start > 60 * options.minutes:
            break
    return int(any(row.verdict in ("above", "below") for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
