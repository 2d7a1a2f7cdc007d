"""The steps of a retriever give what the retriever itself gives; laboratories check theirs by these tests too."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clirbench.engines.local import Serial
from clirbench.errors import EmptyCollection
from clirbench.later import load_value
from clirbench.result import no_watch
from clirbench.retrieval.base import Retriever, Search
from clirbench.retrieval.bm25 import BM25
from clirbench.steps import search
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.text import Text, TextLines
from clirbench.types import DocumentMap, Documents, Failure, Topic

TOPICS = (Topic.of("1", "price of oil"), Topic.of("2", "pearl"), Topic.of("3", ""))
TEXTS = {"a": TextLines(("oil price", "pearl farm", "history")), "b": TextLines(("petrol costs", "jewel", "past"))}
MAP = DocumentMap.blocks_of(3)
BLANK = TextLines(("", "", ""))


@pytest.fixture
def retriever() -> Retriever:
    return BM25()


def task(cache: Path) -> Search:
    return Search(TOPICS, MAP, Cached(Serial(), Store(cache)).pmap, no_watch)


def runs(retriever: Retriever, texts: dict[str, Text], cache: Path) -> Iterator[Any]:
    return search(retriever, task(cache).of_systems(texts))


def test_the_store_changes_nothing(retriever: Retriever, tmp_path: Path) -> None:
    for _ in ("cold", "warm"):
        for text, run in zip(TEXTS.values(), runs(retriever, {**TEXTS}, tmp_path), strict=True):
            wanted, got = retriever.rank(Documents(text, MAP), TOPICS), load_value(run)
            assert [got.ranking(t.topic_id) for t in TOPICS] == [wanted.ranking(t.topic_id) for t in TOPICS]
            assert got.tied.tolist() == wanted.tied.tolist()
            assert got.n_matched.tolist() == wanted.n_matched.tolist()


def test_a_system_that_wrote_nothing_matches_nothing_and_an_empty_english_side_is_an_error(
    retriever: Retriever, tmp_path: Path
) -> None:
    (run,) = runs(retriever, {"a": BLANK}, tmp_path)
    assert load_value(run).n_matched.tolist() == [0, 0, 0]
    (failed,) = search(retriever, task(tmp_path).of_english(BLANK))
    assert isinstance(failed, Failure)
    assert "empty" in failed.reason
    with pytest.raises(EmptyCollection):
        retriever.rank(Documents(BLANK, MAP), TOPICS)


def test_a_text_that_cannot_be_read_is_a_hole_beside_the_others(retriever: Retriever, tmp_path: Path) -> None:
    texts: dict[str, Text] = {"a": TEXTS["a"], "short": TextLines(("one line",)), "long": TextLines(("oil",) * 4)}
    good, *bad = runs(retriever, texts, tmp_path)
    assert load_value(good).n_matched[0] > 0
    assert all(isinstance(one, Failure) and "lines" in one.reason for one in bad)
