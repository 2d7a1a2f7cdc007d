"""`systems=openai`: models of a server as systems, from the settings to the texts; one that fails is a named hole."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clirbench.engines.local import Processes
from clirbench.errors import ConfigError, InputError, ResourceError
from clirbench.labs.models.openai_systems import OpenAISystems
from clirbench.labs.models.translating.translation import complete_translations
from clirbench.systems.base import SystemSource
from tests.labs.models.test_openai_translator import chat, lines_of
from tests.loopback import Said, answering
from tests.systems.sides import GERMAN, folder_corpus
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]
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
        found, errors = complete_translations(systems.translations(corpus), lambda title, values, total: values)
    assert {t.system: t.collection and t.collection.lines()[4] for t in found} == {
        "plain": "ein rotes Buch",
        "loud": "EIN ROTES BUCH",
        "bad": None,
    }
    assert {name: "404 Not Found; are address and model right?" in str(error) for name, error in errors.items()} == {
        "bad": True
    }


def through_the_engine(url: str, folder: Path) -> str:
    """The texts of one model, whose answers are kept in a folder, as the engine's worker translates them."""
    settings: dict[str, Any] = {"concurrency": 3, "timeout": 60, "cache": str(folder / "cache")}
    made = OpenAISystems(f"{url}/v1", {"a": "m"}, **settings).translations(folder_corpus(folder / "d"))
    (found,), _ = complete_translations(made, lambda title, values, total: values, pmap=Processes(2).pmap)
    return "|".join(found.collection.lines()) if found.collection else ""


def test_nothing_is_translated_twice_after_a_kill(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.labs.models.test_openai_systems import through_the_engine as run\n"
        "print(run(sys.argv[1], Path(sys.argv[2])))"
    )
    slow = [True]

    def reply(body: Any, number: int) -> Said:
        return Said(pause=60) if slow[0] and number >= 2 else chat(lines_of(body)[0].upper())

    with answering(reply) as asked:
        command = [sys.executable, "-c", code, asked.url, str(tmp_path)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        try:
            wait_until(lambda: n_kept(tmp_path / "cache") >= 2 and len(asked.requests) >= 4)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        before = [lines_of(body)[0] for _, _, body in asked.requests]
        slow[0] = False
        written = through_the_engine(asked.url, tmp_path)
        after = [lines_of(body)[0] for _, _, body in asked.requests[len(before) :]]
        assert through_the_engine(asked.url, tmp_path) == written
        assert len(asked.requests) == len(before) + len(after)
    full = [line for line in GERMAN if line]
    assert written == "|".join(line.upper() for line in GERMAN)
    assert (len(before), len(after)) == (4, 2)
    assert {*before[:2], *after} == {*before} == {*full}


def n_kept(folder: Path) -> int:
    """Answers that are kept."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))


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


def test_a_server_whose_every_answer_is_empty_is_no_system_with_bleu_0(tmp_path: Path) -> None:
    with answering(lambda body, number: Said({"choices": [{"message": {"content": ""}}]})) as asked:
        systems = OpenAISystems(f"{asked.url}/v1", {"a": "m"}, cache=str(tmp_path / "cache"))
        with pytest.raises(ResourceError, match="4 of 4 lines with text came back empty; mend the translator"):
            complete_translations(
                systems.translations(folder_corpus(tmp_path / "d")), lambda title, values, total: values
            )
