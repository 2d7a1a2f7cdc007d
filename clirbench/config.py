"""Configuration -> Experiment. Besides `__main__`, the only module that knows Hydra and OmegaConf."""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields
from itertools import accumulate
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus
from hydra.errors import HydraException, InstantiationException
from hydra.experimental.callback import Callback
from hydra.plugins.search_path_plugin import SearchPathPlugin
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.checks import name_list, require
from clirbench.columns import kind
from clirbench.configuration import components, keys, leftovers
from clirbench.configuration.laboratories import config_folders, hooks
from clirbench.configuration.spelling import spelled, spoken_of
from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.errors import ClirbenchError, ConfigError, UnknownName, gathered, raise_all
from clirbench.files.score_tables import ScoreTables
from clirbench.measures.base import Measure
from clirbench.measures.parsing import parse
from clirbench.metrics.base import Metric
from clirbench.relevance.base import Relevance
from clirbench.report.conditions import PAGE, TEXT
from clirbench.report.image_files import FORMATS
from clirbench.report.sweep import NAME, SUMMARY, combine
from clirbench.result import Analysis, Experiment
from clirbench.retrieval.base import Retriever
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.systems.base import SystemSource
from clirbench.text import Limits
from clirbench.topics.base import TopicSource

HERE = Path(__file__).resolve().parent
# In a wheel conf/ lies inside the package, in a checkout beside it.
CONF = HERE / "conf" if (HERE / "conf").is_dir() else HERE.parent / "conf"

# Keys whose value is a mapping from names of the user's: Hydra lets nobody add names to an empty mapping without `++`.
OPEN = re.compile(
    r"pool\.about|scores\.rename|paper\.(?:parts\.\w+\.)?(?:scores|folders|human)"
    r"|(?:grid|analyses)(?:\.\w+)+"
)
COMPOSING = threading.Lock()
"""Hydra composes one configuration at a time in a process: what it is doing is in a singleton."""
DEEPEST = 20


