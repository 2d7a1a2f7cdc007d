"""The per-topic view on two topics and three documents, worked by hand."""

import numpy as np
import pytest

from clirbench.computed import Counts, Inputs, Retrieval
from clirbench.corpora.base import Corpus
from clirbench.report.html import topics
from clirbench.report.html.topics import snippets, topic_sets
from clirbench.result import Result
from clirbench.types import Document, Documents, Judged, Qrels, Run, TestSet, Topic
from tests.report.boards import board, result

DOCUMENTS = Documents.of(
    [Document("d1", "one two"), Document("d2", "x" * 500), Document("d3", "three\nlines of   text")]
)


def run(ranked: dict[str, list[int]], unmatched: list[list[str]]) -> Run:
    lists = [
        (topic_id, np.array(ordinals, dtype=np.int64), np.arange(len(ordinals), 0, -1, dtype=np.float32))
        for topic_id, ordinals in ranked.items()
    ]
    return Run.build(DOCUMENTS.map, lists, unmatched)


@pytest.fixture
def searched() -> Result:
    ideal = run({"t1": [0, 1], "t2": [2]}, [["zzz"], []])
    judged = Judged(Qrels({"t1": {"d1": 1, "d2": 0}, "t2": {"d3": 2}}), ideal)
    runs = {"s1": run({"t1": [1, 0], "t2": []}, [["zzz"], ["three"]]), "s2": run({"t1": [0], "t2": [2]}, [["zzz"], []])}
    per_topic = {("", "MAP"): np.array([[0.5, 0.0], [1.0, 0.123456]])}
    counts = Counts(3, 2, 2, (), (), None, None)
    found = Retrieval(ideal, {"": judged}, {"": counts}, runs, per_topic)
    inputs = Inputs(
        Corpus(TestSet((("a",),)), DOCUMENTS), (), {"": (Topic.of("t1", "one zzz"), Topic.of("t2", "three"))}
    )
    made = result(board({"BLEU": [1, 2]}, {"MAP": [0.25, 0.56]}))
    return Result(made.experiment, made.board, made.correlations, inputs, {"": found})


def test_a_topic_has_its_rankings_lost_terms_values_and_relevant_documents(searched: Result) -> None:
    (shown,) = topic_sets(searched)
    names = [doc_id for doc_id, _ in shown["documents"]]
    assert shown["topics"] == [{"id": "t1", "text": "one zzz"}, {"id": "t2", "text": "three"}]
    assert [[names[i] for i in ranking] for ranking in shown["ideal"]] == [["d1", "d2"], ["d3"]]
    assert [[names[i] for i in ranking] for ranking in shown["runs"][0]] == [["d2", "d1"], []]
    assert [[names[i] for i in some] for some in shown["relevant"]["first"]] == [["d1"], ["d3"]]
    assert shown["lost"] == [{}, {"three": [0]}]  # zzz stands nowhere on the reference side either
    assert shown["measures"]["MAP"] == {"rule": "first", "values": [[0.5, 0.0], [1.0, 0.123]]}


def test_only_the_hardest_topics_are_kept_where_all_would_be_too_many(
    searched: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "BUDGET", 1)
    (shown,) = topic_sets(searched)
    assert [topic["id"] for topic in shown["topics"]] == ["t2"]
    assert shown["n"] == 2


def test_snippets_are_one_line_and_short() -> None:
    found = snippets(DOCUMENTS, ["d2", "d3"])
    assert found["d3"] == "three lines of text"
    assert len(found["d2"]) == topics.SNIPPET
    assert found["d2"].endswith("…")
    assert "d1" not in found
