"""The steps of dense retrieval: those of the core's checks, and what a further system costs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.labs.models.dense import Dense
from clirbench.result import no_watch
from clirbench.retrieval.base import Search
from clirbench.steps import search
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.text import TextLines
from clirbench.types import Floats, Topic
from tests.steps.test_search import (
    MAP,
    TEXTS,
    TOPICS,
    test_a_system_that_wrote_nothing_matches_nothing_and_an_empty_english_side_is_an_error,
    test_a_text_that_cannot_be_read_is_a_hole_beside_the_others,
    test_the_store_changes_nothing,
)

__all__ = [
    "test_a_system_that_wrote_nothing_matches_nothing_and_an_empty_english_side_is_an_error",
    "test_a_text_that_cannot_be_read_is_a_hole_beside_the_others",
    "test_the_store_changes_nothing",
]


@pytest.fixture
def retriever() -> Dense:
    return Dense()


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

    texts = list(TEXTS.values())
    assert asked(texts) == [line for text in texts for line in text.lines()]
    assert asked([*texts, third]) == list(third.lines())
    assert asked([third, *texts], (Topic.of("4", "gold"),)) == []
    assert asked(texts, retriever=Dense(encoder, depth=2)) == []  # type: ignore[arg-type]
    assert asked(texts, retriever=Dense(encoder, passage_prefix="p: ")) != []  # type: ignore[arg-type]
