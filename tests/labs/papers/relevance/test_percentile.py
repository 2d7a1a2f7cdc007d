"""Percentiles by hand and by numpy, and CLIReval's own examples."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ConfigError
from clirbench.files.trec import read_qrels
from clirbench.labs.papers.relevance.percentile import Percentile
from clirbench.relevance.base import Relevance
from clirbench.types import Document, DocumentMap, Documents, Run, Topic, rank_order

TOPICS = [Topic.of("1", "x")]
SIX = Documents.of([Document(str(i), "x") for i in range(1, 7)])
# CLIReval's test scores 100 80 60 50 10 0; document 6, score 0, is one that is not matched.
IDEAL = Run.of({"1": {"1": 100, "2": 80, "3": 60, "4": 50, "5": 10}})


@pytest.mark.parametrize("percent", [25, 50])
def test_clireval_percentiles(shared_data: Path, percent: int) -> None:
    """CLIReval's tests/test_data: percentile_25.qrel and percentile_50.qrel on these scores."""
    folder = shared_data / "clir" / "clireval" / "tests" / "test_data"
    expected = read_qrels(folder / f"percentile_{percent}.qrel").grades["1"]
    found = Percentile(percent, of="collection").judge(IDEAL, SIX, TOPICS).grades["1"]
    assert found == {doc_id: 1 for doc_id, grade in expected.items() if grade > 0}


@pytest.mark.parametrize(("percent", "relevant"), [(1, "1"), (25, "12"), (50, "123"), (75, "1234"), (100, "12345")])
def test_of_the_matched_documents_by_hand(percent: float, relevant: str) -> None:
    """100 80 60 50 10: the 75th percentile is 80, the 50th 60, the 25th 50, the 0th 10."""
    rule = Percentile(percent)
    assert isinstance(rule, Relevance)
    assert rule.judge(IDEAL, SIX, TOPICS).grades["1"] == dict.fromkeys(relevant, 1)


def test_a_document_that_is_not_matched_is_never_relevant() -> None:
    many = Documents.of([Document(str(i), "x") for i in range(100)])
    assert set(Percentile(50, of="collection").judge(IDEAL, many, TOPICS).grades["1"]) == set("12345")


@given(st.lists(st.integers(1, 20), min_size=1, max_size=30), st.floats(0.1, 100), st.integers(1, 30))
def test_numpys_percentile_as_deep_as_the_list_is(values: list[int], percent: float, depth: int) -> None:
    scores = np.array(values, dtype=np.float32)
    document_map = DocumentMap(tuple(f"{i:02}" for i in range(len(values))), np.ones(len(values), dtype=np.int64))
    order = rank_order(scores, document_map.id_rank, depth)
    ideal = Run.build(document_map, [("1", order, scores[order])], n_matched=[len(values)])
    threshold = np.percentile(scores.astype(float), 100 - percent)
    found = Percentile(percent).judge(ideal, SIX, TOPICS).grades["1"]
    assert len(found) == (scores[order] >= threshold - 1e-9).sum()


def test_bad_options_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"relevance\.percent=0 must be a number above 0 and at most 100"):
        Percentile(0)
    with pytest.raises(ConfigError, match=r"relevance\.of='all' is not one of matched, collection"):
        Percentile(of="all")
