"""Every metric's YAML spells out all fields of a component that exists, under the name of its column."""

from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from clirbench.configuration.composing import config_parts

FILES = sorted(path for folder in config_parts("metric") for path in folder.glob("*.yaml"))
# Names with +, which no key of a configuration can spell.
SPELT = {"chrFpp": "chrF++", "BLEUplus1": "BLEU+1"}


def node(path: Path) -> tuple[str, dict[str, Any]]:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert len(content) == 1
    return next(iter(content.items()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_yaml_and_component_agree(path: Path) -> None:
    key, options = node(path)
    assert key == path.stem
    assert options["name"] == SPELT.get(key, key)
    module, _, name = options.pop("_target_").rpartition(".")
    component = getattr(import_module(module), name)
    declared = {field.name: field for field in fields(component)}
    assert set(options) == set(declared)


WHOLE = [path for path in FILES if "${" not in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_component_of_a_yaml_has_its_name(path: Path) -> None:
    key, options = node(path)
    module, _, name = options.pop("_target_").rpartition(".")
    if "path" in options:
        options["path"] = "{system}"
    component = getattr(import_module(module), name)(**options)
    assert component.name == SPELT.get(key, key)
    assert component.signature.startswith(component.name + "|")
