"""How much of the differences between systems is noise because only a sample of topics was drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.statistics.nonnegative import nonnegative_least_squares
from clirbench.types import Doubles

FEWEST_TOPICS = 5


@dataclass(frozen=True, eq=False)
class Noise:
    """Covariance of the systems' means over topics that are drawn from a population of topics.

    `covariance`: (n, n), in squared units of the measure, of the deviations from the mean of all systems: what a
    hard topic does to all of them alike is no part of it, so only contrasts of systems have a meaning.
    `freedom`: degrees of freedom of its size (inf where it is known). `shrinkage`: the share in [0, 1] of the
    structured target in it.
    """

    covariance: Doubles
    freedom: float
    shrinkage: float


def topic_noise(values: Doubles, structure: Sequence[Doubles] = ()) -> Noise:
    """The noise of the means of `values` (systems, topics), topic main effects removed, shrunken towards a structure.

    R = values less row and column means, S = R R' / (T - 1); covariance = (a target + (1 - a) S) / T. The target is
    the nonnegative combination of the identity and of `structure` ((n, n) positive semidefinite matrices, such as
    "same unit") that lies nearest to S; a = min(1, sum of Var(s_ij) / sum of (s_ij - target_ij)^2). Freedom is
    (T - 1) tr(C)^2 / tr(C^2): T - 1 for two systems, (T - 1)(n - 1) for alike and independent ones.
    Raises `AlignmentError` for fewer than 2 systems or topics, or values that are not finite.
    **Source:** Ledoit and Wolf 2004; the estimate of a: Schaefer and Strimmer 2005; freedom: Satterthwaite 1946.
    """
    n, topics = values.shape
    if n < 2 or topics < 2 or not np.isfinite(values).all():
        raise AlignmentError(f"noise of {n} systems over {topics} topics: at least 2 of each, all values finite")
    residual = doubly_centred(values)
    sample = residual @ residual.T / (topics - 1)
    target = _nearest(sample, structure)
    squares = residual**2
    # Variance of an entry of S: that of the products over topics (sums of squares of products are one matrix product)
    spread = (squares @ squares.T - topics * (sample * (topics - 1) / topics) ** 2) * topics / (topics - 1) ** 3
    distance = float(((sample - target) ** 2).sum())
    share = float(np.clip(spread.sum() / distance, 0.0, 1.0)) if distance > 0 else 1.0
    mixed = share * target + (1 - share) * sample
    squared = float((mixed**2).sum())
    freedom = (topics - 1) * float(np.trace(mixed)) ** 2 / squared if squared > 0 else float(topics - 1)
    return Noise(mixed / topics, freedom, share)


def centred(values: Doubles) -> Doubles:
    """Less the mean over the first axis."""
    return np.asarray(values - values.mean(axis=0, keepdims=True))


def contrasts(n: int) -> Doubles:
    """(n, n - 1): orthonormal columns that each sum to 0 (Helmert's)."""
    columns = np.zeros((n, n - 1))
    for k in range(1, n):
        columns[:k, k - 1], columns[k, k - 1] = 1.0, -float(k)
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def doubly_centred(matrix: Doubles) -> Doubles:
    """C matrix C with C = I - 11'/n: what the matrix says about contrasts."""
    return centred(centred(matrix).T).T


def _nearest(sample: Doubles, structure: Sequence[Doubles]) -> Doubles:
    """The nonnegative combination of centred matrices nearest to the sample covariance."""
    n = len(sample)
    bases = [doubly_centred(matrix) for matrix in (np.eye(n), *structure)]
    stacked = np.stack([base.reshape(-1) for base in bases])
    # Normal equations: as many rows as bases instead of n^2.
    gram = stacked @ stacked.T
    root = np.linalg.cholesky(gram + 1e-10 * np.trace(gram) * np.eye(len(gram)))
    right = np.asarray(np.linalg.solve(root, stacked @ sample.reshape(-1)), dtype=np.float64)
    weights = nonnegative_least_squares(root.T, right)
    return np.asarray((weights @ stacked).reshape(n, n))


def noise_structure(unit: "np.typing.NDArray[np.int64]") -> list[Doubles]:
    """What the noise of topics may be made of beside the identity: systems of one unit (n,) are alike."""
    same = np.asarray(unit[:, None] == unit[None, :], dtype=np.float64)
    return [same] if (same == 0).any() and same.sum() > len(same) else []
