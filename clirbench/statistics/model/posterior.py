"""One posterior of the systems' true values, the same whichever metric is judged by it.

A true value is the mean over a population of topics, of which the run's topics are a sample: on these topics alone
there is no noise, and the best system is the best measured. The prior is fixed before any metric's pick is evaluated,
because shrinking towards a metric's own regression makes that metric look better than it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.statistics.model.noise import Noise, contrasts
from clirbench.types import Doubles, Ints

CANDIDATES = (700, 400)
KEPT = 250
DRAWS = 16
KNOWN = 1e6
"""Settings of the prior drawn in each of two rounds (for few systems and for more than 50), settings kept, draws
from each, and the degrees of freedom of noise that is known."""
OWN = 0.5
"""Dirichlet weight of what a system has alone, against 1 for each part: with few systems and much noise the data say
little about it; .5 lies between the errors for useless and for useful metrics in benchmarks/validity_decision.py."""


@dataclass(frozen=True)
class CommonPart:
    """One thing that true values may have in common: alternative covariances (n, n), of which one holds.

    A part with one alternative is a plain component (same unit); a curve over steps has one for each smoothness.
    """

    name: str
    alternatives: tuple[Doubles, ...]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Joint draws of the true values: `draws` (samples, systems), more is better; the mean of all is as measured.

    `share`: posterior mean, for each part of the prior by name (`own` is what a system has alone), of its share of
    the true variance. `reliability`: of true variance over true and noise variance, in (0, 1).
    """

    draws: Doubles
    share: dict[str, float]
    reliability: float


def posterior(means: Doubles, noise: Noise, parts: Sequence[CommonPart] = (), *, seed: int = 0) -> Posterior:
    """The true values of n systems given their measured `means` (n,), more is better.

    means = mu + theta + e, e ~ N(0, f noise), theta ~ N(0, v (s_0 I + sum of s_k K_k)), mu flat. The shares s are
    Dirichlet(.5, 1, ..., 1); reliability v / (v + mean noise) is Beta(1, .5); f is freedom / chi2(freedom). All are
    integrated out: settings drawn from their prior, and then from a normal law fitted to the likely ones, are weighted
    by the marginal likelihood of contrasts and resampled; theta is drawn exactly under
    each. The metrics together are one part, whose share of the variance acts as the penalty of a ridge regression.
    **Source:** Rasmussen and Williams 2006, 2.3 and 5.4; a proper prior of reliability: Daniels 1999; weights:
    Cappe et al. 2004 (population Monte Carlo); draws: Doucet 2010 (conditioning a joint draw).
    """
    rng = np.random.default_rng([seed, len(means)])
    model = _model(means, noise, parts)
    size = CANDIDATES[len(means) > 50]
    first = model.spread(rng, size)
    weights = _normalised(model.log_posterior(first) - model.log_spread(first))
    second, density = _around(rng, first, weights)
    weights = _normalised(model.log_posterior(second) - density)
    draws = model.draws(rng, second, rng.choice(size, size=KEPT, p=weights))
    return Posterior(
        means.mean() + draws @ contrasts(len(means)).T,
        dict(
            zip(("own", *(part.name for part in parts)), (weights @ model.shares(second.point)).tolist(), strict=True)
        ),
        float(weights @ (1 / (1 + np.exp(-second.point[:, 0])))),
    )


@dataclass(frozen=True, eq=False)
class _Settings:
    """Candidates: `point` (m, 2 + shares) holds logit(reliability), log(1 / f), logs of gammas whose shares count.

    `alternative` (m, parts): which covariance of each part.
    """

    point: Doubles
    alternative: Ints


