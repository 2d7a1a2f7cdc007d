"""Is one system better than another? Randomisation that counts ties, exact for few items, best against the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, nan

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.statistics.exchange import exchanger
from clirbench.labs.papers.statistics.jackknife import drawn_blocks
from clirbench.pages.wording import short
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.model.randomisation import EXACT, HELD, sign_blocks
from clirbench.statistics.p_values import holm
from clirbench.statistics.resampling import SAMPLING, measure_values, metric_scores, weights
from clirbench.types import Doubles

FEWEST_SAMPLES, MOST_SAMPLES = 1999, 19_999
DRAWS = 1000
"""Bootstrap samples for the interval of a difference, where no test asks for more."""
SLOW = 40_000
"""Exchanges, over all pairs, of a metric whose counts are sparse (a type average): each takes about a millisecond."""
TESTS = ("randomisation", "sacrebleu", "koehn")


@dataclass(frozen=True)
class PairResult:
    """Two systems, one column, one test; scores are oriented, `difference` = a - b.

    `ci_low`, `ci_high`: the middle 95 % of the bootstrapped difference; `wins_a`, `wins_b`, `ties`: shares of those
    samples. `p_value`: two-sided. `p_holm`: corrected over `family` pairs; that is all pairs of systems where best
    against rest is shown, because the best was chosen by the same items. `samples` 0: all sign patterns were counted.
    NaN with a note where the smallest attainable `p_holm` is not below alpha, so that nothing could be found.
    """

    column: str
    system_a: str
    system_b: str
    test: str
    score_a: float
    score_b: float
    difference: float
    ci_low: float
    ci_high: float
    wins_a: float
    wins_b: float
    ties: float
    p_value: float
    p_holm: float
    family: int
    items: str
    n_items: int
    samples: int
    sampling: str
    seed: int
    note: str = ""


@dataclass(frozen=True)
class PairTests:
    """How two systems are compared: the settings of `analysis=[pairs]`.

    `pair` names two systems; none: the best of each column against every other. `randomisation` exchanges items between
    the two at random: p = share of |differences| >= the observed one, which is one of them. `sacrebleu` is that tool's
    bootstrap p (it takes magnitudes before it centres them, so it is about one-sided: it calls .10 to .14 of equal
    pairs different at 50 topics, more with fewer); `koehn` the share of bootstrap samples in which the better one is
    not better. Bootstrap samples are n of n items with replacement (Koehn 2004, sacreBLEU) or half without
    (`sampling=half`; Neubig 2017, algorithm 5). `samples` None: as many as the correction needs, from 1,999 to 19,999
    (fewer for type averages, which are slow). Raises `UnknownName`, `ConfigError`.
    """

    pair: Sequence[str] | None = None
    tests: Sequence[str] = ("randomisation",)
    samples: int | None = None
    sampling: str = "replacement"
    alpha: float = 0.05
    seed: int = 12345

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in TESTS:
                raise UnknownName("analyses.pairs.tests", test, TESTS)
        if self.sampling not in SAMPLING:
            raise UnknownName("analyses.pairs.sampling", self.sampling, SAMPLING)
        if len(self.pair or ()) not in (0, 2):
            raise ConfigError(f"pair={list(self.pair or ())}: name two systems, or none for the best against the rest")
        if self.samples is not None and self.samples < 1:
            raise ConfigError(f"samples={self.samples}: at least 1")


def compare_systems(evidence: Evidence, how: PairTests = PairTests()) -> list[PairResult]:
    """The best system of each column against every other (or the pair named), best first by that column.

    Columns with holes or without items are left out.
    **Source:** Riezler and Maxwell 2005; Koehn 2004; Holm 1979.
    """
    if how.pair:
        evidence = evidence.only(np.array([system in how.pair for system in evidence.systems]))
    part, _ = next(iter(panels(evidence)))
    named = [(part.systems.index(how.pair[0]), part.systems.index(how.pair[1]))] if how.pair else None
    n = len(part.systems)
    family = 1 if named else n * (n - 1) // 2
    needed = min(max(ceil(family / how.alpha), FEWEST_SAMPLES), MOST_SAMPLES)
    draws = min(how.samples or needed, DRAWS if set(how.tests) == {"randomisation"} else MOST_SAMPLES)
    rows: list[PairResult] = []
    for column in (*part.metric_names, *part.measure_names):
        if part.segments(column) or part.topics(column):
            chosen = named or best_against_rest(part, column)
            if chosen:
                drawn = drawn_differences(part, column, draws, how.sampling, how.seed, chosen)
                for test in how.tests:
                    slow = test == "randomisation" and _sparse(part, column)
                    count = how.samples or (min(needed, SLOW // len(chosen)) if slow else needed)
                    rows += _test_pairs(part, column, test, chosen, drawn, count, family, how)
    return rows


def _sparse(evidence: Evidence, column: str) -> bool:
    """Whether a metric's counts are kept for each type, so that every exchange takes long."""
    known = evidence.segments(column) > 0
    return known and not isinstance(evidence.statistics[column, evidence.systems[0]], np.ndarray)


