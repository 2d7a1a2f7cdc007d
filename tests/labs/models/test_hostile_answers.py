"""Answers of a server that are damaged or hostile: lines, vectors or an error of ours; nothing else is touched."""

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.errors import ResourceError
from clirbench.labs.models import server
from clirbench.labs.models.dense_openai import OpenAIEncoder
from clirbench.labs.models.openai_translator import OpenAITranslator
from clirbench.labs.models.server import Server
from clirbench.labs.models.translating.base import translate_lines
from tests.fuzz.budget import SEED, refused
from tests.fuzz.mutation import mutated

CHAT = {
    "choices": [{"message": {"content": "<think>so</think>A\nB"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2},
}
VECTORS = {"data": [{"index": at, "embedding": [1.0, at, -0.5]} for at in range(3)], "usage": {"prompt_tokens": 3}}
VALUES = (
    None, True, -1, 0, 10**400, 1e308, "", "1", [], {}, [[]], "\ud800", "\x1b[2J", "x" * 5000, {"index": 0},
    float("inf"), float("nan"), 1.5, "../../etc", [1e308] * 3,
)  # fmt: skip


def part(draw: random.Random, value: Any) -> Any:
    """A JSON value with one of its parts replaced, or taken away."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        if draw.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: part(draw, value[key])}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return [*value[:at], part(draw, value[at]), *value[at + 1 :]]
    return draw.choice(VALUES)


@pytest.mark.parametrize("numbers", [range(200), pytest.param(range(200, 5200), marks=pytest.mark.release)], ids=str)
def test_an_answer_is_understood_or_refused(numbers: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is replaced, so that thousands of answers take seconds; each is asked for once."""
    content = b""
    monkeypatch.setattr(server, "answer", lambda *_: io.BytesIO(content))
    asked = Server("http://127.0.0.1:9/v1", retries=0)
    outcomes = {True: 0, False: 0}
    for number in numbers:
        draw = random.Random(f"{SEED} answers {number}")
        sample = draw.choice((CHAT, VECTORS))
        text = json.dumps(part(draw, sample)) if draw.random() < 0.6 else json.dumps(sample)
        content = text.replace("10", draw.choice(("10", "1e999")), 1).encode("utf-8", "surrogatepass")
        content = mutated(draw, content) if draw.random() < 0.4 else content
        folder = tmp_path / str(number)

        def translated(folder: Path = folder) -> None:
            made = OpenAITranslator(asked, "m", batch_lines=2, folder=folder)
            with made.loaded(None) as engine:
                lines = translate_lines(engine, ["a", "b"], "test")
            assert len(lines) == 2
            assert all("\n" not in line for line in lines)

        def encoded() -> None:
            found = OpenAIEncoder(asked.url, "m", batch_size=3, retries=0).encode(["a", "b", "c"])
            assert found.shape[0] == 3
            assert np.isfinite(found).all()

        work: Callable[[], None] = translated if sample is CHAT else encoded
        outcomes[refused(f"CLIRBENCH_FUZZ_SEED={SEED} number {number}: {content[:80]!r}", work)] += 1
        written = {path.suffix for path in folder.rglob("*") if path.is_file()} if folder.exists() else set()
        assert written <= {".jsonl"}, written
        assert {path.name for path in tmp_path.iterdir()} <= {str(n) for n in numbers}
    assert min(outcomes.values()) > len(numbers) // 20, outcomes


@pytest.mark.parametrize("value", [1e308, "1", True, None, float("inf")])
def test_a_vector_of_other_than_numbers_is_refused(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """1e308 is no float32: it was a fault of clirbench; "1" and true were read as numbers."""
    said = json.dumps({"data": [{"index": 0, "embedding": [value, 0.5]}]}).encode()
    monkeypatch.setattr(server, "answer", lambda *_: io.BytesIO(said))
    with pytest.raises(ResourceError, match="the answer is not as OpenAI's interface has it"):
        OpenAIEncoder("http://127.0.0.1:9/v1", "m", retries=0).encode(["a"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("A", "9" * 4300), ("A", "9" * 4299), ("A", "-1"), ("x" * 10_000_000, "10"), ("A\n" * 5_000_000, "10")],
    ids=["4300 digits", "4299 digits", "below 0", "10 MB a line", "10 MB"],
)
def test_a_count_or_a_line_without_measure_is_refused(
    text: str, tokens: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4,300 digits are the most that Python reads; the sum of two such counts could not be printed (exit 70)."""
    answered: dict[str, Any] = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 77}}
    content = json.dumps(answered).replace("77", tokens).encode()
    monkeypatch.setattr(server, "answer", lambda *_: io.BytesIO(content))
    made = OpenAITranslator(Server("http://127.0.0.1:9/v1", retries=0), "m", folder=tmp_path)
    with pytest.raises(ResourceError, match="not as OpenAI's interface has it"), made.loaded(None) as engine:
        engine(["a", "b"])
    assert not list(tmp_path.iterdir())  # nothing of it is kept
