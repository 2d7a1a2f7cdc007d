"""The command line's overrides -> one configuration, composed by Hydra, checked in our own words.

What an experiment sets in a node belongs to the choice that it makes there; another choice begins without it.

Laboratories name the analyses that join every run in `conf/joining.yaml`:

    NAME:
      _when_: [systems.translates, also_retriever]   # joins only where one of these parts of an experiment is there
      SETTING: value                                 # what it then has
"""

import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

import yaml
from hydra import compose, initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import ConfigRepository
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.configuration import advice
from clirbench.configuration.laboratories import CONF as CONF, choices, config_folders, described_commands, hooks
from clirbench.errors import ConfigError, escape_unseen, gathered, raise_all
from clirbench.keys import NODES, SEARCH_PATH, defaults, key_of, may_name_files

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


def _load_config(self: ConfigRepository, config_path: str) -> ConfigResult | None:
    """`ConfigRepository.load_config` of Hydra; a file that it cannot read is named."""
    line, reason = 0, "it has a list where keys are expected"
    try:
        result = _file_loaded(self, config_path)
        if result is None or isinstance(result.config, DictConfig):
            return result
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, reason = mark.line + 1 if mark else 0, error.problem or error.context or "it is not YAML"
    except RecursionError:
        reason = "it is nested too deep"
    except (yaml.YAMLError, OmegaConfBaseException, ValueError, OSError) as error:
        reason = str(getattr(error, "reason", error)).partition("\n")[0]
    source = self._find_object_source(config_path, ObjectType.CONFIG)
    path = Path(source.path if source else "") / ConfigSource._normalize_file_name(config_path)
    raise ConfigError(f"{path}{f', line {line}' if line else ''}: is no configuration: {reason}")


_file_loaded = ConfigRepository.load_config
ConfigRepository.load_config = _load_config  # type: ignore[method-assign]


EXPERIMENT = "experiment"


def replaced_nodes(overrides: Sequence[str], folders: Sequence[Path]) -> Iterator[str]:
    """The nodes (`topics`, `also`) that an experiment configures and for which overrides make another choice.

    folders: where configurations lie.
    """
    chosen = dict(_choice(override) for override in overrides)
    of_experiment, settings = _read(f"{EXPERIMENT}/{chosen.get(EXPERIMENT)}", folders)
    defaults = _read("config", folders)[0] | of_experiment
    for group, name in chosen.items():
        node = group.partition("@")[2] or group
        if group.partition("@")[0] in NODES and isinstance(settings.get(node), dict) and defaults.get(group) != name:
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
    content: Any = OmegaConf.to_container(OmegaConf.load(path)) if path else None
    choices, settings = dict[str, Any](), dict[str, Any]()
    for entry in content.pop("defaults", ()) if isinstance(content, dict) else ():
        if isinstance(entry, Mapping):
            choices |= {str(group).removeprefix("override ").lstrip("/"): choice for group, choice in entry.items()}
        elif entry != "_self_":
            more = _read(str(Path(name).parent / str(entry)), folders)
            choices, settings = choices | more[0], settings | more[1]
    return choices, settings | (content or {})


# Keys whose value is a mapping from names of the user's: Hydra lets nobody add names to an empty mapping without `++`.
OPEN = re.compile(
    r"pool\.about|scores\.(?:rename|reference)|paper\.(?:parts\.\w+\.)?(?:scores|folders|human)"
    r"|analyses(?:\.\w+)+"
)
COMPOSING = threading.Lock()
"""Hydra composes one configuration at a time in a process: what it is doing is in a singleton."""
DEEPEST = 20
EVERY = 10
"""Jobs of a sweep between two writings of its table."""
LISTS = ("metric", "analyses", "measure")