class LaboratoriesSearchPath(SearchPathPlugin):
    """Has Hydra look for configurations in the folders of laboratories too."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for folder in config_folders():
            search_path.append("clirbench.labs", f"file://{folder}")


Plugins.instance().register(LaboratoriesSearchPath)
LISTS = ("metric", "analyses", "measure")
RUN_FILES = ("auto", "all", "ideal", "none")
TABLE_FORMATS = ("tsv", "parquet")


def build(cfg: DictConfig) -> Experiment:
    """Check every key, instantiate every node, check it against its interface; all errors are gathered."""
    errors: list[ClirbenchError] = [*keys.problems(plain_configuration(cfg))]
    errors += [
        ConfigError(f"{key}: is a key of another command, and no key of a run") for key in _groups() & cfg.keys()
    ]
    if cfg.get("engine") is None:
        errors.append(ConfigError("engine: a run needs one: serial, processes, ..."))
    if not _names(OmegaConf.select(cfg, "correlation.coefficients")):
        errors.append(ConfigError("correlation.coefficients: a run needs one at least, such as kendall"))
    raise_all(errors)
    _add_analyses(cfg)
    engine = _component(cfg, "engine", Engine, errors)
    rules = {key: deepcopy(cfg.get(key)) for key in ("relevance", "also")}
    relevance = [_component(rules, key, Relevance, errors) for key in rules]
    topics = [_component(cfg, key, TopicSource, errors) for key in ("topics", "also_topics")]
    settings = _plain(cfg, "correlation", errors)
    intervals = _component(cfg.correlation, "intervals", Bootstrap, errors, "correlation.intervals")
    experiment = {
        "corpus": _component(cfg, "corpus", CorpusSource, errors),
        "systems": _component(cfg, "systems", SystemSource, errors),
        "topics": _labelled(topics),
        "retriever": _component(cfg, "retrieval", Retriever, errors),
        "also_retriever": _other_retrievers(cfg.get("also_retrieval"), errors),
        "relevance": _labelled(relevance),
        "metrics": _listed(cfg, "metric", Metric, errors),
        "measures": (*_measures(cfg, errors), *_listed(cfg, "measure", Measure, errors)),
        "tables": _tables(cfg, errors),
        "analyses": _analyses(cfg, errors),
        "paper": _component(cfg, "paper", Analysis, errors),
        "write_runs": _choice("output.runs", str(OmegaConf.select(cfg, "output.runs")), RUN_FILES, errors),
        "figures": _choices(cfg, "output.figures", FORMATS, errors),
        "table_formats": (formats := _choices(cfg, "output.tables", TABLE_FORMATS, errors)),
    }
    with gathered(errors):
        if "parquet" in formats:
            require("output.tables=[parquet]", "parquet", "pyarrow")
    raise_all(errors)
    return Experiment(
        name=str(cfg.name),
        engine=engine,
        runs=Path(str(cfg.runs)) if cfg.get("runs") else None,
        table_title=str(cfg.title or ""),
        seed=int(cfg.seed or 0),
        units=str(cfg.get("units") or ""),
        given=tuple(_names(cfg.get("given"))),
        untranslated=bool(cfg.get("untranslated")),
        baseline=str(cfg.get("baseline") or ""),
        margin=float(cfg.get("margin") or 0),
        remarks=tuple(_names(cfg.get("remarks"))),
        primary=str(cfg.get("primary") or ""),
        coefficients=tuple(_names(settings["coefficients"])),
        alpha=float(settings["alpha"]),
        p_value=str(settings["p_value"]),
        intervals=intervals,
        complete_pairs=bool(settings["complete_pairs"]),
        **experiment,
    )


def parts_of(cfg: DictConfig, **protocols: type) -> list[Any]:
    """The components that a command other than a run needs, by their keys; all errors are gathered."""
    errors: list[ClirbenchError] = list(keys.problems(plain_configuration(cfg)))
    parts = [_component(cfg, key, protocol, errors) for key, protocol in protocols.items()]
    raise_all(errors)
    return parts


def _popped(node: DictConfig, key: str) -> Any:
    OmegaConf.set_struct(node, False)
    return node.pop(key, None)


def limits_of(cfg: DictConfig) -> Limits:
    """The limits of the configuration; raises `UnknownName`, `ConfigError`."""
    errors: list[ClirbenchError] = []
    named = _plain(cfg, "limits", errors)
    known = [field.name for field in fields(Limits)]
    errors += [UnknownName("limit", name, known) for name in named if name not in known]
    raise_all(errors)
    return Limits(**named)


def _component(
    cfg: Mapping[str, Any], key: str, protocol: type, errors: list[ClirbenchError], where: str | None = None
) -> Any:
    """The component configured under `key`; None where the group is empty or something is wrong with it."""
    if cfg.get(key) is None:
        return None
    try:
        return _instantiated(cfg[key], where or key, protocol)
    except ClirbenchError as error:
        errors.append(error)
    except OmegaConfBaseException as error:
        errors.append(ConfigError(f"{where or key}: {_first_line(error)}"))
    return None


def _instantiated(node: Any, key: str, protocol: type) -> Any:
    if not isinstance(node, DictConfig) or "_target_" not in node:
        raise ConfigError(
            f"{key}: no component is configured there (no _target_); a nested override such as {key}.x=y needs "
            f"its entry chosen first"
        )
    plain = OmegaConf.to_container(node, resolve=True)
    raise_all(list(components.unknown(plain, key)))
    try:
        built = instantiate(node, _convert_="all")
    except InstantiationException as error:
        cause = error.__cause__
        while cause is not None and not isinstance(cause, ClirbenchError):
            cause = cause.__cause__
        if isinstance(cause, ClirbenchError):
            raise cause from None
        raise_all(list(components.misfits(plain, key)))
        raise ConfigError(f"{key}: cannot be built: {error}") from error
    # Afterwards, because what a component says of its own settings is more to the point.
    raise_all(list(components.misfits(plain, key)))
    if not isinstance(built, protocol):
        raise ConfigError(f"{key}: {node['_target_']} is not a {protocol.__name__}")
    return built


def _labelled(rules: Sequence[Any]) -> dict[str, Any]:
    """The first rule has the empty label, the second its kind."""
    first, second = rules
    labelled = {} if first is None else {"": first}
    return labelled if second is None else {**labelled, kind(second): second}


def _other_retrievers(node: DictConfig | None, errors: list[ClirbenchError]) -> dict[str, Any]:
    """One retriever under the name of its kind, or several under theirs (`+retrieval@also.NAME=...`)."""
    if node is None or "_target_" in node:
        return _labelled([None, _component({"also_retrieval": node}, "also_retrieval", Retriever, errors)])
    return {name: _component(node, name, Retriever, errors, f"also_retrieval.{name}") for name in map(str, node)}


def _listed(cfg: DictConfig, group: str, protocol: type, errors: list[ClirbenchError]) -> tuple[Any, ...]:
    """The components of a list group, such as metric=[BLEU,chrF2]."""
    nodes: Any = cfg.get(group) or {}
    if not isinstance(nodes, Mapping):
        errors.append(ConfigError(f"{group}={nodes}: no {group}/NAME.yaml is in a folder that --config-dir names"))
        return ()
    listed = (_component(nodes, name, protocol, errors, f"{group}.{name}") for name in nodes)
    built = [component for component in listed if component is not None]
    names = [component.name for component in built]
    errors.extend(ConfigError(f"{group} {name} is configured twice") for name in _doubled(names))
    return tuple(built)


def _doubled(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _measures(cfg: DictConfig, errors: list[ClirbenchError]) -> tuple[Measure, ...]:
    measures = []
    for name in _names(cfg.get("measures")):
        try:
            measures.append(parse(name))
        except ClirbenchError as error:
            errors.append(error)
    names = [measure.name for measure in measures]
    errors.extend(ConfigError(f"measure {name} is listed twice") for name in _doubled(names))
    return tuple(measures)


def _tables(cfg: DictConfig, errors: list[ClirbenchError]) -> ScoreTables | None:
    settings = _plain(cfg, "scores", errors)
    if not settings.get("tables"):
        return None
    try:
        return ScoreTables(**settings)
    except ClirbenchError as error:
        errors.append(error)
    return None


def _plain(cfg: DictConfig, key: str, errors: list[ClirbenchError]) -> dict[str, Any]:
    try:
        plain = OmegaConf.to_container(cfg[key], resolve=True)
    except OmegaConfBaseException as error:
        errors.append(ConfigError(f"{key}: {_first_line(error)}"))
        return {}
    return {str(name): value for name, value in plain.items()} if isinstance(plain, dict) else {}


def _add_analyses(cfg: DictConfig) -> None:
    """Put the settings of each analysis that `analysis` names beneath those given.

    In Hydra's list of defaults they would take half of the time in which a configuration is put together.
    """
    given: Mapping[str, Any] = cfg.get("analyses") or {}
    files = _analysis_files()
    chosen = [name for name in (*_names(cfg.get("analysis")), *given) if name in files]
    with open_dict(cfg):
        cfg.analyses = given
        for name in chosen:
            if "_target_" not in (given.get(name) or {}):
                settings = OmegaConf.select(OmegaConf.load(files[name]), name)
                cfg.analyses[name] = OmegaConf.merge(settings, given.get(name) or {})


def _analysis_files() -> dict[str, Path]:
    return {path.stem: path for folder in config_parts("analyses") for path in folder.glob("*.yaml")}


def _analyses(cfg: DictConfig, errors: list[ClirbenchError]) -> tuple[Analysis, ...]:
    """The analyses that `analysis` names, as `analyses.NAME` configures them; the correlation itself is always made."""
    nodes: Mapping[str, Any] = cfg.get("analyses") or {}
    names = _names(cfg.get("analysis"))
    own = {name for name in nodes if "_target_" in (nodes[name] or {})}
    choices = {*_analysis_files(), *own, "correlation"}
    errors.extend(UnknownName("analysis", name, choices) for name in (*names, *nodes) if name not in choices)
    found = [_component(nodes, n, Analysis, errors, f"analyses.{n}") for n in dict.fromkeys(names) if n in own]
    return tuple(analysis for analysis in found if analysis is not None)


def config_parts(group: str) -> list[Path]:
    """The folder of a group of the configuration in the core, and those in laboratories."""
    return [path for folder in (CONF, *config_folders()) if (path := folder / group).is_dir()]


def sweep_of(experiment: str) -> DictConfig | None:
    """The file of an experiment that is a sweep over others (`sweep.experiments`); None for any other."""
    paths = (folder / f"{experiment}.yaml" for folder in config_parts("experiment"))
    settings = next((OmegaConf.load(path) for path in paths if path.is_file()), None)
    return settings if isinstance(settings, DictConfig) and "sweep" in settings else None


def _groups() -> set[str]:
    """The groups of configurations that only laboratories have."""
    return {path.name for folder in config_folders() for path in folder.iterdir() if path.is_dir()} - {*keys.NODES}


def _names(value: Any) -> list[str]:
    """A list of names, of which a single one needs no brackets; nothing where the key is null."""
    return list(name_list("names", OmegaConf.to_container(value) if OmegaConf.is_config(value) else value))


def _choice(key: str, value: str, choices: Sequence[str], errors: list[ClirbenchError]) -> str:
    if value not in choices:
        errors.append(UnknownName(key, value, choices))
    return value


def _choices(cfg: DictConfig, key: str, choices: Sequence[str], errors: list[ClirbenchError]) -> tuple[str, ...]:
    names = dict.fromkeys(_names(OmegaConf.select(cfg, key)))
    return tuple(_choice(key, name, choices, errors) for name in names)


def composed(overrides: Sequence[str]) -> DictConfig:
    """The configuration that the command line would have with these overrides; raises `ConfigError` for wrong ones."""
    overrides = ready(overrides)
    try:
        with COMPOSING, initialize_config_dir(str(CONF), version_base="1.3"):
            return settled(lambda some: compose("config", overrides=some), overrides, [CONF, *config_folders()])
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise keys.refusal(error) from None


def settled(load: Callable[[list[str]], DictConfig], overrides: Sequence[str], folders: Sequence[Path]) -> DictConfig:
    """The configuration that `load` makes of overrides, without an experiment's settings of nodes that they replace.

    folders: those of configuration files.
    """
    cfg = load(list(overrides))
    for node in leftovers.switched(overrides, folders):
        own = load([override for override in overrides if leftovers.concerns(override, node)]).get(node)
        with open_dict(cfg):
            cfg[node] = own
    return cfg


def ready(overrides: Sequence[str], folders: Sequence[Path] | None = ()) -> list[str]:
    """The overrides as Hydra must read them, checked in our own words, with the experiment that they speak of.

    folders: where configurations of the user's lie too, with keys of their own; None: anywhere, so that choices cannot
    be checked.
    """
    overrides = [spelled(one, config_parts("metric")) for one in overrides]
    overrides = [f"+{one}" if one.partition("=")[0] in _groups() else one for one in overrides]
    errors: list[ClirbenchError] = [] if folders is None or folders else [*keys.unknown(overrides, _groups())]
    for one in overrides:
        with gathered(errors):
            check_override(one, folders)
    raise_all(errors)
    named = [one for one in overrides if one.lstrip("+").startswith("experiment=")]
    if len(named) > 1:
        raise ConfigError(f"{' '.join(named)}: a run is of one experiment; name one of them")
    overrides = ["++" + one if OPEN.fullmatch(one.partition("=")[0]) else one for one in overrides]
    return overrides if named else [*overrides, f"+experiment={spoken_of(overrides)}"]


def metric_named(name: str) -> Metric:
    """The metric that `metric=[NAME]` means; raises `UnknownName`, or `ConfigError` for one that needs settings."""
    errors: list[ClirbenchError] = []
    metrics = _listed(composed([f"metric={name}"]), "metric", Metric, errors)
    raise_all(errors)
    return metrics[0]  # type: ignore[no-any-return]


def plain_configuration(cfg: DictConfig) -> dict[str, Any]:
    """The whole configuration as plain values, every `${key}` in it resolved."""
    try:
        plain = OmegaConf.to_container(cfg, resolve=True)
    except OmegaConfBaseException as error:
        raise ConfigError(f"the configuration: {_first_line(error)}") from None
    return {str(name): value for name, value in plain.items()} if isinstance(plain, dict) else {}


def _first_line(error: Exception) -> str:
    """What OmegaConf says, without the names of its own that follow."""
    return str(error).partition("\n")[0]


def check_override(text: str, folders: Sequence[Path] | None = ()) -> None:
    """Say in our own words what Hydra would refuse: a value that its grammar cannot read, an unknown choice.

    folders: as in `ready`.
    """
    nested = accumulate((character in "[{(") - (character in "]})") for character in text)
    if max(nested, default=0) > DEEPEST:
        raise ConfigError(f"{text}: lists and mappings are nested more than {DEEPEST} deep")
    if not text.partition("=")[0].strip("+~") or ("=" not in text and not text.startswith("~")):
        raise ConfigError(f"{text!r} is not of the form key=value")
    try:
        override = OverridesParser.create().parse_override(text)
    except HydraException:
        key, _, value = text.partition("=")
        raise ConfigError(
            f"{text}: cannot be read. A value with = , ( ) {{ }} [ ] : or a space in it is quoted inside the shell's "
            f"quotes: '{key}=\"{value}\"'"
        ) from None
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
            raise UnknownName(group, name, choices)


class SweepTable(Callback):
    """Hydra's hook at the end of a sweep (`-m`): one table over all of its jobs."""

    def __init__(self, exclude_not_significant: bool = False) -> None:
        self._exclude = exclude_not_significant
        self._jobs: list[tuple[Path, list[str]]] = []
        self._failed: dict[Path, str] = {}

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Write the whole table after every job of a sweep: after a failed job, Hydra makes no call at the end."""
        if config.hydra.mode is RunMode.MULTIRUN:
            job = Path(config.hydra.runtime.output_dir)
            self._jobs.append((job, list(config.hydra.overrides.task)))
            if job_return.status is JobStatus.FAILED:
                self._failed[job] = str(job_return._return_value).removeprefix("error: ")
            folder = Path(config.hydra.sweep.dir)
            combine(folder, self._jobs, exclude_not_significant=self._exclude, failed=self._failed)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Have laboratories write what they make of all jobs, and say where the tables are."""
        folder, jobs, settings = (
            Path(config.hydra.sweep.dir),
            [job for job, _ in self._jobs],
            _plain(config, "pool", []),
        )
        written = [path for after in hooks("after_sweep") for path in after(folder, jobs, settings)]
        for path in (*(folder / name for name in (NAME, SUMMARY, PAGE, TEXT)), *written):
            print(path)
