"""The `openai` translator against a server of this machine that does what such servers do on bad days."""

import json
import logging
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, ResourceError, StoreError
from clirbench.labs.models import server
from clirbench.labs.models.openai_translator import OpenAITranslator
from clirbench.labs.models.server import Server
from clirbench.labs.models.translating.base import Translator, translate_lines
from tests.loopback import Said, answering


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_WAIT", 0.01)


def lines_of(body: Any) -> list[str]:
    """The lines that a request asks for."""
    return str(body["messages"][-1]["content"]).partition("\n\n")[2].split("\n")


def chat(text: str | None, finish: str = "stop") -> Said:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return Said({"choices": [{"message": {"content": text}, "finish_reason": finish}], "usage": usage})


def loud(body: Any, number: int = 0) -> Said:
    return chat("\n".join(line.upper() for line in lines_of(body)))


def translator(url: str, folder: Path, server: dict[str, Any] | None = None, **settings: Any) -> OpenAITranslator:
    given = {"timeout": 0.5, "retries": 2, **(server or {})}
    return OpenAITranslator(Server(f"{url}/v1", **given), **{"model": "m", "folder": folder, **settings})


def run(made: OpenAITranslator, lines: Sequence[str]) -> list[str]:
    made.check(None)
    with made.loaded(None) as engine:
        return translate_lines(engine, lines, "test")


def test_requests_hold_what_is_configured(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"prompt": "Say in English:\n\n{text}", "instructions": "Be brief.", "max_tokens": 9}
    with answering(loud) as asked:
        made = translator(asked.url, tmp_path, **settings, batch_lines=2, extra={"seed": 1})
        assert isinstance(made, Translator)
        assert run(made, ["a", "", "b", "c\u2028d"]) == ["A", "", "B", "C\u2028D"]
    bodies = {body["messages"][1]["content"]: body for _, _, body in asked.requests}
    assert sorted(bodies) == ["Say in English:\n\na\nb", "Say in English:\n\nc\u2028d"]
    assert bodies["Say in English:\n\na\nb"] == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Say in English:\n\na\nb"},
        ],
        "temperature": 0.0,
        "max_tokens": 9,
        "seed": 1,
    }
    assert {path for path, _, _ in asked.requests} == {"/v1/chat/completions"}


@pytest.mark.parametrize(
    "bad",
    [
        Said(status=503), Said(pause=1.0), chat("A").body and Said(chat("A").body, stop_after=30),
        Said({"choices": []}), Said({"choices": [{"message": {"content": 7}}]}),
        Said({"choices": [{"message": {"content": "A"}}], "usage": {"prompt_tokens": float("inf")}}),
    ],
)  # fmt: skip
def test_a_server_that_fails_now_and_then_costs_nothing_but_time(tmp_path: Path, bad: Said) -> None:
    with answering(lambda body, number: bad if number % 3 == 0 else loud(body)) as asked:
        made = translator(asked.url, tmp_path, {"concurrency": 1})
        assert run(made, ["a", "b", "c"]) == ["A", "B", "C"]


def test_another_number_of_lines_is_mended_line_by_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def reply(body: Any, number: int) -> Said:
        lines = lines_of(body)
        if lines == ["a", "b", "c"]:
            return chat("A B\nC")  # too few
        if lines == ["d", "e"]:
            return chat("Sure!\nD\nE")  # too many
        if lines == ["f"]:
            return chat("F one\n\nF two")  # a line that is split
        return loud(body)

    with answering(reply) as asked, caplog.at_level(logging.WARNING):
        assert run(translator(asked.url, tmp_path, batch_lines=3), ["a", "b", "c", "d", "e"]) == list("ABCDE")
        assert run(translator(asked.url, tmp_path), ["f"]) == ["F one F two"]
    assert len(asked.requests) == 2 + 5 + 1
    assert "batches asked for line by line: 2" in caplog.text


def test_nothing_for_a_line_is_an_empty_line_and_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    replies = {"a": chat(None), "b": chat(" \n"), "c": chat("C", finish="length")}
    with answering(lambda body, number: replies[lines_of(body)[0]]) as asked, caplog.at_level(logging.WARNING):
        assert run(translator(asked.url, tmp_path), ["a", "b", "c"]) == ["", "", "C"]
    assert "3 requests, 30 tokens read, 6 written" in caplog.text
    assert "came back empty: 2, answers cut at max_tokens: 1" in caplog.text


