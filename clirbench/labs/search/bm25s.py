"""The library bm25s (extra): scores that are computed at indexing time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from clirbench.checks import one_of, require
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import ByLanguage
from clirbench.retrieval.queries import TermScores, check_parameters, combine, empty_collection, query
from clirbench.types import Documents, Run, Topic

METHODS = ("lucene", "robertson", "atire")


@dataclass(frozen=True)
class BM25S:
    """Ranks by the scores of `bm25s.BM25`, over the terms of our analyser and in our rank order.

    `method=lucene` is `bm25` with `lengths=exact`, except that N and avgdl count empty documents; `robertson` and
    `atire` have other idf. The library's own top-k is not used: it pads with documents that match nothing.
    Needs the extra `bm25s`; raises `ResourceError` without it.

    **Source:** X. H. Lù (2024), BM25S: Orders of magnitude faster lexical search via eager sparse scoring.
    """

    kind: ClassVar[str] = "bm25s"
    lexical_model: ClassVar[str] = "BM25"
    k1: float = 0.9
    b: float = 0.4
    depth: int = 1000
    method: str = "lucene"
    analyzer: Analyzer = field(default_factory=ByLanguage)

    def __post_init__(self) -> None:
        check_parameters(self.k1, self.b, self.depth)
        one_of("retrieval.method", self.method, METHODS)

    @property
    def signature(self) -> str:
        require("retrieval=bm25s", "bm25s", "bm25s")
        return (
            f"{self.kind}:{version('bm25s')}|k1:{self.k1:g}|b:{self.b:g}|idf:{self.method}|lengths:exact|qtf:sum"
            f"|an:{self.analyzer.signature}|depth:{self.depth}|ties:doc_id"
        )

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists; raises `InputError` for a collection without a term and for text that is not UTF-8."""
        require("retrieval=bm25s", "bm25s", "bm25s")
        import bm25s

        from clirbench.metrics.compiled.jit import njit  # noqa: F401  # before the library loads numba

        vocabulary: dict[str, int] = {}
        ids = [
            [vocabulary.setdefault(term, len(vocabulary)) for term in self.analyzer.terms(document.text)]
            for document in documents
        ]
        if not vocabulary:
            raise empty_collection(documents)
        library = bm25s.BM25(k1=self.k1, b=self.b, method=self.method)
        library.index((ids, dict(vocabulary)), show_progress=False)
        queries = [query(topic, self.analyzer) for topic in topics]

        def scores_of(term: str) -> TermScores:
            number = vocabulary.get(term)
            if number is None:
                return np.empty(0, dtype=np.int64), np.empty(0)
            starts = library.scores["indptr"]
            matched = np.sort(library.scores["indices"][starts[number] : starts[number + 1]]).astype(np.int64)
            return matched, library.get_scores([term])[matched].astype(np.float64)

        return combine(documents, queries, scores_of, self.depth)
