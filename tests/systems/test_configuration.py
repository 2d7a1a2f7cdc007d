"""The YAML files of this group say what the classes say: the same fields, the same defaults."""

from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any

import pytest
import yaml

from clirbench.configuration.composing import config_parts

FILES = ("checkpoints", "pattern")
ELSEWHERE = {"translator", "toolkit"}  # chosen by groups of their own
SHORTER = {"pattern": {"model", "replicates", "shard_lines", "cache"}}  # of no use there


@pytest.mark.parametrize("name", FILES)
def test_fields_and_defaults(name: str) -> None:
    (path,) = (path for folder in config_parts("systems") if (path := folder / f"{name}.yaml").is_file())
    written: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    module, _, cls = written.pop("_target_").rpartition(".")
    written.pop("defaults", None)
    known = {field.name: field for field in fields(getattr(import_module(module), cls))}
    assert set(written) == set(known) - ELSEWHERE - SHORTER.get(name, set())
    for key, value in written.items():
        field = known[key]
        default = field.default if field.default is not MISSING else field.default_factory()  # type: ignore[misc]
        expected = list(default) if isinstance(default, tuple) else default
        assert value == ("${paths.cache}" if key == "cache" else expected), key
