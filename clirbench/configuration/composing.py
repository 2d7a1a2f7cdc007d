"""The command line's overrides -> one configuration, composed by Hydra, checked in our own words."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.errors import HydraException
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.configuration.advice import ENGINES, of_choice, refusal, unknown_keys
from clirbench.configuration.laboratories import CONF as CONF
from clirbench.configuration.laboratories import config_folders
from clirbench.configuration.laboratories import config_parts as config_parts
from clirbench.configuration.leftovers import concerns, replaced_nodes
from clirbench.configuration.spelling import mentioned_experiment, spell_for_hydra, with_quotes
from clirbench.errors import ClirbenchError, ConfigError, UnknownName, gathered, raise_all
from clirbench.keys import NODES, defaults, may_name_files

# Keys whose value is a mapping from names of the user's: Hydra lets nobody add names to an empty mapping without `++`.
OPEN = re.compile(
    r"pool\.about|scores\.rename|paper\.(?:parts\.\w+\.)?(?:scores|folders|human)"
    r"|analyses(?:\.\w+)+"
)
COMPOSING = threading.Lock()
"""Hydra composes one configuration at a time in a process: what it is doing is in a singleton."""
DEEPEST = 20
LISTS = ("metric", "analyses", "measure")


class LaboratoriesSearchPath(SearchPathPlugin):
    """Has Hydra look for configurations in the folders of laboratories too."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for folder in config_folders():
            search_path.append("clirbench.labs", f"file://{folder}")


Plugins.instance().register(LaboratoriesSearchPath)
ConfigStore.instance().store("run_keys", defaults())


def compose_configuration(overrides: Sequence[str]) -> DictConfig:
    """The configuration that the command line would have with these overrides; raises `ConfigError` for wrong ones."""
    overrides = prepare_overrides(overrides)
    try:
        with COMPOSING, initialize_config_dir(str(CONF), version_base="1.3"):
            return without_leftovers(
                lambda some: compose("config", overrides=some), overrides, [CONF, *config_folders()]
            )
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise refusal(error) from None


def without_leftovers(
    load: Callable[[list[str]], DictConfig], overrides: Sequence[str], folders: Sequence[Path]
) -> DictConfig:
    """The configuration that `load` makes of overrides, without an experiment's settings of nodes that they replace.

    folders: those of configuration files.
    """
    cfg = load(list(overrides))
    for node in replaced_nodes(overrides, folders):
        own = load([override for override in overrides if concerns(override, node)]).get(node)
        with open_dict(cfg):
            cfg[node] = own
    return cfg


def prepare_overrides(overrides: Sequence[str], folders: Sequence[Path] | None = ()) -> list[str]:
    """The overrides as Hydra must read them, checked in our own words, with the experiment that they speak of.

    folders: where configurations of the user's lie too, with keys of their own; None: anywhere, so that choices cannot
    be checked.
    """
    overrides = [spell_for_hydra(one, config_parts("metric")) for one in overrides]
    overrides = [f"+{one}" if one.partition("=")[0] in laboratory_groups() else one for one in overrides]
    errors: list[ClirbenchError] = [] if folders is None or folders else [*unknown_keys(overrides, laboratory_groups())]
    for one in overrides:
        with gathered(errors):
            check_override(one, folders)
    raise_all(errors)
    named = [one for one in overrides if one.lstrip("+").startswith("experiment=")]
    if len(named) > 1:
        raise ConfigError(f"{' '.join(named)}: a run is of one experiment; name one of them")
    overrides = ["++" + one if OPEN.fullmatch(one.partition("=")[0]) else one for one in overrides]
    return overrides if named else [*overrides, f"+experiment={mentioned_experiment(overrides)}"]


