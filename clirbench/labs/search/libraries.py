"""Libraries that are widely used in papers, bm25s (extra) and rank_bm25: their scores, our terms and rank order."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from clirbench.checks import number, one_of, require
from clirbench.retrieval.bm25 import Bm25Settings
from clirbench.retrieval.postings import empty_collection, query
from clirbench.types import Documents, Doubles, Ints, Run, Topic, by_key, rank_order

NO_DOCUMENT: tuple[Ints, Doubles] = np.empty(0, dtype=np.int64), np.empty(0)
METHODS = ("lucene", "robertson", "atire")


@contextmanager
def _without_numba() -> Iterator[None]:
    """Where numba is not to be found: a file of the current folder could say where it unpickles compiled code from."""
    loaded = sys.modules.get("numba")
    if loaded is None:
        sys.modules["numba"] = None  # type: ignore[assignment]  # so Python says that there is none
    try:
        yield
    finally:
        if loaded is None:
            del sys.modules["numba"]


@dataclass(frozen=True)
class Library(Bm25Settings, ABC):
    """Ranks by what a library scores each term of our analyser, in our rank order; N and avgdl count empty ones."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def idf(self) -> str:
        """The formula, for the signature."""

    @abstractmethod
    def scorer(self, terms: Sequence[Sequence[str]]) -> Callable[[str], Any]:
        """What gives the score of each document for a term that one of them has; `terms`: of each document."""

    @property
    def signature(self) -> str:
        require(f"retrieval={self.kind}", self.kind, self.kind)
        return (
            f"{self.kind}:{version(self.kind)}|k1:{self.k1:g}|b:{self.b:g}|idf:{self.idf}|lengths:exact|qtf:sum"
            f"|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        require(f"retrieval={self.kind}", self.kind, self.kind)
        terms = [self.analyzer.terms(document.text) for document in documents]
        if not any(terms):
            raise empty_collection(documents)
        queries = [query(topic, self.analyzer) for topic in topics]
        wanted = {*chain.from_iterable(queries)}
        found_in = by_key((term, at) for at, own in enumerate(terms) for term in wanted.intersection(own))
        scores_of = self.scorer(terms)
        by_term = {term: (np.array(at), scores_of(term)[at].astype(np.float64)) for term, at in found_in.items()}
        ranked, n_matched = [], []
        for topic, weights in zip(topics, queries, strict=True):
            total, matches = np.zeros(len(documents)), np.zeros(len(documents), dtype=bool)
            for term, weight in weights.items():
                matched, scores = by_term.get(term, NO_DOCUMENT)
                total[matched] += weight * scores
                matches[matched] = True
            found = np.flatnonzero(matches)
            sums = total[found].astype(np.float32)
            order = rank_order(sums, documents.map.id_rank[found], self.depth)
            ranked.append((topic.topic_id, found[order], sums[order]))
            n_matched.append(len(found))
        return Run.build(documents.map, ranked, n_matched=n_matched)


@dataclass(frozen=True)
class BM25S(Library):
    """Ranks by the scores of `bm25s.BM25`.

    `method=lucene` is `bm25` with exact lengths, and N and avgdl count empty documents; `robertson` and
    `atire` have other idf. The library's own top-k is not used: it pads with documents that match nothing.
    Needs the extra `bm25s`; raises `ResourceError` without it.

    **Source:** X. H. Lù (2024), BM25S: Orders of magnitude faster lexical search via eager sparse scoring.
    """

    kind: ClassVar[str] = "bm25s"
    method: str = "lucene"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("retrieval.method", self.method, METHODS)

    @property
    def idf(self) -> str:
        return self.method

    def scorer(self, terms: Sequence[Sequence[str]]) -> Callable[[str], Any]:
        with _without_numba():
            import bm25s

        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(term, len(vocabulary)) for term in of_document] for of_document in terms]
        library = bm25s.BM25(k1=self.k1, b=self.b, method=self.method)
        library.index((ids, dict(vocabulary)), show_progress=False)
        return lambda term: library.get_scores([term])


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
    epsilon: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        number("retrieval.epsilon", self.epsilon, least=0)

    @property
    def idf(self) -> str:
        return f"okapi,eps:{self.epsilon:g}"

    def scorer(self, terms: Sequence[Sequence[str]]) -> Callable[[str], Any]:
        from rank_bm25 import BM25Okapi

        library = BM25Okapi(terms, k1=self.k1, b=self.b, epsilon=self.epsilon)
        return lambda term: library.get_scores([term])
