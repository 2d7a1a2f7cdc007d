"""TER equals sacreBLEU: edits to the count, scores to 1e-9."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER as SacreTER

from clirbench.errors import AlignmentError
from clirbench.labs.papers.metrics.ter import TER
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, FIRST, LAST, SETS, TWO, check, corpus_score, library_rows, lines

OPTIONS: list[dict[str, Any]] = [
    {},
    {"normalized": True},
    {"no_punct": True},
    {"normalized": True, "asian_support": True, "no_punct": True},
    {"case_sensitive": True},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_edits_and_segment_scores_equal_the_librarys(options: dict[str, Any]) -> None:
    pairs = list(itertools.product(AWKWARD, AWKWARD))
    hypotheses, test = [h for h, _ in pairs], TestSet((tuple(r for _, r in pairs),))
    metric, library = TER(**options), SacreTER(**options)
    ours = metric.statistics(hypotheses, test)
    np.testing.assert_array_equal(ours, library_rows(library, hypotheses, test))
    for hypothesis, reference, score in zip(hypotheses, test.references[0], metric.score(ours).tolist(), strict=True):
        assert score == pytest.approx(library.sentence_score(hypothesis, [reference]).score, abs=1e-9)


words = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=14).map(" ".join)


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_shifts_and_two_references_equal_the_library(segments: list[tuple[str, str, str]]) -> None:
    hypotheses = [h for h, _, _ in segments]
    test = TestSet((tuple(a for _, a, _ in segments), tuple(b for _, _, b in segments)))
    np.testing.assert_array_equal(TER().statistics(hypotheses, test), library_rows(SacreTER(), hypotheses, test))
    expected = SacreTER().corpus_score(hypotheses, [list(r) for r in test.references]).score
    assert corpus_score(TER(), hypotheses, test) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("lengths", [(120, 90), (10, 200), (200, 10), (70, 70)])
def test_the_beam_and_the_limit_of_candidates_are_the_librarys(lengths: tuple[int, int]) -> None:
    """A long segment of few types: the beam, shifts of 10 words over 50 positions and the 1000 candidates all act."""
    random = np.random.default_rng(7)
    hypotheses = [" ".join(random.choice(list("abcdefgh"), lengths[0]))]
    test = TestSet(((" ".join(random.choice(list("abcdefgh"), lengths[1])),),))
    np.testing.assert_array_equal(TER().statistics(hypotheses, test), library_rows(SacreTER(), hypotheses, test))


def test_real_segments_equal_the_library(shared_data: Path) -> None:
    folder = shared_data / "wmt21" / "ja-en"
    hypotheses = lines(sorted((folder / "systems").glob("*.txt"))[0])[:80]
    test = TestSet((lines(folder / "reference-A.txt")[:80],))
    np.testing.assert_array_equal(TER().statistics(hypotheses, test), library_rows(SacreTER(), hypotheses, test))


def test_rows_of_some_segments_are_those_of_all() -> None:
    """What `by_segment` says: a large test set is counted some segments at a time."""
    rng = np.random.default_rng(3)
    texts = [tuple(" ".join(rng.choice(list("abcdefg"), rng.integers(9))) for _ in range(30)) for _ in range(3)]
    test = TestSet((texts[1], texts[2]))
    parts = [TER().statistics(texts[0][part], test.part(part)) for part in (slice(0, 7), slice(7, 30))]
    assert np.concatenate(parts).tolist() == TER().statistics(texts[0], test).tolist()


def test_unequal_line_counts_are_an_error() -> None:
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        TER().statistics(["a"], TestSet((("a", "b"),)))


@pytest.mark.parametrize("name", SETS)
def test_a_sample(shared_data: Path, name: str) -> None:
    check(shared_data / name, FIRST, 30, [(TER(), SacreTER())])


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO)
def test_500_segments(shared_data: Path, name: str) -> None:
    check(shared_data / name, LAST, 500, [(TER(), SacreTER())])


@pytest.mark.release
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SETS)
def test_a_whole_system(shared_data: Path, name: str) -> None:
    """One: the library takes seconds for each."""
    check(shared_data / name, LAST, None, [(TER(), SacreTER())])
