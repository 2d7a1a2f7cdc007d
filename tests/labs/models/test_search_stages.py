"""The steps of each kind of retriever give what the retriever itself gives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.errors import EmptyCollection
from clirbench.labs.models.dense import Dense
from clirbench.later import load_value
from clirbench.result import no_watch
from clirbench.retrieval.base import Retriever, Search
from clirbench.retrieval.bm25 import BM25
from clirbench.steps import search
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.text import TextLines
from clirbench.types import DocumentMap, Documents, Failure, Floats, Topic

TOPICS = (Topic.of("1", "price of oil"), Topic.of("2", "pearl"), Topic.of("3", ""))
TEXTS = [TextLines(("oil price", "pearl farm", "history")), TextLines(("petrol costs", "jewel", "past"))]
MAP = DocumentMap.blocks_of(3)
BLANK = TextLines(("", "", ""))


@pytest.fixture(params=[BM25(), Dense()], ids=["bm25", "dense"])
def retriever(request: pytest.FixtureRequest) -> Retriever:
    return request.param  # type: ignore[no-any-return]


def found(retriever: Retriever, texts: Sequence[Any], cache: Path, **options: Any) -> Iterator[Any]:
    pmap = Cached(Serial(), Store(cache)).pmap
    names = [str(i) for i in range(len(texts))]
    return search(retriever, Search(TOPICS, MAP, pmap, no_watch, texts, names, **options))


def test_the_store_changes_nothing(retriever: Retriever, tmp_path: Path) -> None:
    for _ in ("cold", "warm"):
        for text, run in zip(TEXTS, found(retriever, TEXTS, tmp_path), strict=True):
            wanted, got = retriever.rank(Documents(text, MAP), TOPICS), load_value(run)
            assert [got.ranking(t.topic_id) for t in TOPICS] == [wanted.ranking(t.topic_id) for t in TOPICS]
            assert got.tied.tolist() == wanted.tied.tolist()
            assert got.n_matched.tolist() == wanted.n_matched.tolist()


def test_a_system_that_wrote_nothing_matches_nothing(retriever: Retriever, tmp_path: Path) -> None:
    (run,) = found(retriever, [BLANK], tmp_path)
    assert load_value(run).n_matched.tolist() == [0, 0, 0]
    (failed,) = found(retriever, [BLANK], tmp_path, english=True)
    assert isinstance(failed, Failure)
    assert "empty" in failed.reason
    with pytest.raises(EmptyCollection):
        retriever.rank(Documents(BLANK, MAP), TOPICS)


def test_a_text_that_cannot_be_read_is_a_hole_beside_the_others(retriever: Retriever, tmp_path: Path) -> None:
    short, long = TextLines(("one line",)), TextLines(("oil",) * 4)
    good, *bad = found(retriever, [TEXTS[0], short, long], tmp_path)
    assert load_value(good).n_matched[0] > 0
    assert all(isinstance(one, Failure) and "lines" in one.reason for one in bad)


@dataclass(frozen=True)
class Counting:
    """An encoder by the letters of a text, which notes what it was asked for."""

    asked: list[str] = field(default_factory=list, compare=False)
    signature: str = "letters"

    def encode(self, texts: Sequence[str]) -> Floats:
        self.asked.extend(texts)
        return np.array([[text.count(letter) for letter in "aeiou"] for text in texts], dtype=np.float32)


def test_a_further_system_costs_its_own_text_and_other_topics_no_text_at_all(tmp_path: Path) -> None:
    encoder, third = Counting(), TextLines(("boil rice", "oyster", "past"))
    dense = Dense(encoder, depth=5)  # type: ignore[arg-type]

    def asked(texts: Sequence[TextLines], topics: tuple[Topic, ...] = TOPICS, retriever: Dense = dense) -> list[str]:
        encoder.asked.clear()
        pmap = Cached(Serial(), Store(tmp_path)).pmap
        list(search(retriever, Search(topics, MAP, pmap, no_watch, texts, [str(i) for i in range(len(texts))])))
        return [text for text in encoder.asked if text not in {t.parts[0][0] for t in topics if t.parts}]

    assert asked(TEXTS) == [line for text in TEXTS for line in text.lines()]
    assert asked([*TEXTS, third]) == list(third.lines())
    assert asked([third, *TEXTS], (Topic.of("4", "gold"),)) == []
    assert asked(TEXTS, retriever=Dense(encoder, depth=2)) == []  # type: ignore[arg-type]
    assert asked(TEXTS, retriever=Dense(encoder, passage_prefix="p: ")) != []  # type: ignore[arg-type]
