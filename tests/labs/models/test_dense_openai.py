"""Encoders behind a server: what it is asked, and answers that are none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models import server
from clirbench.labs.models.dense import Changeable, Dense, Encoder
from clirbench.labs.models.dense_openai import NOISE, PROBE, OpenAIEncoder
from clirbench.labs.models.dense_static import Static
from clirbench.labs.models.dense_transformers import Transformers
from clirbench.retrieval.base import Search
from clirbench.steps.search import search
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.text import TextLines
from clirbench.types import Document, DocumentMap, Documents, Failure, Topic
from tests.loopback import Said, answering


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_WAIT", 0.01)


def letters(body: Any, number: int = 0) -> Said:
    rows = [[text.count(letter) for letter in "abc"] for text in body["input"]]
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    return Said({"data": data[::-1]})


def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    with answering(letters) as asked:
        made = OpenAIEncoder(f"{asked.url}/v1", "m", batch_size=2)
        assert isinstance(made, Encoder)
        found = made.encode(["a", "bb", "abc", "", "c"])
        assert found.tolist() == [[1, 0, 0], [0, 2, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1]]
        assert len(made.encode([])) == 0
        held = Documents.of([Document("1", "aab"), Document("2", "b"), Document("3", " ")])
        run = Dense(made, query_prefix="a").rank(held, [Topic.of("t", "a"), Topic.of("none", " ")])
    assert run.ranking("t") == ("1", "2")
    assert run.ranking("none") == ()
    assert {(path, body["model"]) for path, _, body in asked.requests} == {("/v1/embeddings", "m")}
    assert [" "] not in [body["input"] for _, _, body in asked.requests]


@pytest.mark.parametrize(
    "body",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}]},
        {"data": [{"index": at, "embedding": [1.0]} for at in range(3)]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": float("inf"), "embedding": [1.0]}]},
    ],
)
def test_an_answer_that_is_none_is_asked_again_then_named(body: Any) -> None:
    with answering(lambda asked, number: letters(asked) if number else Said(body)) as asked:
        assert OpenAIEncoder(asked.url, "m").encode(["a", "b"]).shape == (2, 3)
    with answering(lambda asked, number: Said(body)) as asked, pytest.raises(ResourceError, match="not as OpenAI's"):
        OpenAIEncoder(asked.url, "m", retries=1).encode(["a", "b"])


def test_vectors_of_other_lengths_are_refused_within_texts_and_between_topics_and_documents() -> None:
    def as_long_as_the_text(body: Any, number: int) -> Said:
        return Said({"data": [{"index": at, "embedding": [1.0] * len(t)} for at, t in enumerate(body["input"])]})

    with answering(as_long_as_the_text) as asked:
        made = OpenAIEncoder(asked.url, "m", batch_size=1)
        with pytest.raises(ResourceError, match="model m gives vectors of 1 dimensions for some texts and of 2 for"):
            made.encode(["a", "bb"])
        held = Documents.of([Document("1", "aab"), Document("2", "baa")])
        with pytest.raises(ResourceError, match="the encoder gave vectors of 1 dimensions, then of 3, which cannot"):
            Dense(made).rank(held, [Topic.of("t", "a")])


def test_settings_and_signature() -> None:
    made = OpenAIEncoder("http://h/v1", "m", key="MY_KEY", version="2")
    assert made.signature == "openai|server:http://h/v1|model:m|batch:32|v:2"
    moved = OpenAIEncoder("http://g/v1", "m", version="2", timeout=1)
    assert moved.signature == "openai|server:http://g/v1|model:m|batch:32|v:2"
    assert replace(moved, alias="http://H/v1/").signature == made.signature
    for settings in (
        {},
        {"url": "http://h/v1"},
        {"url": "h", "model": "m"},
        {"url": "http://h", "model": "m", "batch_size": 0},
    ):
        with pytest.raises(ConfigError, match=r"retrieval.encoder|url="):
            OpenAIEncoder(**settings)  # type: ignore[arg-type]


MANY = 40
"""Dimensions of the made vectors below."""


def model_of(seed: int, noise: float = 0.0) -> Callable[[Any, int], Said]:
    """A server's model: a random direction for each text; `noise`: 1 - cosine by which each answer misses it."""

    def reply(body: Any, number: int) -> Said:
        data = []
        for at, text in enumerate(body["input"]):
            known = np.random.default_rng([seed, *text.encode()])
            vector = known.normal(size=MANY)
            vector /= np.linalg.norm(vector)
            aside = np.random.default_rng([number, at]).normal(size=MANY)
            aside -= aside @ vector * vector
            aside /= np.linalg.norm(aside)
            vector = (1 - noise) * vector + np.sqrt(2 * noise - noise**2) * aside
            data.append({"index": at, "embedding": vector.tolist()})
        return Said({"data": data})

    return reply


