"""What an experiment sets in a node belongs to the choice that it makes there; another choice begins without it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clirbench.configuration.yaml_files import read_yaml
from clirbench.keys import NODES

EXPERIMENT = "experiment"


def replaced_nodes(overrides: Sequence[str], folders: Sequence[Path]) -> Iterator[str]:
    """The nodes (`topics`, `also`) that an experiment configures and for which overrides make another choice.

    folders: where configurations lie.
    """
    chosen = dict(_choice(override) for override in overrides)
    choices, settings = _read("config", folders)
    of_experiment, settings = _read(f"{EXPERIMENT}/{chosen.get(EXPERIMENT)}", folders)
    choices = {**choices, **of_experiment}
    for group, name in chosen.items():
        node = group.partition("@")[2] or group
        if group.partition("@")[0] in NODES and isinstance(settings.get(node), dict) and choices.get(group) != name:
            yield node


def concerns(override: str, node: str) -> bool:
    """Whether an override chooses or configures a node, or a part of it."""
    group = _choice(override)[0]
    return f"{group.partition('@')[2] or group.replace('/', '.')}.".startswith(f"{node}.")


def _choice(override: str) -> tuple[str, str | None]:
    """The key of an override, and its value as a name; None for one that is taken away."""
    key, _, value = override.lstrip("+~").partition("=")
    return key, None if override.startswith("~") else value.strip("\"'")


def _read(name: str, folders: Sequence[Path]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The choices (group -> name) and the settings of a configuration and of those that it begins with."""
    path = next((path for folder in folders if (path := folder / f"{name}.yaml").is_file()), None)
    content = read_yaml(path) if path else None
    choices, settings = dict[str, Any](), dict[str, Any]()
    for entry in content.pop("defaults", ()) if isinstance(content, dict) else ():
        if isinstance(entry, Mapping):
            choices |= {str(group).removeprefix("override ").lstrip("/"): choice for group, choice in entry.items()}
        elif entry != "_self_":
            more = _read(str(Path(name).parent / str(entry)), folders)
            choices, settings = choices | more[0], settings | more[1]
    return choices, settings | (content or {})
