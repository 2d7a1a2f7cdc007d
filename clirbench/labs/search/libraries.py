"""Libraries that are widely used in papers, bm25s (extra) and rank_bm25: their scores, our terms and rank order.

RM3: the first search's best documents say which terms the second search asks for too.
"""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from clirbench.checks import number, one_of, require, whole_number
from clirbench.retrieval.analyzers import Analyzer, ByLanguage
from clirbench.retrieval.bm25 import BM25, postings_of
from clirbench.retrieval.postings import Postings, Query, TermScores, check_parameters, combine, empty_collection, query
from clirbench.types import Documents, Run, Topic

METHODS = ("lucene", "robertson", "atire")


@dataclass(frozen=True)
class Library(ABC):
    """Ranks by what a library scores each term of our analyser, in our rank order; N and avgdl count empty ones."""

    kind: ClassVar[str]
    package: ClassVar[str]
    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)

    @property
    @abstractmethod
    def idf(self) -> str:
        """The formula, for the signature."""

    @abstractmethod
    def scorer(self, terms: Sequence[Sequence[str]]) -> Callable[[str], TermScores]:
        """What gives the documents that have a term, and their scores; `terms`: of each document."""

    @property
    def signature(self) -> str:
        require(f"retrieval={self.kind}", self.kind, self.kind)
        return (
            f"{self.kind}:{version(self.package)}|k1:{self.k1:g}|b:{self.b:g}|idf:{self.idf}|lengths:exact|qtf:sum"
            f"|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        require(f"retrieval={self.kind}", self.kind, self.kind)
        terms = [self.analyzer.terms(document.text) for document in documents]
        if not any(terms):
            raise empty_collection(documents)
        return combine(documents, [query(topic, self.analyzer) for topic in topics], self.scorer(terms), self.depth)


@dataclass(frozen=True)
class BM25S(Library):
    """Ranks by the scores of `bm25s.BM25`.

    `method=lucene` is `bm25` with `lengths=exact`, except that N and avgdl count empty documents; `robertson` and
    `atire` have other idf. The library's own top-k is not used: it pads with documents that match nothing.
    Needs the extra `bm25s`; raises `ResourceError` without it.

    **Source:** X. H. Lù (2024), BM25S: Orders of magnitude faster lexical search via eager sparse scoring.
    """

    kind: ClassVar[str] = "bm25s"
    package: ClassVar[str] = "bm25s"
    method: str = "lucene"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("retrieval.method", self.method, METHODS)

    @property
    def idf(self) -> str:
        return self.method

    def scorer(self, terms: Sequence[Sequence[str]]) -> Callable[[str], TermScores]:
        import bm25s

        from clirbench.metrics.compiled import njit  # noqa: F401  # before the library loads numba

        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(term, len(vocabulary)) for term in of_document] for of_document in terms]
        library = bm25s.BM25(k1=self.k1, b=self.b, method=self.method)
        library.index((ids, dict(vocabulary)), show_progress=False)

        def scores_of(term: str) -> TermScores:
            number = vocabulary.get(term)
            if number is None:
                return np.empty(0, dtype=np.int64), np.empty(0)
            starts = library.scores["indptr"]
            matched = np.sort(library.scores["indices"][starts[number] : starts[number + 1]]).astype(np.int64)
            return matched, library.get_scores([term])[matched].astype(np.float64)

        return scores_of


@dataclass(frozen=True)
class RankBM25(Library):
    """Ranks by `rank_bm25.BM25Okapi`.

    score(q, d) = sum over terms of qtf * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * dl / avgdl)), with
    idf = ln((N - df + .5) / (df + .5)), which is 0 for a term in half the documents and negative beyond; a negative
    one becomes `epsilon` times the mean idf of all terms (which may itself be negative in a small collection).
    Documents that match a term are ranked even if it scores 0. Slow, and holds the collection in memory: about 10 s for
    100,000 segments.

    **Source:** D. Brown, rank_bm25; A. Trotman et al. (2014), Improvements to BM25 and Language Models Examined.
    """

    kind: ClassVar[str] = "rank_bm25"
    package: ClassVar[str] = "rank-bm25"
    epsilon: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        number("retrieval.epsilon", self.epsilon, least=0)

    @property
    def idf(self) -> str:
        return f"okapi,eps:{self.epsilon:g}"

    def scorer(self, terms: Sequence[Sequence[str]]) -> Callable[[str], TermScores]:
        from rank_bm25 import BM25Okapi

        library = BM25Okapi(terms, k1=self.k1, b=self.b, epsilon=self.epsilon)

        def scores_of(term: str) -> TermScores:
            matched = np.array([i for i, counts in enumerate(library.doc_freqs) if term in counts], dtype=np.int64)
            return matched, library.get_scores([term])[matched] if len(matched) else np.empty(0)

        return scores_of


Model = dict[str, np.float32]
"""The weight of each term."""