def check_override(text: str, folders: Sequence[Path] | None = ()) -> None:
    """Say in our own words what Hydra would refuse: a value that its grammar cannot read, an unknown choice.

    folders: as in `prepare_overrides`.
    """
    nested = accumulate((character in "[{(") - (character in "]})") for character in text)
    if max(nested, default=0) > DEEPEST:
        raise ConfigError(f"{text}: lists and mappings are nested more than {DEEPEST} deep")
    if not text.partition("=")[0].strip("+~") or ("=" not in text and not text.startswith("~")):
        raise ConfigError(f"{text!r} is not of the form key=value")
    if (override := _parsed(text)) is None:
        closed = f"{text}{_unclosed(text)}"
        if closed != text and not {"'", '"'} & {*text} and _parsed(closed):
            raise ConfigError(f"{text}: a bracket is not closed; type '{closed}'")
        raise ConfigError(
            f"{text}: cannot be read. A value with = , ( ) {{ }} [ ] : or a space in it is quoted inside the shell's "
            f"quotes: '{with_quotes(text)}'"
        )
    group, own = override.key_or_group, folders
    folders = None if folders is None else [*config_parts(group), *(folder / group for folder in folders)]
    if folders is None or override.is_delete() or not any(folder.is_dir() for folder in folders):
        return
    if override.is_sweep_override():
        for value in override.sweep_string_iterator() if override.is_choice_sweep() else ():
            check_override(f"{group}={value}", own)
        return
    choices = [path.stem for folder in folders for path in folder.glob("*.yaml")]
    named = override.value()
    for name in named if isinstance(named, list) else [named]:
        if not isinstance(name, str):
            said = "null" if name is None else repr(name)
            none = f"{group}=[]" if group in LISTS else f"~{text.partition('=')[0].lstrip('+')}"
            raise ConfigError(
                f"{text}: {said} is no name; {group} is one of {', '.join(sorted(choices))}; none is {none}"
            )
        if name not in choices:
            from clirbench.configuration.measuring import is_measure  # which loads libraries of measures

            if group == "metric" and name.lower() == "chrf":
                raise ConfigError("unknown metric 'chrF': chrF of sacreBLEU is chrF2; type 'metric=[chrF2]'")
            if group == "metric" and is_measure(name):
                raise ConfigError(f"{name} is an IR measure, and no MT metric; type 'measures=[{name}]'")
            if group == "engine" and name in ENGINES:
                raise ConfigError(f"engine={name} is gone; type {ENGINES[name]}")
            if meant := of_choice(group, name):
                raise ConfigError(f"{group}={name}: {group} is a name, and this is a path; type {meant}")
            raise UnknownName(group, name, choices)


def _parsed(text: str) -> Override | None:
    """An override as Hydra's grammar reads it; None where it does not."""
    with suppress(HydraException):
        return OverridesParser.create().parse_override(text)
    return None


def _unclosed(text: str) -> str:
    """The brackets that a text has opened and not closed, as they would be closed."""
    left: list[str] = []
    for character in text:
        if character in "[{(":
            left.append("]})"["[{(".index(character)])
        elif left and character == left[-1]:
            left.pop()
    return "".join(reversed(left))


def plain_configuration(cfg: DictConfig) -> dict[str, Any]:
    """The whole configuration as plain values, every `${key}` in it resolved."""
    try:
        plain = OmegaConf.to_container(cfg, resolve=True)
    except OmegaConfBaseException as error:
        raise ConfigError(f"the configuration: {first_line(error)}") from None
    return {str(name): value for name, value in plain.items()} if isinstance(plain, dict) else {}


def relocate(cfg: DictConfig, home: Path, places: Mapping[str, str]) -> dict[str, str]:
    """Put the new places of files and folders into a configuration; returns the old names by the new ones.

    home: the folder that relative names begin at. places: new ones by old absolute ones. Nothing is downloaded then,
    and the steps run in this process.
    """
    renamed = {}
    engine = compose_configuration(["engine=serial"]).engine
    with open_dict(cfg):
        cfg.engine = engine
        for node, key in list(_texts(cfg)):
            if key == "download":
                node[key] = False
            elif (
                node[key]
                and may_name_files(node._get_full_key(key))
                and (new := places.get(str(home / node[key]))) is not None
            ):
                renamed[new] = node[key]
                node[key] = new
    return renamed


def _texts(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every node and key of a configuration whose value is a text and no reference to another, and `download`."""
    for key in list(node) if isinstance(node, DictConfig) else range(len(node)):
        if OmegaConf.is_missing(node, key) or OmegaConf.is_interpolation(node, key):
            continue
        value = node[key]
        if isinstance(value, DictConfig | ListConfig):
            yield from _texts(value)
        elif isinstance(value, str) or key == "download":
            yield node, key


def first_line(error: Exception) -> str:
    """What OmegaConf says, without the names of its own that follow."""
    if missing := re.search(r"Missing mandatory value: (\S+)", str(error)):
        return f"{missing[1]} is not set; give it a value, {missing[1]}=..."
    return str(error).partition("\n")[0]


def sweep_of(experiment: str) -> DictConfig | None:
    """The file of an experiment that is a sweep over others (`sweep.experiments`); None for any other."""
    paths = (folder / f"{experiment}.yaml" for folder in config_parts("experiment"))
    settings = next((OmegaConf.load(path) for path in paths if path.is_file()), None)
    return settings if isinstance(settings, DictConfig) and "sweep" in settings else None


def laboratory_groups() -> set[str]:
    """The groups of configurations that only laboratories have."""
    return {path.name for folder in config_folders() for path in folder.iterdir() if path.is_dir()} - {*NODES}
