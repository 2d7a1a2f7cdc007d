"""Configuration -> Experiment: every node becomes a component, checked against its interface.

`effects` is the one list of what can run code, reach another machine or write elsewhere: `clirbench rerun` shows it
before it does a run that somebody else may have described. Components that conf/ does not name are on it, whatever
they are: what is on no list is never taken for harmless.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import yaml
from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf, open_dict

from clirbench import keys
from clirbench.checks import checked, name_list, not_a, require
from clirbench.columns import kind
from clirbench.configuration import composing
from clirbench.configuration.advice import OF_SACREBLEU, other_names, unknown_keys, wrong_choice
from clirbench.configuration.laboratories import choices, is_measure, laboratories, measure_of
from clirbench.configuration.languages import in_its_language
from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.errors import UNSEEN, ClirbenchError, ConfigError, UnknownName, gathered, raise_all
from clirbench.files.score_tables import ScoreTables
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.metrics.tokens import TOKENISERS
from clirbench.relevance.base import Relevance
from clirbench.result import Analysis, Experiment
from clirbench.retrieval.analyzers import ByLanguage
from clirbench.retrieval.base import Retriever
from clirbench.store.store import Store
from clirbench.systems.base import SystemSource
from clirbench.text import Limits
from clirbench.topics.base import TopicSource
from clirbench.topics.made import other_kind

TARGET = "_target_"
QUOTED = "a text (a number is quoted inside the shell's quotes: '\"7\"')"
KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    int: ("a whole number", lambda value: type(value) is int),
    float: ("a number", keys.is_number),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    str: (QUOTED, lambda value: isinstance(value, str)),
    Path: (QUOTED, lambda value: isinstance(value, str)),
    NoneType: ("null", lambda value: value is None),
    Mapping: ("a mapping", lambda value: isinstance(value, dict)),
    Sequence: ("a list, [A,B]", lambda value: isinstance(value, list)),
}


def wrong_settings(node: Any, key: str) -> Iterator[ClirbenchError]:
    """An error for each key of a component, and of those in it, that its constructor does not take or whose value is
    not of the type that it says."""
    for name, component in _nodes(node, key):
        if (constructor := _located(component.get(TARGET))) is None:
            continue
        parameters, hints = inspect.signature(constructor).parameters, _hints(constructor)
        takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        for entry, value in component.items():
            if value == "???":
                yield ConfigError(f"{name}.{entry} is not set; give it a value, {name}.{entry}=...")
            elif not (takes_all or entry.startswith("_") or entry in parameters):
                yield UnknownName(f"key in {name}", entry, [known for known in parameters if known != "self"])
            elif entry in hints and (wanted := misfit(value, hints[entry])):
                node = f"; it is chosen by {entry}=NAME" if entry in keys.NODES and keys.is_text(value) else ""
                yield not_a(wanted, f"{name}.{entry}", value, node)


def misfit(value: Any, hint: Any) -> str:
    """What a type asks for and a value of a configuration is not; nothing where it fits or the type is not known here.

    >>> misfit("x", float | None)
    'a number or null'
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        wanted = [misfit(value, one) for one in arguments]
        named = Sequence[str] in arguments and keys.is_text(value)
        return " or ".join(dict.fromkeys(wanted)) if all(wanted) and not named else ""
    if origin is Literal:
        return "" if value in arguments else f"one of {', '.join(map(str, arguments))}"
    general = next((one for one in (Mapping, Sequence) if isinstance(origin, type) and issubclass(origin, one)), hint)
    said, fits = KINDS.get(general, (getattr(hint, "__name__", ""), None))
    if isinstance(value, dict) and TARGET in value:
        return said if hint in (int, float, bool, NoneType) else ""
    if fits is None:  # what is one of our components has a `_target_`
        return said if str(getattr(hint, "__module__", "")).startswith("clirbench.") else ""
    # In a list a number is a name too.
    listed = value if general is Sequence and fits(value) else ()
    items = [keys.is_text(one) if arguments[0] is str else not misfit(one, arguments[0]) for one in listed]
    return "" if fits(value) and all(items) else said


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
    """Check every key, then put the settings of each analysis that `analysis` names, or that joins every run, beneath
    those given; raises `ConfigError`."""
    plain = composing.plain_configuration(cfg)
    errors: list[ClirbenchError] = [*keys.problems(plain)]
    others = composing.laboratory_groups() & cfg.keys()
    errors += [ConfigError(f"{key}: is a key of another command, and no key of a run") for key in others]
    pair = plain.get("pair")
    if isinstance(pair, str) or (isinstance(pair, list) and len(pair) not in (0, 2)):
        errors.append(ConfigError(f"pair=[{','.join(name_list('pair', pair))}]: two systems were expected: pair=[A,B]"))
    if plain.get("engine") is None:
        errors.append(ConfigError("engine: a run needs one: serial, processes, ..."))
    if keys.value_of(plain, "correlation.coefficients") in (None, "", []):
        errors.append(ConfigError("correlation.coefficients: a run needs one at least, such as kendall"))
    raise_all(errors)
    # In Hydra's list of defaults these settings would take half of the time in which a configuration is put together.
    given, joined, files = plain.get("analyses") or {}, composing.joining(), choices("analyses")
    asked = name_list("analysis", plain.get("analysis"))
    left_out = {name for name in given if given[name] is None and name not in asked}
    with open_dict(cfg):
        own = cfg.analyses or {}
        cfg.analyses = own
        for name in dict.fromkeys((*asked, *joined, *given)):
            if name in files and name not in left_out and TARGET not in (given.get(name) or {}):
                beneath = OmegaConf.select(OmegaConf.load(files[name]), name)
                unasked = {} if name in asked else joined.get(name, {})
                cfg.analyses[name] = OmegaConf.merge(beneath, unasked, own.get(name) or {})


