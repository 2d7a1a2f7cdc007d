"""Taus of a metric in many collections: what another collection will have, and what they add to a run.

atanh(tau) of a collection is normal around the metric's mean in the language group, with a variance between collections
(DerSimonian and Laird 1986) and one of sampling, .437 / (n - 4) for n systems (Fieller, Hartley and Pearson 1957).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from clirbench.types import Doubles

MOST = 0.995
"""A tau of 1 is taken as this: its atanh is finite."""
WIDER = 1.3
"""Factor of the deviation between collections, for a run is none of them (left-out language pairs wanted it)."""


@dataclass(frozen=True)
class Observed:
    """A collection's tau of a metric: `spread`, the standard deviation of the metric over its `systems`."""

    cluster: str
    tau: float
    systems: int
    spread: float


def sampling(systems: Doubles | int) -> Doubles:
    """Variance of atanh(tau) of a collection of this number of systems."""
    return np.asarray(0.437 / np.maximum(np.asarray(systems) - 4, 1))


@dataclass(frozen=True)
class Taus:
    """Taus of collections; `clusters` are those that are independent."""

    observed: tuple[Observed, ...]

    @property
    def clusters(self) -> list[str]:
        return list(dict.fromkeys(one.cluster for one in self.observed))

    @cached_property
    def moments(self) -> tuple[float, float, float]:
        """Mean of atanh(tau), variance between collections, variance of the mean."""
        z = atanh([one.tau for one in self.observed])
        weight = 1 / sampling(np.array([one.systems for one in self.observed]))
        mean = weight @ z / weight.sum()
        excess = weight @ (z - mean) ** 2 - (len(z) - 1)
        between = max(0.0, float(excess / (weight.sum() - weight @ weight / weight.sum())))
        weight = 1 / (1 / weight + between)
        return float(weight @ z / weight.sum()), between, float(1 / weight.sum())

    def another(self, systems: int, level: float = 0.9) -> tuple[float, float, float]:
        """(low, median, high) of the tau of another collection; Student's t of the clusters."""
        mean, between, error = self.moments
        reach = self._reach(level) * float(between + error + sampling(systems)) ** 0.5
        return tanh(mean - reach), tanh(mean), tanh(mean + reach)

    def together(self, tau: float, systems: int, level: float = 0.95) -> tuple[float, float, float]:
        """(low, median, high) of a run's tau without sampling error: its own evidence, and that of the others, whose
        deviation is widened by WIDER."""
        mean, between, error = self.moments
        own, others = 1 / float(sampling(systems)), 1 / (WIDER**2 * (between + error))
        middle = (own * float(atanh([tau])[0]) + others * mean) / (own + others)
        reach = self._reach(level) * (own + others) ** -0.5
        return tanh(middle - reach), tanh(middle), tanh(middle + reach)

    def _reach(self, level: float) -> float:
        return float(stdtrit(len(self.clusters) - 1, (1 + level) / 2))


def atanh(taus: Sequence[float]) -> Doubles:
    return np.asarray(np.arctanh(np.clip(taus, -MOST, MOST)))


def tanh(z: float) -> float:
    return float(np.tanh(z))
