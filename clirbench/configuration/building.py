"""Configuration -> Experiment: every node becomes a component, checked against its interface."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.checks import name_list, require
from clirbench.columns import kind
from clirbench.configuration import components, keys
from clirbench.configuration.composing import (
    compose_configuration,
    config_parts,
    first_line,
    laboratory_groups,
    plain_configuration,
    section,
)
from clirbench.configuration.joining import joining, joins
from clirbench.configuration.laboratories import hooks
from clirbench.configuration.languages import in_its_language
from clirbench.configuration.measuring import parse
from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.errors import ClirbenchError, ConfigError, UnknownName, gathered, raise_all
from clirbench.files.score_tables import ScoreTables
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.relevance.base import Relevance
from clirbench.report.image_files import FORMATS
from clirbench.result import Analysis, Experiment
from clirbench.retrieval.base import Retriever
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.systems.base import SystemSource
from clirbench.text import Limits
from clirbench.topics.base import TopicSource

RUN_FILES = ("auto", "all", "ideal", "none")
TABLE_FORMATS = ("tsv", "parquet")


def complete(cfg: DictConfig) -> None:
    """Check every key, then put in what `analysis` stands for; raises `ConfigError`."""
    errors: list[ClirbenchError] = [*keys.problems(plain_configuration(cfg))]
    errors += [
        ConfigError(f"{key}: is a key of another command, and no key of a run")
        for key in laboratory_groups() & cfg.keys()
    ]
    pair = cfg.get("pair")
    if isinstance(pair, str) or (OmegaConf.is_list(pair) and len(pair) not in (0, 2)):
        pair = _names(pair)
        errors.append(ConfigError(f"pair=[{','.join(pair)}]: two systems were expected: pair=[A,B]"))
    if cfg.get("engine") is None:
        errors.append(ConfigError("engine: a run needs one: serial, processes, ..."))
    if OmegaConf.select(cfg, "correlation.coefficients") in (None, "", []):
        errors.append(ConfigError("correlation.coefficients: a run needs one at least, such as kendall"))
    raise_all(errors)
    _add_analyses(cfg)


def build(cfg: DictConfig, called: str = "") -> Experiment:
    """Check every key, instantiate every node, check it against its interface; all errors are gathered.

    called: the name of the folder, where it has moved since.
    """
    complete(cfg)
    errors: list[ClirbenchError] = []
    engine = _component(cfg, "engine", Engine, errors)
    rules = {key: deepcopy(cfg.get(key)) for key in ("relevance", "also")}
    relevance = [_component(rules, key, Relevance, errors) for key in rules]
    topics = [_component(cfg, key, TopicSource, errors) for key in ("topics", "also_topics")]
    settings = section(cfg, "correlation", errors)
    _choose_intervals(cfg)
    intervals = _component(cfg.correlation, "intervals", Bootstrap, errors, "correlation.intervals")
    experiment = {
        "corpus": _component(cfg, "corpus", CorpusSource, errors),
        "systems": _component(cfg, "systems", SystemSource, errors),
        "topics": _labelled(topics),
        "retriever": _component(cfg, "retrieval", Retriever, errors),
        "also_retriever": _other_retrievers(cfg.get("also_retrieval"), errors),
        "relevance": _labelled(relevance),
        "metrics": _group_components(cfg, "metric", Metric, errors),
        "measures": (*_measures(cfg, errors), *_group_components(cfg, "measure", Measure, errors)),
        "tables": _tables(cfg, errors),
        "paper": _component(cfg, "paper", Analysis, errors),
        "write_runs": _choice("output.runs", str(OmegaConf.select(cfg, "output.runs")), RUN_FILES, errors),
        "figures": _choices(cfg, "output.figures", FORMATS, errors),
        "table_formats": (formats := _choices(cfg, "output.tables", TABLE_FORMATS, errors)),
    }
    with gathered(errors):
        if "parquet" in formats:
            require("output.tables=[parquet]", "parquet", "pyarrow")
    experiment["analyses"] = _analyses(cfg, joins(experiment), errors)
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
        keep_copies=bool(cfg.get("keep_copies")),
        remarks=tuple(_names(cfg.get("remarks"))),
        primary=str(cfg.get("primary") or ""),
        coefficients=tuple(_names(settings["coefficients"])),
        alpha=float(settings["alpha"]),
        p_value=str(settings["p_value"]),
        intervals=intervals,
        complete_pairs=bool(settings["complete_pairs"]),
        **in_its_language(experiment, str(cfg.get("languages") or ""), called),
    )


def _choose_intervals(cfg: DictConfig) -> None:
    """Replace the class of bootstrap intervals where a laboratory has one for their method."""
    method = OmegaConf.select(cfg, "correlation.intervals.method")
    if method not in (None, *Bootstrap.methods):
        for target in (known[method] for given in hooks("interval_methods") if method in (known := given())):
            OmegaConf.update(cfg, "correlation.intervals._target_", target)


def parts_of(cfg: DictConfig, **protocols: type) -> list[Any]:
    """The components that a command other than a run needs, by their keys; all errors are gathered."""
    errors: list[ClirbenchError] = list(keys.problems(plain_configuration(cfg)))
    parts = [_component(cfg, key, protocol, errors) for key, protocol in protocols.items()]
    raise_all(errors)
    return parts


def limits_of(cfg: DictConfig) -> Limits:
    """The limits of the configuration; raises `UnknownName`, `ConfigError`."""
    errors: list[ClirbenchError] = []
    named = section(cfg, "limits", errors)
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
        return _instantiate(cfg[key], where or key, protocol)
    except ClirbenchError as error:
        errors.append(error)
    except OmegaConfBaseException as error:
        errors.append(ConfigError(f"{where or key}: {first_line(error)}"))
    return None


def _instantiate(node: Any, key: str, protocol: type) -> Any:
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


def _group_components(cfg: DictConfig, group: str, protocol: type, errors: list[ClirbenchError]) -> tuple[Any, ...]:
    """The components of a list group, such as metric=[BLEU,chrF2]."""
    nodes: Any = cfg.get(group) or {}
    if not isinstance(nodes, Mapping):
        meant = f"type 'measures=[{','.join(map(str, _names(nodes)))}]'; " if group == "measure" else ""
        errors.append(ConfigError(f"{group}={nodes}: {meant}no {group}/NAME.yaml is in a folder of --config-dir"))
        return ()
    listed = (_component(nodes, name, protocol, errors, f"{group}.{name}") for name in nodes)
    built = [component for component in listed if component is not None]
    names = [component.name for component in built]
    errors.extend(ConfigError(f"{group} {name} is configured twice") for name in _duplicates(names))
    return tuple(built)


def _duplicates(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _measures(cfg: DictConfig, errors: list[ClirbenchError]) -> tuple[Measure, ...]:
    measures = []
    for name in _names(cfg.get("measures")):
        try:
            measures.append(parse(name))
        except ClirbenchError as error:
            metric = isinstance(error, UnknownName) and any(
                (f / f"{name}.yaml").is_file() for f in config_parts("metric")
            )
            errors.append(ConfigError(f"{name} is an MT metric; type 'metric=[{name}]'") if metric else error)
    names = [measure.name for measure in measures]
    errors.extend(ConfigError(f"measure {name} is listed twice") for name in _duplicates(names))
    return tuple(measures)


def _tables(cfg: DictConfig, errors: list[ClirbenchError]) -> ScoreTables | None:
    settings = section(cfg, "scores", errors)
    try:
        if (tables := ScoreTables(**settings)) == ScoreTables():
            return None
        names = {path.stem for folder in config_parts("metric") for path in folder.glob("*.yaml")}
        return replace(tables, metrics=frozenset(names))
    except ClirbenchError as error:
        errors.append(error)
    return None


def _add_analyses(cfg: DictConfig) -> None:
    """Put the settings of each analysis that `analysis` names, or that joins every run, beneath those given.

    In Hydra's list of defaults they would take half of the time in which a configuration is put together.
    """
    given: Mapping[str, Any] = cfg.get("analyses") or {}
    files, asked, joined = _analysis_files(), _names(cfg.get("analysis")), joining()
    left_out = {name for name in given if given[name] is None and name not in asked}
    with open_dict(cfg):
        cfg.analyses = given
        for name in dict.fromkeys((*asked, *joined, *given)):
            if name in files and name not in left_out and "_target_" not in (given.get(name) or {}):
                settings = OmegaConf.select(OmegaConf.load(files[name]), name)
                unasked = {} if name in asked else joined.get(name, {})
                cfg.analyses[name] = OmegaConf.merge(settings, unasked, given.get(name) or {})


def _analysis_files() -> dict[str, Path]:
    return {path.stem: path for folder in config_parts("analyses") for path in folder.glob("*.yaml")}


def _analyses(cfg: DictConfig, joining: Sequence[str], errors: list[ClirbenchError]) -> tuple[Analysis, ...]:
    """The analyses that `analysis` names, as `analyses.NAME` configures them, and those that join; the correlation
    itself is always made.
    """
    nodes: Mapping[str, Any] = cfg.get("analyses") or {}
    names = _names(cfg.get("analysis"))
    own = {name for name in nodes if "_target_" in (nodes[name] or {})}
    choices = {*_analysis_files(), *own, "correlation"}
    errors.extend(UnknownName("analysis", name, choices) for name in (*names, *nodes) if name not in choices)
    made = [name for name in dict.fromkeys((*names, *joining)) if name in own]
    found = [_component(nodes, name, Analysis, errors, f"analyses.{name}") for name in made]
    return tuple(analysis for analysis in found if analysis is not None)


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


def metric_named(name: str) -> Metric:
    """The metric that `metric=[NAME]` means; raises `UnknownName`, or `ConfigError` for one that needs settings."""
    errors: list[ClirbenchError] = []
    metrics = _group_components(compose_configuration([f"metric={name}"]), "metric", Metric, errors)
    raise_all(errors)
    return metrics[0]  # type: ignore[no-any-return]
