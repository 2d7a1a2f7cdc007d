"""The command line's overrides -> one configuration, composed by Hydra, checked in our own words.

The analyses that join every run: laboratories name them in `conf/joining.yaml`.

NAME:
  _when_: [systems.translates, also_retriever]   # joins only where one of these parts of an experiment is there
  SETTING: value                                 # what it then has

YAML files of configurations: what OmegaConf reads, by libyaml; an error names the file and the line.

What an experiment sets in a node belongs to the choice that it makes there; another choice begins without it.

What is written at the end of a sweep: one table over all of its jobs.
"""

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, reduce
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import omegaconf._utils
import yaml
from hydra import compose, initialize_config_dir
from hydra._internal.config_repository import ConfigRepository
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from hydra.types import RunMode
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.configuration.advice import (
    ENGINES,
    mentioned_experiment,
    of_choice,
    refusal,
    spell_for_hydra,
    unknown_keys,
    with_quotes,
)
from clirbench.configuration.laboratories import CONF as CONF
from clirbench.configuration.laboratories import config_folders, hooks
from clirbench.configuration.laboratories import config_parts as config_parts
from clirbench.errors import ClirbenchError, ConfigError, UnknownName, escape_unseen, gathered, raise_all
from clirbench.keys import NODES, defaults, may_name_files
from clirbench.pages import many
from clirbench.report.compared import NAME, NO_TABLE, PAGE, SUMMARY, TEXT, SweptJob, combine, swept_keys

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


_own_loader = omegaconf._utils.get_yaml_loader

MOST_MARKS = 2_000
"""Openings of lists and mappings up to which libyaml's parser reads a text: its composer calls itself in C, and would
end the process 3,000 deep on a stack of 1 MB. OmegaConf's own is in Python, which refuses depth by itself."""


@cache
def yaml_loader() -> Any:
    """OmegaConf's class of loaders, with libyaml's parser where PyYAML has it: the same values in a third of the time.

    What libyaml refuses (`{a:}`) is read by OmegaConf's own; a tab between words is refused by that one alone.
    """
    own = _own_loader()
    if not yaml.__with_libyaml__:
        return own

    class Loader(yaml.CSafeLoader, own):  # type: ignore[misc, valid-type]
        def __init__(self, stream: Any) -> None:
            text = stream if isinstance(stream, str | bytes) else stream.read()
            self.text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
            super().__init__(text)

        def get_single_data(self) -> Any:
            if sum(map(self.text.count, "[{-?:")) > MOST_MARKS:
                return own(self.text).get_single_data()
            try:
                return super().get_single_data()
            except yaml.YAMLError:
                return own(self.text).get_single_data()

        def dispose(self) -> None:
            """Nothing: the pure parser's would look for what this one does not have."""

    return Loader


omegaconf._utils.get_yaml_loader = yaml_loader


def read_yaml(path: Path) -> Any:
    """The plain values of a YAML file; raises `ConfigError` with the line where it is not one."""
    content = path.read_bytes()
    text = content.decode("utf-8", "replace")
    try:
        content.decode("utf-8")
        return yaml.load(text, Loader=yaml_loader())
    except UnicodeDecodeError as error:
        line, reason = content.count(b"\n", 0, error.start), "a byte is not UTF-8"
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, reason = mark.line if mark else 0, error.problem or error.context or "it cannot be read"
    except yaml.reader.ReaderError as error:
        line, reason = text.count("\n", 0, error.position), error.reason
    except RecursionError:
        raise ConfigError(f"{path}: is no configuration: it is nested too deep") from None
    raise ConfigError(f"{path}, line {line + 1}: is not YAML: {reason}")


def _load_config(self: ConfigRepository, config_path: str) -> ConfigResult | None:
    """`ConfigRepository.load_config` of Hydra; a file that it cannot read is named."""
    try:
        result = _loaded(self, config_path)
    except (yaml.YAMLError, OmegaConfBaseException, ValueError, RecursionError, OSError) as error:
        path = _path(self, config_path)
        if path.is_file():
            read_yaml(path)
        raise ConfigError(f"{path}: is no configuration: {str(error).partition(chr(10))[0]}") from None
    if result is not None and not isinstance(result.config, DictConfig):
        raise ConfigError(f"{_path(self, config_path)}: is no configuration: it has a list where keys are expected")
    return result


def _path(repository: ConfigRepository, name: str) -> Path:
    """The file of a configuration."""
    source = repository._find_object_source(name, ObjectType.CONFIG)
    return Path(source.path if source else "") / ConfigSource._normalize_file_name(name)


_loaded = ConfigRepository.load_config
ConfigRepository.load_config = _load_config  # type: ignore[method-assign]


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
            from clirbench.configuration.laboratories import is_measure  # which loads libraries of measures

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


EVERY = 10
"""Jobs of a sweep between two writings of its table."""


class SweepTable(Callback):
    """Hydra's hook at the end of a sweep (`-m`): one table over all of its jobs."""

    def __init__(self) -> None:
        self._jobs: list[SweptJob] = []
        self._settings: dict[str, Any] = {}
        self._seconds: list[float] = []
        self._begun = 0.0

    def on_job_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Look at the clock."""
        self._begun = time.monotonic()

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Keep what the job wrote; write the table after some jobs, so that a sweep that is interrupted has one."""
        if config.hydra.mode is RunMode.MULTIRUN:
            why = str(job_return.return_value or "").removeprefix("error: ")
            overrides = list(config.hydra.overrides.task)
            self._seconds.append(time.monotonic() - self._begun)
            self._jobs.append(SweptJob.read(Path(config.hydra.runtime.output_dir), overrides, why))
            self._settings = plain_configuration(config.pool)  # that of the sweep has no task's keys
            if len(self._jobs) % EVERY == 1:
                combine(Path(config.hydra.sweep.dir), self._jobs)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Write the table, have laboratories write what they make of all jobs; say which failed and where files are."""
        if not self._jobs:
            return
        folder, keys = Path(config.hydra.sweep.dir), swept_keys(self._jobs)
        combine(folder, self._jobs)
        failed = {
            " ".join(f"{key}={job.settings.get(key, '')}" for key in keys): job.failed
            for job in self._jobs
            if job.failed not in ("", NO_TABLE)
        }
        for name, why in failed.items():
            print(escape_unseen(f"{name or 'the one condition'} has no results: {why}"), file=sys.stderr)
        longest = max(range(len(self._jobs)), key=self._seconds.__getitem__)
        shortly = f"{sum(self._seconds):.1f} s, median {median(self._seconds):.1f} s"
        last = f"longest {self._seconds[longest]:.1f} s ({self._jobs[longest].folder})"
        print(f"{many(len(self._jobs), 'job')}: {shortly}, {last}")
        jobs = [job.folder for job in self._jobs]
        written = [path for after in hooks("after_sweep") for path in after(folder, jobs, self._settings, failed)]
        for path in (*(folder / name for name in (f"{NAME}.tsv", f"{SUMMARY}.tsv", PAGE, TEXT)), *written):
            print(path)
