"""What every engine does alike: parameters are checked, topics become weighted terms, nothing to search is an error."""

import math
from dataclasses import dataclass

from clirbench.errors import ConfigError, InputError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.types import Documents, Topic


@dataclass(frozen=True)
class Query:
    """A topic's terms in the order they are first read, each with its weight (its qtf)."""

    topic_id: str
    weights: dict[str, float]


def query(topic: Topic, analyzer: Analyzer) -> Query:
    """qtf(t) = sum over the topic's parts of the part's weight times the times t stands in it.

    With weights of 1 that is how often the term is repeated. A part of weight 0 is left out; one that
    is negative or not finite raises `InputError`.
    """
    weights: dict[str, float] = {}
    if not all(math.isfinite(weight) and weight >= 0 for _, weight in topic.parts):
        raise InputError(f"topic {topic.topic_id}: the weight of a part must be a number of 0 or above")
    for text, weight in topic.parts:
        if weight != 0:
            for term in analyzer.terms(text):
                weights[term] = weights.get(term, 0.0) + weight
    return Query(topic.topic_id, weights)


def check_parameters(k1: float, b: float, depth: int) -> None:
    """Raise `ConfigError` for what no BM25 can be computed with."""
    if not (math.isfinite(k1) and k1 >= 0):
        raise ConfigError(f"retrieval.k1={k1}: must be 0 or above, 0.9 by default")
    if not 0 <= b <= 1:
        raise ConfigError(f"retrieval.b={b}: must be between 0 and 1, 0.4 by default")
    if depth < 1:
        raise ConfigError(f"retrieval.depth={depth}: must be 1 or above, 1000 by default")


def empty_collection(documents: Documents) -> InputError:
    """The error for a collection in which no document has a term."""
    return InputError(
        f"{documents.text.where}: the collection is empty: none of its {len(documents)} documents has a term"
    )
