"""WER equals jiwer, TER sacreBLEU; PER, CDER, BS and TOTAL-BS by hand, CDER against the obvious search."""

from math import log
from pathlib import Path

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER as SacreTER

from clirbench.labs.papers.error_rates import BS, CDER, PER, TER, WER, TotalBS
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score, lines

sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join)


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_wer_equals_jiwer(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    expected = 100 * jiwer.wer(references, hypotheses)
    assert corpus_score(WER(), hypotheses, TestSet((tuple(references),))) == pytest.approx(expected, abs=1e-9)


def test_wer_of_real_text_equals_jiwer(shared_data: Path) -> None:
    folder = shared_data / "wmt21" / "is-en"
    reference = lines(folder / "reference-A.txt")
    for path in sorted((folder / "systems").glob("*.txt"))[:3]:
        hypotheses = lines(path)
        # jiwer splits at blanks only, we at any white space: give it the words.
        expected = 100 * jiwer.wer([" ".join(r.split()) for r in reference], [" ".join(h.split()) for h in hypotheses])
        assert corpus_score(WER(), hypotheses, TestSet((reference,))) == pytest.approx(expected, abs=1e-9)


def errors(metric: WER, hypothesis: str, reference: str) -> float:
    return float(metric.statistics([hypothesis], TestSet(((reference,),)))[0, 0])


def test_per_worked_by_hand() -> None:
    assert errors(PER(), "b a", "a b") == 0  # order does not matter
    assert errors(PER(), "a a b", "a b b") == 1  # a and b in both: 3 - 2
    assert errors(PER(), "a", "a b c") == 2  # max(1, 3) - 1
    assert errors(PER(), "a b c d", "a") == 3  # max(4, 1) - 1
    assert errors(PER(), "", "a b") == 2
    assert corpus_score(PER(), ["a a b", "a"], TestSet((("a b b", "a b c"),))) == pytest.approx(100 * 3 / 6)


def test_cder_worked_by_hand() -> None:
    assert errors(CDER(), "a b c", "a b c") == 0
    # c d a b covers a b (jump to a: 1), then c d (jump back to c: 1), and jumps to the end: 1.
    assert errors(CDER(), "c d a b", "a b c d") == 3
    # Words of the hypothesis need not be covered: one jump over x y z.
    assert errors(CDER(), "a x y z b", "a b") == 1
    # A reference word that the hypothesis lacks is one insertion.
    assert errors(CDER(), "a c", "a b c") == 1
    # One substitution.
    assert errors(CDER(), "a x c", "a b c") == 1
    assert errors(CDER(), "", "a b") == 2
    assert errors(CDER(), "a b", "") == 1  # one jump to the end


def plain_cder(hypothesis: list[str], reference: list[str]) -> int:
    """Cheapest path in the alignment grid, by relaxing every edge until nothing changes."""
    n, m = len(hypothesis), len(reference)
    cost = {(i, j): 0 if (i, j) == (0, 0) else 10**6 for i in range(n + 1) for j in range(m + 1)}
    changed = True
    while changed:
        changed = False
        for (i, j), here in list(cost.items()):
            steps = [((k, j), 1) for k in range(n + 1)]  # jumps, and deletions as jumps by one
            if j < m:
                steps.append(((i, j + 1), 1))
                if i < n:
                    steps.append(((i + 1, j + 1), 0 if hypothesis[i] == reference[j] else 1))
            for to, price in steps:
                if here + price < cost[to]:
                    cost[to] = here + price
                    changed = True
    return cost[n, m]


@given(sentences, sentences)
@settings(max_examples=150, deadline=None)
def test_cder_is_the_cheapest_path(hypothesis: str, reference: str) -> None:
    assert errors(CDER(), hypothesis, reference) == plain_cder(hypothesis.split(), reference.split())


@pytest.mark.parametrize("options", [{}, {"normalized": True, "asian_support": True, "no_punct": True}])
def test_real_segments_and_two_references_score_as_the_library_does(
    shared_data: Path, options: dict[str, bool]
) -> None:
    folder = shared_data / "wmt21" / "ja-en"
    systems = [lines(path)[:40] for path in sorted((folder / "systems").glob("*.txt"))[:3]]
    hypotheses, references = [*systems[0][:-1], "a  full stop ."], (tuple(systems[1]), ("", *systems[2][1:]))
    expected = SacreTER(**options).corpus_score(hypotheses, references).score
    assert corpus_score(TER(**options), hypotheses, TestSet(references)) == pytest.approx(expected, abs=1e-9)


def test_a_text_without_words_and_a_reference_without_words() -> None:
    """By hand: nothing for nothing 0, one deletion of no reference word 100, two insertions of two words 100."""
    rows = TER().statistics(["", "a", ""], TestSet((("", "", "a b"),)))
    assert rows.tolist() == [[0, 0], [1, 0], [2, 2]]
    assert TER().score(rows).tolist() == [0.0, 100.0, 100.0]


def test_rows_of_some_segments_are_those_of_all() -> None:
    """What `by_segment` says: a large test set is counted some segments at a time."""
    rng = np.random.default_rng(3)
    texts = [tuple(" ".join(rng.choice(list("abcdefg"), rng.integers(9))) for _ in range(30)) for _ in range(3)]
    test = TestSet((texts[1], texts[2]))
    parts = [TER().statistics(texts[0][part], test.part(part)) for part in (slice(0, 7), slice(7, 30))]
    assert np.concatenate(parts).tolist() == TER().statistics(texts[0], test).tolist()


# Stems (a word less a third of its characters, rounded down): houses -> hous, house -> hous, the -> th, red -> re,
# big -> bi, burns -> burn, burned -> burn, a -> a, now -> no, down -> dow.
HYPOTHESES = ("the red houses burned", "a a now")
TEST = TestSet((("the big house burns down now", "the a"),))
# Line 1: hypothesis has th re hous burn, reference th bi hous burn dow no; bad: re (1); bi (1); dow no (2).
# Line 2: hypothesis a a no, reference th a; bad: no (1); th (1).


def test_worked_by_hand() -> None:
    assert TotalBS().statistics(HYPOTHESES, TEST)[:, 0].tolist() == [4, 2]
    assert corpus_score(TotalBS(), HYPOTHESES, TEST) == 3
    expected = [2 * log(2) + log(3), 2 * log(2)]
    assert BS().statistics(HYPOTHESES, TEST)[:, 0].tolist() == pytest.approx(expected)


def test_empty_sides_are_one_bad_segment() -> None:
    assert TotalBS().statistics(["", "a b", ""], TestSet((("a b c", "", ""),)))[:, 0].tolist() == [3, 2, 0]
    assert BS().statistics([""], TestSet((("a b c",),)))[0, 0] == pytest.approx(log(4))