def best_against_rest(evidence: Evidence, column: str) -> list[tuple[int, int]]:
    """(best, other) for every other system, by falling score."""
    order = [int(i) for i in np.argsort(-evidence.board[column].oriented, kind="stable")]
    return [(order[0], other) for other in order[1:]]


def drawn_differences(
    evidence: Evidence, column: str, samples: int, sampling: str, seed: int, pairs: Sequence[tuple[int, int]]
) -> Doubles:
    """(samples, pairs): first less second, both on the same drawn items."""
    first, second = (list(side) for side in zip(*pairs, strict=True))
    n = evidence.segments(column) or evidence.topics(column)
    found = []
    for items in drawn_blocks(n, samples, sampling, seed):
        segments = evidence.segments(column)
        scores = metric_scores(evidence, column, weights(items, n)) if segments else None
        scores = measure_values(evidence, column, items) if scores is None else scores
        found.append(scores[:, first] - scores[:, second])
    return np.concatenate(found)


def _test_pairs(
    part: Evidence, column: str, test: str, chosen: Sequence[tuple[int, int]], drawn: Doubles, samples: int,
    family: int, how: PairTests,
) -> list[PairResult]:  # fmt: skip
    n = part.segments(column) or part.topics(column)
    exact = test == "randomisation" and n <= EXACT
    # Two patterns, everything kept and everything exchanged, reach any difference: p is at least 2 / 2^k.
    smallest = 2 / 2**n if exact else 1 / (samples + 1)
    scores = part.board[column].oriented
    observed = np.array([scores[a] - scores[b] for a, b in chosen])
    note, found = "", np.full(len(chosen), nan)
    if smallest * family >= how.alpha:
        slow = ", as many as are drawn of a type average, which takes about a millisecond each," * _sparse(part, column)
        why = f"{n} items" if exact else f"{samples} samples{slow}"
        enough = "" if exact else f"; samples={ceil(family / how.alpha)} would do"
        note = f"not run: {why} and {family} pairs cannot give a corrected p below {short(how.alpha)}{enough}"
    elif test == "randomisation":
        exchanged = _randomisation_p(part, column, chosen, samples, how.seed)
        found, note = (found, exchanged) if isinstance(exchanged, str) else (exchanged, note)
    elif test == "koehn":
        hits = (np.sign(observed) * drawn <= 0).sum(axis=0)
        found = (hits + 1) / (len(drawn) + 1)
    else:
        sizes = np.abs(drawn)
        found = ((sizes - sizes.mean(axis=0) > np.abs(observed)).sum(axis=0) + 1) / (len(drawn) + 1)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return [
        PairResult(
            column=column,
            system_a=part.systems[a],
            system_b=part.systems[b],
            test=test,
            score_a=float(scores[a]),
            score_b=float(scores[b]),
            difference=float(observed[i]),
            ci_low=float(low[i]),
            ci_high=float(high[i]),
            wins_a=float((drawn[:, i] > 0).mean()),
            wins_b=float((drawn[:, i] < 0).mean()),
            ties=float((drawn[:, i] == 0).mean()),
            p_value=float(found[i]),
            p_holm=corrected,
            family=family,
            items="segments" if part.segments(column) else "topics",
            n_items=n,
            samples=0 if exact else samples,
            sampling=how.sampling,
            seed=how.seed,
            note=note,
        )
        for i, ((a, b), corrected) in enumerate(zip(chosen, holm(found.tolist(), family), strict=True))
    ]


def _randomisation_p(
    part: Evidence, column: str, chosen: Sequence[tuple[int, int]], samples: int, seed: int
) -> Doubles | str:
    """(pairs,): share of patterns whose |difference| reaches the observed one; or why items cannot be exchanged."""
    n = part.segments(column) or part.topics(column)
    together = max(1, HELD // n // 10)
    scores, found = np.abs(part.board[column].oriented), []
    for at in range(0, len(chosen), together):
        pairs = chosen[at : at + together]
        exchanged = exchanger(part, column, pairs)
        if isinstance(exchanged, str):
            return exchanged
        # An equal difference may come out smaller by rounding.
        slack = 1e-9 * np.array([max(scores[a], scores[b]) for a, b in pairs])
        hits, patterns, least = np.zeros(len(pairs)), 0, np.empty(0)
        for keep in sign_blocks(n, samples, seed):
            sizes = np.abs(exchanged(keep))
            least = sizes[0] - slack if not patterns else least
            hits += (sizes >= least).sum(axis=0)
            patterns += len(keep)
        found.append(hits / patterns)
    return np.concatenate(found)
