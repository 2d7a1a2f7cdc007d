"""Is one system better than another? Randomisation that counts ties, exact for few items, best against the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, nan

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.exchange import exchanged_scores
from clirbench.statistics.pairs import drawn_items
from clirbench.statistics.resampling import measure_values, metric_scores, weights
from clirbench.types import Doubles

EXACT = 14
BLOCK = 4096
MOST_SAMPLES = 19_999
TESTS = ("randomisation", "sacrebleu", "koehn")


@dataclass(frozen=True)
class PairResult:
    """Two systems, one column, one test; scores are oriented, `difference` = a - b.

    `p_value`: two-sided. `p_holm`: corrected over all `family` pairs of systems, also where only best against rest is
    shown, because the best was chosen by the same items. `samples` 0: all sign patterns were counted. NaN with a note
    where the smallest attainable `p_holm` is not below alpha, so that nothing could be found.
    """

    column: str
    system_a: str
    system_b: str
    test: str
    score_a: float
    score_b: float
    difference: float
    p_value: float
    p_holm: float
    family: int
    items: str
    n_items: int
    samples: int
    seed: int
    note: str = ""


def sign_patterns(k: int, samples: int, seed: int) -> tuple[Doubles, bool]:
    """(patterns, k) of 1 (kept) and 0 (exchanged), and whether they are all 2^k; the first row keeps everything.

    All for k <= 14, else the observed one and `samples` at random.
    """
    if k <= EXACT:
        return ((np.arange(2**k)[:, None] >> np.arange(k)) & 1 ^ 1).astype(np.float64), True
    keep = np.ones((samples + 1, k))
    keep[1:] = np.random.default_rng([seed, k]).integers(2, size=(samples, k))
    return keep, False


def mean_difference_p(d: Doubles, *, sides: int = 2, samples: int = 9999, seed: int = 0) -> float:
    """P(a mean of differences with random signs reaches the observed one); `d`: (items,), finite.

    Two-sided by magnitude, or one-sided (`sides=1`: greater). Ties count; the observed signs are one pattern, so the
    p-value is never 0. Exact for up to 14 items that differ. **Source:** Fisher 1935; Phipson and Smyth 2010 (+ 1).
    """
    d = d[d != 0]
    if not len(d):
        return 1.0
    keep, _ = sign_patterns(len(d), samples, seed)
    sums = (2 * keep - 1) @ d
    return _share(sums, sides)


def compare_systems(
    evidence: Evidence,
    tests: Sequence[str] = ("randomisation",),
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    samples: int | None = None,
    alpha: float = 0.05,
    seed: int = 12345,
) -> list[PairResult]:
    """The best system of each column against every other (or the `pairs` named), best first by that column.

    `randomisation` exchanges items between the two at random: p = share of |differences| >= the observed one, which is
    one of them. `sacrebleu` is that tool's bootstrap p (about one-sided: it calls .10 to .14 of equal pairs different
    at 50 topics, more with fewer); `koehn` the share of bootstrap samples in which the better one is not better.
    `samples` None: as many as the correction needs, at most 19,999. Columns with holes or without items are left out.
    Raises `UnknownName` for a test or system, `ConfigError` for fewer than 1 sample.
    **Source:** Riezler and Maxwell 2005; Koehn 2004; Holm 1979.
    """
    for test in tests:
        if test not in TESTS:
            raise UnknownName("test of two systems", test, TESTS)
    for system in {system for pair in pairs or () for system in pair}:
        if system not in evidence.systems:
            raise UnknownName("system", system, evidence.systems)
    if samples is not None and samples < 1:
        raise ConfigError(f"samples={samples}: at least 1")
    part, _ = next(iter(panels(evidence)))
    family = len(part.systems) * (len(part.systems) - 1) // 2
    enough = min(ceil(family / alpha), MOST_SAMPLES) if samples is None else samples
    rows: list[PairResult] = []
    for column in (*part.metric_names, *part.measure_names):
        if part.segments(column) or part.topics(column):
            scores = part.board[column].oriented
            at = {system: i for i, system in enumerate(part.systems)}
            chosen = [(at[a], at[b]) for a, b in pairs] if pairs is not None else best_against_rest(scores)
            for test in tests:
                rows += _tested(part, column, scores, test, chosen, enough, family, alpha, seed)
    return rows


def best_against_rest(scores: Doubles) -> list[tuple[int, int]]:
    """(best, other) for every other system, by falling score."""
    order = [int(i) for i in np.argsort(-scores, kind="stable")]
    return [(order[0], other) for other in order[1:]]


def holm_within(p_values: Sequence[float], family: int) -> list[float]:
    """Holm's correction of some of `family` p-values as if those not shown were larger: never too small."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    found, largest = [nan] * len(p_values), 0.0
    for rank, i in enumerate(order):
        if not np.isnan(p_values[i]):
            largest = max(largest, min(1.0, (family - rank) * p_values[i]))
            found[i] = largest
    return found


