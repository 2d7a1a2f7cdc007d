"""From topics to weighted terms, the same for every engine."""

import math
from dataclasses import dataclass

from clirbench.errors import InputError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.types import Topic


@dataclass(frozen=True)
class Query:
    """A topic's terms in the order they are first read, each with its weight (its qtf)."""

    topic_id: str
    weights: dict[str, float]


def query(topic: Topic, analyzer: Analyzer) -> Query:
    """qtf(t) = sum over the topic's parts of the part's weight times the times t stands in it.

    With weights of 1 that is how often the term is repeated. A part of weight 0 is left out; one that is negative or not finite
    raises `InputError`.
    """
    weights: dict[str, float] = {}
    if not all(math.isfinite(weight) and weight >= 0 for _, weight in topic.parts):
        raise InputError(f"topic {topic.topic_id}: the weight of a part must be a number of 0 or above")
    for text, weight in topic.parts:
        if weight != 0:
            for term in analyzer.terms(text):
                weights[term] = weights.get(term, 0.0) + weight
    return Query(topic.topic_id, weights)
