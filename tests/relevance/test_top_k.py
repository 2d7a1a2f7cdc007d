"""Pseudo-relevance by rank, with whole tie groups."""

import pytest

from clirbench.errors import ConfigError
from clirbench.relevance.base import Relevance
from clirbench.relevance.top_k import TopK
from clirbench.types import Document, Documents, Run, Topic

DOCUMENTS = Documents.of([Document(i, "text") for i in "abcd"])
TOPICS = [Topic.of("2", "x"), Topic.of("1", "y"), Topic.of("none", "z"), Topic.of("absent", "z")]
IDEAL = Run.of({"1": {"d": 4, "a": 3, "c": 2, "b": 2}, "2": {"b": 1}, "none": {}})


@pytest.mark.parametrize(("k", "relevant"), [(1, "d"), (2, "da"), (3, "dabc"), (4, "dabc"), (9, "dabc")])
def test_a_tie_group_is_taken_whole(k: int, relevant: str) -> None:
    assert TopK(k).judge(IDEAL, DOCUMENTS, TOPICS).grades["1"] == dict.fromkeys(relevant, 1)


def test_topics_in_their_order_and_unmatched_ones_left_out() -> None:
    rule = TopK(2)
    assert isinstance(rule, Relevance)
    assert rule.judge(IDEAL, DOCUMENTS, TOPICS).topic_ids == ("2", "1")
    assert rule.signature == "top2"


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3"])
def test_k_is_a_whole_number(k: int) -> None:
    with pytest.raises(ConfigError, match=r"relevance\.k=.*at least 1"):
        TopK(k)


@pytest.mark.parametrize(
    ("matched", "k"), [([9], 4), ([4], 3), ([1, 1, 30], 3), ([19, 20, 40], 10), ([18, 19, 19], 9), ([1000], 10)]
)
def test_without_a_k_it_is_ten_or_half_of_the_median_of_matched_documents(matched: list[int], k: int) -> None:
    """By the issue: 10, at most half of the median of documents matched, 3 at least, over matched topics."""
    ideal = Run.of({str(i): {f"d{j:04}": float(n - j) for j in range(n)} for i, n in enumerate(matched)} | {"none": {}})
    topics = [Topic.of(topic_id, "x") for topic_id in (*map(str, range(len(matched))), "none")]
    assert TopK().fitted(ideal, topics) == TopK(k)
    assert TopK(30).fitted(ideal, topics) == TopK(30)
    documents = Documents.of([Document(f"d{j:04}", "text") for j in range(max(matched))])
    judged = TopK().judge(ideal, documents, topics)
    assert [len(grades) for grades in judged.grades.values()] == [min(k, n) for n in matched]
