"""`systems=command`: names and commands, checked at once, translated later."""

from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, InputError, Problems
from clirbench.labs.models.command_systems import CommandSystems
from clirbench.labs.models.translating.translation import complete_translations
from clirbench.systems.base import SystemSource
from tests.systems.sides import folder_corpus


def test_one_system_for_each_command(tmp_path: Path) -> None:
    systems = CommandSystems({"plain": "cat", "loud": ["tr", "a-z", "A-Z"]}, cache=str(tmp_path / "cache"))
    assert isinstance(systems, SystemSource)
    found, errors = complete_translations(
        systems.translations(folder_corpus(tmp_path / "d")), lambda title, values, total: values
    )
    assert not errors
    assert [(t.system, t.collection.lines()[4]) for t in found if t.collection] == [
        ("plain", "ein rotes Buch"), ("loud", "EIN ROTES BUCH"),
    ]  # fmt: skip


def test_versions_are_part_of_what_is_kept() -> None:
    systems = CommandSystems({"a": "cat", "b": "cat"}, versions={"b": "2"})
    assert systems.translator("a").signature != systems.translator("b").signature


def test_everything_that_is_missing_at_once(tmp_path: Path) -> None:
    systems = CommandSystems({"a/b": "cat", "c": "no-such-program", "d": "no-other-program"})
    with pytest.raises(Problems, match=r"(?s)'a/b' holds a slash.*no-such-program: no such.*no-other-program: no such"):
        systems.translations(folder_corpus(tmp_path / "d"))
    with pytest.raises(InputError, match="the source side is needed"):
        CommandSystems({"a": "cat"}).translations(folder_corpus(tmp_path / "e", source=None))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "systems=command: no command"),
        ({"commands": {"a": "cat"}, "shard_lines": 0}, "shard_lines=0"),
        ({"commands": {"a": "cat"}, "versions": {"b": "1"}}, "names systems without a command: b"),
        ({"commands": {"a": ""}}, "command: is empty"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CommandSystems(**settings)
