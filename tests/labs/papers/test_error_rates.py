"""WER equals jiwer, TER sacreBLEU."""

from pathlib import Path

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER as SacreTER

from clirbench.labs.papers.error_rates import TER, WER
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


# Line 1: hypothesis has th re hous burn, reference th bi hous burn dow no; bad: re (1); bi (1); dow no (2).
# Line 2: hypothesis a a no, reference th a; bad: no (1); th (1).
