"""Is one MT system better than another? Paired bootstrap and approximate randomisation, for any metric and measure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.statistics.differences import holm
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.exchange import shuffled_scores
from clirbench.statistics.resampling import SAMPLING, measure_values, metric_scores, weights
from clirbench.types import Doubles, Ints

PAIR_TESTS = ("bootstrap", "randomisation")
SACREBLEU_SEED = 12345


@dataclass(frozen=True)
class PairTest:
    """Two systems, one column, one test. Scores are oriented: more is better, `difference` = a - b.

    `wins_a`, `wins_b`, `ties`: shares of bootstrap samples (NaN for randomisation); `ci_low`, `ci_high`: the middle
    95 % of the bootstrapped difference; `p_value` as sacreBLEU computes it; `p_holm` corrected over all pairs of
    that column and test. `items` are segments of the test set or topics.
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
    items: str
    n_items: int
    samples: int
    sampling: str
    seed: int
    note: str = ""


def compare_pairs(
    evidence: Evidence,
    tests: Sequence[str] = ("bootstrap",),
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    samples: int = 1000,
    sampling: str = "replacement",
    seed: int = SACREBLEU_SEED,
) -> list[PairTest]:
    """Every pair of systems (or the `pairs` named), for every column whose items are known.

    `bootstrap` scores both systems on the same drawn items: n of n with replacement (Koehn 2004, sacreBLEU) or half
    without (`sampling=half`; Neubig 2017, algorithm 5); its p is that of the differences, centred, exceeding the
    observed one. `randomisation` exchanges items between the two systems at random (Riezler and Maxwell 2005).
    With seed 12345 both draw what sacreBLEU draws, so its p-values come out. Its bootstrap p takes magnitudes before
    it centres them, which makes it one-sided for all but tiny differences: at .05 about one in ten equal pairs is
    called different. The interval and the randomisation test do not have that fault. Columns with holes are left out.
    Raises `UnknownName` for a test or a system, `ConfigError` for another sampling.
    """
    for test in tests:
        if test not in PAIR_TESTS:
            raise UnknownName("test of two systems", test, PAIR_TESTS)
    if sampling not in SAMPLING:
        raise ConfigError(f"sampling={sampling}: choose from {', '.join(SAMPLING)}")
    for system in {system for pair in pairs or () for system in pair}:
        if system not in evidence.systems:
            raise UnknownName("system", system, evidence.systems)
    chosen = list(pairs) if pairs is not None else list(combinations(evidence.systems, 2))
    part, _ = next(iter(panels(evidence)))
    at = {system: i for i, system in enumerate(part.systems)}
    numbered = [(at[a], at[b]) for a, b in chosen]
    rows: list[PairTest] = []
    for column in (*part.metric_names, *part.measure_names):
        for test in tests:
            n = part.segments(column) or part.topics(column)
            if n:
                found = list(_tested(part, column, test, numbered, n, samples, sampling, seed))
                adjusted = holm([row.p_value for row in found])
                rows += [replace(row, p_holm=p) for row, p in zip(found, adjusted, strict=True)]
    return rows


def _tested(
    evidence: Evidence,
    column: str,
    test: str,
    pairs: Sequence[tuple[int, int]],
    n: int,
    samples: int,
    sampling: str,
    seed: int,
) -> Iterator[PairTest]:
    scores = evidence.board[column].oriented
    items = "segments" if evidence.segments(column) else "topics"
    drawn = _bootstrapped(evidence, column, n, samples, sampling, seed) if test == "bootstrap" else np.empty((0, 0))
    for a, b in pairs:
        row = PairTest(
            column=column,
            system_a=evidence.systems[a],
            system_b=evidence.systems[b],
            test=test,
            score_a=float(scores[a]),
            score_b=float(scores[b]),
            difference=float(scores[a] - scores[b]),
            ci_low=nan,
            ci_high=nan,
            wins_a=nan,
            wins_b=nan,
            ties=nan,
            p_value=nan,
            p_holm=nan,
            items=items,
            n_items=n,
            samples=samples,
            sampling=sampling if test == "bootstrap" else "exchange",
            seed=seed,
        )
        if test == "bootstrap":
            yield _with_bootstrap(row, drawn[:, a] - drawn[:, b])
        else:
            yield _with_randomisation(row, shuffled_scores(evidence, column, (a, b), samples, seed))


def _bootstrapped(evidence: Evidence, column: str, n: int, samples: int, sampling: str, seed: int) -> Doubles:
    """(samples, systems): the column on drawn items, the same for all systems."""
    items = drawn_items(n, samples, sampling, seed)
    if evidence.segments(column):
        return metric_scores(evidence, column, weights(items, n))
    return measure_values(evidence, column, items)


def drawn_items(n: int, samples: int, sampling: str, seed: int) -> Ints:
    """(samples, drawn): with replacement, exactly the items that sacreBLEU draws from this seed."""
    rng = np.random.default_rng(seed)
    if sampling == "replacement":
        return np.asarray(rng.choice(n, size=(samples, n), replace=True))
    return np.asarray(rng.permuted(np.tile(np.arange(n), (samples, 1)), axis=1)[:, : max(1, n // 2)])


def _with_bootstrap(row: PairTest, differences: Doubles) -> PairTest:
    magnitudes = np.abs(differences)
    hits = int((magnitudes - magnitudes.mean() > abs(row.difference)).sum())
    low, high = np.quantile(differences, [0.025, 0.975])
    return replace(
        row,
        ci_low=float(low),
        ci_high=float(high),
        wins_a=float((differences > 0).mean()),
        wins_b=float((differences < 0).mean()),
        ties=float((differences == 0).mean()),
        p_value=(hits + 1) / (len(differences) + 1),
    )


def _with_randomisation(row: PairTest, shuffled: "tuple[Doubles, Doubles] | str") -> PairTest:
    if isinstance(shuffled, str):
        return replace(row, note=shuffled)
    hits = int((np.abs(shuffled[0] - shuffled[1]) > abs(row.difference)).sum())
    return replace(row, p_value=(hits + 1) / (len(shuffled[0]) + 1))
