"""The first part of what a topic matches."""

import pytest

from clirbench.errors import ConfigError
from clirbench.relevance.base import Relevance
from clirbench.relevance.top_share import TopShare
from clirbench.types import Document, Documents, Run, Topic

DOCUMENTS = Documents.of([Document("a", "x")])
TOPICS = [Topic.of("1", "x"), Topic.of("2", "y"), Topic.of("none", "z")]


@pytest.mark.parametrize(("share", "relevant"), [(0.01, "a"), (0.2, "a"), (0.4, "ab"), (0.5, "abcd"), (1, "abcde")])
def test_shares_by_hand(share: float, relevant: str) -> None:
    # .5 of 5 is 2.5, so three are asked for; the third and the fourth are tied, and both are relevant.
    ideal = Run.of({"1": {"a": 8, "b": 6, "c": 4, "d": 4, "e": 1}, "2": {"z": 3}, "none": {}})
    rule = TopShare(share)
    qrels = rule.judge(ideal, DOCUMENTS, TOPICS)
    assert isinstance(rule, Relevance)
    assert qrels.topic_ids == ("1", "2")
    assert qrels.grades["1"] == dict.fromkeys(relevant, 1)
    assert rule.signature == f"top_share{share:g}"


def test_a_share_that_is_a_whole_number_of_documents_is_just_that() -> None:
    # In binary .2 * 15 is above 3.
    ideal = Run.of({"1": {f"d{i:02d}": 20 - i for i in range(15)}})
    assert len(TopShare(0.2).judge(ideal, DOCUMENTS, TOPICS).grades["1"]) == 3


@pytest.mark.parametrize("share", [0, 1.1, -1, "x", True])
def test_a_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(ConfigError, match=r"relevance\.share=.*above 0 and at most 1"):
        TopShare(share)