def _tested(
    part: Evidence, column: str, scores: Doubles, test: str, chosen: Sequence[tuple[int, int]], samples: int,
    family: int, alpha: float, seed: int,
) -> list[PairResult]:  # fmt: skip
    n = part.segments(column) or part.topics(column)
    exact = test == "randomisation" and n <= EXACT
    # Two patterns, everything kept and everything exchanged, reach any difference: p is at least 2 / 2^k.
    smallest = 2 / 2**n if exact else 1 / (samples + 1)
    note = ""
    if smallest * family >= alpha:
        note = f"not run: {n} items and {family} pairs cannot give a corrected p below {alpha:g}"
        found = [nan] * len(chosen)
    else:
        found = list(_p_values(part, column, test, chosen, samples, seed))
    names = part.systems
    items = "segments" if part.segments(column) else "topics"
    return [
        PairResult(
            column, names[a], names[b], test, float(scores[a]), float(scores[b]), float(scores[a] - scores[b]), p,
            corrected, family, items, n, 0 if exact else samples, seed, note,
        )
        for (a, b), p, corrected in zip(chosen, found, holm_within(found, family), strict=True)
    ]  # fmt: skip


def _p_values(
    part: Evidence, column: str, test: str, chosen: Sequence[tuple[int, int]], samples: int, seed: int
) -> Iterator[float]:
    n = part.segments(column) or part.topics(column)
    if test != "randomisation":
        items = drawn_items(n, samples, "replacement", seed)
        drawn = metric_scores(part, column, weights(items, n)) if part.segments(column) else None
        drawn = measure_values(part, column, items) if drawn is None else drawn
        scores = part.board[column].oriented
        for a, b in chosen:
            differences, observed = drawn[:, a] - drawn[:, b], float(scores[a] - scores[b])
            if test == "koehn":
                hits = int((np.sign(observed) * differences <= 0).sum()) if observed else samples
            else:
                hits = int((np.abs(differences) - np.abs(differences).mean() > abs(observed)).sum())
            yield (hits + 1) / (samples + 1)
        return
    keep, _ = sign_patterns(n, samples, seed)
    for pair in chosen:
        yield _randomisation_p(part, column, pair, keep)


def _randomisation_p(part: Evidence, column: str, pair: tuple[int, int], keep: Doubles) -> float:
    """NaN where items of the two cannot be exchanged."""
    found = []
    for at in range(0, len(keep), BLOCK):
        scores = exchanged_scores(part, column, pair, keep[at : at + BLOCK])
        if isinstance(scores, str):
            return nan
        found.append(scores[0] - scores[1])
    return _share(np.concatenate(found), 2)


def _share(statistics: Doubles, sides: int) -> float:
    """Share that reaches the first, less what rounding may take from an equal one."""
    values = np.abs(statistics) if sides == 2 else statistics
    slack = 1e-9 * max(float(np.abs(statistics).max()), 1e-300)
    return float((values >= values[0] - slack).mean())
