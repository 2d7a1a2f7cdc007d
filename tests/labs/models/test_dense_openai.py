"""Encoders behind a server: what it is asked, and answers that are none."""

from typing import Any

import numpy as np
import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models import server
from clirbench.labs.models.dense import Dense, Encoder
from clirbench.labs.models.dense_openai import OpenAIEncoder
from clirbench.types import Document, Documents, Topic
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
    ],
)
def test_an_answer_that_is_none_is_asked_again_then_named(body: Any) -> None:
    with answering(lambda asked, number: letters(asked) if number else Said(body)) as asked:
        assert OpenAIEncoder(asked.url, "m").encode(["a", "b"]).shape == (2, 3)
    with answering(lambda asked, number: Said(body)) as asked, pytest.raises(ResourceError, match="not as OpenAI's"):
        OpenAIEncoder(asked.url, "m", retries=1).encode(["a", "b"])


def test_settings_and_signature() -> None:
    made = OpenAIEncoder("http://h/v1", "m", key="MY_KEY", version="2")
    assert made.signature == "openai|model:m|batch:32|v:2"
    assert made == OpenAIEncoder("http://g/v1", "m", version="2", timeout=1)
    np.testing.assert_equal(made.releases_gil, True)
    for settings in (
        {},
        {"url": "http://h/v1"},
        {"url": "h", "model": "m"},
        {"url": "http://h", "model": "m", "batch_size": 0},
    ):
        with pytest.raises(ConfigError, match=r"retrieval.encoder|url="):
            OpenAIEncoder(**settings)  # type: ignore[arg-type]
