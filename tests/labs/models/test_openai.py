"""The script that asks a server, against one of this machine that does what servers do on bad days."""

import io
import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.labs.models.scripts import openai
from clirbench.labs.models.scripts.lines import ScriptError
from clirbench.labs.models.systems import openai as systems
from tests.fuzz.budget import SEED
from tests.fuzz.mutation import mutated, replaced
from tests.labs.models.made_up import make, texts
from tests.loopback import Said, answering
from tests.systems.sides import GERMAN, folder_corpus

SECRET = "sk-very-secret"
SETTINGS: dict[str, Any] = {
    "alias": "", "model": "m", "key": "", "concurrency": 3, "timeout": 0.5, "retries": 2,
}  # fmt: skip
CHAT = {"prompt": "Say it:\n\n{text}", "instructions": "", "batch_lines": 1, "temperature": 0.0, "max_tokens": None,
        "extra": {}}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_WAIT", 0.01)


def lines_of(body: Any) -> list[str]:
    return str(body["messages"][-1]["content"]).partition("\n\n")[2].split("\n")


def chat(text: Any) -> Said:
    return Said({"choices": [{"message": {"content": text}}]})


def loud(body: Any, number: int = 0) -> Said:
    return chat("\n".join(line.upper() for line in lines_of(body)))


def translated(address: str, lines: list[str], **settings: Any) -> list[str]:
    whole = {**SETTINGS, **CHAT, "url": f"{address}/v1", **settings}
    openai.about(whole)
    return list(openai.work(whole)(lines))


def encoded(url: str, lines: list[str], **settings: Any) -> list[Any]:
    whole = {**SETTINGS, "batch_size": 2, "url": f"{url}/v1", **settings}
    openai.about(whole)
    return [json.loads(row) for row in openai.work(whole)(lines)]


def test_requests_hold_what_is_configured_and_answers_keep_their_order() -> None:
    at_once, most, lock = [0], [0], threading.Lock()

    def reply(body: Any, number: int) -> Said:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.01 * (number % 3))
        with lock:
            at_once[0] -= 1
        return loud(body)

    settings = {"instructions": "Be brief.", "max_tokens": 9, "batch_lines": 2, "extra": {"seed": 1}}
    with answering(reply) as asked:
        assert translated(asked.url, [*"abcdefghijk", "c\u2028d"], **settings) == [*"ABCDEFGHIJK", "C\u2028D"]
    assert 1 < most[0] <= 3
    assert {path for path, _, _ in asked.requests} == {"/v1/chat/completions"}
    assert [body for _, _, body in asked.requests if "a\nb" in body["messages"][1]["content"]] == [
        {"model": "m", "temperature": 0.0, "max_tokens": 9, "seed": 1, "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say it:\n\na\nb"}]}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "written"),
    [
        ("<think>\nWell: a\n</think>\n\nA\n\n B \n", ["A", "B"]),
        ("A\nB\nC", ["A B C", "A B C"]),  # then each line is asked for alone
        ("", ["", ""]),
        (None, ["", ""]),
    ],
)
def test_what_a_model_answers_and_thinks(answers: Any, written: list[str]) -> None:
    with answering(lambda body, number: chat(answers)) as asked:
        assert translated(asked.url, ["a", "b"], batch_lines=2) == written


BAD = [
    Said(status=500), Said(status=429, headers={"Retry-After": "0"}), Said({"it": "x" * 500}, stop_after=100),
    Said({"it": "x"}, stop_after=0), Said(b'{"it": "hal', headers={"Connection": "close"}), Said(b"<html>"),
    Said({"other": 1}), Said(["it"]), Said({"it": 1}, pause=0.6), Said({"it": "x" * 900}, drip=0.05), chat(7),
    Said(b"[" * 100_000), Said({"choices": []}), chat("x" * 3_000_000),
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=lambda said: f"{said.status}-{str(said.body)[:20]}-{said.pause}-{said.drip}")
def test_what_may_go_better_is_asked_again_then_named(bad: Said) -> None:
    with answering(lambda body, number: bad if number < 2 else loud(body)) as asked:
        assert translated(asked.url, ["a"], timeout=0.3) == ["A"]
    assert len(asked.requests) == 3
    with answering(lambda body, number: bad) as asked, pytest.raises(ScriptError, match="2 attempts failed"):
        translated(asked.url, ["a"], timeout=0.3, retries=1)


