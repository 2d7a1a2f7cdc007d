"""Ratings of systems from relative rankings, by TrueSkill (a library)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.errors import ConfigError, ResourceError
from clirbench.types import Doubles, Ints


@dataclass(frozen=True)
class Rating:
    """A system's rating: mean over the runs of TrueSkill's mu and sigma; more is better."""

    system: str
    mu: float
    sigma: float
    comparisons: int


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Which of two systems was better, many times: indices of the two, and the sign of first minus second (0: tie)."""

    first: Ints
    second: Ints
    sign: Ints

    def __len__(self) -> int:
        return len(self.sign)


def comparisons_of(scores: Doubles) -> Comparisons:
    """Every pair of systems on every segment that both were judged on: (systems, segments), NaN is not judged."""
    a, b = np.triu_indices(len(scores), 1)
    difference = scores[a] - scores[b]
    pair, segment = np.nonzero(np.isfinite(difference))
    signs = np.sign(difference[pair, segment]).astype(np.int64)
    return Comparisons(a[pair].astype(np.int64), b[pair].astype(np.int64), signs)


def rate(
    systems: Sequence[str], comparisons: Comparisons, *, games: int = 2000, runs: int = 5, seed: int = 0
) -> list[Rating]:
    """TrueSkill ratings, best first: `runs` times `games` comparisons drawn with replacement, in random order.

    mu starts at 25; a tie is a draw, whose probability is the share of ties. The order of games matters to TrueSkill,
    so mu and sigma are means over the runs, reproducible from `seed`. Raises `ResourceError` without the library,
    `ConfigError` where there is nothing to compare.
    **Source:** Herbrich, Minka and Graepel 2006; for MT systems Sakaguchi, Post and Van Durme 2014.
    """
    try:
        import trueskill
    except ImportError:
        raise ResourceError("ratings need a package: pip install 'clirbench[trueskill]'") from None
    if not len(comparisons):
        raise ConfigError("no two systems were judged on the same segment: there is nothing to rate from")
    ties = float((comparisons.sign == 0).mean())
    world = trueskill.TrueSkill(draw_probability=min(max(ties, 1e-6), 0.999))
    found = np.zeros((runs, len(systems), 2))
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        ratings = [world.create_rating() for _ in systems]
        for game in rng.integers(len(comparisons), size=games).tolist():
            a, b = int(comparisons.first[game]), int(comparisons.second[game])
            sign = int(comparisons.sign[game])
            if sign < 0:
                a, b = b, a
            ratings[a], ratings[b] = trueskill.rate_1vs1(ratings[a], ratings[b], drawn=sign == 0, env=world)
        found[run] = [(rating.mu, rating.sigma) for rating in ratings]
    means = found.mean(axis=0)
    taken = np.bincount(np.concatenate([comparisons.first, comparisons.second]), minlength=len(systems))
    rated = [
        Rating(system, float(mu), float(sigma), int(n))
        for system, (mu, sigma), n in zip(systems, means, taken, strict=True)
    ]
    return sorted(rated, key=lambda rating: (-rating.mu, rating.system))
