"""Reciprocal rank fusion, by hand and by its definition."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from clirbench.errors import ConfigError, EmptyCollection
from clirbench.labs.models.fusion import Fusion
from clirbench.retrieval.base import Retriever
from clirbench.retrieval.bm25 import BM25
from clirbench.types import Document, Documents, Run, Topic


@dataclass(frozen=True)
class Listed:
    """Says what it was told."""

    lists: tuple[str, ...]
    depth: int = 10
    signature: str = "listed"

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        ordinal = {doc_id: i for i, doc_id in enumerate(documents.map.doc_ids)}
        ranked = [
            (t.topic_id, np.array([ordinal[d] for d in ids], dtype=np.int64), -np.arange(len(ids), dtype=np.float32))
            for t, ids in zip(topics, self.lists, strict=True)
        ]
        return Run.build(documents.map, ranked, unmatched=[("x",)] * len(topics), n_matched=[7] * len(topics))


HELD = Documents.of(Document(doc_id, "oil") for doc_id in "edcba")
TOPICS = [Topic.of("1", "oil"), Topic.of("2", "oil")]


def test_by_hand() -> None:
    run = Fusion({"a": Listed(("abc", "")), "b": Listed(("bd", ""))}, k=60).rank(HELD, TOPICS)
    assert run.ranking("1") == ("b", "a", "d", "c")
    wanted = [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63]
    assert run.values("1", tied=True).tolist() == pytest.approx(wanted, rel=1e-7)
    assert run.ranking("2") == ()
    assert (run.n_matched.tolist(), run.unmatched) == ([7, 7], (("x",), ("x",)))


def test_ties_are_in_order_of_doc_id_and_depth_cuts() -> None:
    run = Fusion({"a": Listed(("ea", "c")), "b": Listed(("ae", "b"))}, depth=1).rank(HELD, TOPICS)
    assert (run.ranking("1"), run.ranking("2")) == (("a",), ("b",))


def test_real_engines_are_fused_by_their_ranks() -> None:
    rng = np.random.default_rng(0)
    words = ["oil", "price", "pearl", "farm", "history"]
    held = Documents.of(Document(f"d{i}", " ".join(rng.choice(words, rng.integers(1, 9)))) for i in range(60))
    topics = [Topic.of("t", "oil price"), Topic.of("u", "pearl")]
    engines = {"one": BM25(b=1.0), "two": BM25(b=0.0, depth=20)}
    run = Fusion(engines, k=3).rank(held, topics)
    for topic in ("t", "u"):
        total: dict[str, float] = {}
        for engine in engines.values():
            for rank, doc_id in enumerate(engine.rank(held, topics).ranking(topic), start=1):
                total[doc_id] = total.get(doc_id, 0) + 1 / (3 + rank)
        rounded = {doc_id: float(np.float32(score)) for doc_id, score in total.items()}
        assert run.ranking(topic) == tuple(sorted(rounded, key=lambda d: (-rounded[d], d)))


def test_is_a_retriever_that_names_what_it_fuses() -> None:
    made = Fusion({"a": BM25(), "b": BM25(b=0.75)})
    assert isinstance(made, Retriever)
    for part in ("fusion:rrf", "k:60", BM25().signature, "b:0.75", "ties:doc_id"):
        assert part in made.signature
    with pytest.raises(ConfigError, match="two retrievers or more"):
        Fusion({"a": BM25()})


def test_a_collection_that_is_empty_to_all_is_an_error() -> None:
    stops = Documents.of([Document("1", "the of")])
    with pytest.raises(EmptyCollection):
        Fusion({"a": BM25(), "b": BM25(b=0.75)}).rank(stops, TOPICS)
