"""BM25 that ranks exactly as Lucene does, restricted to the terms that the topics ask for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from clirbench.native.library import compiled
from clirbench.retrieval.analyzers import Analyzer, ByLanguage
from clirbench.retrieval.postings import Ints32, Postings, check_parameters, postings, query
from clirbench.types import Documents, Doubles, Floats, Ints, Run, Topic, rank_order


@dataclass(frozen=True)
class BM25:
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
    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)

    @property
    def signature(self) -> str:
        return (
            f"{self.kind}:clirbench|k1:{self.k1:g}|b:{self.b:g}|idf:lucene|lengths:lucene|empty:skipped|qtf:sum"
            f"|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        queries = [query(topic, self.analyzer) for topic in topics]
        numbers = {term: number for number, term in enumerate(dict.fromkeys(chain.from_iterable(queries)))}
        found = postings(documents, self.analyzer, tuple(numbers))
        frequencies, norms = np.diff(found.starts), self._norms(found.lengths)
        idf = _idf(frequencies, int(np.count_nonzero(found.lengths)))
        total, matched = np.full(len(norms), np.nan), np.empty(len(norms), dtype=np.int32)  # all topics share them
        ranked, n_matched = [], []
        for topic, weights in zip(topics, queries, strict=True):
            terms = np.array([numbers[term] for term in weights], dtype=np.int32)
            weight = np.array(list(weights.values()), dtype=np.float32) * idf[terms]
            n = _add_up(terms, weight, found, norms, total, matched)
            scores = total[matched[:n]].astype(np.float32)
            total[matched[:n]] = np.nan
            order = rank_order(scores, documents.map.id_rank[matched[:n]], self.depth)
            ranked.append((topic.topic_id, matched[order].astype(np.int64), scores[order]))
            n_matched.append(n)
        return Run.build(documents.map, ranked, n_matched=n_matched)

    def _norms(self, lengths: NDArray[np.int32]) -> Floats:
        """1 / (k1 * (1 - b + b * dl / avgdl)) for every document, in float32 step by step as Lucene has it."""
        possible = rounded_lengths(np.arange(int(lengths.max()) + 1, dtype=np.int32))  # by length, not by document
        average = np.float32(lengths.sum(dtype=np.int64) / np.count_nonzero(lengths))
        k1, b, one = np.float32(self.k1), np.float32(self.b), np.float32(1)
        with np.errstate(divide="ignore"):  # k1 = 0: the norm is infinite, a term's score its weight
            norms = one / (k1 * ((one - b) + b * possible.astype(np.float32) / average))
        return np.asarray(norms, dtype=np.float32)[lengths]


def _add_up(topic: Ints32, weights: Floats, of: Postings, norms: Floats, total: Doubles, found: Ints32) -> int:
    """Sum w - w / (1 + tf * norm), each a float32, as float64; returns the number of matched documents.

    `topic` are the topic's terms and `weights` their weights. The matched documents are written to `found`, their
    sums to `total`, which holds NaN everywhere before and must be set back to it for the documents found.
    """
    if (add := compiled("add_up")) is not None:
        return add(
            topic, weights, len(topic), of.starts, len(of.starts) - 1, of.documents, of.counts, len(of.counts), norms,
            total, found, len(norms),
        )  # fmt: skip
    n, one = 0, np.float32(1)
    for term, weight in zip(topic.tolist(), weights, strict=True):
        held = slice(of.starts[term], of.starts[term + 1])
        documents = of.documents[held]
        scores = weight - weight / (one + of.counts[held].astype(np.float32) * norms[documents])
        before = total[documents]
        new = documents[np.isnan(before)]
        total[documents] = np.where(np.isnan(before), scores, before + scores)
        found[n : n + len(new)] = new
        n += len(new)
    return n


def _idf(frequencies: Ints, n_documents: int) -> Floats:
    """The idf of every query term; 0 for one that no document contains."""
    df = frequencies.astype(np.float64)
    return (np.log(1 + (n_documents - df + 0.5) / (df + 0.5)) * (df > 0)).astype(np.float32)


def rounded_lengths(lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """Document lengths as a Lucene index keeps them in one byte: exact to 40, then 4 significant bits above 24.

    **Source:** Lucene 9.9.1, `SmallFloat.intToByte4` and `byte4ToInt`.
    """
    beyond = np.maximum(lengths.astype(np.int64) - 24, 0)
    n_bits = np.frexp(beyond.astype(np.float64))[1]
    shift = np.maximum(n_bits - 4, 0)
    return np.where(lengths > 24, 24 + ((beyond >> shift) << shift), lengths).astype(np.int32)
