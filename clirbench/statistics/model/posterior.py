"""One posterior of the systems' true values, the same whichever metric is judged by it.

What is asked about is the mean over a population of topics, of which the topics at hand are a sample: for "these
topics" there is no noise and the best is the best measured. The prior is fixed before any metric's pick is looked
at, because shrinking towards a metric's own regression makes that metric look better than it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.statistics.model.noise import Noise, doubly_centred
from clirbench.types import Doubles

CANDIDATES = 1500
KEPT = 250
DRAWS = 16
BLOCK = 1 << 21
"""Settings of the prior that are weighed, that are kept, draws from each, and entries of matrices at a time."""
OWN = 0.5
"""Dirichlet weight of what a system has alone, against 1 for each part: with few systems and much noise the data say
little about it, and .5 was between the errors for useless and for useful metrics in benchmarks/validity_decision.py."""


@dataclass(frozen=True)
class Part:
    """One thing that true values may have in common: alternative covariances (n, n), of which one holds.

    A part with one alternative is a plain component (same unit, the metrics); a curve over steps has one for each
    smoothness that is considered.
    """

    name: str
    alternatives: tuple[Doubles, ...]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Joint draws of the true values: `draws` (samples, systems), more is better; level: the mean of all is measured.

    `share`: the posterior mean, for each part of the prior by name (`own` is what a system has alone), of its share
    of the true differences. `reliability`: posterior mean of true variance over true and noise variance.
    """

    draws: Doubles
    share: dict[str, float]
    reliability: float


def posterior(means: Doubles, noise: Noise, parts: Sequence[Part] = (), *, seed: int = 0) -> Posterior:
    """The true values of n systems given their measured `means` (n,), more is better.

    means = mu + theta + e, e ~ N(0, f noise), theta ~ N(0, v (s_0 I + sum of s_k K_k)), mu flat. The shares s are
    Dirichlet(.5, 1, ..., 1); reliability v / (v + mean noise) is Beta(1, .5); f is freedom / chi2(freedom). All are
    integrated out: candidates drawn from their prior are weighed by the marginal likelihood of contrasts, resampled,
    and theta is drawn exactly under each. No metric's regression is fitted by itself; the metrics together are one
    part, whose share of the variance acts as the penalty of a ridge regression.
    **Source:** Rasmussen and Williams 2006, 2.3 and 5.4; reliability: Daniels 1999 (a proper prior of the reliability);
    draws: Rubin 1988 (sampling, importance resampling), Doucet 2010 (conditioning a joint draw).
    """
    rng = np.random.default_rng([seed, len(means)])
    contrasts = _contrasts(len(means))
    z = contrasts.T @ means
    error = contrasts.T @ noise.covariance @ contrasts
    alike = float(np.trace(error)) / len(z)
    error = error + 1e-9 * max(alike, 1e-300) * np.eye(len(z))
    components = [[_scaled(contrasts.T @ k @ contrasts) for k in part.alternatives] for part in parts]
    settings = _candidates(rng, [len(c) for c in components], noise.freedom)
    weights = _weights(settings, z, error, alike, components)
    chosen = rng.choice(len(weights), size=KEPT, p=weights)
    draws = np.concatenate([_drawn(rng, *_covariances(settings.at(i), error, alike, components), z) for i in chosen])
    shares = weights @ settings.shares
    names = ("own", *(part.name for part in parts))
    return Posterior(
        means.mean() + draws @ contrasts.T,
        dict(zip(names, shares.tolist(), strict=True)),
        float(weights @ settings.reliability),
    )


@dataclass(frozen=True, eq=False)
class _Settings:
    """Candidate values of what the prior leaves open: one row each; `log_prior` corrects for how they were drawn."""

    reliability: Doubles
    shares: Doubles
    inflation: Doubles
    alternative: "np.typing.NDArray[np.int64]"
    log_prior: Doubles

    def at(self, i: int) -> tuple[float, Doubles, float, "np.typing.NDArray[np.int64]"]:
        return float(self.reliability[i]), self.shares[i], float(self.inflation[i]), self.alternative[i]


