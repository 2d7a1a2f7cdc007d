"""The analyses that join every run: laboratories name them in `conf/joining.yaml`.

    NAME:
      _when_: [systems.translates, also_retriever]   # joins only where one of these parts of an experiment is there
      SETTING: value                                 # what it then has

Hydra is not needed, so that runs of components, which have no configuration, have them too.
"""

from collections.abc import Mapping
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from clirbench.configuration.laboratories import config_folders
from clirbench.result import Analysis

WHEN = "_when_"


def joining() -> dict[str, Mapping[str, Any]]:
    """The settings of each of them, by name, whether or not it joins a run."""
    return {name: {key: value for key, value in part.items() if key != WHEN} for name, part in _declared().items()}


def joins(parts: Mapping[str, Any]) -> list[str]:
    """The names of those that join a run of these parts, which have the names of fields of `Experiment`.

    A part that declares nothing of what a condition names has it not.
    """
    return [name for name, part in _declared().items() if WHEN not in part or any(_has(parts, w) for w in part[WHEN])]


def joining_analyses(parts: Mapping[str, Any]) -> tuple[Analysis, ...]:
    """Those that join, without a configuration: settings that are the value of another key have their defaults."""
    made = []
    for name in joins(parts):
        file = next(path for folder in config_folders() if (path := folder / "analyses" / f"{name}.yaml").is_file())
        settings = {**_read(file)[name], **joining()[name]}
        module, _, kind = str(settings.pop("_target_")).rpartition(".")
        own = {key: value for key, value in settings.items() if not str(value).startswith("${")}
        made.append(getattr(import_module(module), kind)(**own))
    return tuple(made)


def _has(parts: Mapping[str, Any], named: str) -> bool:
    part, *declared = named.split(".")
    return bool(reduce(lambda found, name: getattr(found, name, None), declared, parts.get(part)))


def _declared() -> dict[str, Mapping[str, Any]]:
    files = (folder / "joining.yaml" for folder in config_folders())
    return {str(name): part or {} for file in files if file.is_file() for name, part in _read(file).items()}


def _read(file: Path) -> Mapping[str, Any]:
    read: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    return read
