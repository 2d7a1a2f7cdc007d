"""WER equals jiwer; PER and CDER on cases worked by hand, CDER against the obvious search."""

from functools import cache
from pathlib import Path

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.papers.metrics.error_rates import CDER, PER, WER
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


@cache
def plain_levenshtein(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(
        plain_levenshtein(a[1:], b[1:]) + (a[0] != b[0]),
        plain_levenshtein(a[1:], b) + 1,
        plain_levenshtein(a, b[1:]) + 1,
    )


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
@settings(max_examples=100, deadline=None)
def test_edits_with_empty_sides(hypothesis: str, reference: str) -> None:
    assert errors(WER(), " ".join(hypothesis), " ".join(reference)) == plain_levenshtein(hypothesis, reference)


def test_totals_without_reference_words() -> None:
    assert corpus_score(WER(), ["a"], TestSet((("",),))) == 100
    assert corpus_score(WER(), [""], TestSet((("",),))) == 0


def test_lower_is_better_and_errors() -> None:
    assert {metric.higher_is_better for metric in (WER(), PER(), CDER())} == {False}
    assert [WER().name, PER().name, CDER().name] == ["WER", "PER", "CDER"]
    with pytest.raises(ConfigError, match="tokenize='moses' is not one of"):
        PER(tokenize="moses")
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        CDER().statistics(["a"], TestSet((("a", "b"),)))
