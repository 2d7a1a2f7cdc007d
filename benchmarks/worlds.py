"""Worlds with known truth, for benchmarks/validity_cells.py: systems in units, metrics, a measure over topics.

A `Recipe` says how a world is made; `recipe.draw(rng)` makes one. All is normal before it is rounded or bent:

    true_y[i]      = quality of system i, variance 1, of which the share `alike` is common to its unit
    true_x[m, i]   = rho_m true_y[i] + sqrt(1 - rho_m^2) error[m, i], rho_m = sin(pi tau_m / 2), so that `taus` are the
                     noise-free taus; errors of metrics correlate by `common`, and are alike within units too
    per_topic[i,t] = true_y[i] + topic[t] + noise[i, t], of 50 topics as reliable as `reliability` says
    x[m, i]        = true_x[m, i] + segment noise of reliability `metric_reliability`

`covariate`: both sides are rho z + rest, the rest unrelated where taus are 0. `factor`: a second factor,
crossed with the grid, moves each side by an amount of its own. `copula`: `normal`, `t` (3 degrees of freedom: systems
that stand out do so on both sides) or `clayton` (bad systems agree, good ones less; all columns with one tau); margins
of the truth stay normal. `holes`: how many systems a metric has (0: all).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.types import Doubles, Ints

RELIABLE_AT = 50  # topics


@dataclass(frozen=True, eq=False)
class World:
    """One draw. More is better everywhere.

    `x` (metrics, n) and `y` (n,): as measured, NaN is a hole; `per_topic` (n, topics), its mean over topics is y;
    `true_x` (metrics, n), `true_y` (n,): without noise; `unit` (n,): 0, 1, ...; `metadata`: as a score table holds it.
    """

    x: Doubles
    y: Doubles
    per_topic: Doubles
    true_x: Doubles
    true_y: Doubles
    unit: Ints
    metadata: Mapping[str, tuple[str, ...]]

    @property
    def board(self) -> Scoreboard:
        metrics = tuple(Column(f"m{m}", "metric", values) for m, values in enumerate(self.x))
        names = tuple(f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(len(self.y)))
        return Scoreboard(names, (*metrics, Column("MAP", "measure", self.y)), dict(self.metadata))


@dataclass(frozen=True)
class Recipe:
    """How a world is made; see the top of the module. Sizes of units: `size` each, or `sizes`."""

    units: int = 16
    size: int = 1
    sizes: tuple[int, ...] = ()
    alike: float = 0.0
    taus: tuple[float, ...] = (0.6,) * 6
    common: float = 0.5
    topics: int = 50
    reliability: float = 0.85
    metric_reliability: float = 0.98
    levels: int = 0
    binary: bool = False
    bent: bool = False
    holes: tuple[int, ...] = ()
    covariate: float = 0.0
    grid: int = 0
    factor: float = 0.0
    copula: str = "normal"

    @property
    def unit(self) -> Ints:
        return np.repeat(np.arange(self.units), self.sizes or self.size)

    def draw(self, rng: np.random.Generator) -> World:
        unit = self.unit
        n, metrics = len(unit), len(self.taus)
        rho = np.sin(np.pi * np.array(self.taus) / 2)[:, None]
        true_y = self._alike(rng, unit, 1)[0]
        error = np.sqrt(self.common) * self._alike(rng, unit, 1)
        error = error + np.sqrt(1 - self.common) * self._alike(rng, unit, metrics)
        true_x = rho * true_y + np.sqrt(1 - rho**2) * error
        if self.copula != "normal":
            true_y, true_x = self._bound(rng, unit, true_y, true_x)
        z = self._covariate(rng, n)
        if len(z):
            true_y, true_x = (self.covariate * z + np.sqrt(1 - self.covariate**2) * rest for rest in (true_y, true_x))
        if self.factor:
            level = np.arange(n) // self.grid
            true_y = true_y + self.factor * rng.normal(size=n)[level]
            true_x = true_x + self.factor * rng.normal(size=(metrics, n))[:, level]
        noise = self._topic_noise(rng, unit)
        per_topic = true_y[:, None] + rng.normal(size=self.topics) + noise
        if self.binary:
            from scipy.stats import norm

            true_y = norm.cdf(true_y / np.sqrt(1 + self._topic_variance))
            per_topic = (per_topic > 0).astype(np.float64)
        x = true_x + np.sqrt((1 - self.metric_reliability) / self.metric_reliability) * self._alike(rng, unit, metrics)
        if self.levels:
            x = np.round(x * self.levels / 4)
        if self.bent:
            x = np.exp(2 * x)
        for metric, kept in enumerate(self.holes):
            if kept:
                x[metric, kept:] = np.nan
        y = per_topic.mean(axis=1)
        return World(x, y, per_topic, true_x, true_y, unit, self._metadata(unit, z))

    @property
    def _topic_variance(self) -> float:
        return RELIABLE_AT * (1 - self.reliability) / self.reliability

    def _alike(self, rng: np.random.Generator, unit: Ints, rows: int) -> Doubles:
        """(rows, n): variance 1, correlation `alike` within units."""
        between, within = rng.normal(size=(rows, self.units)), rng.normal(size=(rows, len(unit)))
        return np.asarray(np.sqrt(self.alike) * between[:, unit] + np.sqrt(1 - self.alike) * within)

    def _bound(self, rng: np.random.Generator, unit: Ints, true_y: Doubles, true_x: Doubles) -> tuple[Doubles, Doubles]:
        """The same taus under another copula: rows of the truth with normal margins."""
        from scipy.stats import norm, t

        if self.copula == "t":
            stretch = np.sqrt(3 / rng.chisquare(3, size=self.units))[unit]
            return norm.ppf(t.cdf(true_y * stretch, 3)), norm.ppf(t.cdf(true_x * stretch, 3))
        theta = 2 * self.taus[0] / (1 - self.taus[0])  # Marshall and Olkin 1988: one gamma for all columns of a system
        frailty = rng.gamma(1 / theta, size=len(unit))
        uniform = (1 + rng.exponential(size=(len(true_x) + 1, len(unit))) / frailty) ** (-1 / theta)
        columns = norm.ppf(np.clip(uniform, 1e-12, 1 - 1e-12))
        return columns[0], columns[1:]

    def _topic_noise(self, rng: np.random.Generator, unit: Ints) -> Doubles:
        own = rng.normal(size=(len(unit), self.topics))
        if self.alike:
            shared = rng.normal(size=(self.units, self.topics))[unit]
            own = np.sqrt(self.alike) * shared + np.sqrt(1 - self.alike) * own
        return np.asarray(np.sqrt(self._topic_variance) * own)

    def _covariate(self, rng: np.random.Generator, n: int) -> Doubles:
        if not self.covariate and not self.grid:
            return np.empty(0)
        if not self.grid:
            return rng.normal(size=n)
        values = np.arange(n) % self.grid if self.size == 1 else np.arange(n) % self.size
        return np.asarray((values - values.mean()) / values.std())

    def _metadata(self, unit: Ints, z: Doubles) -> dict[str, tuple[str, ...]]:
        metadata: dict[str, tuple[str, ...]] = {}
        if len(unit) > self.units:
            metadata["family"] = tuple(f"f{family}" for family in unit.tolist())
        if len(z):
            metadata["training_lines"] = tuple(f"{value:.6f}" for value in np.exp(z + 5).tolist())
        if self.factor:
            metadata["bpe"] = tuple(str(1000 * (1 + i // self.grid)) for i in range(len(unit)))
        return metadata


BASE = Recipe()
NULL = replace(BASE, taus=(0.0,) * 6)
ONE_BETTER = (0.8, *(0.5,) * 5)


def _families(recipe: Recipe) -> dict[str, Recipe]:
    return {
        f"{units} families of {size}, alike {alike:g}": replace(recipe, units=units, size=size, alike=alike)
        for units, size in ((5, 8), (8, 5), (4, 4), (2, 8))
        for alike in (0.8, 0.98)
    }


def _around(recipe: Recipe) -> dict[str, Recipe]:
    """One factor at a time."""
    tau = recipe.taus[0]
    return {
        "base": recipe,
        **{f"{n} systems": replace(recipe, units=n) for n in (5, 6, 7, 8, 38, 100)},
        **{f"{n} topics": replace(recipe, topics=n) for n in (5, 150)},
        **{f"reliability {r:g}": replace(recipe, reliability=r) for r in (0.5, 0.99)},
        **{f"{m} metrics": replace(recipe, taus=(tau,) * m) for m in (2, 15)},
        "15 metrics, 38 systems": replace(recipe, taus=(tau,) * 15, units=38),
        "ties in the metrics": replace(recipe, levels=5),
        "ties in the measure": replace(recipe, binary=True, topics=10),
        "ties in both": replace(recipe, levels=5, binary=True, topics=10),
        "holes": replace(recipe, holes=(12, 14, 0, 0, 0, 0)),
        "bent": replace(recipe, bent=True),
        **_families(recipe),
        "unequal units": replace(recipe, units=10, sizes=(1, 1, 1, 2, 2, 4, 4, 8, 8, 8), alike=0.8),
        "units of 1 to 8": replace(recipe, units=8, sizes=tuple(range(1, 9)), alike=0.8),
        "units of 1 to 8, near-copies": replace(recipe, units=8, sizes=tuple(range(1, 9)), alike=0.98),
        "7 units, one of 10": replace(recipe, units=7, sizes=(1,) * 6 + (10,), alike=0.8),
        "unequal units, 16": replace(recipe, units=16, sizes=(1,) * 8 + (4,) * 8, alike=0.5),
    }


TRUE_WORLDS: Mapping[str, Recipe] = {
    **_around(BASE),
    "one better metric": replace(BASE, taus=ONE_BETTER),
    "one better metric, 38 systems": replace(BASE, taus=ONE_BETTER, units=38),
    "one better metric, 8 families of 5": replace(BASE, taus=ONE_BETTER, units=8, size=5, alike=0.8),
    "one useful metric": replace(BASE, taus=(0.6, *(0.0,) * 5)),
    "tau .8, 38 systems": replace(BASE, taus=(0.8,) * 6, units=38),
    **{
        f"{copula} copula, {n} systems": replace(BASE, copula=copula, units=n)
        for copula in ("t", "clayton")
        for n in (8, 16, 38)
    },
    "t copula, 8 families of 5": replace(BASE, copula="t", units=8, size=5, alike=0.8),
}
NULL_WORLDS: Mapping[str, Recipe] = _around(NULL)
COVARIATE_WORLDS: Mapping[str, Recipe] = {
    **{f"covariate {rho:g}": replace(NULL, covariate=rho) for rho in (0.7, 0.9, 0.95)},
    **{f"covariate {rho:g}, 38 systems": replace(NULL, covariate=rho, units=38) for rho in (0.7, 0.9, 0.95)},
    **{f"grid of 8 by 2, covariate {rho:g}": replace(NULL, covariate=rho, grid=8) for rho in (0.7, 0.9, 0.95)},
    "grid of 8 by 2, a second factor": replace(NULL, covariate=0.9, grid=8, factor=1.0),
    "grid of 8 by 6, a second factor": replace(NULL, covariate=0.9, grid=8, factor=1.0, units=48),
}