def build(cfg: DictConfig, called: str = "", given: Mapping[str, Any] | None = None) -> Experiment:
    """Check every key, instantiate every node, check it against its interface; all errors are gathered.

    called: the name of the folder, where it has moved since. given: components by their key, each in the place of the
    node there; in the lists `metric` and `measures` names are those of `cfg`, in their order.
    """
    complete(cfg)
    plain = composing.plain_configuration(cfg)
    errors: list[ClirbenchError] = [one for key in keys.KEYS for one in key.unknown(keys.value_of(plain, key.name))]
    parts = _Parts(plain, given or {}, errors)
    retrievers = parts.labelled("retrieval", "also_retrieval")
    experiment: dict[str, Any] = {
        **keys.settings(Experiment, plain),
        **{key: parts.one(key) for key in ("corpus", "systems", "engine", "paper")},
        "topics": parts.labelled("topics", "also_topics"),
        "retriever": retrievers.pop("", None),
        "also_retriever": retrievers,
        "relevance": parts.labelled("relevance", "also"),
        "metrics": parts.several("metric", Metric),
        "measures": (*parts.measures(), *parts.several("measure", Measure)),
        "tables": parts.tables(),
    }
    if plain.get("second_topics"):
        analyzer = getattr(experiment["retriever"], "analyzer", ByLanguage())
        experiment["second_topics"] = other_kind(experiment["topics"].get(""), analyzer)
    with gathered(errors):
        if "parquet" in experiment["table_formats"]:
            require("output.tables=[parquet]", "parquet", "pyarrow")
    experiment["analyses"] = parts.analyses(composing.joins(experiment))
    raise_all(errors)
    runs = Path(str(cfg.runs)) if cfg.get("runs") else None
    languages = str(plain.get("languages") or "")
    store = None if cfg.check else Store(Path(cfg.paths.cache) / "store")
    return Experiment(name=str(cfg.name), runs=runs, **in_its_language(experiment, languages, called, store))


def limits_of(cfg: DictConfig) -> Limits:
    """The limits of the configuration; raises `UnknownName`, `ConfigError`."""
    named, known = composing.plain_configuration(cfg.limits), Limits.__annotations__
    raise_all([UnknownName("limit", name, known) for name in named if name not in known])
    return Limits(**named)


def problem_of(key: str, value: Any) -> ConfigError | None:
    """What is wrong with an object as the value of a key, if its key holds no components."""
    if key in PARTS:
        return None
    if key in keys.BY_NAME:
        return keys.BY_NAME[key].problem(value)
    whole = f"{key}: {value!r} is a component of its own; give what it belongs to as one, {key.partition('.')[0]}=..."
    return next(unknown_keys([f"{key}={value!r}"]), ConfigError(whole))


def as_list(value: Any) -> Sequence[Any]:
    """The items of a keyword that takes one or several."""
    return [value] if isinstance(value, str) or not isinstance(value, Sequence) else value


