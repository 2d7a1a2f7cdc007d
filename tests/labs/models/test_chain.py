"""Chains of commands: order, what is kept of each step, and errors that name it."""

from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import AlignmentError, ConfigError, Problems, ResourceError
from clirbench.labs.models.chain import ChainTranslator
from clirbench.labs.models.command_systems import CommandSystems
from clirbench.labs.models.translating.base import Translator
from clirbench.labs.models.translating.cost import MILLION, write_cost
from clirbench.labs.models.translating.text import machine_texts
from clirbench.labs.models.translating.translation import complete_translations, engine_costs
from clirbench.types import Translation
from tests.systems.sides import folder_corpus

LINES = ["ein rotes Buch", "ab"]


def counting(folder: Path, name: str, command: str) -> str:
    """A command that also notes each call in a file."""
    return f"echo call >> {folder}/{name}; {command}"


def calls(folder: Path, name: str) -> int:
    return (folder / name).read_text().count("call") if (folder / name).exists() else 0


def translated(chain: ChainTranslator, lines: list[str], model: Path | None = None) -> list[str]:
    with chain.loaded(model) as engine:
        return list(engine(lines))


def test_each_step_reads_what_the_one_before_it_wrote(tmp_path: Path) -> None:
    chain = ChainTranslator(["rev", ["tr", "a-z", "A-Z"], "sed s/B/-/g"], cache=str(tmp_path))
    assert isinstance(chain, Translator)
    assert translated(chain, LINES) == ["HCU- SETOR NIE", "-A"]  # by hand


def test_systems_with_the_same_first_steps_run_them_once(tmp_path: Path) -> None:
    first, second = counting(tmp_path, "first", "rev"), counting(tmp_path, "second", "tr a-z A-Z")
    commands = {"up": {"chain": [first, second]}, "marked": {"chain": [first, "sed s/$/!/"]}}
    systems = CommandSystems(commands, shell=True, cache=str(tmp_path / "cache"))
    corpus = folder_corpus(tmp_path / "d")
    made, errors = complete_translations(systems.translations(corpus), lambda title, values, total: values)
    assert not errors
    assert [t.collection.lines()[4] for t in made if t.collection] == ["HCUB SETOR NIE", "hcuB setor nie!"]
    assert (calls(tmp_path, "first"), calls(tmp_path, "second")) == (1, 1)
    complete_translations(systems.translations(corpus), lambda title, values, total: values)
    assert (calls(tmp_path, "first"), calls(tmp_path, "second")) == (1, 1)


def test_a_step_that_was_kept_costs_what_it_cost(tmp_path: Path) -> None:
    """Both systems share the first step, which ran once; the second is charged for it too."""
    commands = {"up": {"chain": ["rev", "tr a-z A-Z"]}, "same": {"chain": ["rev", "cat"]}}
    systems = CommandSystems(commands, cache=str(tmp_path / "cache"))
    corpus = folder_corpus(tmp_path / "d")

    def make(name: str) -> Translation:
        (one,) = (t for t in systems.translations(corpus) if t.system == name)
        complete_translations([one], lambda title, values, total: values)
        return one

    make("up")
    (kept,) = {path.with_suffix(".cost") for path in (tmp_path / "cache").rglob("*.txt")} - {
        path.with_suffix(".cost") for text in machine_texts([make("up")]) for path in text.paths
    }
    write_cost(kept, 1000.0, ["a word"])
    assert min(engine_costs([make("same")]).values()) > MILLION  # 1,000 s for far fewer than 1,000 words


def test_what_a_step_wrote_stays_when_a_later_one_fails(tmp_path: Path) -> None:
    first = counting(tmp_path, "first", "rev")
    broken = ChainTranslator([first, "exit 3"], shell=True, retries=0, cache=str(tmp_path / "cache"))
    with pytest.raises(ResourceError, match=r"^step 2 of 2: command 'exit 3': exit status 3; nothing on stderr"):
        translated(broken, LINES)
    mended = ChainTranslator([first, "cat"], shell=True, retries=0, cache=str(tmp_path / "cache"))
    assert translated(mended, LINES) == ["hcuB setor nie", "ba"]
    assert calls(tmp_path, "first") == 1
    for path in (tmp_path / "cache").rglob("*.txt"):
        path.write_text("damaged")
    assert translated(mended, LINES) == ["hcuB setor nie", "ba"]
    assert calls(tmp_path, "first") == 2


def test_a_step_that_writes_nothing_is_named_with_its_own_words(tmp_path: Path) -> None:
    """The pipe `words | cat` would end well with nothing."""
    chain = ChainTranslator(["echo no dictionary >&2; true", "cat"], shell=True, retries=0, cache=str(tmp_path))
    with pytest.raises(AlignmentError, match=r"^step 1 of 2: .*2 source lines .*, 0 lines came back.*no dictionary"):
        translated(chain, LINES)


def test_a_model_goes_to_the_steps_that_ask_for_it(tmp_path: Path) -> None:
    model = tmp_path / "m.sed"
    model.write_text("s/a/x/g\n")
    chain = ChainTranslator(["sed -f {model}", "rev"], cache=str(tmp_path / "cache"))
    chain.check(model)
    assert translated(chain, LINES, model) == ["hcuB setor nie", "bx"]
    before = chain.fingerprint(model)
    model.write_text("s/a/y/g\n")
    assert chain.fingerprint(model) != before
    assert translated(chain, LINES, model) == ["hcuB setor nie", "by"]
    with pytest.raises(ConfigError, match="no step has {model}"):
        ChainTranslator(["rev", "cat"]).check(model)


def test_programs_that_are_missing_are_named_at_once(tmp_path: Path) -> None:
    chain = ChainTranslator(["no-such-program", "cat", "no-other-program"])
    with pytest.raises(Problems, match=r"(?s)step 1 of 3: .*no-such-program.*step 3 of 3: .*no-other-program"):
        chain.check(None)


@pytest.mark.parametrize("commands", ["cat", ["cat"], []])
def test_fewer_than_two_commands_are_no_chain(commands: Any) -> None:
    with pytest.raises(ConfigError, match="two or more commands"):
        ChainTranslator(commands)


def test_another_mapping_than_a_chain_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"a: a command was expected, \{chain: \[COMMAND, COMMAND\]\}"):
        CommandSystems({"a": {"pipe": ["cat", "cat"]}})
