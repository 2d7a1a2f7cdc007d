"""An experiment of components, without a configuration; what is not given is as on the command line."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, get_type_hints

from clirbench.checks import name_list
from clirbench.configuration.joining import joining_analyses
from clirbench.configuration.languages import in_its_language
from clirbench.configuration.measuring import parse
from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.engines.local import Processes
from clirbench.errors import ConfigError, UnknownName
from clirbench.files.score_tables import ScoreTables
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.relevance.base import Relevance
from clirbench.relevance.top_k import TopK
from clirbench.result import Analysis, Experiment
from clirbench.retrieval.base import Retriever
from clirbench.retrieval.bm25 import BM25
from clirbench.scoreboard import REGISTERED
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.statistics.resampling import Draws
from clirbench.systems.base import SystemSource
from clirbench.systems.files import FileSystems
from clirbench.topics.base import TopicSource
from clirbench.topics.made import KeyTerms

MEASURES = (REGISTERED, "MAP", "RBO", "P@10", "R@10", "nDCG")
ONE: Mapping[str, tuple[str, type]] = {
    "corpus": ("corpus", CorpusSource),
    "systems": ("systems", SystemSource),
    "engine": ("engine", Engine),
    "scores": ("tables", ScoreTables),
    "intervals": ("intervals", Bootstrap),
}
"""Keyword -> field of `Experiment`, and what stands there."""
LABELLED: Mapping[str, type] = {"topics": TopicSource, "relevance": Relevance, "retrieval": Retriever}
"""One component, or a mapping of labels to components; the measures of the one whose label is "" are not labelled."""
SEVERAL: Mapping[str, tuple[str, type]] = {
    "metric": ("metrics", Metric),
    "measures": ("measures", Measure),
    "analyses": ("analyses", Analysis),
}
"""Keyword -> field of `Experiment`, and what its items are; of metrics and measures names are taken too."""
NAMES = ("given", "coefficients", "remarks", "figures", "table_formats")


def is_plain(value: Any) -> bool:
    """Whether a configuration can hold the value as it is; else it is a component, or holds components."""
    if isinstance(value, Mapping):
        return all(map(is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, Real | str | Path)


def experiment_of(settings: Mapping[str, Any]) -> Experiment:
    """The experiment of these settings; raises `ConfigError` for one that is not what its name says."""
    stated = str(settings.get("languages") or "")
    found = parts({key: value for key, value in settings.items() if key != "languages"})
    if "corpus" in found:
        found = in_its_language(_defaults(int(found.get("seed", 0))) | found, stated)
        found.setdefault("analyses", joining_analyses(found))
    named: dict[str, Any] = {"name": "run", "engine": Processes()}
    return Experiment(**named | found)


def _defaults(seed: int) -> dict[str, Any]:
    """The defaults of the command line."""
    return {
        "systems": FileSystems(),
        "topics": {"": KeyTerms()},
        "retriever": BM25(),
        "relevance": {"": TopK()},
        "metrics": (BLEU(), ChrF(beta=1, name="chrF1"), ChrF(beta=2, name="chrF2"), MacroF(), MicroF()),
        "measures": tuple(map(parse, MEASURES)),
        "intervals": Bootstrap(draws=Draws(levels=["systems"], samples=1000, sampling="replacement", seed=seed)),
    }


def parts(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of an experiment by the keywords that set them."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if key in ONE:
            field, protocol = ONE[key]
            found[field] = None if value is None else checked(key, value, protocol)
        elif key in LABELLED:
            labelled = value if isinstance(value, Mapping) else {"": value}
            made = {str(label): checked(key, one, LABELLED[key]) for label, one in labelled.items()}
            found |= {key: made} if key != "retrieval" else _retrievers(made)
        elif key in SEVERAL:
            found[SEVERAL[key][0]] = _several(key, value)
        elif key in NAMES:
            found[key] = name_list(key, value)
        elif key in PLAIN:
            if not isinstance(value, PLAIN[key]):
                raise ConfigError(f"{key}={value!r} must be of type {PLAIN[key].__name__}")
            found[key] = value
        else:
            raise UnknownName("setting of a run of components", key, [*ONE, *LABELLED, *SEVERAL, *NAMES, *PLAIN])
    return found


PLAIN: Mapping[str, type] = {
    name: kind for name, kind in get_type_hints(Experiment).items() if kind in (str, int, float, bool)
}
"""Fields of `Experiment` that are what they are."""


def _retrievers(made: dict[str, Any]) -> dict[str, Any]:
    if "" not in made:
        raise ConfigError(f"retrieval: none of {', '.join(made)} is the first; its label is '': {{'': first, ...}}")
    first = {"retriever": made.pop("")}
    return {**first, "also_retriever": made} if made else first


def _several(key: str, value: Any) -> tuple[Any, ...]:
    read: Mapping[str, Callable[[Any], Any]] = {"measures": as_measure, "metric": as_metric}
    found = tuple(checked(key, read.get(key, lambda one: one)(one), SEVERAL[key][1]) for one in as_list(value))
    names = [getattr(one, "name", "") for one in found] if key != "analyses" else []
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{key}: {', '.join(doubled)} is given twice; give one another name")
    return found


def checked(key: str, value: Any, protocol: type) -> Any:
    if not isinstance(value, protocol) or isinstance(value, type):
        hint = f"; did you mean {value.__name__}()?" if isinstance(value, type) else ""
        raise ConfigError(f"{key}: {value!r} is not a {protocol.__name__}{hint}")
    return value


def as_list(value: Any) -> Sequence[Any]:
    """The items of a keyword that takes one or several."""
    return [value] if isinstance(value, str) or not isinstance(value, Sequence) else value


def as_metric(metric: Any) -> Any:
    """A metric by its name, as the command line has it without further settings; any other object as it is."""
    if not isinstance(metric, str):
        return metric
    from clirbench.configuration.building import metric_named

    return metric_named(metric)


def as_measure(measure: Any) -> Any:
    """A measure by its name, or as an object of ir_measures (`nDCG @ 10`), as ours; any other object as it is."""
    named = as_name(measure)
    return parse(named) if isinstance(named, str) else measure


def as_name(measure: Any) -> Any:
    """The name of a measure that is an object of ir_measures; any other as it is."""
    return str(measure) if type(measure).__module__.partition(".")[0] == "ir_measures" else measure