@dataclass(frozen=True)
class _Parts:
    """The components of a configuration, and those that are given in their place; what is wrong goes to `errors`."""

    plain: Mapping[str, Any]
    given: Mapping[str, Any]
    errors: list[Any]

    def one(self, key: str) -> Any:
        """The component of a dotted key; None where there is none or something is wrong with it."""
        return self.made(self.given.get(key, keys.value_of(self.plain, key)), key, PARTS[key])

    def made(self, node: Any, key: str, protocol: type) -> Any:
        """The component that a node configures, or that it is."""
        group, _, name = key.partition(".")
        runs = f"Run{name}" in choices(group) and isinstance(node, dict) and not node.get("path")
        with gathered(self.errors):
            if runs:
                said = f"{key} has no file of scores: name it, {key}.path=FILE, or let the model run, {group}=Run{name}"
                raise ConfigError(said)
            return None if node is None else component(node, key, protocol)

    def labelled(self, key: str, also: str) -> dict[str, Any]:
        """The first component has the empty label, another its kind or the name that it was given."""
        value, protocol, second = self.given.get(key), PARTS[key], self.plain.get(also)
        if isinstance(value, Mapping):
            if "" not in value:
                first = "its label is '': {'': first, ...}"
                self.errors.append(ConfigError(f"{key}: none of {', '.join(value)} is the first; {first}"))
            found = {str(label): self.made(one, key, protocol) for label, one in value.items()}
        elif also == "also_retrieval" and isinstance(second, dict) and TARGET not in second:
            found = {"": self.one(key)} | {n: self.made(one, f"{also}.{n}", protocol) for n, one in second.items()}
        else:
            another = self.made(second, also, protocol)
            found = {"": self.one(key)} | ({kind(another): another} if another is not None else {})
        return {label: one for label, one in found.items() if one is not None}

    def several(self, group: str, protocol: type) -> tuple[Any, ...]:
        """The components of a list group, such as metric=[BLEU,chrF2]."""
        nodes = self.plain.get(group) or {}
        if not isinstance(nodes, dict):
            meant = f"type 'measures=[{','.join(name_list(group, nodes))}]'; " if group == "measure" else ""
            said = f"{group}={nodes}: {meant}no {group}/NAME.yaml is in a folder of hydra.searchpath"
            self.errors.append(ConfigError(said))
            return ()
        listed = as_list(self.given.get(group, list(nodes)))
        named = dict(zip(dict.fromkeys(one for one in listed if isinstance(one, str)), nodes.items(), strict=False))
        made = []
        for one in listed:
            name, node = named[one] if isinstance(one, str) else ("", metric_of(one))
            made.append(self.made(node, f"{group}.{name}".removesuffix("."), protocol))
        return self._unlike(group, made)

    def measures(self) -> tuple[Measure, ...]:
        """The measures that the list names, and those that are given."""
        found = []
        for one in as_list(self.given.get("measures", name_list("measures", self.plain.get("measures")))):
            with gathered(self.errors):
                if isinstance(one, str) and not is_measure(one) and (meant := other_names("measures", one)):
                    raise ConfigError(f"{one} is no IR measure; type {meant}")
                found.append(checked("measures", measure_of(one), Measure))
        return self._unlike("measure", found)

    def tables(self) -> ScoreTables | None:
        """The score tables, where any are named."""
        if "scores" in self.given:
            return self.one("scores")  # type: ignore[no-any-return]
        with gathered(self.errors):
            if (tables := ScoreTables(**self.plain["scores"])) != ScoreTables():
                return replace(tables, metrics=frozenset(choices("metric")))
        return None

    def analyses(self, joined: Sequence[str]) -> tuple[Analysis, ...]:
        """The analyses that `analysis` names, as `analyses.NAME` configures them, and those that join; the correlation
        itself is always made.
        """
        nodes: Mapping[str, Any] = self.plain.get("analyses") or {}
        names = name_list("analysis", self.plain.get("analysis"))
        own = {name for name in nodes if TARGET in (nodes[name] or {})}
        known = sorted({*choices("analyses"), *own, "correlation"})
        self.errors.extend(wrong_choice("analysis", name, known) for name in (*names, *nodes) if name not in known)
        made = {f"analyses.{name}": nodes[name] for name in (*names, *joined) if name in own}
        if "analyses" in self.given:
            made = {f"analyses[{at}]": one for at, one in enumerate(as_list(self.given["analyses"]))}
        found = (self.made(node, key, Analysis) for key, node in made.items())
        return tuple(analysis for analysis in found if analysis is not None)

    def _unlike(self, kind: str, found: Sequence[Any]) -> tuple[Any, ...]:
        """What was built, with an error for each name that two of them have."""
        built = tuple(one for one in found if one is not None)
        names = [one.name for one in built]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.errors.append(ConfigError(f"{kind} {name} is listed twice"))
        return built


def component(node: Any, key: str, protocol: type) -> Any:
    """The component that a node configures, or that is given in its place; raises `ConfigError`."""
    if isinstance(node, str | int | float | list) or (isinstance(node, dict) and TARGET not in node):
        said = f"{key}: no component is configured there (no _target_); a nested override such as {key}.x=y needs"
        raise ConfigError(f"{said} its entry chosen first")
    if not isinstance(node, dict):
        return checked(key, node, protocol)
    wrong = list(wrong_settings(node, key))
    raise_all([one for one in wrong if isinstance(one, UnknownName)])
    try:
        built = instantiate(node, _convert_="all")
    except InstantiationException as error:
        cause = error.__cause__
        while cause is not None and not isinstance(cause, ClirbenchError):
            cause = cause.__cause__
        raise_all([cause] if cause else [*wrong, ConfigError(f"{key}: cannot be built: {error}")])
    # Afterwards, because what a component says of its own settings is more to the point.
    raise_all(wrong)
    if not isinstance(built, protocol):
        raise ConfigError(f"{key}: {node[TARGET]} is not a {protocol.__name__}")
    return built