@dataclass(frozen=True, eq=False)
class _Model:
    """Everything in contrasts: data (k,), noise (k, k) of mean variance `alike`.

    `kernels`: (alternatives of all parts + 1, k, k), at mean variance 1, the last is what a system has alone; `parts`:
    how many alternatives each part has.
    """

    data: Doubles
    noise: Doubles
    alike: float
    freedom: float
    kernels: Doubles
    parts: tuple[int, ...]

    @property
    def weights(self) -> Doubles:
        return np.array([OWN, *(1.0 for _ in self.parts)])

    def spread(self, rng: np.random.Generator, size: int) -> _Settings:
        """Drawn from the prior, but with logits of reliability spread evenly over -4 to 8: it may be very high."""
        logit = -4 + 12 * (np.arange(size) + rng.uniform(size=size)) / size
        precision = rng.chisquare(self.freedom, size=size) / self.freedom
        gammas = np.maximum(rng.gamma(self.weights, size=(size, len(self.weights))), 1e-12)
        which = [rng.integers(alternatives, size=size) for alternatives in self.parts]
        alternative = np.stack(which, axis=1) if which else np.zeros((size, 0), dtype=np.int64)
        return _Settings(np.column_stack([logit, np.log(precision), np.log(gammas)]), alternative)

    def log_spread(self, settings: _Settings) -> Doubles:
        """Log density of `spread`, up to a constant."""
        logit = settings.point[:, 0]
        return self.log_prior(settings) + np.log1p(np.exp(-logit)) + 0.5 * np.log1p(np.exp(logit))

    def log_prior(self, settings: _Settings) -> Doubles:
        """Log density of the points: reliability Beta(1, .5), f freedom / chi2, gammas; up to a constant."""
        logit, precision, gammas = settings.point[:, 0], settings.point[:, 1], settings.point[:, 2:]
        found = -np.log1p(np.exp(-logit)) - 0.5 * np.log1p(np.exp(logit))
        found += (gammas * self.weights - np.exp(gammas)).sum(axis=1)
        return np.asarray(found + self.freedom / 2 * (precision - np.exp(precision)))

    def shares(self, points: Doubles) -> Doubles:
        gammas = np.exp(points[:, 2:] - points[:, 2:].max(axis=1, keepdims=True))
        return np.asarray(gammas / gammas.sum(axis=1, keepdims=True))

    def sizes(self, settings: _Settings) -> tuple[Doubles, Doubles]:
        """(m, kernels): variance of each; and (m,) by which the noise is larger than estimated."""
        inflation = np.exp(-settings.point[:, 1])
        variance = inflation * self.alike * np.exp(settings.point[:, 0])
        shares = self.shares(settings.point)
        columns = [
            shares[:, 1 + at, None] * (which[:, None] == np.arange(alternatives))
            for at, (alternatives, which) in enumerate(zip(self.parts, settings.alternative.T, strict=True))
        ]
        return np.concatenate([*columns, shares[:, :1] + 1e-9], axis=1) * variance[:, None], inflation

    @property
    def _block(self) -> int:
        """How many matrices take some 2 MB, so that they stay in the cache."""
        return max(1, 200_000 // len(self.data) ** 2)

    def log_posterior(self, settings: _Settings) -> Doubles:
        """Log prior and log marginal likelihood of each candidate."""
        found, k = self.log_prior(settings), len(self.data)
        sizes, inflation = self.sizes(settings)
        for rows in (slice(at, at + self._block) for at in range(0, len(found), self._block)):
            # The data as a last row: one factor gives the determinant and, in that row, the whitened data.
            bordered = np.full((len(found[rows]), k + 1, k + 1), 1e300)
            bordered[:, :k, :k] = np.tensordot(sizes[rows], self.kernels, axes=1)
            bordered[:, :k, :k] += inflation[rows, None, None] * self.noise
            bordered[:, k, :k] = bordered[:, :k, k] = self.data
            root = np.linalg.cholesky(bordered)
            found[rows] -= np.log(np.diagonal(root[:, :k, :k], axis1=1, axis2=2)).sum(axis=1)
            found[rows] -= (root[:, k, :k] ** 2).sum(axis=1) / 2
        return found

    def draws(self, rng: np.random.Generator, settings: _Settings, chosen: Ints) -> Doubles:
        """(DRAWS for each of `chosen`, contrasts): joint draws of truth and data, moved to the data that were seen."""
        k = len(self.data)
        root = np.linalg.cholesky(self.noise)
        found = np.empty((len(chosen), DRAWS, k))
        normal = rng.normal(size=(len(chosen), 2, k, DRAWS))
        sizes, inflations = self.sizes(settings)
        # Most settings are chosen more than once, and factored once.
        distinct = np.unique(chosen)
        block = min(self._block, len(chosen))
        for at in range(0, len(distinct), block):
            # Always a whole block, because a product of fewer rows may round otherwise.
            ones = np.resize(distinct[at : at + block], block)
            priors = np.tensordot(sizes[ones], self.kernels, axes=1)
            for one, prior in zip(distinct[at : at + block].tolist(), priors, strict=False):
                rows, inflation = np.flatnonzero(chosen == one), inflations[one]
                truth = np.linalg.cholesky(prior) @ normal[rows, 0]
                seen = truth + np.sqrt(inflation) * (root @ normal[rows, 1])
                missed = (self.data[:, None] - seen).transpose(1, 0, 2).reshape(k, -1)
                moves = prior @ np.linalg.solve(prior + inflation * self.noise, missed)
                found[rows] = truth.transpose(0, 2, 1) + moves.reshape(k, len(rows), DRAWS).transpose(1, 2, 0)
        return found.reshape(-1, k)


def _model(means: Doubles, noise: Noise, parts: Sequence[CommonPart]) -> _Model:
    basis = contrasts(len(means))
    error = basis.T @ noise.covariance @ basis
    alike = float(np.trace(error)) / len(error)
    error = error + 1e-9 * max(alike, 1e-300) * np.eye(len(error))
    kernels = [_scaled(basis.T @ kernel @ basis) for part in parts for kernel in part.alternatives]
    kernels.append(np.eye(len(error)))
    sizes = tuple(len(part.alternatives) for part in parts)
    return _Model(basis.T @ means, error, alike, min(noise.freedom, KNOWN), np.stack(kernels), sizes)


def _around(rng: np.random.Generator, settings: _Settings, weights: Doubles) -> tuple[_Settings, Doubles]:
    """As many candidates from a widened normal law around the likely ones, and their log density.

    One in ten is drawn around everything that was tried, so that a second mode is not lost; alternatives are drawn
    by their weights so far, mixed with even ones.
    """
    size, wide = settings.point.shape
    centre = weights @ settings.point
    # Few candidates may carry all the weight: no direction is taken as narrower than a tenth of the first round's.
    floor = 0.1 * np.cov(settings.point.T)
    spread = 2 * (weights * (settings.point - centre).T) @ (settings.point - centre) + floor
    laws = [(0.9, centre, spread), (0.1, settings.point.mean(axis=0), np.cov(settings.point.T))]
    elsewhere = rng.uniform(size=(size, 1)) < 0.1
    roots = [np.linalg.cholesky(law[2]) for law in laws]
    normal = rng.normal(size=(size, wide))
    point = np.where(elsewhere, laws[1][1] + normal @ roots[1].T, laws[0][1] + normal @ roots[0].T)
    density = np.logaddexp.reduce(
        [
            np.log(share)
            - np.log(np.diagonal(root)).sum()
            - (np.linalg.solve(root, (point - middle).T) ** 2).sum(0) / 2
            for (share, middle, _), root in zip(laws, roots, strict=True)
        ]
    )
    columns: list[Ints] = []
    for column in settings.alternative.T:
        p = 0.8 * np.bincount(column, weights=weights, minlength=column.max() + 1) + 0.2 / (column.max() + 1)
        columns.append(np.asarray(rng.choice(len(p), size=size, p=p / p.sum()), dtype=np.int64))
        density = density + np.log(p[columns[-1]])
    alternative = np.stack(columns, axis=1) if columns else settings.alternative
    return _Settings(point, alternative), density


def _normalised(logs: Doubles) -> Doubles:
    found = np.exp(logs - logs.max())
    return np.asarray(found / found.sum())


def _scaled(component: Doubles) -> Doubles:
    """The covariance at mean variance 1, so that shares are shares of variance; a zero matrix stays."""
    size = float(np.trace(component)) / len(component)
    return component / size if size > 0 else component
