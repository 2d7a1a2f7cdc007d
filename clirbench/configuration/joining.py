"""The analyses that join every run: laboratories name them in `conf/joining.yaml`.

NAME:
  _when_: [systems.translates, also_retriever]   # joins only where one of these parts of an experiment is there
  SETTING: value                                 # what it then has
"""

from collections.abc import Mapping
from functools import reduce
from typing import Any

import yaml

from clirbench.configuration.laboratories import config_folders

WHEN = "_when_"


def joining() -> dict[str, Mapping[str, Any]]:
    """The settings of each of them, by name, whether or not it joins a run."""
    return {name: {key: value for key, value in part.items() if key != WHEN} for name, part in _declared().items()}


def joins(parts: Mapping[str, Any]) -> list[str]:
    """The names of those that join a run of these parts, which have the names of fields of `Experiment`.

    A part that declares nothing of what a condition names has it not.
    """
    return [name for name, part in _declared().items() if WHEN not in part or any(_has(parts, w) for w in part[WHEN])]


def _has(parts: Mapping[str, Any], named: str) -> bool:
    part, *declared = named.split(".")
    return bool(reduce(lambda found, name: getattr(found, name, None), declared, parts.get(part)))


def _declared() -> dict[str, Mapping[str, Any]]:
    files = (file for folder in config_folders() if (file := folder / "joining.yaml").is_file())
    named = (yaml.safe_load(file.read_text(encoding="utf-8")) or {} for file in files)
    return {str(name): part or {} for parts in named for name, part in parts.items()}