class LaboratoriesSearchPath(SearchPathPlugin):
    """Has Hydra look for configurations in the folders of laboratories too."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for folder in config_folders():
            search_path.append("clirbench.labs", f"file://{folder}")


Plugins.instance().register(LaboratoriesSearchPath)
ConfigStore.instance().store("run_keys", defaults())
OmegaConf.register_new_resolver("commands", described_commands, replace=True)  # of the help


def compose_configuration(overrides: Sequence[str]) -> DictConfig:
    """The configuration that the command line would have with these overrides; raises `ConfigError` for wrong ones."""
    cfg = composed(prepare_overrides(overrides))
    with open_dict(cfg):
        del cfg["hydra"]
    return cfg


def composed(overrides: Sequence[str]) -> DictConfig:
    """The configuration that Hydra makes of prepared overrides, with its own part, `hydra`."""
    with COMPOSING:
        theirs, GlobalHydra.instance().hydra = GlobalHydra.instance().hydra, None  # of a program that Hydra started
        try:
            with initialize_config_dir(str(CONF), version_base="1.3"):
                return compose("config", overrides=list(overrides), return_hydra_config=True)
        except (HydraException, OmegaConfBaseException, ValueError) as error:
            raise advice.refusal(error) from None
        finally:
            GlobalHydra.instance().hydra = theirs


def _without_leftovers(
    self: ConfigLoaderImpl, config_name: str | None, overrides: list[str], *mode: Any, **more: Any
) -> DictConfig:
    """`load_configuration` of Hydra, without an experiment's settings of nodes for which overrides choose another."""

    def load(some: list[str]) -> DictConfig:
        return _loaded(self, config_name, some, *mode, **more)

    cfg = load(overrides)
    folders = [*(Path(source.path) for source in self.get_sources()), *(own_folders(overrides) or ())]
    for node in replaced_nodes(overrides, folders) if CONF in folders else ():  # a program of others may be Hydra's too
        own = load([one for one in overrides if key_of(one) == SEARCH_PATH or concerns(one, node)]).get(node)
        with open_dict(cfg):
            cfg[node] = own
    return cfg


_loaded = ConfigLoaderImpl.load_configuration
ConfigLoaderImpl.load_configuration = _without_leftovers  # type: ignore[method-assign]


def own_folders(overrides: Sequence[str]) -> list[Path] | None:
    """Folders of configurations that `hydra.searchpath` adds; None where one of them is no folder (`pkg://mine`)."""
    added = [one.partition("=")[2] for one in overrides if key_of(one) == SEARCH_PATH]
    places = [one for part in re.split(r"[][,\"']", "".join(added[-1:])) if (one := part.strip())]
    return [Path(one[7:]) for one in places] if all(one.startswith("file://") for one in places) else None


def prepare_overrides(overrides: Sequence[str]) -> list[str]:
    """The overrides as Hydra must read them, checked in our own words, with the experiment that they speak of."""
    overrides, folders, errors = [advice.spell_for_hydra(one) for one in overrides], own_folders(overrides), list[Any]()
    overrides = [f"+{one}" if one.partition("=")[0] in laboratory_groups() else one for one in overrides]
    said = "hydra.searchpath=[file://DIR] names folders of configurations"
    errors += [ConfigError(f"{folder}: not found; {said}") for folder in folders or () if not folder.is_dir()]
    if folders == []:  # what others configure may have keys of its own
        errors += [*advice.unknown_keys(overrides, laboratory_groups()), *advice.unplaced(overrides)]
    for one in overrides:
        with gathered(errors):
            check_override(one, folders)
    if any(key_of(one).startswith("topics") for one in overrides):
        for error in errors:
            error.args = tuple(str(one).replace(" topics=trec topics.path=FILE", "") for one in error.args)
    raise_all(errors)
    named = [one for one in overrides if one.lstrip("+").startswith("experiment=")]
    if len(named) > 1:
        raise ConfigError(f"{' '.join(named)}: a run is of one experiment; name one of them")
    overrides = ["++" + one if OPEN.fullmatch(one.partition("=")[0]) else one for one in overrides]
    return overrides if named else [*overrides, f"+experiment={advice.mentioned_experiment(overrides)}"]


