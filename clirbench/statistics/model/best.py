"""Each system against the recommended one: differences whose intervals allow for the choice, and the tied set."""

from dataclasses import dataclass

import numpy as np

from clirbench.types import Doubles

ABOVE, BELOW = 0.04, 0.01
"""P(the true difference is above, below its interval), at most. The tails are unequal so that the same upper limit
decides who is tied: with two tails of .025 the set would keep systems that .95 confidence excludes."""
DRAWS = 4000


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
    drawn = _t_draws(covariance, topics - 1, np.random.default_rng([seed, n]))
    high = [difference[i] + _quantile(drawn - drawn[:, [i]], error[i], ABOVE) * error[i, first] for i in range(n)]
    low = difference - _quantile(drawn - drawn[:, [first]], error[first], BELOW) * error[first]
    return Comparisons(first, difference, low, np.array(high))


def _quantile(differences: Doubles, error: Doubles, tail: float) -> float:
    """What the largest of `differences` (draws, n) / `error` (n,) exceeds with probability `tail`."""
    known = error > 0
    return float(np.quantile((differences[:, known] / error[known]).max(axis=1, initial=0), 1 - tail))


def _t_draws(covariance: Doubles, freedom: int, rng: np.random.Generator) -> Doubles:
    """(DRAWS, n): of a multivariate t with this scale matrix, which may be singular."""
    sizes, axes = np.linalg.eigh(covariance)
    normal = rng.normal(size=(DRAWS, len(sizes))) @ (axes * np.sqrt(np.maximum(sizes, 0))).T
    return np.asarray(normal / np.sqrt(rng.chisquare(freedom, size=(DRAWS, 1)) / freedom))
