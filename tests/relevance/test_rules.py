"""Pseudo-relevance by rank, by share and by score: whole tie groups, topics in their order, cases by hand."""

from collections.abc import Callable

import pytest

from clirbench.errors import ConfigError, InputError
from clirbench.relevance.base import BestRanked, Relevance
from clirbench.relevance.top_k import ScoreShare, TopK, TopShare
from clirbench.types import Document, Documents, Run, Topic

NOTHING = Documents.of([Document("a", "x")])
TOPICS = [Topic.of("2", "x"), Topic.of("1", "y"), Topic.of("none", "z"), Topic.of("absent", "z")]
IDEAL = Run.of({"1": {"a": 8, "b": 6, "c": 4, "d": 4, "e": 1}, "2": {"z": 3}, "none": {}})


@pytest.mark.parametrize(
    ("rule", "signature", "relevant"),
    [
        (TopK(1), "top1", "a"),
        (TopK(3), "top3", "abcd"),
        (TopK(4), "top4", "abcd"),
        (TopK(9), "top9", "abcde"),
        (TopShare(0.01), "top_share0.01", "a"),
        (TopShare(0.4), "top_share0.4", "ab"),
        (TopShare(0.5), "top_share0.5", "abcd"),  # 2.5 documents: three are asked for, the third and fourth are tied
        (TopShare(1), "top_share1", "abcde"),
        (ScoreShare(1), "score_share1", "a"),
        (ScoreShare(0.75), "score_share0.75", "ab"),
        (ScoreShare(0.5), "score_share0.5", "abcd"),
        (ScoreShare(0.1), "score_share0.1", "abcde"),
    ],
)
def test_cases_by_hand(rule: BestRanked, signature: str, relevant: str) -> None:
    qrels = rule.judge(IDEAL, NOTHING, TOPICS)
    assert isinstance(rule, Relevance)
    assert qrels.topic_ids == ("2", "1")
    assert qrels.grades["1"] == dict.fromkeys(relevant, 1)
    assert rule.signature == signature


def test_a_share_that_is_a_whole_number_of_documents_is_just_that() -> None:
    # In binary .2 * 15 is above 3.
    ideal = Run.of({"1": {f"d{i:02d}": 20 - i for i in range(15)}})
    assert len(TopShare(0.2).judge(ideal, NOTHING, TOPICS).grades["1"]) == 3


@pytest.mark.parametrize(
    ("rule", "values", "message"),
    [
        (TopK, (0, -1, 1.5, True, "3"), r"relevance\.k=.*at least 1"),
        (TopShare, (0, 1.1, -1, "x", True), r"relevance\.share=.*above 0 and at most 1"),
        (ScoreShare, (0, 1.1, -1, "x", True), r"relevance\.share=.*above 0 and at most 1"),
    ],
)
def test_values_out_of_range_are_refused(rule: Callable[[object], object], values: tuple[object], message: str) -> None:
    for value in values:
        with pytest.raises(ConfigError, match=message):
            rule(value)


def test_a_share_of_a_score_below_0_means_nothing() -> None:
    with pytest.raises(InputError, match="topic 1: the best score is -2; a share of it means nothing"):
        ScoreShare().judge(Run.of({"1": {"a": -2}}), NOTHING, TOPICS)


@pytest.mark.parametrize(
    ("matched", "k"), [([9], 4), ([4], 3), ([1, 1, 30], 3), ([19, 20, 40], 10), ([18, 19, 19], 9), ([1000], 10)]
)
def test_without_a_k_it_is_ten_or_half_of_the_median_of_matched_documents(matched: list[int], k: int) -> None:
    """10, at most half of the median of documents matched, 3 at least, over matched topics."""
    ideal = Run.of({str(i): {f"d{j:04}": float(n - j) for j in range(n)} for i, n in enumerate(matched)} | {"none": {}})
    topics = [Topic.of(topic_id, "x") for topic_id in (*map(str, range(len(matched))), "none")]
    assert TopK().fitted(ideal, topics) == TopK(k)
    assert TopK(30).fitted(ideal, topics) == TopK(30)
    judged = TopK().judge(ideal, NOTHING, topics)
    assert [len(grades) for grades in judged.grades.values()] == [min(k, n) for n in matched]