def check_override(text: str, folders: Sequence[Path] | None) -> None:
    """Say in our own words what Hydra would refuse: a value that its grammar cannot read, an unknown choice.

    folders: as `own_folders` says; None: choices cannot be checked.
    """
    nested = accumulate((character in "[{(") - (character in "]})") for character in text)
    if max(nested, default=0) > DEEPEST:
        raise ConfigError(f"{text}: lists and mappings are nested more than {DEEPEST} deep")
    if not text.partition("=")[0].strip("+~") or ("=" not in text and not text.startswith("~")):
        raise ConfigError(f"{text!r} is not of the form key=value")
    try:
        override = OverridesParser.create().parse_override(text)
    except HydraException:
        raise ConfigError(f"{text}: cannot be read. {advice.how_to_quote(text)}") from None
    group = override.key_or_group
    known = [] if folders is None else sorted(choices(group, folders))
    if override.is_delete() or not known:
        return
    named: list[Any]
    if override.is_sweep_override():
        named = [*override.sweep_string_iterator()] if override.is_choice_sweep() else []
    else:
        value = override.value()
        named = value if isinstance(value, list) else [value]
    for name in named:
        if isinstance(name, dict) and {*name} <= advice.component_keys(group):
            said = " ".join(f"{group}.{key}={value}" for key, value in name.items())
            raise ConfigError(f"{text}: a mapping is no name of {group}; type {said}")
        if not isinstance(name, str):
            none = f"{group}=[]" if group in LISTS else f"~{text.partition('=')[0].lstrip('+')}"
            number = {"n", "k"} & advice.component_keys(group) if type(name) is int else ()
            none += "".join(f"; type {group}.{one}={name}" for one in number)
            said = "null" if name is None else repr(name)
            raise ConfigError(f"{text}: {said} is no name; {group} is one of {', '.join(known)}; none is {none}")
    raise_all([advice.wrong_choice(group, name, known, named) for name in named if name not in known])


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
            elif node[key] and may_name_files(node._get_full_key(key)) and (new := places.get(str(home / node[key]))):
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
    path = choices("experiment").get(experiment)
    settings = OmegaConf.load(path) if path else None
    return settings if isinstance(settings, DictConfig) and "sweep" in settings else None


def laboratory_groups() -> set[str]:
    """The groups of configurations that only laboratories have."""
    return {path.name for folder in config_folders() for path in folder.iterdir() if path.is_dir()} - {*NODES}


class SweepTable(Callback):
    """Hydra's hook at the end of a sweep (`-m`): one table over all of its jobs."""

    def __init__(self) -> None:
        self._jobs: list[Any] = []
        self._settings: dict[str, Any] = {}

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Keep what the job wrote; write the table after some jobs, so that a sweep that is interrupted has one."""
        from clirbench.report.compared import SweptJob, combine  # here, because the help needs none of it

        returned = job_return._return_value
        why = str(returned).removeprefix("error: ") if isinstance(returned, str | Exception) else ""
        folder = Path(config.hydra.runtime.output_dir)
        self._jobs.append(SweptJob.of(folder, list(config.hydra.overrides.task), why))
        self._settings = plain_configuration(config.pool)  # that of the sweep has no task's keys
        if len(self._jobs) % EVERY == 1:
            combine(Path(config.hydra.sweep.dir), self._jobs)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Write the table, have laboratories write what they make of all jobs; say which failed and where files are."""
        from clirbench.report.compared import NAME, NO_TABLE, PAGE, SUMMARY, TEXT, combine, swept_keys

        folder, keys = Path(config.hydra.sweep.dir), swept_keys(self._jobs)
        combine(folder, self._jobs)
        jobs = [job for job in self._jobs if job.failed not in ("", NO_TABLE)]
        failed = {" ".join(f"{key}={job.settings.get(key, '')}" for key in keys): job.failed for job in jobs}
        for name, why in failed.items():
            print(escape_unseen(f"{name or 'the one condition'} has no results: {why}"), file=sys.stderr)
        places = [job.folder for job in self._jobs]
        written = [path for after in hooks("after_sweep") for path in after(folder, places, self._settings, failed)]
        for path in (*(folder / name for name in (f"{NAME}.tsv", f"{SUMMARY}.tsv", PAGE, TEXT)), *written):
            print(path)
