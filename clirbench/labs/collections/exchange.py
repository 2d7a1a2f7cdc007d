"""P(truly better retrieval | a difference of an MT metric), learned from pairs of systems of many collections.

Two systems of collection c differ by d points of the metric, d > 0. The difference of their true retrieval quality is
normal with mean b d and standard deviation b a: b is the collection's slope (measure a point), a its *scale*, the
points at which the better score is right in Phi(1) = 84 % of pairs. What is seen has the error of the topics as well:

    seen difference ~ N(b d, (b a)^2 + error^2)

log a differs between collections, normally around `centre` with deviation `spread`. A collection tells of a only its
likelihood at the scales of `SCALES`, where its slope is the best for each (a nuisance). Pairs of one collection are not
independent: each counts 2 / systems, so a collection of n systems counts as n - 1 pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr

from clirbench.files.tables import read_table
from clirbench.labs.collections.memory import DATA, Memory, memory
from clirbench.types import Doubles

SCALES: Doubles = 0.05 * np.exp(0.37 * np.arange(18))
"""Points of a metric in [0, 100]: .05 to 27."""
CENTRES: Doubles = np.log(SCALES[0]) + 0.37 * np.linspace(0, len(SCALES) - 1, 52)
SPREADS: Doubles = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.25, 1.5])


@dataclass(frozen=True, eq=False)
class Told:
    """What one collection tells of a metric: `profile` over SCALES (0 at its best), its `slope`; `cluster`, which
    collections are kept together; `error`: the median standard error of its differences of one topic."""

    cluster: str
    profile: Doubles
    slope: float
    error: float


GRID: Doubles = np.array([(centre, spread) for centre in CENTRES for spread in SPREADS])
_RAW: Doubles = np.exp(-0.5 * ((np.log(SCALES) - GRID[:, :1]) / GRID[:, 1:]) ** 2)
WEIGHTS: Doubles = _RAW / _RAW.sum(axis=1, keepdims=True)
"""(GRID, SCALES): how likely a collection's scale is under each (centre, spread)."""
STRATUM = 1.0
"""Deviation of a stratum's centre from the metric's centre over all strata, in log points."""
CREDIBLE = 0.98
"""Of the posterior, for an interval that promises .95: at .95 it held the truth in as few as .85 of made worlds."""


@dataclass(frozen=True, eq=False)
class Belief:
    """The posterior of (centre, spread) over GRID; sums to 1. The spread's prior is half normal with deviation .8."""

    posterior: Doubles

    @property
    def centre(self) -> float:
        """Its mean, in log points."""
        return float(self.posterior @ GRID[:, 0])

    def probability(self, gap: Doubles | np.float64, noise: Doubles | float = 0.0) -> Doubles:
        """P(truly better | gap), in a collection taken at random; with `noise`, the error of topics in points of the
        metric (error / slope), P(seen better | gap)."""
        return np.asarray(_right(gap, noise) @ WEIGHTS.T @ self.posterior)

    def interval(self, gap: float, level: float = CREDIBLE) -> tuple[float, float]:
        """Where P(truly better | gap) of the average collection lies (of most made worlds in .95 and more)."""
        values = _right(np.float64(gap), 0.0) @ WEIGHTS.T
        order = np.argsort(values)
        below = np.cumsum(self.posterior[order])
        low, high = np.searchsorted(below, [(1 - level) / 2, (1 + level) / 2]).clip(0, len(values) - 1)
        return float(values[order][low]), float(values[order][high])


def _right(gap: Doubles | np.float64, noise: Doubles | float) -> Doubles:
    """(..., SCALES)"""
    return np.asarray(ndtr(np.asarray(gap)[..., None] / np.sqrt(SCALES**2 + np.asarray(noise)[..., None] ** 2)))


def learn(collections: Sequence[Told], of_all: Belief | None = None) -> Belief:
    """What collections tell together; `of_all`: what is known of the metric over all strata, to which a stratum of few
    collections is drawn."""
    profiles = np.array([one.profile for one in collections]).reshape(-1, len(SCALES))
    centre, deviation = (0.0, 1.0) if of_all is None else (of_all.centre, STRATUM)
    prior = -0.5 * ((GRID[:, 0] - centre) / deviation) ** 2 - 0.5 * (GRID[:, 1] / 0.8) ** 2
    found = np.log(np.exp(profiles) @ WEIGHTS.T).sum(axis=0) + prior
    raw = np.exp(found - found.max())
    return Belief(raw / raw.sum())


BANDS = ("lower", "upper")
"""Pairs of systems by the metric's mean of the two: below or above the median of their metric and language group."""
NEAR = 0.05
"""A stratum is calibrated where predicted and seen shares of left-out pairs differ by no more."""


@dataclass(frozen=True)
class Place:
    """A metric in a language group and band: its `signatures`; `level`, where the two bands meet; what its pairs have:
    levels between `lowest` and `highest` (but for 2.5 % at the outer end), gaps up to `widest` (95 %), texts of
    `shortest` to `longest` lines; and of pairs that were left out the share `predicted` and `seen` to be better."""

    metric: str
    group: str
    band: str
    signatures: tuple[str, ...]
    level: float
    lowest: float
    highest: float
    widest: float
    shortest: int
    longest: int
    predicted: float
    seen: float

    @property
    def calibrated(self) -> bool:
        return abs(self.predicted - self.seen) <= NEAR


@dataclass(frozen=True)
class Strata:
    """`places` by (metric, group, band); `told[metric, band]` what each collection of the `memory` told of a
    difference."""

    memory: Memory
    places: Mapping[tuple[str, str, str], Place]
    told: Mapping[tuple[str, str], Mapping[str, Told]]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for metric, _, _ in self.places))

    def of_group(self, metric: str, group: str, band: str, without: frozenset[str] = frozenset()) -> dict[str, Told]:
        """What the collections of a language group told, by name, `without` some."""
        kept = self.told.get((metric, band), {})
        return {name: kept[name] for name in self.memory.of_group(kept, group, without)}

    def everything(self, metric: str, without: frozenset[str] = frozenset()) -> list[Told]:
        """What all collections told of a metric, in both bands."""
        parts = (self.told.get((metric, band), {}) for band in BANDS)
        return [one for part in parts for name, one in part.items() if name not in without]


@cache
def strata() -> Strata:
    """Those that travel with the program: places.tsv and scales.tsv."""
    places = {}
    for row in read_table(DATA / "places.tsv").records():
        key = row["metric"], row["group"], row["band"]
        places[key] = Place(
            *key, tuple(row["signature"].split()), level=float(row["level"]), lowest=float(row["lowest"]),
            highest=float(row["highest"]), widest=float(row["widest"]), shortest=int(row["shortest"]),
            longest=int(row["longest"]), predicted=float(row["predicted"]), seen=float(row["seen"]),
        )  # fmt: skip
    told: dict[tuple[str, str], dict[str, Told]] = {}
    for row in read_table(DATA / "scales.tsv").records():
        profile = np.array([float(cell) for cell in row["profile"].split()])
        cluster = memory().collections[row["collection"]].cluster
        one = Told(cluster, profile, float(row["slope"]), float(row["error"]))
        told.setdefault((row["metric"], row["band"]), {})[row["collection"]] = one
    return Strata(memory(), places, told)