FEEDBACK_TERM = re.compile(r"[a-z0-9]{2,20}")
COMMON = np.float32(0.1)  # a term in a larger share of the documents is no feedback term
BLANK = "".join(map(chr, range(33)))  # what Java takes off the ends of a text


@dataclass(frozen=True)
class RM3:
    """BM25 with the relevance model RM3, equal to Anserini's step by step, in float32 where it computes so.

    The query's terms (weights that add up to 1) and the model's are mixed, and BM25 (`k1`, `b`, Lucene's idf and
    lengths) ranks again: w(t) = a * q(t) + (1 - a) * m(t), a = `original_query_weight`. The model is made of the
    `fb_docs` best documents of the first search: in each, its `fb_terms` most frequent terms (equal ones by
    spelling), as shares of their sum, times the document's score; the sums over documents, cut to the
    `fb_terms` highest, are scaled to add up to 1. Feedback terms are of 2 to 20 letters a-z and digits, and occur in at
    most a tenth of the documents that are not blank. `depth`: the documents a list holds at most.

    Ties are broken by doc_id. A topic that matches nothing has an empty list.

    **Source:** N. Abdul-Jaleel et al. (2004), UMass at TREC 2004: Novelty and HARD; Anserini 1.7.1, `Rm3Reranker`,
    `FeatureVector`, whose defaults these are.
    """

    kind: ClassVar[str] = "rm3"
    lexical_model: ClassVar[str] = "RM3"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    fb_terms: int = 10
    fb_docs: int = 10
    original_query_weight: float = 0.5
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        _ = self._bm25(self.depth)
        whole_number("retrieval.fb_terms", self.fb_terms)
        whole_number("retrieval.fb_docs", self.fb_docs)
        number("retrieval.original_query_weight", self.original_query_weight, least=0, most=1)

    @property
    def signature(self) -> str:
        return (
            f"{self.kind}:anserini|fb_terms:{self.fb_terms}|fb_docs:{self.fb_docs}|a:{self.original_query_weight:g}"
            f"|of:({self._bm25(self.depth).signature})"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` as `bm25` does."""
        queries = [query(topic, self.analyzer) for topic in topics]
        found = postings_of(documents, self.analyzer, queries, every=True)
        run = self._bm25(self.fb_docs).best(queries, found, documents.map)
        counts, n_documents = _counts(documents, set(run.doc_ids), self.analyzer)
        shares = {doc_id: self._feedback(terms, found, n_documents) for doc_id, terms in counts.items()}
        mixed = [
            self._mixed(
                one, self._model([shares[doc_id] for doc_id in run.ranking(topic)], run.values(topic, tied=True))
            )
            for one, topic in zip(queries, run.topic_ids, strict=True)
        ]
        return self._bm25(self.depth).best(
            mixed, postings_of(documents, self.analyzer, mixed, every=False), documents.map
        )

    def _bm25(self, depth: int) -> BM25:
        return BM25(self.k1, self.b, depth, analyzer=self.analyzer)

    def _feedback(self, terms: Mapping[str, int], found: Postings, n_documents: int) -> Model:
        """The most frequent feedback terms of a document, as shares of their sum."""
        rare = {
            term: np.float32(count)
            for term, count in terms.items()
            if FEEDBACK_TERM.fullmatch(term)
            and np.float32(found.frequencies[found.numbers[term]]) / np.float32(n_documents) <= COMMON
        }
        kept = _largest(rare, self.fb_terms)
        total = np.float32(sum(map(float, kept.values())))
        return {term: count / total for term, count in kept.items()}

    def _model(self, documents: Sequence[Model], scores: Iterable[np.float32]) -> Model:
        """The relevance model of documents with these scores."""
        model: Model = {}
        for shares, score in zip(documents, scores, strict=True):
            for term, share in shares.items():
                model[term] = model.get(term, np.float32(0)) + share * score
        return _scaled(_largest(model, self.fb_terms))

    def _mixed(self, one: Query, model: Model) -> Query:
        asked = _scaled({term: np.float32(weight) for term, weight in one.weights.items()})
        none, a = np.float32(0), np.float32(self.original_query_weight)
        rest = 1.0 - float(a)
        return Query(
            one.topic_id,
            {
                term: float(np.float32(float(a * asked.get(term, none)) + rest * float(model.get(term, none))))
                for term in (*asked, *(term for term in model if term not in asked))
            },
        )


def _counts(documents: Documents, wanted: set[str], analyzer: Analyzer) -> tuple[dict[str, Counter[str]], int]:
    """How often each term occurs in each wanted document, and how many documents are not blank."""
    counts, n_documents = {}, 0
    for document in documents:
        n_documents += bool(document.text.strip(BLANK))
        if document.doc_id in wanted:
            counts[document.doc_id] = Counter(analyzer.terms(document.text))
    return counts, n_documents


def _largest(model: Model, most: int) -> Model:
    return dict(sorted(model.items(), key=lambda item: (-item[1], item[0]))[:most])


def _scaled(model: Model) -> Model:
    total = sum(map(float, model.values()))
    return {term: np.float32(float(weight) / total) for term, weight in model.items()}
