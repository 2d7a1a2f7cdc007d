"""The one rank order: selection against a plain sort, the strict fall against the definition, runs from both."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import InputError
from clirbench.types import Document, DocumentMap, Documents, Judged, Qrels, Run, rank_order, strictly_falling

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
tied_scores = st.lists(st.one_of(st.sampled_from([0.0, 1.0, 1.5, -2.0]), finite), max_size=60)


@given(tied_scores, st.randoms(use_true_random=False), st.integers(1, 70))
def test_rank_order_is_a_plain_sort_cut_at_depth(scores: list[float], random, depth: int) -> None:  # type: ignore[no-untyped-def]
    ids = [f"{number}" for number in range(len(scores))]
    random.shuffle(ids)
    map_ = DocumentMap(tuple(ids), np.ones(len(ids), dtype=np.int64))
    found = rank_order(np.array(scores, dtype=np.float32), map_.id_rank, depth)
    expected = sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i]))[:depth]
    assert found.tolist() == expected
    assert found.dtype == np.int64


def by_definition(scores: list[float]) -> list[np.float32]:
    """s[i] = min(s[i], nextafter(s[i-1], -inf)), one after the other in float32."""
    falling: list[np.float32] = []
    for score in scores:
        value = np.float32(score)
        if falling:
            value = min(value, np.nextafter(falling[-1], np.float32(-np.inf)))
        falling.append(value)
    return falling


@given(tied_scores)
def test_strictly_falling_is_its_definition(scores: list[float]) -> None:
    largest_first = sorted((score for score in scores if score > -3e38), reverse=True)
    found = strictly_falling(np.array(largest_first, dtype=np.float32), np.array([0, len(largest_first)]))
    assert found.dtype == np.float32
    assert found.tolist() == [float(value) for value in by_definition(largest_first)]
    assert all(left > right for left, right in pairwise(found.tolist()))


def test_a_fall_through_zero() -> None:
    """Below 0 comes the largest negative subnormal; -0.0 and 0.0 are one value, so the second of them gives way."""
    smallest = np.float32(1.401298464324817e-45)
    found = strictly_falling(np.array([smallest, 0.0, 0.0, -0.0], dtype=np.float32), np.array([0, 4]))
    assert found.tolist() == [float(smallest), 0.0, -float(smallest), -2 * float(smallest)]


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=2),
        st.dictionaries(
            st.text("ab1\u00e9\U0001f600\uff21", min_size=1, max_size=3), tied_scores.map(lambda s: (s or [0.0])[0])
        ),
        max_size=5,
    )
)
def test_a_run_keeps_ties_beside_its_strictly_falling_scores(scores: dict[str, dict[str, float]]) -> None:
    run = Run.of(scores)
    assert run.topic_ids == tuple(scores)
    for topic_id, by_document in scores.items():
        expected = sorted(by_document, key=lambda doc_id: (-by_document[doc_id], doc_id))
        assert run.ranking(topic_id) == tuple(expected)
        tied = [np.float32(by_document[doc_id]) for doc_id in expected]
        assert run.values(topic_id, tied=True).tolist() == [float(value) for value in tied]
        assert all(left > right for left, right in pairwise(run.values(topic_id).tolist()))
    assert run.ranking("no such topic") == ()
    assert len(run.values("no such topic")) == 0


def test_build_keeps_what_the_retriever_says() -> None:
    map_ = DocumentMap(("x", "y", "z"), np.ones(3, dtype=np.int64))
    ranked = [
        ("a", np.array([2, 0]), np.array([2.0, 2.0], dtype=np.float32)),
        ("b", np.array([], dtype=np.int64), np.array([], dtype=np.float32)),
    ]
    run = Run.build(map_, ranked, n_matched=[7, 0])
    assert (run.ranking("a"), run.ranking("b")) == (("z", "x"), ())
    assert run.doc_ids == ("x", "z")
    assert run.values("a").tolist() == [2.0, float(np.nextafter(np.float32(2), np.float32(0)))]
    assert run.values("a", tied=True).tolist() == [2.0, 2.0]
    assert run.n_matched.tolist() == [7, 0]
    assert Run.build(map_, ranked).n_matched.tolist() == [2, 0]
    assert len(Run.build(map_, [])) == 0


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_refused(score: float) -> None:
    with pytest.raises(InputError, match="topic t: a score is not a finite number"):
        Run.of({"t": {"d": score}})


def test_maps_of_lines() -> None:
    map_ = DocumentMap.blocks_of(11, 4)
    assert (map_.doc_ids, map_.lengths.tolist(), map_.n_lines) == (("1", "2", "3"), [4, 4, 3], 11)
    assert map_.starts.tolist() == [0, 4, 8, 11]
    assert DocumentMap.blocks_of(10).doc_ids[0] == "01"
    named = DocumentMap(tuple(DocumentMap.blocks_of(12).doc_ids), DocumentMap.blocks_of(12).lengths)
    assert DocumentMap.blocks_of(12).id_rank.tolist() == named.id_rank.tolist()
    assert DocumentMap(("b", "a", "C"), np.ones(3, dtype=np.int64)).id_rank.tolist() == [2, 1, 0]
    documents = Documents.of([Document("1", "a\nb"), Document("2", "")])
    assert [document.text for document in documents] == ["a b", ""]


def test_a_topic_has_a_relevant_document_where_a_grade_is_above_0() -> None:
    """Grade 0 and the -2 of spam (TREC web tracks) are judgments of documents that are not relevant."""
    qrels = Qrels({"none": {"a": 0, "b": -2}, "one": {"a": 0, "b": 1}, "unjudged": {}, "high": {"c": 3}})
    judged = Judged(qrels, Run.of({}), 7)
    assert judged.topic_ids == ("none", "one", "unjudged", "high")
    assert judged.with_relevant.topic_ids == ("one", "high")
    assert judged.with_relevant.qrels.grades == {"one": {"a": 0, "b": 1}, "high": {"c": 3}}
    assert judged.with_relevant.n_documents == 7
    assert judged.with_relevant.with_relevant is judged.with_relevant
