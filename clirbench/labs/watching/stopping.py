"""May training stop? How likely a checkpoint that is still to come is better than all so far by more than it is worth.

The rule: stop at the first look at which P(gain) <= `ALPHA`. Under the model that probability is the chance to err
whenever one stops, so P(error) = E(P(gain) when stopped) <= ALPHA over the whole sequence of looks, however many there
are; no look spends anything. What it is where the model does not hold: benchmarks/stopping.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isnan

import numpy as np

from clirbench.statistics.model.noise import FEWEST_TOPICS, topic_noise
from clirbench.statistics.model.parts import noise_structure
from clirbench.types import Doubles

ALPHA = 0.035
"""Less than the .05 that is meant: the prior does not know the worlds of benchmarks/stopping.py. There .03 wastes a
checkpoint or two more past the peak, and .05 is wrong in more than .06 of the trainings that rise to the end."""
SURE = 0.95
PAST = "past the peak"
FEWEST = 12
"""Checkpoints before anything is said."""
NEAREST, AHEAD = 5, 5
"""How far the rule looks where nothing else is said: 5 checkpoints, or a fifth of those so far."""
SHARE = 0.2
"""A gain that is worth the wait, where none is named: a share of what training has moved the measure so far."""
DRAWS = 1000
LENGTHS = (8.0, 30.0)
WANDERS = (4.0, 20.0)
AMPLITUDES = ((0.1, 0.5), (0.1, 0.3, 0.8), (0.05,))
"""Checkpoints over which the curve and the wandering about it keep their level; standard deviations, as shares of that
of the measured values, of curve, wandering and what each checkpoint has alone. All combinations are weighed."""


@dataclass(frozen=True)
class Outlook:
    """What is left to be gained: `p_gain` = P(the best of the next `horizon` checkpoints > the best so far + `gain`).

    `best`: the step of the highest posterior mean. `p_past` = P(the last checkpoint < the best so far - `gain`).
    `gain` >= 0 in units of the measure.
    """

    best: float
    gain: float
    horizon: int
    p_gain: float
    p_past: float

    @property
    def stop(self) -> bool:
        """Whether the rule says so."""
        return self.p_gain <= ALPHA

    @property
    def verdict(self) -> str:
        """`go on`, `no gain since step N`, or `past the peak`."""
        if not self.stop:
            return "go on"
        return PAST if self.p_past >= SURE else f"no gain since step {self.best:g}"


def outlook(
    values: Doubles, step: Doubles, *, gain: float | None = None, horizon: int | None = None, seed: int = 0
) -> Outlook | None:
    """What is left to be gained after the checkpoints at `step` (n,), ascending; None where it is too early to say.

    values: (n, topics), more is better, a mean over runs where there are several. The next checkpoints are as far
    apart as those so far (median). The truth is a learning curve (log t, t, 1 - exp(-k t)), a smooth curve (Matern
    3/2) and wandering (Matern 1/2) about it; their sizes are weighed by the marginal likelihood.
    **Source:** Rasmussen and Williams 2006, 2.3; that looks cost nothing: Berger 1985, 7.7 (stopping rule principle).
    """
    n, topics = values.shape
    if n < FEWEST or topics < FEWEST_TOPICS or not np.isfinite(values).all() or (values == values[0]).all():
        return None
    horizon = max(NEAREST, n // AHEAD) if horizon is None else horizon
    rng = np.random.default_rng([seed, n])
    y = values.mean(axis=1)
    noise = topic_noise(values, noise_structure(np.zeros(n, dtype=np.int64), step)).covariance
    size = float(y.std())
    noise = noise + 1e-6 * size**2 * np.eye(n)
    priors = list(_priors(step, horizon, size))
    logs = np.array([_likelihood(prior[:n, :n] + noise, y - y.mean()) for prior in priors])
    weights = np.exp(logs - logs.max())
    drawn = rng.multinomial(DRAWS, weights / weights.sum())
    kept = [(prior, int(k)) for prior, k in zip(priors, drawn, strict=True) if k]
    truth = np.concatenate([_draws(rng, prior, noise, y - y.mean(), k) for prior, k in kept])
    middle = truth[:, :n].mean(axis=0)
    d = SHARE * float(np.ptp(middle)) if gain is None or isnan(gain) else gain
    best = truth[:, :n].max(axis=1)
    return Outlook(
        float(step[middle.argmax()]),
        d,
        horizon,
        float((truth[:, n:].max(axis=1) > best + d).mean()),
        float((truth[:, n - 1] < best - d).mean()),
    )


def _priors(step: Doubles, horizon: int, size: float) -> Iterator[Doubles]:
    """(n + horizon, n + horizon): each covariance that the truth may have; its level is free."""
    place = step / np.median(np.diff(step))
    place = np.concatenate([place, place[-1] + np.arange(1, horizon + 1)])
    t = place / place[len(step) - 1]
    apart = np.abs(place[:, None] - place[None, :])
    basis = np.stack([t, np.log(np.maximum(t, 1e-9)), *(1 - np.exp(-k * t) for k in (3, 10, 30))])
    basis = (basis - basis.mean(axis=1, keepdims=True)) / basis.std(axis=1, keepdims=True)
    common = size**2 * (100.0 + basis.T @ basis)
    curves = [(1 + np.sqrt(3) * apart / length) * np.exp(-np.sqrt(3) * apart / length) for length in LENGTHS]
    wanders = [np.exp(-apart / length) for length in WANDERS]
    for curve, wander, a, b, c in product(curves, wanders, *AMPLITUDES):
        yield common + size**2 * (a**2 * curve + b**2 * wander + c**2 * np.eye(len(t)))


def _likelihood(covariance: Doubles, y: Doubles) -> float:
    # The data as a last row: one factor gives the determinant and, in that row, the whitened data.
    root = np.linalg.cholesky(np.block([[covariance, y[:, None]], [y, 1e300]]))
    return float(-np.log(np.diagonal(root)[:-1]).sum() - root[-1, :-1] @ root[-1, :-1] / 2)


def _draws(rng: np.random.Generator, prior: Doubles, noise: Doubles, y: Doubles, k: int) -> Doubles:
    """(k, n + horizon) from the posterior, by moving joint draws to what was measured (Matheron's rule)."""
    n = len(y)
    truth = np.linalg.cholesky(prior) @ rng.normal(size=(len(prior), k))
    seen = truth[:n] + np.linalg.cholesky(noise) @ rng.normal(size=(n, k))
    return np.asarray((truth + prior[:, :n] @ np.linalg.solve(prior[:n, :n] + noise, y[:, None] - seen)).T)
