"""BM25 that ranks exactly as Lucene does, restricted to the terms that the topics ask for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from clirbench.checks import one_of
from clirbench.retrieval.analyzers import Analyzer, ByLanguage
from clirbench.retrieval.postings import Postings, Query, check_parameters, postings, query
from clirbench.types import DocumentMap, Documents, Floats, Ints, Run, Topic, rank_order

IDF = ("lucene", "okapi")
LENGTHS = ("lucene", "exact")
EPSILON = 0.25  # rank_bm25's floor for negative idf, in mean idf of all terms


@dataclass(frozen=True)
class BM25:
    """Ranks by BM25, by default document for document as Lucene 9.9.1 does.

    score(q, d) = sum over terms t of w - w / (1 + tf(t, d) * norm(d)), w = qtf(t) * idf(t),
    norm(d) = 1 / (k1 * (1 - b + b * dl(d) / avgdl)); each term score a float32, their sum a float64 cast to float32.
    N and avgdl count the documents with at least one term; qtf is the sum of the weights of a topic's parts over
    the times that they contain the term. Scores are above 0 with `idf=lucene`, without upper bound; higher is better.

    `k1` (0 and above): how slowly repeated terms saturate. `b` (0 to 1): how much long documents pay.
    `depth` (1 and above): the documents a list holds at most.
    `idf`: `lucene` is ln(1 + (N - df + .5) / (df + .5)); `okapi` is (k1 + 1) * ln((N - df + .5) / (df + .5)), where
    a negative logarithm is replaced by .25 times the mean logarithm of all terms of the collection: the
    library rank_bm25's `BM25Okapi`, in which a term in exactly half the documents weighs nothing.
    `lengths`: `lucene` rounds dl beyond 40 down as a Lucene index does (dl - 24 to 4 significant bits).
    `count_empty`: whether N and avgdl count documents without a term too (rank_bm25 and bm25s do, Lucene does not).

    Ties are broken by doc_id. A topic that matches nothing has an empty list; `Run.unmatched` names its terms.

    **Source:** S. Robertson, H. Zaragoza (2009), The Probabilistic Relevance Framework, equation 3.15;
    C. Kamphuis et al. (2020), Which BM25 Do You Mean?, rows "Lucene (default)" and "Lucene (accurate)" of table 1.
    """

    kind: ClassVar[str] = "bm25"
    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    idf: str = "lucene"
    lengths: str = "lucene"
    count_empty: bool = False
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)
        one_of("retrieval.idf", self.idf, IDF)
        one_of("retrieval.lengths", self.lengths, LENGTHS)

    @property
    def signature(self) -> str:
        empty = "counted" if self.count_empty else "skipped"
        return (
            f"{self.kind}:clirbench|k1:{self.k1:g}|b:{self.b:g}|idf:{self.idf}|lengths:{self.lengths}|empty:{empty}|qtf:sum"
            f"|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        queries = [query(topic, self.analyzer) for topic in topics]
        return self.best(queries, postings_of(documents, self.analyzer, queries, self.idf == "okapi"), documents.map)

    def best(self, queries: Sequence[Query], found: Postings, document_map: DocumentMap) -> Run:
        """The ranked lists of queries whose postings are known."""
        scorer = _Scorer(found, self._norms(found), self._idf(found))
        ranked = [scorer.rank(one, document_map.id_rank, self.depth) for one in queries]
        return Run.build(
            document_map,
            [(one.topic_id, ordinals, scores) for one, (ordinals, scores, _) in zip(queries, ranked, strict=True)],
            unmatched=[scorer.unmatched(one) for one in queries],
            n_matched=[n_matched for _, _, n_matched in ranked],
        )

    def _n_documents(self, found: Postings) -> int:
        return len(found.lengths) if self.count_empty else int(np.count_nonzero(found.lengths))

    def _norms(self, found: Postings) -> Floats:
        """1 / (k1 * (1 - b + b * dl / avgdl)) for every document, in float32 step by step as Lucene has it."""
        possible = np.arange(int(found.lengths.max()) + 1, dtype=np.int32)  # computed by length, not by document
        lengths = rounded_lengths(possible) if self.lengths == "lucene" else possible
        average = np.float32(found.lengths.sum(dtype=np.int64) / self._n_documents(found))
        k1, b, one = np.float32(self.k1), np.float32(self.b), np.float32(1)
        with np.errstate(divide="ignore"):  # k1 = 0: the norm is infinite, a term's score its weight
            norms = one / (k1 * ((one - b) + b * lengths.astype(np.float32) / average))
        return np.asarray(norms, dtype=np.float32)[found.lengths]

    def _idf(self, found: Postings) -> NDArray[np.float64]:
        """The idf of every query term; 0 for one that no document contains."""
        n_documents = self._n_documents(found)
        df = found.frequencies.astype(np.float64)
        if self.idf == "lucene":
            return np.log(1 + (n_documents - df + 0.5) / (df + 0.5)) * (df > 0)
        seen = df > 0
        idf = np.where(seen, np.log(n_documents - df + 0.5) - np.log(df + 0.5), 0)
        floor = EPSILON * float(idf.sum()) / max(int(seen.sum()), 1)
        return (self.k1 + 1) * np.where(idf < 0, floor, idf)


def postings_of(documents: Documents, analyzer: Analyzer, queries: Sequence[Query], every: bool) -> Postings:
    """The postings of all terms of queries; with `every`, how many documents have any term at all."""
    terms = dict.fromkeys(term for one in queries for term in one.weights)
    return postings(documents, analyzer, tuple(terms), every=every)


class _Scorer:
    """Scores topics over one collection, in arrays that all topics share."""

    def __init__(self, found: Postings, norms: Floats, idf: NDArray[np.float64]) -> None:
        self.found = found
        self.norms = norms
        self.idf = idf.astype(np.float32)
        self.total = np.full(len(norms), np.nan)
        self.matched = np.empty(len(norms), dtype=np.int32)

    def rank(self, one: Query, id_rank: Ints, depth: int) -> tuple[Ints, Floats, int]:
        """(ordinals, scores) of the first `depth` documents, and how many match at all."""
        from clirbench.retrieval import kernel

        terms = np.array([self.found.numbers[term] for term in one.weights], dtype=np.int32)
        weights = np.array(list(one.weights.values()), dtype=np.float32) * self.idf[terms]
        n_matched = kernel.add_up(
            terms, weights, self.found.starts, self.found.documents, self.found.counts, self.norms,
            self.total, self.matched,
        )  # fmt: skip
        matched = self.matched[:n_matched]
        scores = self.total[matched].astype(np.float32)
        self.total[matched] = np.nan
        order = rank_order(scores, id_rank[matched], depth)
        return matched[order].astype(np.int64), scores[order], n_matched

    def unmatched(self, one: Query) -> tuple[str, ...]:
        """The terms of a topic that no document contains."""
        return tuple(term for term in one.weights if self.found.frequencies[self.found.numbers[term]] == 0)


def rounded_lengths(lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """Document lengths as a Lucene index keeps them in one byte: exact to 40, then 4 significant bits above 24.

    **Source:** Lucene 9.9.1, `SmallFloat.intToByte4` and `byte4ToInt`.
    """
    beyond = np.maximum(lengths.astype(np.int64) - 24, 0)
    n_bits = np.frexp(beyond.astype(np.float64))[1]
    shift = np.maximum(n_bits - 4, 0)
    return np.where(lengths > 24, 24 + ((beyond >> shift) << shift), lengths).astype(np.int32)
