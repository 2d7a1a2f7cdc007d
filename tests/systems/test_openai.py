"""`systems=openai`: models of a server as systems, from the settings to the texts; one that fails is a named hole."""

from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, InputError
from clirbench.systems.base import SystemSource
from clirbench.systems.openai import OpenAISystems
from clirbench.systems.translation import completed
from tests.loopback import Said, answering
from tests.systems.sides import folder_corpus
from tests.systems.translators.test_openai import chat, lines_of

URL = "http://127.0.0.1:1/v1"


def test_models_and_prompts_are_systems_and_one_that_fails_is_a_hole(tmp_path: Path) -> None:
    def reply(body: Any, number: int) -> Said:
        if body["model"] == "gone":
            return Said(status=404)
        asked_loud = "LOUD" in body["messages"][0]["content"]
        return chat("\n".join(line.upper() if asked_loud else line for line in lines_of(body)))

    with answering(reply) as asked:
        models = {"plain": "m", "loud": {"model": "m", "prompt": "LOUD:\n\n{text}"}, "bad": "gone"}
        systems = OpenAISystems(f"{asked.url}/v1", models, cache=str(tmp_path / "cache"))
        assert isinstance(systems, SystemSource)
        corpus = folder_corpus(tmp_path / "d")
        found, errors = completed(systems.translations(corpus), lambda title, values, total: values)
    assert {t.system: t.collection and t.collection.lines()[4] for t in found} == {
        "plain": "ein rotes Buch",
        "loud": "EIN ROTES BUCH",
        "bad": None,
    }
    assert {name: "404 Not Found; are address and model right?" in str(error) for name, error in errors.items()} == {
        "bad": True
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "no model or no server"),
        ({"models": {"a": "m"}}, "no model or no server"),
        (
            {"url": URL, "models": {"a": {"promt": "x"}}},
            "systems.models.a='promt' is not one of .* Did you mean 'prompt'",
        ),
        ({"url": URL, "models": {"a": {"prompt": "{text}"}}}, "model: the server's name of the model"),
        ({"url": "h", "models": {"a": "m", "b": "n"}}, "^url='h'"),
        ({"url": URL, "models": {"a": "m"}, "shard_lines": 0}, "shard_lines=0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        OpenAISystems(**settings)


def test_names_that_are_no_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"systems.models: the name 'a/b' holds a slash"):
        OpenAISystems(URL, {"a/b": "m"}).translations(folder_corpus(tmp_path / "d"))
