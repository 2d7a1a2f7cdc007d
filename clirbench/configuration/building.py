"""Configuration -> Experiment: every node becomes a component, checked against its interface."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.checks import checked, name_list, require
from clirbench.columns import kind
from clirbench.configuration.advice import unknown_keys
from clirbench.configuration.components import misfits, unknown
from clirbench.configuration.composing import (
    compose_configuration,
    config_parts,
    first_line,
    laboratory_groups,
    plain_configuration,
)
from clirbench.configuration.joining import joining, joins
from clirbench.configuration.languages import in_its_language
from clirbench.configuration.measuring import is_measure, measure_of
from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.errors import ClirbenchError, ConfigError, UnknownName, gathered, raise_all
from clirbench.files.score_tables import ScoreTables
from clirbench.keys import BY_NAME, KEYS, problems, settings, value_of
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.relevance.base import Relevance
from clirbench.result import Analysis, Experiment
from clirbench.retrieval.base import Retriever
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.systems.base import SystemSource
from clirbench.text import Limits
from clirbench.topics.base import TopicSource

PARTS: Mapping[str, type] = {
    "corpus": CorpusSource,
    "systems": SystemSource,
    "topics": TopicSource,
    "retrieval": Retriever,
    "relevance": Relevance,
    "metric": Metric,
    "measures": Measure,
    "analyses": Analysis,
    "engine": Engine,
    "paper": Analysis,
    "scores": ScoreTables,
    "correlation.intervals": Bootstrap,
}
"""Keys that hold components, and what these are."""


def complete(cfg: DictConfig) -> None:
    """Check every key, then put in what `analysis` stands for; raises `ConfigError`."""
    plain = plain_configuration(cfg)
    errors: list[ClirbenchError] = [*problems(plain)]
    errors += [
        ConfigError(f"{key}: is a key of another command, and no key of a run")
        for key in laboratory_groups() & cfg.keys()
    ]
    pair = plain.get("pair")
    if isinstance(pair, str) or (isinstance(pair, list) and len(pair) not in (0, 2)):
        errors.append(ConfigError(f"pair=[{','.join(name_list('pair', pair))}]: two systems were expected: pair=[A,B]"))
    if plain.get("engine") is None:
        errors.append(ConfigError("engine: a run needs one: serial, processes, ..."))
    if value_of(plain, "correlation.coefficients") in (None, "", []):
        errors.append(ConfigError("correlation.coefficients: a run needs one at least, such as kendall"))
    raise_all(errors)
    _add_analyses(cfg)


def build(cfg: DictConfig, called: str = "", given: Mapping[str, Any] | None = None) -> Experiment:
    """Check every key, instantiate every node, check it against its interface; all errors are gathered.

    called: the name of the folder, where it has moved since. given: components by their key, each in the place of the
    node there; in the lists `metric` and `measures` names are those of `cfg`, in their order.
    """
    complete(cfg)
    plain = plain_configuration(cfg)
    errors: list[ClirbenchError] = [one for key in KEYS for one in key.unknown(value_of(plain, key.name))]
    parts = _Parts(cfg, given or {}, errors)
    retrievers = parts.labelled("retrieval", "also_retrieval")
    experiment: dict[str, Any] = {
        **settings(Experiment, plain),
        "corpus": parts.one("corpus"),
        "systems": parts.one("systems"),
        "engine": parts.one("engine"),
        "intervals": parts.one("correlation.intervals"),
        "topics": parts.labelled("topics", "also_topics"),
        "retriever": retrievers.pop("", None),
        "also_retriever": retrievers,
        "relevance": parts.labelled("relevance", "also"),
        "metrics": parts.several("metric"),
        "measures": (*parts.measures(), *parts.several("measure", "measures")),
        "tables": parts.tables(),
        "paper": parts.one("paper"),
    }
    with gathered(errors):
        if "parquet" in experiment["table_formats"]:
            require("output.tables=[parquet]", "parquet", "pyarrow")
    experiment["analyses"] = parts.analyses(joins(experiment))
    raise_all(errors)
    runs = Path(str(cfg.runs)) if cfg.get("runs") else None
    languages = str(plain.get("languages") or "")
    return Experiment(name=str(cfg.name), runs=runs, **in_its_language(experiment, languages, called))


def limits_of(cfg: DictConfig) -> Limits:
    """The limits of the configuration; raises `UnknownName`, `ConfigError`."""
    named = plain_configuration(cfg.limits)
    raise_all(
        [UnknownName("limit", name, Limits.__annotations__) for name in named if name not in Limits.__annotations__]
    )
    return Limits(**named)


def problem_of(key: str, value: Any) -> ConfigError | None:
    """What is wrong with an object as the value of a key, if its key holds no components."""
    if key in PARTS:
        return None
    if key in BY_NAME:
        return BY_NAME[key].problem(value)
    whole = f"{key}: {value!r} is a component of its own; give what it belongs to as one, {key.partition('.')[0]}=..."
    return next(unknown_keys([f"{key}={value!r}"]), ConfigError(whole))


def as_list(value: Any) -> Sequence[Any]:
    """The items of a keyword that takes one or several."""
    return [value] if isinstance(value, str) or not isinstance(value, Sequence) else value


@dataclass(frozen=True)
class _Parts:
    """The components of a configuration, and those that are given in their place; what is wrong goes to `errors`."""

    cfg: DictConfig
    given: Mapping[str, Any]
    errors: list[Any]

    def one(self, key: str, protocol: type | None = None) -> Any:
        """The component of a dotted key; None where there is none or something is wrong with it."""
        protocol = protocol or PARTS[key]
        try:
            if key in self.given:
                return None if self.given[key] is None else checked(key, self.given[key], protocol)
            node = OmegaConf.select(self.cfg, key, throw_on_missing=True)
            return None if node is None else _instantiate(node, key, protocol)
        except ClirbenchError as error:
            self.errors.append(error)
        except OmegaConfBaseException as error:
            self.errors.append(ConfigError(f"{key}: {first_line(error)}"))
        return None

    def labelled(self, key: str, also: str) -> dict[str, Any]:
        """The first component has the empty label, another its kind or the name that it was given."""
        value, protocol = self.given.get(key), PARTS[key]
        if isinstance(value, Mapping):
            if "" not in value:
                first = "its label is '': {'': first, ...}"
                self.errors.append(ConfigError(f"{key}: none of {', '.join(value)} is the first; {first}"))
            return {str(label): self._checked(key, one, protocol) for label, one in value.items()}
        found, node = {"": self.one(key)}, self.cfg.get(also)
        if also == "also_retrieval" and node is not None and "_target_" not in node:
            found |= {name: self.one(f"{also}.{name}", protocol) for name in map(str, node)}
        elif (second := self.one(also, protocol)) is not None:
            found[kind(second)] = second
        return {label: one for label, one in found.items() if one is not None}

    def several(self, group: str, key: str = "") -> tuple[Any, ...]:
        """The components of a list group, such as metric=[BLEU,chrF2]."""
        protocol, nodes = PARTS[key or group], self.cfg.get(group) or {}
        if not isinstance(nodes, Mapping):
            meant = f"type 'measures=[{','.join(name_list(group, list(nodes)))}]'; " if group == "measure" else ""
            said = f"{group}={nodes}: {meant}no {group}/NAME.yaml is in a folder of --config-dir"
            self.errors.append(ConfigError(said))
            return ()
        listed = as_list(self.given.get(group, list(map(str, nodes))))
        keys = dict(zip(dict.fromkeys(one for one in listed if isinstance(one, str)), nodes, strict=False))
        found = (
            self.one(f"{group}.{keys[one]}", protocol) if isinstance(one, str) else self._checked(group, one, protocol)
            for one in listed
        )
        return self._unlike(group, list(found))

    def measures(self) -> tuple[Measure, ...]:
        """The measures that the list names, and those that are given."""
        found = []
        for one in as_list(self.given.get("measures", name_list("measures", plain_list(self.cfg.get("measures"))))):
            with gathered(self.errors):
                if isinstance(one, str) and not is_measure(one) and one in choices("metric"):
                    raise ConfigError(f"{one} is an MT metric; type 'metric=[{one}]'")
                found.append(checked("measures", measure_of(one), Measure))
        return self._unlike("measure", found)

    def tables(self) -> ScoreTables | None:
        """The score tables, where any are named."""
        if "scores" in self.given:
            return self.one("scores")  # type: ignore[no-any-return]
        with gathered(self.errors):
            if (tables := ScoreTables(**plain_configuration(self.cfg.scores))) != ScoreTables():
                return replace(tables, metrics=frozenset(choices("metric")))
        return None

    def analyses(self, joining: Sequence[str]) -> tuple[Analysis, ...]:
        """The analyses that `analysis` names, as `analyses.NAME` configures them, and those that join; the correlation
        itself is always made.
        """
        if "analyses" in self.given:
            return tuple(self._checked("analyses", one, Analysis) for one in as_list(self.given["analyses"]))
        nodes: Mapping[str, Any] = self.cfg.get("analyses") or {}
        names = name_list("analysis", plain_list(self.cfg.get("analysis")))
        own = {name for name in nodes if "_target_" in (nodes[name] or {})}
        known = {*choices("analyses"), *own, "correlation"}
        self.errors.extend(UnknownName("analysis", name, known) for name in (*names, *nodes) if name not in known)
        made = [name for name in dict.fromkeys((*names, *joining)) if name in own]
        found = [self.one(f"analyses.{name}", Analysis) for name in made]
        return tuple(analysis for analysis in found if analysis is not None)

    def _checked(self, key: str, value: Any, protocol: type) -> Any:
        with gathered(self.errors):
            return checked(key, value, protocol)

    def _unlike(self, kind: str, found: Sequence[Any]) -> tuple[Any, ...]:
        """What was built, with an error for each name that two of them have."""
        built = tuple(one for one in found if one is not None)
        names = [one.name for one in built]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.errors.append(ConfigError(f"{kind} {name} is listed twice"))
        return built


def plain_list(value: Any) -> Any:
    """A value of a configuration as Python's."""
    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value


