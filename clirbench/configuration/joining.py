"""The analyses that join every run: laboratories name them in `conf/joining.yaml`.

Hydra is not needed, so that runs of components, which have no configuration, have them too.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from clirbench.configuration.laboratories import config_folders
from clirbench.result import Analysis


def joining() -> dict[str, Mapping[str, Any]]:
    """The settings of each of them, by name."""
    files = (folder / "joining.yaml" for folder in config_folders())
    return {str(name): part or {} for file in files if file.is_file() for name, part in _read(file).items()}


def joining_analyses() -> tuple[Analysis, ...]:
    """All of them, without a configuration: settings that are the value of another key have their defaults."""
    made = []
    for name, given in joining().items():
        file = next(path for folder in config_folders() if (path := folder / "analyses" / f"{name}.yaml").is_file())
        settings = {**_read(file)[name], **given}
        module, _, kind = str(settings.pop("_target_")).rpartition(".")
        own = {key: value for key, value in settings.items() if not str(value).startswith("${")}
        made.append(getattr(import_module(module), kind)(**own))
    return tuple(made)


def _read(file: Path) -> Mapping[str, Any]:
    read: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    return read
