"""MacroF and MicroF over what a search engine sees: the retrieval analyser's terms.

Terms instead of words (stemmed, stop words removed); optionally each term weighted by its idf, and only the terms
that the topics ask for. Statistics have four columns a term: REFS, PREDS, MATCH of term t are columns 4t to 4t + 2,
and column 4t + 3 is its weight times (REFS + PREDS), so that the weight can be had back from any sum.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import ClassVar

import numpy as np

from clirbench.checks import check_choice, check_least
from clirbench.corpora.base import CorpusSource
from clirbench.metrics.base import Sparse, Statistics
from clirbench.metrics.macrof import average_types, type_statistics
from clirbench.metrics.tokenised import aligned_tokens
from clirbench.metrics.tokens import SPLIT, Tokens
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.topics.base import TopicSource
from clirbench.types import Documents, Doubles, TestSet

_CHUNK = re.compile(r"[^ \t\n\r\f\v]+")


@dataclass(frozen=True)
class TermF:
    """MacroF or MicroF over the retrieval analyser's terms.

    macro: 100 * sum over t in V of w(t) F_beta(t) / sum over t in V of w(t);
    micro: 100 * sum over t in V of w(t) f(t) F_beta(t) / sum over t in V of w(t) f(t), f(t) = REFS(t) + k;
    F_beta as in `clirbench.metrics.macrof.MacroF`, V = terms of hypotheses and reference together, of which with
    `topics` only those that a topic contains.

    `average` is macro or micro. `weights` is none (w = 1) or idf: w(t) = ln(1 + (N - df + .5) / (df + .5)), N =
    lines of the reference, df = those that contain t. `analyzer` should be the retriever's. `topics` and `corpus`
    are the experiment's own: topics made from the English side are made from the corpus's.

    V is the terms with a count in the totals. Score: 0-100, higher is better; 0 where there is no term. An empty
    hypothesis or reference line has no terms. Of several references the first is used (`refs:first`).

    Raises what reading the topics raises.

    **Source:** ours, after Gowda et al. 2021, section 2; idf: Lucene's BM25.
    """

    higher_is_better: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = True
    width: ClassVar[int] = 4

    analyzer: Analyzer
    average: str = "macro"
    weights: str = "none"
    beta: float = 1
    k: float = 1
    topics: TopicSource | None = field(default=None, compare=False)
    corpus: CorpusSource | None = field(default=None, compare=False)
    name: str = ""

    def __post_init__(self) -> None:
        kind = self.name or "TermF"
        check_choice(kind, "average", self.average, ("macro", "micro"))
        check_choice(kind, "weights", self.weights, ("none", "idf"))
        check_least(kind, "beta", self.beta, 0)
        check_least(kind, "k", self.k, 0)
        scope = "Query" if self.topics else "Term"
        weighed = "idf" if self.weights == "idf" else ""
        object.__setattr__(self, "name", self.name or f"{scope}{self.average.title()}F{self.beta:g}{weighed}")

    @property
    def signature(self) -> str:
        parts = [self.name, f"an:{self.analyzer.signature}", self.average, f"weights:{self.weights}"]
        parts += [f"beta:{self.beta:g}", *([f"k:{self.k:g}"] if self.average == "micro" else [])]
        if self.topic_terms is not None:
            parts.append(f"topic-terms:{sha256(' '.join(sorted(self.topic_terms)).encode()).hexdigest()[:12]}")
        return "|".join([*parts, "refs:first"])

    @cached_property
    def topic_terms(self) -> frozenset[str] | None:
        """The terms that the topics contain; None where all terms count."""
        if self.topics is None:
            return None
        english = self.corpus.read().english if self.corpus else Documents.of([])
        return frozenset(term for topic in self.topics.topics(english) for term in self.analyzer.terms(topic.text))

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Sparse:
        """REFS, PREDS, MATCH and weight of every term, one sparse row a segment: (segments, 4 * terms)."""
        from scipy.sparse import csr_array

        ours, theirs = self.tokens(hypotheses, test)
        names = ours.types
        weights = line_idf(theirs, len(names)) if self.weights == "idf" else np.ones(len(names))
        entries = type_statistics(ours, theirs).tocoo()
        row, column = entries.coords
        values = entries.data
        if self.topic_terms is not None:
            wanted = np.array([name in self.topic_terms for name in names], dtype=bool)[column // 3]
            row, column, values = row[wanted], column[wanted], values[wanted]
        term, which = column // 3, column % 3
        counted = which < 2
        rows = np.concatenate([row, row[counted]])
        columns = np.concatenate([4 * term + which, 4 * term[counted] + 3])
        together = np.concatenate([values, values[counted] * weights[term[counted]]])
        return csr_array((together, (rows, columns)), shape=(len(hypotheses), 4 * len(names)))

    def tokens(self, hypotheses: Sequence[str], test: TestSet) -> tuple[Tokens, Tokens]:
        """The terms of the hypotheses and of the first reference."""
        return aligned_tokens(Terms(self.analyzer), hypotheses, test, only_first=True)

    def types(self, hypotheses: Sequence[str], test: TestSet) -> tuple[str, ...]:
        """The names of the terms, in the order of the statistics' groups of four columns."""
        return self.tokens(hypotheses, test)[0].types

    def score(self, totals: Statistics) -> Doubles:
        """The average from summed statistics, vectorised over leading axes: (..., 4 * terms) -> (...), 0-100."""
        return average_types(totals, width=self.width, micro=self.average == "micro", beta=self.beta, k=self.k)


def line_idf(reference: Tokens, n_terms: int) -> Doubles:
    """ln(1 + (N - df + .5) / (df + .5)) of every term, N and df counted in lines: (terms,); highest for df = 0."""
    n_lines = len(reference.lengths)
    lines = np.repeat(np.arange(n_lines), reference.lengths)
    once = np.unique(np.column_stack([lines, reference.numbers]), axis=0)
    frequency = np.bincount(once[:, 1], minlength=n_terms)
    return np.asarray(np.log1p((n_lines - frequency + 0.5) / (frequency + 0.5)))


@dataclass(frozen=True)
class Terms:
    """Lines as an analyser's terms, each distinct chunk between white space analysed once."""

    analyzer: Analyzer

    @property
    def way(self) -> int:
        return SPLIT

    def prepare(self, lines: Sequence[str]) -> Sequence[str]:
        return [" ".join([_terms(self.analyzer, chunk) for chunk in _CHUNK.findall(line)]) for line in lines]


@lru_cache(maxsize=1 << 17)
def _terms(analyzer: Analyzer, chunk: str) -> str:
    return " ".join(analyzer.terms(chunk))
