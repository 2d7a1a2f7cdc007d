"""What of a configuration can run code, reach another machine or write elsewhere: the one list.

`clirbench rerun` shows it before it does a run that somebody else may have described. Components that conf/ does not
name are on it, whatever they are: what is on no list is never taken for harmless.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from clirbench.configuration.components import TARGET
from clirbench.configuration.laboratories import laboratories
from clirbench.errors import UNSEEN, ConfigError
from clirbench.keys import key_of

CONFIG_DIR = "--config-dir="
SEARCH_PATH = "hydra.searchpath"
CORE = {"clirbench.engines.elsewhere.Joblib": "sends work to other machines"}
"""The core's; those of laboratories are in their `reaches.yaml`."""
MOST = 20_000
"""Characters of a command line that a person can still read."""
NAMED = re.compile(rf"{TARGET}: *([\w.]+)")


def has_own_folders(words: Sequence[str]) -> bool:
    """Whether configurations of other folders than conf/ take part in a command line."""
    return any(word.startswith(CONFIG_DIR) or key_of(word) == SEARCH_PATH for word in words)


def refusals(words: Sequence[str]) -> Iterator[ConfigError]:
    """An error for each word of a recorded command line that no rerun gives to clirbench.

    What is left are keys of a run, and the two ways to name folders of configurations.
    """
    if sum(map(len, words)) > MOST:
        yield ConfigError(f"the command line has more than {MOST:,} characters, which nobody can check")
        return
    for word in words:
        key = key_of(word)
        is_key = not word.startswith("-") and ("=" in word or word.startswith("~"))
        if UNSEEN.search(word) or not (is_key or word.startswith(CONFIG_DIR)):
            yield ConfigError(f"{word!r}: a recorded run has keys, key=value, and {CONFIG_DIR}DIR, nothing else")
        elif is_key and "hydra" in key and key != SEARCH_PATH:
            yield ConfigError(f"{word}: a recorded run sets no key of Hydra but {SEARCH_PATH}")


def listed_components(conf: Path) -> tuple[set[str], dict[str, str]]:
    """Every component that configurations of the core and of our laboratories name, and what some of them do.

    conf: the folder of the core's.
    """
    ours = [laboratory for laboratory in laboratories() if laboratory.package.startswith("clirbench.labs.")]
    folders = [conf, *(laboratory.folder / "conf" for laboratory in ours)]
    paths = (path for folder in folders for path in folder.rglob("*.yaml"))
    lists = [path for laboratory in ours if (path := laboratory.folder / "reaches.yaml").is_file()]
    does = CORE | {name: what for path in lists for name, what in yaml.safe_load(path.read_bytes()).items()}
    return {name for path in paths for name in NAMED.findall(path.read_text(encoding="utf-8"))}, does


def side_effects(configuration: Mapping[str, Any], conf: Path) -> Iterator[str]:
    """A line for each of the `effects` of a whole configuration, with the settings of the component."""
    for key, what, node in effects(configuration, conf):
        yield f"{key}: {what}" + (f": {json.dumps(node, ensure_ascii=False, default=str)}" if node else "")


def effects(configuration: Mapping[str, Any], conf: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """What can run code, reach another machine or write elsewhere: its key, what it does, and its settings if it is a
    component.

    conf: the folder of the core's configurations; what is named and not listed only reads files and computes.
    """
    known, does_more = listed_components(conf)
    paths = configuration.get("paths")
    cache = paths.get("cache") if isinstance(paths, Mapping) else None
    for key, node in _nodes(configuration, ""):
        if node.get("download"):
            yield f"{key}.download".lstrip("."), "fetches data that are missing", {}
        target = str(node.get(TARGET))
        if TARGET in node and (does := does_more.get(target, "" if target in known else "is code")):
            yield key, does, node
        elif (folder := node.get("cache")) not in (None, cache) and TARGET in node:
            yield key, f"writes to {folder}", {}


def _nodes(value: Any, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every mapping in a configuration, with its dotted name."""
    if isinstance(value, Mapping):
        yield key, value
    children = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        yield from _nodes(child, f"{key}.{name}" if key else str(name))