def metric_named(name: str) -> Metric:
    """The metric that `metric=[NAME]` means; raises `UnknownName`, or `ConfigError` for one that needs settings."""
    parts = _Parts(composing.plain_configuration(composing.compose_configuration([f"metric={name}"])), {}, [])
    metrics = parts.several("metric", Metric)
    raise_all(parts.errors)
    return metrics[0]  # type: ignore[no-any-return]


def metric_of(metric: Any) -> Any:
    """A metric object of sacreBLEU as ours with the same settings, which has its score; any other object as it is."""
    kind, name = type(metric), OF_SACREBLEU.get(type(metric).__name__.lower())
    if kind.__module__.partition(".")[0] != "sacrebleu" or name is None:
        return metric
    ours: Any = type(metric_named(name))
    own = {one.name: getattr(metric, one.name) for one in fields(ours) if one.init and hasattr(metric, one.name)}
    if "tokenize" in ours.__dataclass_fields__:
        cut = metric.tokenizer.signature()  # with the version of MeCab
        own["tokenize"] = next((one for one in TOKENISERS if cut.startswith(one)), cut)
    return ours(**{name: value for name, value in own.items() if name != "name"})


CORE = {"clirbench.engines.elsewhere.Joblib": "sends work to other machines"}
"""The core's; those of laboratories are in their `reaches.yaml`."""
MOST = 20_000
"""Characters of a command line that a person can still read."""
NAMED = re.compile(rf"{TARGET}: *([\w.]+)")


def has_own_folders(words: Sequence[str]) -> bool:
    """Whether configurations of other folders than conf/ take part in a command line."""
    return any(word.startswith("--config-dir=") or keys.key_of(word) == keys.SEARCH_PATH for word in words)


def refusals(words: Sequence[str]) -> Iterator[ConfigError]:
    """An error for each word of a recorded command line that no rerun gives to clirbench: all but keys of a run."""
    if sum(map(len, words)) > MOST:
        yield ConfigError(f"the command line has more than {MOST:,} characters, which nobody can check")
        return
    for word in words:
        key = keys.key_of(word)
        if UNSEEN.search(word) or word.startswith("-") or ("=" not in word and not word.startswith("~")):
            yield ConfigError(f"{word!r}: a recorded run has keys, key=value, nothing else")
        elif "hydra" in key and key != keys.SEARCH_PATH:
            yield ConfigError(f"{word}: a recorded run sets no key of Hydra but {keys.SEARCH_PATH}")


def listed_components(conf: Path) -> tuple[set[str], dict[str, str]]:
    """Every component that configurations of the core and of our laboratories name, and what some of them do.

    conf: the folder of the core's.
    """
    ours = [folder for package, folder in laboratories().items() if package.startswith("clirbench.labs.")]
    folders = [conf, *(folder / "conf" for folder in ours)]
    paths = (path for folder in folders for path in folder.rglob("*.yaml"))
    lists = [path for folder in ours if (path := folder / "reaches.yaml").is_file()]
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
    cache = keys.value_of(configuration, "paths.cache")
    for key, node in _nodes(configuration, ""):
        if node.get("download"):
            yield f"{key}.download".lstrip("."), "fetches data that are missing", {}
        target = str(node.get(TARGET))
        if TARGET in node and (does := does_more.get(target, "" if target in known else "is code")):
            yield key, does, node
        elif (folder := node.get("cache")) not in (None, cache) and TARGET in node:
            yield key, f"writes to {folder}", {}


def named_files(configuration: Mapping[str, Any]) -> set[str]:
    """Every text of a whole configuration that may be the name of a file or folder, but for where data lie ready."""
    found: dict[str, set[str]] = {}
    for key, node in _nodes(configuration, ""):
        for name, value in node.items():
            texts = {one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)}
            found.setdefault(key, set()).update(texts if keys.may_name_files(f"{key}.{name}".lstrip(".")) else ())
    return set().union(*found.values()) - found.get("paths", set()) - {""}


def _nodes(value: Any, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every mapping in a configuration, with its dotted name."""
    if isinstance(value, Mapping):
        yield key, value
    children = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        yield from _nodes(child, f"{key}.{name}" if key else str(name))
