"""Writes clirbench/api/keys.pyi: the keywords of `cb.run` with their types, for editors and type checkers.

    python docs/generator/keys.py

The keys of a run are those of `configuration/keys.py`; those of components are the keys of their YAML files in the
core's `conf/`: which laboratories are installed only a run knows.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml

from clirbench.configuration.keys import KEYS
from clirbench.configuration.laboratories import CONF

WRITTEN = Path(__file__).parents[2] / "clirbench" / "api" / "keys.pyi"
TYPES = {
    "a text": "Name",
    "true or false": "bool",
    "a number": "float",
    "a number of at least 0": "float",
    "a number between 0 and 1": "float",
    "a whole number of at least 0": "int",
    "a whole number of at least 1": "int",
    "a list of names, [A,B]": "Names",
    "pairs of names, {OLD: NEW}": "Mapping[str, Name]",
    "a mapping": "Mapping[str, Any] | None",
}
GROUPS = ("analyzer", "corpus", "systems", "topics", "retrieval", "relevance", "engine")
LISTS = ("metric",)
OBJECTS = {
    "corpus": "Name | CorpusSource",
    "systems": "Name | SystemSource",
    "topics": "Name | TopicSource | Mapping[str, TopicSource]",
    "retrieval": "Name | Retriever | Mapping[str, Retriever]",
    "relevance": "Name | Relevance | Mapping[str, Relevance]",
    "engine": "Name | Engine",
    "metric": "Name | Metric | Sequence[Name | Metric]",
    "measures": "Name | Measure | Sequence[Name | Measure | Any]",
    "analyses": "Analysis | Sequence[Analysis]",
    "analyzer": "Name",
    "intervals": "Bootstrap | None",
    "scores": "Mapping[str, Any] | ScoreTables",
    "correlation": "Mapping[str, Any]",
    "output": "Mapping[str, Any]",
    "limits": "Mapping[str, int]",
    "paths": "Mapping[str, Name]",
    "documents": "Mapping[str, int]",
    "pool": "Mapping[str, Any]",
    "coefficients": "Names",
    "figures": "Names",
    "table_formats": "Names",
    "alpha": "float",
    "p_value": "str",
    "complete_pairs": "bool",
    "table_title": "str",
    "write_runs": "str",
    "cache": "Name",
    "paper": "Name",
}
"""Keywords of components, and those that a mapping may hold; what is here is not taken from `KEYS`."""
HEAD = '''"""The keywords of `cb.run`; written by docs/generator/keys.py."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.files.score_tables import ScoreTables
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.relevance.base import Relevance
from clirbench.result import Analysis
from clirbench.retrieval.base import Retriever
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.systems.base import SystemSource
from clirbench.topics.base import TopicSource

Name: TypeAlias = str | int | float | Path
Names: TypeAlias = Name | Sequence[Name]

class Settings(TypedDict, total=False):
'''


TAIL = """
class Keys(Settings, total=False):
"""
OF_CORRELATE = ("measures", "given")
"""Keywords that `cb.correlate` has as parameters."""


def lines() -> Iterator[str]:
    """A line for each keyword."""
    for name, kind in OBJECTS.items():
        yield f"    {name}: {kind}"
    for key in KEYS:
        if key.name not in OBJECTS:
            none = "" if "None" in TYPES[key.kind] else " | None"
            yield f"    {key.name.replace('.', '__')}: {TYPES[key.kind]}{none}"
    yield from (f"    {name}: Any" for name in sorted(set(nested())))


def nested() -> Iterator[str]:
    """The keywords of the settings of the core's components: `topics__n`, `metric__COMET__path`."""
    for group in (*GROUPS, *LISTS):
        for path in (CONF / group).glob("*.yaml"):
            read = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
            named = {"": read} if group in GROUPS else {f"{name}__": node or {} for name, node in read.items()}
            names = (f"{group}__{of}{key}" for of, node in named.items() for key in node if key[:1] != "_")
            yield from (name for name in names if name.isidentifier())


def content() -> str:
    """The file."""
    written = list(lines())
    own = [line for line in written if line.strip().partition(":")[0] in OF_CORRELATE]
    return HEAD + "\n".join([line for line in written if line not in own]) + "\n" + TAIL + "\n".join(own) + "\n"


if __name__ == "__main__":
    WRITTEN.write_text(content(), encoding="utf-8")