def test_thoughts_are_left_out(tmp_path: Path) -> None:
    with answering(lambda body, number: chat("<think>Is it\nA?</think>\n\nA <think>")) as asked:
        assert run(translator(asked.url, tmp_path), ["a"]) == ["A <think>"]


def test_what_was_answered_is_never_asked_again(tmp_path: Path) -> None:
    """Not after a failure, not by another batch of the same lines, not where the file was torn."""
    broken = [True]
    with answering(
        lambda body, number: Said(status=400) if broken[0] and lines_of(body) == ["c"] else loud(body)
    ) as asked:
        made = translator(asked.url, tmp_path, {"concurrency": 1})
        with pytest.raises(ResourceError, match="400 Bad Request"):
            run(made, ["a", "b", "c", "d"])
        (file,) = tmp_path.iterdir()
        with file.open("ab") as stream:
            stream.write(b'{"key": "torn')
        broken[0] = False
        assert run(made, ["d", "a", "b", "c"]) == ["D", "A", "B", "C"]
        times = Counter(lines_of(body)[0] for _, _, body in asked.requests)
        assert times == {"a": 1, "b": 1, "c": 2, "d": 1}
        assert run(made, ["d", "a", "b", "c"]) == ["D", "A", "B", "C"]
        assert len(asked.requests) == 5
        assert run(translator(asked.url, tmp_path, version="2"), ["a"]) == ["A"]
        assert run(translator(asked.url, tmp_path, temperature=1.0), ["a"]) == ["A"]
        assert len(asked.requests) == 7
    kept = [json.loads(line) for line in file.read_bytes().split(b"\n") if line.endswith(b"}")]
    assert [one["read"] for one in kept] == [10] * 5


def test_where_answers_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with answering(loud) as asked, pytest.raises(StoreError, match="an answer cannot be kept there"):
        run(translator(asked.url, tmp_path / "file"), ["a"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": ""}, "model: the server's name"),
        ({"prompt": "Translate."}, "prompt: must hold {text} once"),
        ({"batch_lines": 0}, "batch_lines=0"),
        ({"temperature": -1}, "temperature=-1"),
        ({"max_tokens": 0}, "max_tokens=0"),
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        translator("http://h", tmp_path, **settings)
    with pytest.raises(ConfigError, match="none of this machine"):
        translator("http://h", tmp_path).check(tmp_path)


def test_another_server_under_the_same_name_of_a_model_is_asked_itself(tmp_path: Path) -> None:
    """What is kept of one server is never another's, unless an alias says that it is the same one, moved."""
    with answering(loud) as first, answering(lambda body, number: chat("other")) as second:
        assert run(translator(first.url, tmp_path), ["a"]) == ["A"]
        assert run(translator(second.url, tmp_path), ["a"]) == ["other"]
        assert run(translator(second.url, tmp_path, {"alias": f"{first.url}/v1"}), ["a"]) == ["A"]
        assert (len(first.requests), len(second.requests)) == (1, 1)


@pytest.mark.parametrize(
    ("url", "alias", "identity"),
    [
        ("HTTP://Host:80/v1/", "", "http://host/v1"),
        ("https://h:443/V1", "", "https://h/V1"),
        ("http://[::1]:8000/v1", "", "http://[::1]:8000/v1"),
        ("http://new:9000/v1", "http://OLD:8000/v1/", "http://old:8000/v1"),
        ("http://new:9000/v1", "the one in room 3", "the one in room 3"),
    ],
)
def test_a_server_is_one_however_its_address_is_spelt(url: str, alias: str, identity: str) -> None:
    """RFC 3986, section 6.2: case of scheme and host, and the usual port, do not matter; the case of a path does."""
    assert Server(url, alias=alias).identity == identity


@pytest.mark.parametrize("url", ["http://h:99999/v1", "http://[::1/v1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ConfigError, match="is no address"):
        Server(url)


def test_the_signature_holds_what_moves_the_output(tmp_path: Path) -> None:
    one = translator("http://h", tmp_path, {"key": "MY_KEY"})
    assert one.signature == translator("http://h", tmp_path / "x", {"concurrency": 1}).signature
    assert one.signature != translator("http://g", tmp_path).signature
    others: list[dict[str, Any]] = [
        {"model": "n"}, {"prompt": "x {text}"}, {"instructions": "x"}, {"batch_lines": 2}, {"temperature": None},
        {"max_tokens": 5}, {"extra": {"seed": 1}}, {"version": "2"},
    ]  # fmt: skip
    assert len({one.signature, *(translator("http://h", tmp_path, **other).signature for other in others)}) == 9
    assert "Translate the text below into English" in one.signature
    assert "\n" not in one.signature
