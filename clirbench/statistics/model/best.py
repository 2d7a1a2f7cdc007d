"""The best system: each against the recommended one, the tied set, P(it is the best), what choosing it may lose."""

from dataclasses import dataclass

import numpy as np

from clirbench.statistics.model.noise import contrasts
from clirbench.statistics.vectorised import ranks
from clirbench.types import Doubles

ABOVE, BELOW = 0.04, 0.01
"""P(the true difference is above, below its interval), at most. The tails are unequal so that the same upper limit
decides who is tied: with two tails of .025 the set would keep systems that .95 confidence excludes."""
DRAWS, AT_ONCE = 4000, 250
LOGITS = np.linspace(-4, 8, 49)
SHARES = np.linspace(0, 0.9, 10)
"""Grid of the logit of reliability, and of the share of the true variance that the metrics have."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """n systems against the one with the highest measured mean (`first`), in a population of topics.

    `difference` (n,) <= 0: measured mean less that of `first`; `low`, `high` (n,): its .95 interval, for each system,
    whichever system comes first. `tied` (n,): `high` >= 0. The set of tied systems has the best with probability .96
    or more. The lower limits hold for all systems together, so also for one that was picked by the same topics.
    """

    first: int
    difference: Doubles
    low: Doubles
    high: Doubles

    @property
    def tied(self) -> "np.typing.NDArray[np.bool_]":
        return np.asarray(self.high >= 0)


def compared_with_first(means: Doubles, values: Doubles, *, seed: int = 0) -> Comparisons:
    """Compares `means` (n,), more is better, that are averages of `values` (n, topics), n and topics at least 2.

    Standard errors are those of paired differences, one for each pair of systems: what a topic adds to all systems
    cancels, and noise may differ between systems. The first system was chosen by the same topics, so for system i the
    upper limit uses the .96 quantile of max_j (error_j - error_i) / se_ij over all systems j that might have come
    first (Dunnett with i as control; a multivariate t with topics - 1 degrees of freedom, 4,000 draws). The lower
    limits have the first system as control, at .99: being chosen makes it look better, never worse. The systems whose
    upper limit reaches 0 are the set of multiple comparisons with the best.
    **Source:** Dunnett 1955; Hsu 1981, 1996 (4.2).
    """
    n, topics = values.shape
    covariance = np.cov(values) / topics
    own = np.diag(covariance)
    error = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0))
    error[error < 1e-9 * np.sqrt(own.max(initial=0))] = 0  # the same values for every topic, up to rounding
    first = int(means.argmax())
    difference = means - means[first]
    drawn = np.ascontiguousarray(_t_draws(covariance, topics - 1, np.random.default_rng([seed, n])).T)
    high = [difference[i] + _quantile(drawn, i, error[i], ABOVE) * error[i, first] for i in range(n)]
    low = difference - _quantile(drawn, first, error[first], BELOW) * error[first]
    return Comparisons(first, difference, low, np.array(high))


def _quantile(drawn: Doubles, control: int, error: Doubles, tail: float) -> float:
    """What the largest of `drawn` (n, draws) less the control's, over `error` (n,), exceeds with probability `tail`."""
    share = np.divide(1.0, error, out=np.zeros(len(error)), where=error > 0)[:, None]
    blocks = np.split(drawn, DRAWS // AT_ONCE, axis=1)  # which stay in the processor's cache
    largest = [((block - block[control]) * share).max(axis=0) for block in blocks]
    return float(np.quantile(np.concatenate(largest), 1 - tail))


def _t_draws(covariance: Doubles, freedom: int, rng: np.random.Generator) -> Doubles:
    """(DRAWS, n): of a multivariate t with this scale matrix, which may be singular."""
    sizes, axes = np.linalg.eigh(covariance)
    normal = rng.normal(size=(DRAWS, len(sizes))) @ (axes * np.sqrt(np.maximum(sizes, 0))).T
    return np.asarray(normal / np.sqrt(rng.chisquare(freedom, size=(DRAWS, 1)) / freedom))


def true_values(means: Doubles, noise: Doubles, metrics: Doubles | None = None, *, seed: int = 0) -> Doubles:
    """(DRAWS, n): joint draws of the true values of n >= 2 systems, less their mean, given measured `means` (n,).

    means = mu + theta + e, e ~ N(0, noise), theta ~ N(0, v ((1 - s) I + s K)), mu flat; reliability
    v / (v + mean noise) is Beta(1, .5), s uniform on 0 to .9. `noise` (n, n): covariance of contrasts
    (`topic_noise`), not 0. K, of mean variance 1, is how all `metrics` (k, n), more is better, predict together: by
    the mean of their normal scores, or each with its own weight. Without metrics s is 0. Both settings are summed over
    a grid.
    **Source:** Rasmussen and Williams 2006, 2.3; prior of reliability: Daniels 1999; normal scores: van der Waerden
    1952.
    """
    basis = contrasts(len(means))
    data, error = basis.T @ means, basis.T @ noise @ basis
    alike = float(np.trace(error)) / len(error)
    kernel = None if metrics is None else _kernel(metrics, basis)
    shares = SHARES if kernel is not None else SHARES[:1]
    own = np.eye(len(error))
    priors = [own if kernel is None else np.asarray((1 - share) * own + share * kernel) for share in shares.tolist()]
    # The noise is turned to the identity, each prior then to a diagonal: every cell of the grid is a product.
    root = np.asarray(np.linalg.cholesky(error + 1e-9 * alike * own), dtype=np.float64)
    logs = np.empty((len(shares), len(LOGITS)))
    turned = []
    for at, prior in enumerate(priors):
        sizes, axes = np.linalg.eigh(_whitened(prior, root))
        seen = axes.T @ np.linalg.solve(root, data)
        variances = alike * np.exp(LOGITS)[:, None] * np.maximum(sizes, 0)
        logs[at] = -(np.log1p(variances) + seen**2 / (1 + variances)).sum(axis=1) / 2
        turned.append((variances, axes, seen))
    # Beta(1, .5) as a density of the logit
    logs += -np.log1p(np.exp(-LOGITS)) - 0.5 * np.log1p(np.exp(LOGITS))
    weights = np.exp(logs - logs.max()).ravel()
    rng = np.random.default_rng([seed, len(means)])
    cells, counts = np.unique(rng.choice(len(weights), size=DRAWS, p=weights / weights.sum()), return_counts=True)
    found = []
    for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
        variances, axes, seen = turned[cell // len(LOGITS)]
        kept = (variance := variances[cell % len(LOGITS)]) / (1 + variance)
        normal = kept * seen + np.sqrt(kept) * rng.normal(size=(count, len(seen)))
        found.append(normal @ (basis @ root @ axes).T)
    return np.concatenate(found)


def p_best(draws: Doubles) -> Doubles:
    """(systems,): how often each is the best of a draw."""
    return np.asarray(np.bincount(draws.argmax(axis=1), minlength=draws.shape[1]) / len(draws))


def expected_loss(draws: Doubles) -> Doubles:
    """(systems,) >= 0: mean of true best - true value."""
    return np.asarray((draws.max(axis=1, keepdims=True) - draws).mean(axis=0))


def _kernel(metrics: Doubles, basis: Doubles) -> Doubles | None:
    """How metrics (k, n) predict contrasts together; None where no column is complete and varies."""
    from scipy.special import ndtri

    kept = metrics[np.isfinite(metrics).all(axis=1)]
    kept = kept[np.ptp(kept, axis=1) > 0] if len(kept) else kept
    if not len(kept):
        return None
    scores = ndtri(ranks(kept) / (kept.shape[1] + 1))
    scores = scores / scores.std(axis=1, keepdims=True)
    middle = scores.mean(axis=0)
    each = basis.T @ scores.T @ scores @ basis / len(scores)
    mean = np.outer(basis.T @ middle, basis.T @ middle)
    both = each / np.trace(each) + mean / max(float(np.trace(mean)), 1e-300)
    return np.asarray(both / np.trace(both) * len(both))


def _whitened(matrix: Doubles, root: Doubles) -> Doubles:
    found = np.linalg.solve(root, np.linalg.solve(root, matrix).T)
    return np.asarray((found + found.T) / 2)
