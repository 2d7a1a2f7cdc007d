"""The library rank_bm25, widely used in papers, shown as what it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from clirbench.errors import ConfigError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import ByLanguage
from clirbench.retrieval.queries import TermScores, check_parameters, combine, empty_collection, query
from clirbench.types import Documents, Run, Topic


@dataclass(frozen=True)
class RankBM25:
    """Ranks by `rank_bm25.BM25Okapi`, over the terms of our analyser.

    score(q, d) = sum over terms of qtf * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * dl / avgdl)), with
    idf = ln((N - df + .5) / (df + .5)), which is 0 for a term in half the documents and negative beyond; a negative
    one becomes `epsilon` times the mean idf of all terms (which may itself be negative in a small collection).
    N and avgdl count empty documents, which no other engine here does. Documents that match a term are ranked even
    if it scores 0. Slow, and holds the collection in memory: about 10 s for 100,000 segments.

    **Source:** D. Brown, rank_bm25; A. Trotman et al. (2014), Improvements to BM25 and Language Models Examined.
    """

    kind: ClassVar[str] = "rank_bm25"
    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    epsilon: float = 0.25
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)
        if not 0 <= self.epsilon < np.inf:
            raise ConfigError(f"retrieval.epsilon={self.epsilon}: must be 0 or above, 0.25 by default")

    @property
    def signature(self) -> str:
        return (
            f"{self.kind}:{version('rank-bm25')}|k1:{self.k1:g}|b:{self.b:g}|idf:okapi,eps:{self.epsilon:g}"
            f"|lengths:exact|qtf:sum|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        from rank_bm25 import BM25Okapi

        analysed = [self.analyzer.terms(document.text) for document in documents]
        if not any(analysed):
            raise empty_collection(documents)
        library = BM25Okapi(analysed, k1=self.k1, b=self.b, epsilon=self.epsilon)
        queries = [query(topic, self.analyzer) for topic in topics]

        def scores_of(term: str) -> TermScores:
            matched = np.array([i for i, counts in enumerate(library.doc_freqs) if term in counts], dtype=np.int64)
            return matched, library.get_scores([term])[matched] if len(matched) else np.empty(0)

        return combine(documents, queries, scores_of, self.depth)
