"""What is claimed of several collections together, in worlds whose truth is known: cells of benchmarks/validity.py.

`pooled`: a collection has 8 to 38 systems; a metric's true tau differs between collections by `spread` (SD), half of
its variance common to all metrics. m0 and m1 agree equally well on average, m2 better by .1. `shared`: two collections
each have the same systems, their columns alike but for a fifth. Language pairs: half of a collection's variance is its
pair's. The oracle is the same interval from true variances.

`atlas`: every collection has the systems (by maker) and the source of a real one. tau_ck = tau_k + t_gk + u_ck, metric
k in collection c of texts g; systems and errors have a part in common with their maker's. Notes: ignoring all that.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np

from benchmarks.folders import systems, wmt
from benchmarks.validity_cells import ALPHA, Cell, See, below, inside
from clirbench.labs.collections.model import maker_of, pooled_mean, prediction, tau_covariance
from clirbench.labs.collections.pooling import Stratum, pool_stratum, strata
from clirbench.labs.collections.reading import Collection
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.given import estimates
from clirbench.text import TextFile
from clirbench.types import Doubles, Ints

TAUS = np.array([0.5, 0.5, 0.6])
COMMON = 0.5  # correlation of the metrics' errors
KEPT = 0.8  # of the variance of a column, where two collections have the same systems
SIZES = (8, 10, 12, 16, 19, 24, 30, 38)
HETEROGENEITY = {0.0: "none", 0.1: "moderate", 0.2: "strong"}
SAID = {("m0", ""): "tau", ("m0", "m1"): "difference of equals", ("m0", "m2"): "difference"}


def columns(rng: np.random.Generator, tau: Doubles, parts: Doubles) -> Doubles:
    """(1 + metrics, n): a measure, and metrics with these taus; `parts` (n, 2 + metrics): quality and errors."""
    rho = np.sin(np.pi * tau / 2)
    errors = math.sqrt(COMMON) * parts[:, [1]] + math.sqrt(1 - COMMON) * parts[:, 2:]
    return np.vstack([parts[:, 0], (rho * parts[:, [0]] + np.sqrt(1 - rho**2) * errors).T])


@dataclass(frozen=True)
class Pooling:
    clusters: int
    spread: float
    shared: bool
    groups: int = 0

    def theta(self, rng: np.random.Generator, group: Doubles | None = None) -> Doubles:
        """(3,): true taus of one collection; where a language pair has several, half of it is the pair's."""
        own = rng.normal(size=3) * math.sqrt(0.5) + rng.normal() * math.sqrt(0.5)
        if self.groups:
            own = math.sqrt(0.5) * (own + (rng.normal(size=3) if group is None else group))
        return np.clip(TAUS + self.spread * own, -0.95, 0.95)

    def seen(self, theta: Doubles) -> Doubles:
        """The tau of the columns as they are seen: in shared worlds each has noise of its own."""
        return 2 / np.pi * np.arcsin((KEPT if self.shared else 1.0) * np.sin(np.pi * theta / 2))

    def draw(self, rng: np.random.Generator) -> Iterator[Collection]:
        of_pairs = rng.normal(size=(self.groups, 3))
        for cluster in range(self.clusters):
            # Pairs of unequal sizes: the first has most collections.
            pair = int(self.groups * (cluster / self.clusters) ** 1.5)
            theta = self.theta(rng, of_pairs[pair] if self.groups else None)
            n = int(rng.choice(SIZES))
            whole = columns(rng, theta, rng.normal(size=(n, 5)))
            for copy in range(2 if self.shared else 1):
                own = whole
                if self.shared:
                    own = math.sqrt(KEPT) * whole + math.sqrt(1 - KEPT) * rng.normal(size=whole.shape)
                made = [Column(f"m{m}", "metric", own[1 + m]) for m in range(3)]
                names = tuple(f"c{cluster}s{i}" for i in range(n))
                board = Scoreboard(names, (*made, Column("MAP", "measure", own[0])))
                yield Collection(f"c{cluster}-{copy}", board, units_of(board), {"pair": f"p{pair}"})


@cache
def truth(recipe: Pooling) -> tuple[Doubles, Mapping[int, Doubles]]:
    """(3,): the mean true taus; and the true sampling covariance (3, 3) of a collection of each size."""
    rng = np.random.default_rng(0)
    mean = recipe.seen(np.array([recipe.theta(rng) for _ in range(20000)])).mean(axis=0)
    rho = np.sin(np.pi * TAUS / 2)
    rest = np.sqrt(1 - rho**2)
    between = recipe.seen(2 / np.pi * np.arcsin(np.outer(rho, rho) + COMMON * np.outer(rest, rest)))
    np.fill_diagonal(between, 1.0)
    return mean, dict(zip(SIZES, tau_covariance(mean, between, np.array(SIZES)), strict=True))