def test_waits_double_and_last_as_long_as_the_server_says(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(openai.time, "sleep", waits.append)
    replies = [Said(status=503), Said(status=503, headers={"Retry-After": "7"}), Said(status=503)]
    with answering(lambda body, number: replies[number] if number < 3 else loud(body)) as asked:
        translated(asked.url, ["a"], retries=5)
    assert [wait for wait in waits if wait >= 0.01] == [0.01, 7.0, 0.04]


@pytest.mark.parametrize(
    ("status", "message"), [(401, "is the key right"), (404, "are address and model right"), (400, "400 Bad Request")]
)
def test_what_would_not_go_better_is_named_at_once(status: int, message: str) -> None:
    with answering(lambda body, number: Said({"error": SECRET}, status=status)) as asked:
        with pytest.raises(ScriptError, match=message) as caught:
            translated(asked.url, [str(n) for n in range(500)])
        assert len(asked.requests) < 20
    assert SECRET not in str(caught.value)
    with pytest.raises(ScriptError, match="cannot be reached .*; 3 attempts failed"):
        translated(asked.url, ["a"])


def test_the_key_is_in_the_request_alone_and_is_not_carried_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with answering(loud) as other:
        translated(other.url, ["a"], key="MY_KEY")
        goes = Said(status=307, headers={"Location": f"{other.url}/v1/x"})
        with answering(lambda body, number: goes) as asked, pytest.raises(ScriptError, match="307"):
            translated(asked.url, ["a"], key="MY_KEY")
    assert [headers.get("Authorization") for _, headers, _ in other.requests] == [f"Bearer {SECRET}"]
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ScriptError, match="environment variable MY_KEY, which holds the key, is not set"):
        translated("http://127.0.0.1:1", ["a"], key="MY_KEY")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "127.0.0.1:8000"}, "an address such as"), ({"url": "ftp://h/v1"}, "an address such as"),
        ({"url": ""}, "url and model"), ({"model": ""}, "url and model"), ({"timeout": 0}, "timeout=0"),
        ({"concurrency": 0}, "concurrency=0"), ({"retries": -1}, "retries=-1"), ({"batch_lines": 0}, "batch_lines=0"),
        ({"prompt": "x"}, r"prompt: must hold \{text\} once"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        translated("http://h", ["a"], **settings)


def test_models_and_prompts_are_systems_and_one_that_fails_is_a_hole(tmp_path: Path) -> None:
    def reply(body: Any, number: int) -> Said:
        loudly = "LOUD" in body["messages"][0]["content"]
        return Said(status=404) if body["model"] == "gone" else loud(body) if loudly else chat(lines_of(body)[0])

    with answering(reply) as asked:
        models: dict[str, Any] = {"plain": "m", "loud": {"model": "m", "prompt": "LOUD:\n\n{text}"}, "bad": "gone"}
        made = systems(f"{asked.url}/v1", models, None, 100, str(tmp_path / "cache"), **{**SETTINGS, **CHAT})
        found, errors = make(tuple(made.translations(folder_corpus(tmp_path / "d"))))
        n_asked = len(asked.requests)
        moved = {**SETTINGS, **CHAT, "alias": f"{asked.url}/v1", "concurrency": 1}
        models.pop("bad")
        again = systems("http://127.0.0.1:9/v1", models, None, 100, str(tmp_path / "cache"), **moved)
        assert not make(tuple(again.translations(folder_corpus(tmp_path / "d"))))[1]
    assert len(asked.requests) == n_asked  # a server that moved translates nothing again
    assert texts(found) == {"plain": GERMAN, "loud": tuple(line.upper() for line in GERMAN), "bad": None}
    assert list(errors) == ["bad"]
    assert "404 Not Found; are address and model right?" in errors["bad"]


WRONG = (None, True, -1, 10**400, 1e308, "", "1", [], {}, [[]], "\ud800", "x" * 5000, float("inf"), float("nan"))


@pytest.mark.parametrize("numbers", [range(200), pytest.param(range(200, 5200), marks=pytest.mark.release)], ids=str)
def test_an_answer_is_understood_or_refused(numbers: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is replaced, so that thousands of answers take seconds; each is asked for once."""
    content, outcomes = b"", {True: 0, False: 0}
    monkeypatch.setattr(openai, "answer", lambda *_: io.BytesIO(content))
    answers = {"choices": [{"message": {"content": "<think>so</think>A\nB"}}]}
    rows = {"data": [{"index": at, "embedding": [1.0, at, -0.5]} for at in range(2)]}
    for number in numbers:
        draw = random.Random(f"{SEED} answers {number}")
        sample = draw.choice((answers, rows))
        content = json.dumps(replaced(draw, sample, draw.choice(WRONG))).encode("utf-8", "surrogatepass")
        content = mutated(draw, content) if draw.random() < 0.4 else content
        try:
            if sample is answers:
                assert len(translated("http://h", ["a", "b"], batch_lines=2, retries=0)) == 2
            else:
                assert np.isfinite(np.array(encoded("http://h", ["a", "b"], retries=0), dtype=np.float32)).all()
            outcomes[True] += 1
        except ScriptError:
            outcomes[False] += 1
    assert min(outcomes.values()) > len(numbers) // 20, outcomes


# Vectors


def letters(body: Any, number: int = 0) -> Said:
    rows = [[text.count(letter) for letter in "abc"] for text in body["input"]]
    return Said({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)][::-1]})


def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    with answering(letters) as asked:
        assert encoded(asked.url, ["a", "bb", "abc"]) == [[1, 0, 0], [0, 2, 0], [1, 1, 1]]
    assert {(path, body["model"]) for path, _, body in asked.requests} == {("/v1/embeddings", "m")}
    good = {"index": 0, "embedding": [1.0]}
    for row in ({"index": 1, "embedding": [1.0, 2.0]}, {"index": 2, "embedding": [1.0]}, {"index": 1},
                *({"index": 1, "embedding": [value]} for value in (1e308, "1", True, None, float("inf")))):  # fmt: skip
        body = {"data": [good, row]}
        with (
            answering(lambda asked, number, body=body: Said(body)) as asked,
            pytest.raises(ScriptError, match="is not as"),
        ):
            encoded(asked.url, ["a", "b"], retries=0)