def _candidates(rng: np.random.Generator, alternatives: Sequence[int], freedom: float) -> _Settings:
    # Evenly spread logits: a measure may be far more reliable than a uniform draw would ever try.
    logit = -4 + 12 * (np.arange(CANDIDATES) + rng.uniform(size=CANDIDATES)) / CANDIDATES
    reliability = 1 / (1 + np.exp(-logit))
    shares = rng.dirichlet([OWN, *(1.0 for _ in alternatives)], size=CANDIDATES)
    shares = np.clip(shares, 1e-6, None)
    inflation = freedom / rng.chisquare(freedom, size=CANDIDATES) if np.isfinite(freedom) else np.ones(CANDIDATES)
    which = np.stack([rng.integers(k, size=CANDIDATES) for k in alternatives], axis=1) if alternatives else None
    empty = np.zeros((CANDIDATES, 0), dtype=np.int64)
    log_prior = np.log(reliability) + 0.5 * np.log(1 - reliability)
    return _Settings(reliability, shares, inflation, empty if which is None else which, log_prior)


def _covariances(
    setting: tuple[float, Doubles, float, "np.typing.NDArray[np.int64]"],
    error: Doubles,
    alike: float,
    components: Sequence[Sequence[Doubles]],
) -> tuple[Doubles, Doubles]:
    """Covariance of the true contrasts and of their noise under one setting."""
    reliability, shares, inflation, which = setting
    prior = shares[0] * np.eye(len(error))
    for share, component, k in zip(shares[1:], components, which, strict=True):
        prior += share * component[k]
    noise = inflation * error
    return prior * (inflation * alike * reliability / (1 - reliability)), noise


def _weights(
    settings: _Settings, z: Doubles, error: Doubles, alike: float, components: Sequence[Sequence[Doubles]]
) -> Doubles:
    """Posterior probabilities of the candidates."""
    found = np.empty(CANDIDATES)
    size = max(1, BLOCK // len(z) ** 2)
    for start in range(0, CANDIDATES, size):
        rows = range(start, min(start + size, CANDIDATES))
        total = np.stack([sum(_covariances(settings.at(i), error, alike, components)) for i in rows])
        root = np.linalg.cholesky(total)
        white = np.linalg.solve(root, np.broadcast_to(z[:, None], (len(total), len(z), 1)))[..., 0]
        logs = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        found[start : start + len(total)] = -logs - (white**2).sum(axis=1) / 2
    found += settings.log_prior
    found = np.exp(found - found.max())
    return np.asarray(found / found.sum())


def _drawn(rng: np.random.Generator, prior: Doubles, noise: Doubles, z: Doubles) -> Doubles:
    """(DRAWS, contrasts): a joint draw of truth and data, moved to the data that were seen."""
    k = len(z)
    truth = np.linalg.cholesky(prior + 1e-12 * np.trace(prior) / k * np.eye(k)) @ rng.normal(size=(k, DRAWS))
    seen = truth + np.linalg.cholesky(noise) @ rng.normal(size=(k, DRAWS))
    return np.asarray((truth + prior @ np.linalg.solve(prior + noise, z[:, None] - seen)).T)


def _contrasts(n: int) -> Doubles:
    """(n, n - 1): orthonormal columns that sum to 0 (Helmert's)."""
    rows = np.zeros((n, n - 1))
    for k in range(1, n):
        rows[:k, k - 1], rows[k, k - 1] = 1.0, -float(k)
    return np.asarray(rows / np.linalg.norm(rows, axis=0))


def _scaled(component: Doubles) -> Doubles:
    """The covariance at mean variance 1, so that shares are shares of variance; a zero matrix stays."""
    size = float(np.trace(component)) / len(component)
    return component / size if size > 0 else component


def same(labels: Sequence[str]) -> Doubles:
    """(n, n): 1 where two systems carry the same label."""
    column = np.asarray(labels)
    return np.asarray(column[:, None] == column[None, :], dtype=np.float64)


def linear(columns: Doubles) -> Doubles:
    """(n, n): the covariance of values that are linear in standardised `columns` (k, n) with equal weights' variance.

    Constant columns say nothing and are left out.
    """
    kept = columns[columns.std(axis=1) > 0]
    standard = (kept - kept.mean(axis=1, keepdims=True)) / kept.std(axis=1, keepdims=True)
    return doubly_centred(standard.T @ standard)


def metric_alternatives(columns: Doubles) -> tuple[Doubles, ...]:
    """How all metrics (k, n) together may bear on the truth: through their mean, or each with a weight of its own.

    Weights are normal with one variance (ridge); scores are standardised, so that no metric's unit counts.
    """
    kept = columns[columns.std(axis=1) > 0]
    if not len(kept):
        return ()
    standard = (kept - kept.mean(axis=1, keepdims=True)) / kept.std(axis=1, keepdims=True)
    return (linear(standard.mean(axis=0, keepdims=True)), linear(kept))
