"""What every engine does alike: parameters are checked, topics become weighted terms, nothing to search is an error."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.checks import number, whole_number
from clirbench.errors import EmptyCollection, InputError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.types import Documents, Doubles, Floats, Ints, Run, Topic, rank_order

TermScores = tuple[Ints, Doubles]


@dataclass(frozen=True)
class Query:
    """A topic's terms in the order they are first read, each with its weight (its qtf)."""

    topic_id: str
    weights: dict[str, float]


def query(topic: Topic, analyzer: Analyzer) -> Query:
    """qtf(t) = sum over the topic's parts of the part's weight times the occurrences of t in it.

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
    number("retrieval.k1", k1, least=0)
    number("retrieval.b", b, least=0, most=1)
    whole_number("retrieval.depth", depth)


def empty_collection(documents: Documents) -> EmptyCollection:
    """The error for a collection in which no document has a term."""
    return EmptyCollection(
        f"{documents.text.where}: the collection is empty: none of its {len(documents)} documents has a term"
    )


def combine(documents: Documents, queries: Sequence[Query], scores_of: Callable[[str], TermScores], depth: int) -> Run:
    """Run from what an engine says of single terms: `scores_of(term)` is (ordinals of the documents, their scores).

    Scores are weighted by qtf, summed in float64 and cast to float32.
    """
    by_term = {term: scores_of(term) for term in dict.fromkeys(term for one in queries for term in one.weights)}
    ranked: list[tuple[str, Ints, Floats]] = []
    n_matched: list[int] = []
    for one in queries:
        total = np.zeros(len(documents))
        matches = np.zeros(len(documents), dtype=bool)
        for term, weight in one.weights.items():
            matched, scores = by_term[term]
            total[matched] += weight * scores
            matches[matched] = True
        found = np.flatnonzero(matches)
        sums = total[found].astype(np.float32)
        order = rank_order(sums, documents.map.id_rank[found], depth)
        ranked.append((one.topic_id, found[order], sums[order]))
        n_matched.append(len(found))
    unmatched = [[term for term in one.weights if not len(by_term[term][0])] for one in queries]
    return Run.build(documents.map, ranked, unmatched=unmatched, n_matched=n_matched)
