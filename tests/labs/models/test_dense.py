"""Dense retrieval against a brute-force reference, with vectors that are made of letters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from clirbench.errors import ConfigError, EmptyCollection
from clirbench.labs.models import dense
from clirbench.labs.models.dense import GRID, Dense, Encoder
from clirbench.retrieval.base import Retriever
from clirbench.text import TextLines
from clirbench.types import Document, DocumentMap, Documents, Floats, Topic


@dataclass(frozen=True)
class Letters:
    """How often each letter from a to z stands in a text."""

    @property
    def signature(self) -> str:
        return "letters"

    def encode(self, texts: Sequence[str]) -> Floats:
        counts = [[text.count(chr(97 + i)) for i in range(26)] for text in texts]
        return np.array(counts, dtype=np.float32).reshape(len(texts), 26)


def expected(encoder: Encoder, held: Documents, text: str, words: int) -> list[tuple[str, float]]:
    """Every document with a vector, by the definition: one inner product after the other, in whole numbers."""

    def vector(text: str) -> list[int] | None:
        found = encoder.encode([text])[0].astype(np.float64)
        length = np.linalg.norm(found[None], axis=1)[0]
        return None if length == 0 else [int(x) for x in np.rint(found / length * GRID)]

    asked = vector(text)
    scores = []
    for document in held if asked else []:
        split = document.text.split()
        passages = [" ".join(split[i : i + words]) for i in range(0, len(split), words)] if words else []
        if len(passages) < 2:
            passages = [document.text]
        found = [v for v in map(vector, passages) if v is not None]
        if found and asked:
            exact = max(sum(a * b for a, b in zip(asked, v, strict=True)) for v in found)
            scores.append((document.doc_id, float(np.float32(exact / GRID**2))))
    return sorted(scores, key=lambda one: (-one[1], one[0]))


def documents(*texts: str) -> Documents:
    return Documents.of(Document(f"d{i}", text) for i, text in enumerate(texts))


HELD = documents(
    "oil price", "lio ecirp", "", "pearl", "?!", "oil price", "zebra " * 20 + "oil oil oil price", "a b c d e"
)


@pytest.mark.parametrize("words", [0, 1, 3, 150])
def test_equals_the_definition_number_by_number(words: int) -> None:
    topics = [Topic.of("t1", "price of oil"), Topic.of("none", "123"), Topic.of("t2", "zebra pearl")]
    run = Dense(Letters(), passage=words).rank(HELD, topics)
    for topic in topics:
        wanted = expected(Letters(), HELD, topic.text, words)
        assert run.ranking(topic.topic_id) == tuple(doc_id for doc_id, _ in wanted)
        assert run.values(topic.topic_id, tied=True).tolist() == [score for _, score in wanted]
    assert run.n_matched.tolist() == [6, 0, 6]
    cut = Dense(Letters(), passage=words, depth=2).rank(HELD, topics)
    assert cut.ranking("t1") == run.ranking("t1")[:2]
    assert cut.n_matched.tolist() == run.n_matched.tolist()


def test_equal_texts_tie_and_are_in_order_of_doc_id() -> None:
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdefgh "), 30)) for _ in range(40)] * 9
    held = documents(*texts)
    run = Dense(Letters()).rank(held, [Topic.of("t", texts[0])])
    tied = run.values("t", tied=True).reshape(40, 9) if len(set(texts)) == 40 else np.empty(0)
    assert tied.size
    assert (tied == tied[:, :1]).all()
    ranking = run.ranking("t")
    assert all(list(ranking[at : at + 9]) == sorted(ranking[at : at + 9]) for at in range(0, 360, 9))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    held = documents(*("".join(rng.choice(list("abcdefghij   "), 60)) for _ in range(101)))
    topics = [Topic.of(str(i), "".join(rng.choice(list("abcdefghij"), 5))) for i in range(7)]
    whole = Dense(Letters(), passage=4).rank(held, topics)
    monkeypatch.setattr(dense, "AT_ONCE", 7)
    monkeypatch.setattr(dense, "SCORES", 900)
    pieces = Dense(Letters(), passage=4).rank(held, topics)
    assert np.array_equal(whole.tied, pieces.tied)
    assert [whole.ranking(t.topic_id) for t in topics] == [pieces.ranking(t.topic_id) for t in topics]


def test_long_documents_are_as_good_as_their_best_passage() -> None:
    held = documents("z " * 150 + "oil", "oil z")
    assert Dense(Letters(), passage=150).rank(held, [Topic.of("t", "oil")]).ranking("t") == ("d0", "d1")
    assert Dense(Letters(), passage=0).rank(held, [Topic.of("t", "oil")]).ranking("t") == ("d1", "d0")
    lines = Documents(TextLines(("zebra", "oil", "oil z")), DocumentMap(("d0", "d1"), np.array([2, 1])))
    assert Dense(Letters(), passage="line").rank(lines, [Topic.of("t", "oil")]).ranking("t") == ("d0", "d1")


def test_an_empty_collection_is_an_error_and_no_topics_an_empty_run() -> None:
    with pytest.raises(EmptyCollection, match="no document has a vector"):
        Dense(Letters()).rank(documents("", "?"), [Topic.of("t", "oil")])
    assert len(Dense(Letters()).rank(HELD, [])) == 0


@pytest.mark.parametrize(
    ("setting", "named"), [({"passage": -1}, "retrieval.passage"), ({"depth": 0}, "retrieval.depth")]
)
def test_settings_that_make_no_sense_are_refused(setting: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        Dense(Letters(), **setting)


def test_is_a_retriever_whose_signature_says_all() -> None:
    made = Dense(Letters(), passage=0, depth=10)
    assert isinstance(made, Retriever)
    assert made.signature == "dense:letters|passage:document|pool:max|sim:cosine|depth:10|ties:doc_id"
