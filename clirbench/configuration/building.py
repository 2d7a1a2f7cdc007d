"""Configuration -> Experiment: every node becomes a component, checked against its interface.

The keys of components: what their constructors take, by name and by type.

What of a configuration can run code, reach another machine or write elsewhere: the one list.

`clirbench rerun` shows it before it does a run that somebody else may have described. Components that conf/ does not
name are on it, whatever they are: what is on no list is never taken for harmless.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import yaml
from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from clirbench.checks import checked, name_list, require
from clirbench.columns import kind
from clirbench.configuration.advice import unknown_keys
from clirbench.configuration.composing import (
    compose_configuration,
    config_parts,
    first_line,
    joining,
    joins,
    laboratory_groups,
    plain_configuration,
)
from clirbench.configuration.laboratories import is_measure, laboratories, measure_of
from clirbench.configuration.languages import in_its_language
from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.errors import UNSEEN, ClirbenchError, ConfigError, UnknownName, gathered, raise_all
from clirbench.files.score_tables import ScoreTables
from clirbench.keys import BY_NAME, KEYS, is_number, is_text, key_of, problems, settings, value_of
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.relevance.base import Relevance
from clirbench.result import Analysis, Experiment
from clirbench.retrieval.base import Retriever
from clirbench.systems.base import SystemSource
from clirbench.text import Limits
from clirbench.topics.base import TopicSource

TARGET = "_target_"


def unknown(node: Any, key: str) -> Iterator[ClirbenchError]:
    """An error for each key of a component, and of those in it, that its constructor does not take."""
    for name, component, parameters in _components(node, key):
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            continue
        for entry in component:
            if entry == "force" and entry not in parameters and ".relevance." in str(component[TARGET]):
                yield ConfigError(f"{name}.force: there is no such key any more; no measure is left out, take it away")
            elif not entry.startswith("_") and entry not in parameters:
                yield UnknownName(f"key in {name}", entry, [known for known in parameters if known != "self"])


def misfits(node: Any, key: str) -> Iterator[ClirbenchError]:
    """An error for each value of a component, and of those in it, that is not of the type its constructor says."""
    for name, component, parameters in _components(node, key):
        hints = _hints(_located(component[TARGET]))
        for entry, value in component.items():
            if entry in parameters and entry in hints and not value_fits(value, hints[entry]):
                yield ConfigError(f"{name}.{entry}={value!r} must be {words(hints[entry])}")


QUOTED = "a text (a number is quoted inside the shell's quotes: '\"7\"')"
KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    int: ("a whole number", lambda value: type(value) is int),
    float: ("a number", is_number),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    str: (QUOTED, lambda value: isinstance(value, str)),
    Path: (QUOTED, lambda value: isinstance(value, str)),
    NoneType: ("null", lambda value: value is None),
    Mapping: ("a mapping", lambda value: isinstance(value, dict)),
    Sequence: ("a list, [A,B]", lambda value: isinstance(value, list)),
}


def _kind(hint: Any) -> Any:
    """The entry of `KINDS` for a type; None for one that is not known here."""
    origin = get_origin(hint)
    general = next((one for one in (Mapping, Sequence) if isinstance(origin, type) and issubclass(origin, one)), hint)
    return KINDS.get(general)


def value_fits(value: Any, hint: Any) -> bool:
    """Whether a value of a configuration can be meant by a type; types that are not known here take everything."""
    arguments, kind = get_args(hint), _kind(hint)
    if get_origin(hint) in (Union, UnionType):
        named = Sequence[str] in arguments and is_text(value)
        return named or any(value_fits(value, argument) for argument in arguments)
    if isinstance(value, dict) and TARGET in value:
        return hint not in (int, float, bool, NoneType)
    if get_origin(hint) is Literal:
        return value in arguments
    if kind is None:  # what is one of our components has a `_target_`
        return not (isinstance(hint, type) and hint.__module__.startswith("clirbench."))
    if not kind[1](value) or kind is not KINDS[Sequence]:
        return bool(kind[1](value))
    # In a list a number is a name too.
    return all(is_text(one) if arguments[0] is str else value_fits(one, arguments[0]) for one in value)


def words(hint: Any) -> str:
    """What a type is called in a message."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(words, get_args(hint))))
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    return _kind(hint)[0] if _kind(hint) else getattr(hint, "__name__", str(hint))


def _components(node: Any, key: str) -> Iterator[tuple[str, dict[str, Any], Mapping[str, inspect.Parameter]]]:
    """(its key, the component, what its constructor takes) of a node and of all in it that are ours."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from _components(child, f"{key}.{name}")
    if isinstance(node, dict) and (constructor := _located(node.get(TARGET))) is not None:
        yield key, node, inspect.signature(constructor).parameters


def _located(target: object) -> Any:
    """The class or function of a dotted name; None for one that Hydra will report as not found."""
    module, _, name = str(target).rpartition(".")
    if not module.startswith("clirbench."):
        return None  # importing is running: what is not ours is first imported when it is built
    try:
        return getattr(import_module(module), name, None)
    except ImportError:
        return None


def _hints(constructor: Any) -> dict[str, Any]:
    try:
        return get_type_hints(constructor.__init__ if inspect.isclass(constructor) else constructor)
    except (NameError, TypeError):  # a type that is imported for type checkers alone
        return {}


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
