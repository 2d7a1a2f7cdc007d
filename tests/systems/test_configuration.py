"""The YAML files of systems and encoders say what their targets say: the same names, the same defaults."""

from dataclasses import MISSING, fields
from importlib import import_module
from inspect import getfile, signature
from pathlib import Path
from typing import Any

import pytest
import yaml

from clirbench.configuration.laboratories import config_parts

FILES = (
    "systems/checkpoints", "systems/pattern", "systems/program", "systems/translator/program",
    "systems/translator/chain", "retrieval/encoder/program",
)  # fmt: skip
ELSEWHERE = {"translator"}  # chosen by a group of its own
SHORTER = {  # of no use there
    "systems/pattern": {"model", "replicates", "shard_lines", "cache"},
    "systems/translator/chain": {"command", "about"},
}
LEFT_OPEN = {"command": "", "commands": [], "environment": {"LC_ALL": "C.UTF-8"}}
"""What a file says where the target has no default, or null for that of a program."""


def taken(target: Any) -> dict[str, Any]:
    """The names that a class or a function takes, with the defaults; MISSING where there is none."""
    made = {field.name: field.default_factory for field in fields(target)} if isinstance(target, type) else {}
    found: dict[str, Any] = {}
    for name, one in signature(target).parameters.items():
        if one.kind is one.VAR_KEYWORD:  # the rest goes to a program
            found |= taken(import_module(target.__module__).Program)
        else:
            factory: Any = made.get(name, MISSING)
            found[name] = factory() if factory is not MISSING else MISSING if one.default is one.empty else one.default
    return found


def read(name: str) -> tuple[Any, dict[str, Any]]:
    """The target of a file, and what it is given; skipped where its laboratory is not here."""
    paths = [path for folder in config_parts(".") if (path := folder / f"{name}.yaml").is_file()]
    if not paths:
        pytest.skip(f"{name} is of a laboratory that is not here")
    written: dict[str, Any] = yaml.safe_load(paths[0].read_text(encoding="utf-8"))
    module, _, target = written.pop("_target_").rpartition(".")
    written.pop("defaults", None)
    return getattr(import_module(module), target), written


@pytest.mark.parametrize("name", FILES)
def test_names_and_defaults(name: str) -> None:
    target, written = read(name)
    known = taken(target)
    of_presets = {"settings", "kind"}  # of programs
    assert set(written) == set(known) - ELSEWHERE - SHORTER.get(name, set()) - of_presets
    for key, value in written.items():
        default = known[key]
        expected = list(default) if isinstance(default, tuple) else default
        if default is MISSING or (key == "environment" and default is None):
            expected = LEFT_OPEN[key]
        assert value == ("${paths.cache}" if key == "cache" else expected), key


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("systems/openai", "openai"), ("systems/translator/ctranslate2", "ct2"),
        ("systems/translator/transformers", "hf"), ("systems/translator/apertium", "apertium"),
        ("retrieval/encoder/openai", "openai"), ("retrieval/encoder/transformers", "hf"),
        ("retrieval/encoder/static", "encode_static"),
    ],
)  # fmt: skip
def test_a_script_reads_every_setting(name: str, script: str) -> None:
    target, written = read(name)
    folder = Path(getfile(target)).parent
    text = "".join((folder / f"{path}.py").read_text(encoding="utf-8") for path in (f"scripts/{script}", "program"))
    rest = set(written) - set(signature(target).parameters) - {"version"}  # any text, of the key alone
    assert {key for key in rest if f'"{key}"' not in text} == set()
