"""Documents near the best score."""

import pytest

from clirbench.errors import ConfigError, InputError
from clirbench.relevance.base import Relevance
from clirbench.relevance.score_share import ScoreShare
from clirbench.types import Document, Documents, Run, Topic

DOCUMENTS = Documents.of([Document("a", "x")])
TOPICS = [Topic.of("2", "x"), Topic.of("1", "y"), Topic.of("none", "z")]


@pytest.mark.parametrize(("share", "relevant"), [(1, "a"), (0.75, "ab"), (0.5, "abcd"), (0.4, "abcd"), (0.1, "abcde")])
def test_shares_by_hand(share: float, relevant: str) -> None:
    ideal = Run.of({"1": {"a": 8, "b": 6, "c": 4, "d": 4, "e": 1}, "2": {"z": 3}, "none": {}})
    qrels = ScoreShare(share).judge(ideal, DOCUMENTS, TOPICS)
    assert isinstance(ScoreShare(share), Relevance)
    assert qrels.topic_ids == ("2", "1")
    assert qrels.grades["1"] == dict.fromkeys(relevant, 1)


def test_what_has_no_meaning_is_refused() -> None:
    for share in (0, 1.1, -1, "x", True):
        with pytest.raises(ConfigError, match=r"relevance\.share=.*above 0 and at most 1"):
            ScoreShare(share)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="topic 1: the best score is -2; a share of it means nothing"):
        ScoreShare().judge(Run.of({"1": {"a": -2}}), DOCUMENTS, TOPICS)
