"""A system's ranking against the English side's own, without judgments: tau_AP, Kendall's tau, overlap.

The items are the first `k` documents of the English side's ranking (the reference order, ties broken as in the rank
order); documents that only the system ranks play no part, and those that the system does not rank are tied behind
all that it does. A topic that the system does not match scores 0 in all three.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from clirbench.checks import whole_number
from clirbench.measures.base import ArithmeticMean
from clirbench.measures.ordinals import ranked_documents, shared_ordinals
from clirbench.types import Doubles, Ints, Judged, Need, Run


@dataclass(frozen=True)
class AgainstIdeal(ArithmeticMean, ABC):
    """What these measures share: the cut `k` >= 1, the mean over topics, and that they read no judgments."""

    k: int = 100
    name: str = ""
    higher_is_better: bool = field(default=True, init=False)
    uses_qrels: bool = field(default=False, init=False)
    needs_relevant: bool = field(default=False, init=False)
    needs: ClassVar[frozenset[Need]] = frozenset({"english"})

    def __post_init__(self) -> None:
        whole_number(f"measure {self.name}: k", self.k)

    @property
    def signature(self) -> str:
        kind = type(self).__name__
        return f"{self.name}|measure:{kind}|k:{self.k}|mean:arithmetic|ties:doc_id|unranked:tied-last|unmatched:0"

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        values = np.zeros(len(judged.topic_ids))
        ordinals = shared_ordinals(run, judged.ideal)
        rank_of = np.full(len(judged.ideal.doc_ids) + 1, -1, dtype=np.int64)  # of every document, one topic at a time
        for t, topic_id in enumerate(judged.topic_ids):
            ranked = ordinals[ranked_documents(run, topic_id)]
            reference = ranked_documents(judged.ideal, topic_id)[: self.k]
            if len(ranked) and len(reference):
                rank_of[ranked] = np.arange(len(ranked))
                values[t] = self.agreement(rank_of[reference])
                rank_of[ranked] = -1
        return values

    @abstractmethod
    def agreement(self, ranks: Ints) -> float:
        """One topic's value from the system's 0-based rank of each reference document, -1 where it has none."""


@dataclass(frozen=True)
class Overlap(AgainstIdeal):
    """The share of the English side's first k documents that are among the system's first k: in [0, 1]."""

    k: int = 10
    name: str = "overlap"

    def agreement(self, ranks: Ints) -> float:
        return float(((ranks >= 0) & (ranks < self.k)).mean())


@dataclass(frozen=True)
class Tau(AgainstIdeal):
    """Kendall's tau_a: (concordant - discordant) / (n (n - 1) / 2), pairs tied in the system's ranking counting 0.

    In [-1, 1]; 1 for the same order. With one document in the reference, 1 if the system ranks it.

    **Source:** Kendall, A New Measure of Rank Correlation, Biometrika 1938.
    """

    name: str = "tau"

    def agreement(self, ranks: Ints) -> float:
        n = len(ranks)
        if n == 1:
            return float(ranks[0] >= 0)
        last = np.where(ranks < 0, np.iinfo(np.int64).max, ranks)
        upper = np.sign((last[None, :] > last[:, None]).astype(np.int64) - (last[None, :] < last[:, None]))
        return float(np.triu(upper, 1).sum() / (n * (n - 1) / 2))


@dataclass(frozen=True)
class TauAP(AgainstIdeal):
    """AP rank correlation: tau_AP = 2/(n-1) sum_{i=2..n} C(i)/(i-1) - 1.

    C(i) is the number of documents above rank i of the system's ranking that stand above that document in the
    reference too: errors at the top weigh more. The documents that the system does not rank are in any order: the
    mean over all their orders. In [-1, 1]; 1 for the same order, 0 expected for a random one. With one document in
    the reference, 1 if the system ranks it.

    **Source:** Yilmaz, Aslam and Robertson, A New Rank Correlation Coefficient for Information Retrieval, SIGIR
    2008, eq. 1; ties as tau_AP,a of Urbano and Marrero, The Treatment of Ties in AP Correlation, ICTIR 2017.
    """

    name: str = "tau_AP"

    def agreement(self, ranks: Ints) -> float:
        n = len(ranks)
        if n == 1:
            return float(ranks[0] >= 0)
        # Reference positions in the system's order; above[i] counts those before i that are above i in the reference.
        ranked = np.argsort(np.where(ranks < 0, np.iinfo(np.int64).max, ranks), kind="stable")
        m = int((ranks >= 0).sum())
        above = np.tril(ranked[None, :] < ranked[:, None], -1)
        correct = above[:, :m].sum(axis=1).astype(np.float64)
        if m < n:
            # An unranked document at place i: the mean of what it has above it among the ranked ones, and half of
            # the i - m unranked ones before it.
            correct[m:] = correct[m:].mean() + np.arange(n - m) / 2
        places = np.arange(1, n)
        return float(2 / (n - 1) * (correct[1:] / places).sum() - 1)
