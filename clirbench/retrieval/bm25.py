"""BM25 that ranks exactly as Lucene does, restricted to the terms that the topics ask for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import ClassVar

import numpy as np

from clirbench.native.library import compiled
from clirbench.retrieval.analyzers import Analyzer, ByLanguage
from clirbench.retrieval.postings import Postings, check_parameters, postings, query
from clirbench.types import Documents, Floats, Ints, Ints32, Run, Topic, rank_order


@dataclass(frozen=True)
class Bm25Settings:
    """What each program that ranks by BM25 is asked for, as `BM25` says; raises `ConfigError` for what cannot be."""

    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)


@dataclass(frozen=True)
class BM25(Bm25Settings):
    """Ranks by BM25, document for document as Lucene 9.9.1 does.

    score(q, d) = sum over terms t of w - w / (1 + tf(t, d) * norm(d)), w = qtf(t) * idf(t),
    idf(t) = ln(1 + (N - df + .5) / (df + .5)), norm(d) = 1 / (k1 * (1 - b + b * dl(d) / avgdl)); each term score a
    float32, their sum a float64 cast to float32.
    N and avgdl count the documents with at least one term; qtf is the sum of the weights of a topic's parts over
    the times that they contain the term. dl beyond 40 is rounded down as in a Lucene index (dl - 24 to 4 significant
    bits). Scores are above 0, without upper bound; higher is better.

    `k1` (0 and above): how slowly repeated terms saturate. `b` (0 to 1): how much long documents pay.
    `depth` (1 and above): the documents a list holds at most.

    Ties are broken by doc_id. A topic that matches nothing has an empty list.

    **Source:** S. Robertson, H. Zaragoza (2009), The Probabilistic Relevance Framework, equation 3.15;
    C. Kamphuis et al. (2020), Which BM25 Do You Mean?, row "Lucene (default)" of table 1.
    """

    kind: ClassVar[str] = "bm25"

    @property
    def signature(self) -> str:
        return (
            f"{self.kind}:clirbench|k1:{self.k1:g}|b:{self.b:g}|idf:lucene|lengths:lucene|empty:skipped|qtf:sum"
            f"|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        asked, lists, terms, shares = _asked(tuple(topics), self.analyzer)
        found = postings(documents, self.analyzer, asked)
        frequencies, norms = np.diff(found.starts), self._norms(found.lengths)
        idf = _idf(frequencies, int(np.count_nonzero(found.lengths)))
        weights = shares * idf[terms]
        # No list has more documents than its terms have postings.
        most = np.diff(np.concatenate([[0], np.cumsum(frequencies[terms])])[lists])
        room = int(np.minimum(most, min(self.depth, len(norms))).sum())
        ranked = _ranked(lists, terms, weights, found, norms, documents.map.id_rank, self.depth, room)
        return Run.joined(documents.map, tuple(topic.topic_id for topic in topics), *ranked)

    def _norms(self, lengths: Ints32) -> Floats:
        """1 / (k1 * (1 - b + b * dl / avgdl)) for every document, in float32 step by step as Lucene has it."""
        possible = rounded_lengths(np.arange(int(lengths.max()) + 1, dtype=np.int32))  # by length, not by document
        average = np.float32(lengths.sum(dtype=np.int64) / np.count_nonzero(lengths))
        k1, b, one = np.float32(self.k1), np.float32(self.b), np.float32(1)
        with np.errstate(divide="ignore"):  # k1 = 0: the norm is infinite, a term's score its weight
            norms = one / (k1 * ((one - b) + b * possible.astype(np.float32) / average))
        return np.asarray(norms, dtype=np.float32)[lengths]


@lru_cache(maxsize=4)
def _asked(topics: tuple[Topic, ...], analyzer: Analyzer) -> tuple[tuple[str, ...], Ints, Ints32, Floats]:
    """The terms that topics ask for, analysed once for all collections that one process searches; where each topic's
    begin, and of each its number and its weight."""
    asked = [query(topic, analyzer) for topic in topics]
    numbers = {term: number for number, term in enumerate(dict.fromkeys(chain.from_iterable(asked)))}
    terms = np.array([numbers[term] for term in chain.from_iterable(asked)], dtype=np.int32)
    weights = np.array([weight for weighted in asked for weight in weighted.values()], dtype=np.float32)
    return tuple(numbers), np.cumsum([0, *map(len, asked)], dtype=np.int64), terms, weights


def _ranked(
    lists: Ints, terms: Ints32, weights: Floats, of: Postings, norms: Floats, id_rank: Ints, depth: int, room: int
) -> tuple[Ints, Ints32, Floats, Ints]:
    """Offsets of ranked lists, their documents, their scores, and how many documents each was cut from.

    Topic t asks for `terms[lists[t]:lists[t + 1]]` with these weights; lists hold `room` documents in all at most. A
    score is the sum of w - w / (1 + tf * norm), each a float32, as float64."""
    offsets, matched = np.zeros(len(lists), dtype=np.int64), np.zeros(len(lists) - 1, dtype=np.int64)
    ranked, scores, one = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.float32), np.float32(1)
    if (rank_topics := compiled("rank_topics")) is not None:
        ranks, by_rank = id_rank.astype(np.int32), np.argsort(id_rank).astype(np.int32)
        rank_topics(
            lists, len(matched), terms, weights, len(terms), of.starts, len(of.starts) - 1, of.documents, of.counts,
            len(of.counts), norms, ranks, by_rank, len(norms), depth, ranked, scores, room, offsets[1:], matched,
        )  # fmt: skip
    for topic in range(len(matched) if rank_topics is None else 0):
        documents, added = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.float32)]
        for i in range(lists[topic], lists[topic + 1]):
            held = slice(of.starts[terms[i]], of.starts[terms[i] + 1])
            documents.append(of.documents[held])
            added.append(weights[i] - weights[i] / (one + of.counts[held].astype(np.float32) * norms[documents[-1]]))
        found, at = np.unique(np.concatenate(documents), return_inverse=True)
        sums = np.bincount(at, np.concatenate(added)).astype(np.float32)  # in the order of the terms
        order = rank_order(sums, id_rank[found], depth)
        end = offsets[topic] + len(order)
        ranked[offsets[topic] : end], scores[offsets[topic] : end] = found[order], sums[order]
        offsets[topic + 1], matched[topic] = end, len(found)
    return offsets, ranked[: offsets[-1]], scores[: offsets[-1]], matched


def _idf(frequencies: Ints, n_documents: int) -> Floats:
    """The idf of every query term; 0 for one that no document contains."""
    df = frequencies.astype(np.float64)
    return (np.log(1 + (n_documents - df + 0.5) / (df + 0.5)) * (df > 0)).astype(np.float32)


def rounded_lengths(lengths: Ints32) -> Ints32:
    """Document lengths as a Lucene index keeps them in one byte: exact to 40, then 4 significant bits above 24.

    **Source:** Lucene 9.9.1, `SmallFloat.intToByte4` and `byte4ToInt`.
    """
    beyond = np.maximum(lengths.astype(np.int64) - 24, 0)
    n_bits = np.frexp(beyond.astype(np.float64))[1]
    shift = np.maximum(n_bits - 4, 0)
    return np.where(lengths > 24, 24 + ((beyond >> shift) << shift), lengths).astype(np.int32)