def _instantiate(node: Any, key: str, protocol: type) -> Any:
    if not isinstance(node, DictConfig) or "_target_" not in node:
        raise ConfigError(
            f"{key}: no component is configured there (no _target_); a nested override such as {key}.x=y needs "
            f"its entry chosen first"
        )
    plain = OmegaConf.to_container(node, resolve=True)
    raise_all(list(unknown(plain, key)))
    try:
        built = instantiate(node, _convert_="all")
    except InstantiationException as error:
        cause = error.__cause__
        while cause is not None and not isinstance(cause, ClirbenchError):
            cause = cause.__cause__
        if cause is None:
            raise_all(list(misfits(plain, key)))
            raise ConfigError(f"{key}: cannot be built: {error}") from error
        raise cause from None
    # Afterwards, because what a component says of its own settings is more to the point.
    raise_all(list(misfits(plain, key)))
    if not isinstance(built, protocol):
        raise ConfigError(f"{key}: {node['_target_']} is not a {protocol.__name__}")
    return built


def _add_analyses(cfg: DictConfig) -> None:
    """Put the settings of each analysis that `analysis` names, or that joins every run, beneath those given.

    In Hydra's list of defaults they would take half of the time in which a configuration is put together.
    """
    given: Mapping[str, Any] = cfg.get("analyses") or {}
    files, asked, joined = choices("analyses"), name_list("analysis", plain_list(cfg.get("analysis"))), joining()
    left_out = {name for name in given if given[name] is None and name not in asked}
    with open_dict(cfg):
        cfg.analyses = given
        for name in dict.fromkeys((*asked, *joined, *given)):
            if name in files and name not in left_out and "_target_" not in (given.get(name) or {}):
                settings = OmegaConf.select(OmegaConf.load(files[name]), name)
                unasked = {} if name in asked else joined.get(name, {})
                cfg.analyses[name] = OmegaConf.merge(settings, unasked, given.get(name) or {})


def choices(group: str) -> dict[str, Path]:
    """The file of each choice of a group, by its name."""
    return {path.stem: path for folder in config_parts(group) for path in folder.glob("*.yaml")}


def metric_named(name: str) -> Metric:
    """The metric that `metric=[NAME]` means; raises `UnknownName`, or `ConfigError` for one that needs settings."""
    parts = _Parts(compose_configuration([f"metric={name}"]), {}, [])
    metrics = parts.several("metric")
    raise_all(parts.errors)
    return metrics[0]  # type: ignore[no-any-return]
