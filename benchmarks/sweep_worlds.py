"""Training runs with known truth: checkpoints whose true quality follows a curve, and an oracle that knows how.

    true[run, step] = 4 curve(t; shape) + level of the run + what it wanders + own
    per_topic       = true + topic + noise; noise of neighbouring checkpoints of a run is alike

Curves: `rising`, `overfitting` (up, then down), `plateau` (up soon, then flat), `dropped` (a plateau and a second rise
where the learning rate drops). The shape (how fast, where the peak or the drop is) is one of nine, each as likely, so
that the oracle, which knows all this and the noise, has an exact posterior: a mixture of nine normal laws.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
KINDS = ("rising", "overfitting", "plateau", "dropped")
SHAPES = np.linspace(0.1, 0.9, 9)


def curve(kind: str, t: Doubles, shape: float) -> Doubles:
    """(steps,): from about 0 to about 1; `shape` in (0, 1)."""
    if kind == "rising":
        return np.asarray((1 + 20 * t) ** (0.3 + 0.4 * shape) / 21 ** (0.3 + 0.4 * shape))
    if kind == "overfitting":
        peak = 0.25 + 0.5 * shape
        return np.asarray(1 - np.exp(-8 * t / peak / 2) - 0.5 * np.maximum(t - peak, 0) / (1 - peak))
    if kind == "plateau":
        return np.asarray(1 - np.exp(-(10 + 20 * shape) * t))
    at = 0.3 + 0.5 * shape
    later = np.maximum(t - at, 0)
    return np.asarray(0.8 * (1 - np.exp(-15 * t)) + 0.2 * (1 - np.exp(-40 * later)))


@dataclass(frozen=True, eq=False)
class Sweep:
    """One draw: `per_topic` (n, topics), `metrics` (metrics, n), `true_y` (n,), `run` (n,), `step` (n,) from 1."""

    per_topic: Doubles
    metrics: Doubles
    true_y: Doubles
    run: NDArray[np.int64]
    step: Doubles


@dataclass(frozen=True)
class SweepRecipe:
    """`wander`, `own`, `level`: standard deviations; `neighbours`: share of topic noise that neighbours have in common.

    Both wandering and common noise keep their level over `length` of the training. `shape`: of every curve, where it is
    not drawn.
    """

    kind: str = "plateau"
    runs: int = 3
    steps: int = 22
    wander: float = 0.3
    own: float = 0.1
    level: float = 0.3
    length: float = 0.1
    neighbours: float = 0.6
    reliability: float = 0.85
    topics: int = 50
    metrics: int = 3
    metric_noise: float = 0.4
    shape: float | None = None

    @property
    def step(self) -> Doubles:
        return np.tile(np.arange(1.0, self.steps + 1), self.runs)

    @property
    def run(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.runs), self.steps)

    @cached_property
    def alike(self) -> Doubles:
        apart = np.abs(self.step[:, None] - self.step[None, :]) / self.steps
        return np.asarray((self.run[:, None] == self.run[None, :]) * np.exp(-apart / self.length))

    @cached_property
    def truth(self) -> Doubles:
        """Covariance of the truth around its curve."""
        mine = self.run[:, None] == self.run[None, :]
        return np.asarray(self.level**2 * mine + self.wander**2 * self.alike + self.own**2 * np.eye(len(mine)))

    @cached_property
    def noise(self) -> Doubles:
        """Covariance of one topic's noise."""
        n = len(self.alike)
        variance = 50 * (1 - self.reliability) / self.reliability
        return np.asarray(variance * (self.neighbours * self.alike + (1 - self.neighbours) * np.eye(n)))

    @cached_property
    def _roots(self) -> tuple[Doubles, Doubles]:
        small = 1e-10 * np.eye(len(self.alike))
        return np.linalg.cholesky(self.truth + small), np.linalg.cholesky(self.noise + small)

    def draw(self, rng: np.random.Generator) -> Sweep:
        truth, noise = self._roots
        n = len(truth)
        shape = rng.choice(SHAPES) if self.shape is None else self.shape
        middle = 4 * curve(self.kind, self.step / self.steps, shape)
        true_y = middle + truth @ rng.normal(size=n)
        per_topic = true_y[:, None] + rng.normal(size=self.topics) + noise @ rng.normal(size=(n, self.topics))
        # A metric sees the truth and wanders by itself.
        metrics = true_y + self.metric_noise * rng.normal(size=(self.metrics, n)) @ truth.T / np.sqrt(
            np.diag(self.truth).mean()
        )
        return Sweep(per_topic, metrics, true_y, self.run, self.step)

    def oracle(self, rng: np.random.Generator, world: Sweep, draws: int = 2000) -> Doubles:
        """(draws, n) from the posterior given the measure, which knows the laws of truth and noise, up to the shape."""
        n = len(self.truth)
        y, error = world.per_topic.mean(axis=1), self.noise / self.topics
        seen = self.truth + error + 1e4
        gain = np.linalg.solve(seen, self.truth).T
        left = self.truth - gain @ self.truth
        root = np.linalg.cholesky((left + left.T) / 2 + 1e-8 * np.eye(n))
        middles = np.array([4 * curve(self.kind, self.step / self.steps, shape) for shape in SHAPES])
        off = y - middles
        logs = -np.einsum("si,is->s", off, np.linalg.solve(seen, off.T)) / 2
        p = np.exp(logs - logs.max())
        which = rng.choice(len(SHAPES), size=draws, p=p / p.sum())
        return np.asarray((middles + off @ gain.T)[which] + rng.normal(size=(draws, n)) @ root.T)