def pooled(recipe: Pooling, rng: np.random.Generator, seed: int) -> See:
    mean, true_noise = truth(recipe)
    collections = list(recipe.draw(rng))
    fresh = recipe.seen(recipe.theta(rng))
    sizes = [len(one.board.systems) for one in collections[:: 2 if recipe.shared else 1]]
    found, _ = strata(collections)
    groups = ["pair"] if recipe.groups else []
    rows, points = pool_stratum(Stratum("imported", "MAP", "imported"), next(iter(found.values())), groups)
    for row in rows:
        if (what := SAID.get((row.metric, row.other), "")) == "":
            continue
        signs = np.array([float(row.metric == f"m{m}") - float(row.other == f"m{m}") for m in range(3)])
        y = np.array([p.value for p in points if (p.metric, p.other) == (row.metric, row.other)])
        v = np.array([signs @ true_noise[n] @ signs for n in sizes])
        if recipe.shared:
            v = v * 0.75  # nearly: two settings whose errors correlate by about a half
        yield f"cover {what}: interval", inside(row.ci_low, float(mean @ signs), row.ci_high)
        yield f"width {what}: interval", row.ci_high - row.ci_low
        oracle = pooled_mean(y, v)
        if recipe.groups:
            pair = np.array([int(c.about["pair"][1:]) for c in collections])
            oracle = pooled_mean(*(np.bincount(pair, side) / np.bincount(pair) ** k for side, k in ((y, 1), (v, 2))))
        yield f"oracle {what}: interval", oracle.high - oracle.low
        yield f"predicted {what}: prediction", inside(row.new_low, float(fresh @ signs), row.new_high)
        yield f"width {what}: prediction", row.new_high - row.new_low
        low, high = prediction(y, v, draws=1000)
        yield f"oracle {what}: prediction", high - low
        holm, alone = (math.nan if math.isnan(row.ci_low) else below(p) for p in (row.p_holm, row.p_value))
        if what == "difference":
            yield "power difference: found", holm
        if what == "difference of equals":
            yield "error false difference", holm
            yield "note false difference, without Holm", alone


MIDDLE, BETWEEN = 0.55, 0.10
"""The metrics' mean tau, and its standard deviation between collections."""
FEWEST = 6


@cache
def structure() -> tuple[list[list[str]], Ints]:
    """The makers of the systems of each real collection, and the number of its source text."""
    makers, sources = [], []
    for folder in wmt(FEWEST):
        makers.append([maker_of(system) for system in systems(folder)])
        sources.append(TextFile(next(folder.glob("source.txt*"))).fingerprint)
    return makers, np.unique(sources, return_inverse=True)[1]


def atlas(share: float, of_texts: float, difference: float, rng: np.random.Generator, seed: int) -> See:
    makers, groups = structure()
    every = sorted({maker for own in makers for maker in own})
    theirs = rng.normal(size=(len(every), 4))
    texts = rng.normal(size=(groups.max() + 1, 2)) * of_texts / np.sqrt(2)
    units = np.array([len(own) for own in makers])
    found, between, signs = [], [], np.array([1.0, -1.0])
    for own, group in zip(makers, groups.tolist(), strict=True):
        at = [every.index(maker) for maker in own]
        parts = np.sqrt(share) * theirs[at] + np.sqrt(1 - share) * rng.normal(size=(len(own), 4))
        tau = MIDDLE + difference / 2 * signs + texts[group] + rng.normal(size=2) * BETWEEN
        y, *x = columns(rng, np.clip(tau, -0.95, 0.95), parts)
        found.append(estimates(np.stack(x), y, np.arange(len(y))))
        between.append(estimates(x[0][None], x[1], np.arange(len(y))).tau[0])
    taus, middle = np.stack([one.tau for one in found]), np.average(between, weights=units)
    matrix = np.array([[1.0, middle], [middle, 1.0]])
    v = np.einsum("a,kab,b->k", signs, tau_covariance(np.average(taus, axis=0, weights=units), matrix, units), signs)
    influences: list[dict[str, float]] = []
    for one, own, noise in zip(found, makers, v.tolist(), strict=True):
        influence = one.influence @ signs
        size = (influence**2).sum()
        influences.append({})
        for maker, value in zip(own, influence * (np.sqrt(noise / size) if size > 0 else 0.0), strict=True):
            influences[-1][maker] = influences[-1].get(maker, 0.0) + value
    wide, plain = pooled_mean(taus @ signs, v, groups=groups, makers=influences), pooled_mean(taus @ signs, v)
    kind = "power" if difference else "error"
    yield "cover mean difference", inside(wide.low, difference, wide.high)
    yield f"{kind} difference", float(wide.p_value < ALPHA)
    yield "note coverage, ignoring makers and texts", inside(plain.low, difference, plain.high)
    yield "note difference, ignoring makers and texts", float(plain.p_value < ALPHA)


def pooled_cells() -> Iterator[tuple[str, Cell]]:
    kinds = [(clusters, shared, 0) for shared in (False, True) for clusters in (5, 10, 20)]
    for (clusters, shared, groups), spread in product([*kinds, (20, False, 10)], HETEROGENEITY):
        name = f"pooled: {2 * clusters if shared else clusters} collections"
        name += f" in {clusters} pairs of the same systems" if shared else ""
        name += f" in {groups} language pairs" if groups else ""
        name += f", heterogeneity {HETEROGENEITY[spread]}"
        yield name, Cell(partial(pooled, Pooling(clusters, spread, shared, groups)), share=0.08)


COLLECTIONS: Mapping[str, Cell] = {
    **dict(pooled_cells()),
    **{
        f"atlas: makers share {makers:g}, texts differ by {texts:g}, metrics by {by:g}": Cell(
            partial(atlas, makers, texts, by), share=0.08, data=True
        )
        for makers, texts, by in product((0.0, 0.5, 0.8), (0.0, 0.15), (0.0, 0.08))
    },
}