TEXTS = {"one": ("x y", "z"), "two": ("u", "v w")}
TOPICS = (Topic.of("t", "x"),)


def searched(url: str, store: Path, names: tuple[str, ...], **settings: Any) -> list[Any]:
    texts = [TextLines(TEXTS[name]) for name in names]
    dense = Dense(OpenAIEncoder(f"{url}/v1", "m", retries=0, **settings))
    pmap = Cached(Serial(), Store(store)).pmap
    found = search(
        dense, Search(TOPICS, DocumentMap.blocks_of(2), pmap, lambda title, values, total: values, texts, names)
    )
    return list(found)


def asked_for(requests: Any) -> list[str]:
    return [text for _, _, body in requests for text in body["input"]]


def test_another_model_under_the_same_address_and_name_is_an_error_before_anything_is_mixed(tmp_path: Path) -> None:
    seed = [1]

    def reply(body: Any, number: int) -> Said:
        return model_of(seed[0])(body, number)

    with answering(reply) as asked:
        first = searched(asked.url, tmp_path, ("one",))
        assert asked_for(asked.requests).count(PROBE) == 3, "kept, compared, and compared after the text"
        seed[0] = 2
        before = len(asked.requests)
        with pytest.raises(ResourceError, match=r"127.0.0.1.*: model m gives another .*1 - cosine is .*version=T"):
            searched(asked.url, tmp_path, ("one", "two"))
        assert asked_for(asked.requests[before:]) == ["x", PROBE], "no document was paid for"
        again = searched(asked.url, tmp_path, ("one", "two"), version="2")
        assert not any(isinstance(run, Failure) for run in again)
        seed[0] = 1
        before = len(asked.requests)
        assert len(searched(asked.url, tmp_path, ("one", "two"))) == 2
        assert asked_for(asked.requests[before:]) == ["x", PROBE, "u", "v w", PROBE], "the first text is still kept"
    assert len(first) == 1


def test_a_model_that_changes_while_texts_are_encoded_is_named_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    def reply(body: Any, number: int) -> Said:
        return model_of(2 if number >= 3 else 1)(body, number)

    with answering(reply) as asked:
        (found,) = searched(asked.url, tmp_path, ("one",))
        assert isinstance(found, Failure)
        assert "another vector for a probe text" in found.reason


@pytest.mark.parametrize(("noise", "agrees"), [(NOISE / 10, True), (NOISE * 10, False)])
def test_the_noise_of_a_server_is_no_other_model(noise: float, agrees: bool) -> None:
    """Two answers that each miss the model's vector by 1 - cosine = noise: twice that apart, in random directions."""
    with answering(model_of(1, noise)) as asked:
        made = OpenAIEncoder(f"{asked.url}/v1", "m")
        kept = made.probe()
        if agrees:
            made.check_probe(kept)
        else:
            with pytest.raises(ResourceError, match="1 - cosine is 0.0"):
                made.check_probe(kept)
        with pytest.raises(ResourceError, match="40 dimensions, 3 were kept"):
            made.check_probe(np.ones(3, dtype=np.float32))


def test_a_model_named_by_its_content_is_not_probed() -> None:
    assert isinstance(OpenAIEncoder("http://h", "m"), Changeable)
    assert not isinstance(Static(), Changeable)
    assert not isinstance(Transformers("x"), Changeable)
