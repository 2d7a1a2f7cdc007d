"""Query-weighted values: what missed and falsely returned documents cost, for a system that returns a SET.

    QWV(q) = 1 - (P_miss(q) + beta P_fa(q))
    P_miss = relevant documents not returned / relevant documents
    P_fa   = other documents returned / other documents of the collection

AQWV, *actual*, is its mean at one decision rule fixed beforehand; MQWV, *maximum*, at the threshold that is best for
all topics together; OQWV, *oracle*, at the best one for each topic: AQWV <= MQWV <= OQWV for one rule. A ranked list
becomes a set by a rule: documents that score at least `at` (`score`), the first `at` documents (`top`), or documents
with at least the share `at` of the topic's best score (`share`). Scores are those the retriever gave, ties intact.
Values are at most 1, higher is better, and can be negative (down to -beta); nothing returned is 0.

A topic without relevant documents has no P_miss. `empty` says what it is worth: `drop` leaves it out (its value is
undefined), `no_miss` takes P_miss as 0, `modified` takes the mean of P_miss over topics that have relevant documents
and the mean of P_fa over all (mAQWV).

**Source:** NIST, MATERIAL: derivation of AQWV (aqwv_derivation.pdf, 2017), after Wegmann et al. 2013; the modified
form and beta = 40: fits the published P_miss and P_fa of Gowda et al., NAACL 2021, Table 4.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clirbench.checks import number, one_of, whole_number
from clirbench.errors import InputError
from clirbench.measures.base import ArithmeticMean
from clirbench.measures.ir import ranked_documents
from clirbench.types import Doubles, Ints, Judged, Need, Run

Booleans = NDArray[np.bool_]

RULES = ("score", "top", "share")
EMPTY = ("drop", "no_miss", "modified")
CALIBRATIONS = ("english", "half")
NOTHING = np.inf
"""The threshold at which no document is returned."""


@dataclass(frozen=True, eq=False)
class Returned:
    """Every ranked document of the scored topics: its topic's number, its key, and whether it is relevant."""

    topic: Ints
    keys: Doubles
    relevant: Booleans
    n_relevant: Ints
    n_documents: int

    def rates(self, thresholds: Doubles) -> tuple[Doubles, Doubles]:
        """P_miss (NaN for a topic without relevant documents) and P_fa of each topic, keys at least its threshold."""
        kept = self.keys >= thresholds[self.topic]
        n = len(self.n_relevant)
        hits = np.bincount(self.topic[kept & self.relevant], minlength=n)
        alarms = np.bincount(self.topic[kept & ~self.relevant], minlength=n)
        found = np.where(self.n_relevant > 0, hits / np.maximum(self.n_relevant, 1), np.nan)
        return 1.0 - found, alarms / np.maximum(self.n_documents - self.n_relevant, 1)


def scored_lists(run: Run, judged: Judged, rule: str) -> Returned:
    """The run's lists of the scored topics with their keys under `rule` (one of `RULES`).

    Raises `InputError` where the collection's size is not known or smaller than a topic's relevant documents, and
    where a share of a best score that is not positive is asked for.
    """
    relevant_ids = [{d for d, grade in grades.items() if grade > 0} for grades in judged.qrels.grades.values()]
    n_relevant = np.array([len(ids) for ids in relevant_ids], dtype=np.int64)
    if judged.n_documents < max(n_relevant.max(initial=0), 1):
        raise InputError(
            f"AQWV and its family need the number of documents of the collection, {judged.n_documents} is less than "
            f"the relevant documents of a topic; score with a collection, or leave these measures out"
        )
    keys = [_keys(run, topic_id, rule) for topic_id in judged.topic_ids]
    return Returned(
        topic=np.repeat(np.arange(len(keys)), [len(listed) for listed in keys]),
        keys=np.concatenate([np.empty(0), *keys]),
        relevant=_relevant(run, judged.topic_ids, relevant_ids),
        n_relevant=n_relevant,
        n_documents=judged.n_documents,
    )


def _relevant(run: Run, topic_ids: Sequence[str], relevant_ids: Sequence[set[str]]) -> Booleans:
    """Whether each ranked document is relevant to its topic."""
    where = {doc_id: i for i, doc_id in enumerate(run.doc_ids)}
    flags = [
        np.isin(ranked_documents(run, topic_id), [where[doc_id] for doc_id in ids if doc_id in where])
        for topic_id, ids in zip(topic_ids, relevant_ids, strict=True)
    ]
    return np.concatenate([np.empty(0, dtype=bool), *flags])


def _keys(run: Run, topic_id: str, rule: str) -> Doubles:
    scores = run.values(topic_id, tied=True).astype(np.float64)
    if rule == "top":
        return -np.arange(1.0, len(scores) + 1)
    if rule == "share" and len(scores):
        if scores[0] <= 0:
            said = f"topic {topic_id}: the best score is {scores[0]:g};"
            raise InputError(f"{said} a share of it means nothing, use rule=top or score")
        return np.asarray(scores / scores[0], dtype=np.float64)
    return scores


def query_weighted_value(p_miss: Doubles | float, p_fa: Doubles | float, beta: float = 40.0) -> Doubles:
    """QWV = 1 - (P_miss + beta P_fa), element by element; also AQWV from mean P_miss and mean P_fa."""
    return np.asarray(1.0 - (np.asarray(p_miss) + beta * np.asarray(p_fa)), dtype=np.float64)


@dataclass(frozen=True)
class QueryWeighted(ArithmeticMean, ABC):
    """What AQWV, MQWV and OQWV share: `beta` >= 0, the decision `rule`, the `empty`-topic policy."""

    beta: float = 40.0
    rule: str = "score"
    empty: str = "drop"
    name: str = ""
    higher_is_better: bool = field(default=True, init=False)
    uses_qrels: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        number(f"measure {self.name}: beta", self.beta, least=0)
        one_of(f"measure {self.name}: rule", self.rule, RULES)
        one_of(f"measure {self.name}: empty", self.empty, EMPTY)

    @property
    def signature(self) -> str:
        kind = type(self).__name__
        settings = f"beta:{self.beta:g}|rule:{self.rule}{self._decision}|empty:{self.empty}"
        return f"{self.name}|measure:{kind}|{settings}|mean:arithmetic|unmatched:0"

    @property
    def _decision(self) -> str:
        return ""

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        """One value for each topic; NaN for a topic that the policy drops. Raises `InputError` (see `scored_lists`)."""
        topics = scored_lists(run, judged, self.rule)
        return self.values(topics, self.thresholds(topics, judged))

    @abstractmethod
    def thresholds(self, topics: Returned, judged: Judged) -> Doubles:
        """The key that a document of each topic must reach to be returned."""

    @property
    def needs_relevant(self) -> bool:
        return self.empty == "drop"

    @property
    def needs(self) -> frozenset[Need]:
        """All judged topics, unless those without a relevant document are dropped."""
        return frozenset() if self.needs_relevant else frozenset({"all topics"})

    def values(self, topics: Returned, thresholds: Doubles) -> Doubles:
        """QWV of each topic, its documents cut at its threshold, under the empty-topic policy."""
        p_miss, p_fa = topics.rates(thresholds)
        empty = topics.n_relevant == 0
        p_miss = np.where(empty, np.nan if self.empty == "drop" else 0.0, p_miss)
        return query_weighted_value(p_miss * self.miss_weight(empty), p_fa, self.beta)

    def miss_weight(self, empty: Booleans) -> float:
        """What P_miss of a topic counts, where `empty` topics have no relevant document.

        In the modified form the mean over all topics is then 1 - (mean P_miss of those with relevant documents + beta
        mean P_fa of all).
        """
        weighted = self.empty == "modified" and not empty.all()
        return len(empty) / float((~empty).sum()) if weighted else 1.0

    def gains(self, topics: Returned, among: Booleans) -> Doubles:
        """What returning each document adds to the sum of QWV over the topics `among`, under the policy.

        1/R for a relevant one, -beta/(N - R) for another.
        """
        empty, n_relevant = topics.n_relevant == 0, topics.n_relevant[topics.topic]
        gain = 1.0 / np.maximum(n_relevant, 1) * self.miss_weight(empty[among])
        cost = -self.beta / np.maximum(topics.n_documents - n_relevant, 1)
        counted = (among & ~empty if self.empty == "drop" else among)[topics.topic]
        return np.where(counted, np.where(topics.relevant, gain, cost), 0.0)

    def best(self, topics: Returned, among: Booleans | None = None) -> float:
        """The single threshold with the highest total QWV over the topics `among` (all by default)."""
        among = np.ones(len(topics.n_relevant), dtype=bool) if among is None else among
        part = among[topics.topic]
        keys, gains = topics.keys[part], self.gains(topics, among)[part]
        order = np.argsort(-keys, kind="stable")
        return best_threshold(keys[order], gains[order])


def best_threshold(keys: Doubles, gains: Doubles) -> float:
    """Where to cut documents, in falling order of their keys, so that their gains sum highest.

    Documents of equal keys are cut together; of equal sums, the one that returns least.
    """
    if not len(keys):
        return NOTHING
    whole = np.append(keys[1:] != keys[:-1], True)
    candidates, totals = keys[whole], np.cumsum(gains)[whole]
    at = int(np.argmax(totals))
    return float(candidates[at]) if totals[at] > 0 else NOTHING


@dataclass(frozen=True)
class AQWV(QueryWeighted):
    """Actual query-weighted value: the decision is fixed before the system is scored.

    `at` is the decision itself (a score, a number of documents, a share in (0, 1]). Where it is not given it is
    calibrated: on the English side's own run, whose best single threshold every system then gets (`english`), or on
    the other half of the topics in the system's own run (`half`: topics at odd positions decide for those at even
    ones, and the other way round).
    """

    at: float | None = None
    calibrate: str = "english"
    name: str = "AQWV"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(f"measure {self.name}: calibrate", self.calibrate, CALIBRATIONS)
        key = f"measure {self.name}: at"
        if self.rule == "top":
            whole_number(key, self.at, or_null=True)
        elif self.rule == "share" and self.at is not None:
            number(key, self.at, above=0, most=1)
        elif self.at is not None:
            number(key, self.at)

    @property
    def _decision(self) -> str:
        return f"|at:{self.at:g}" if self.at is not None else f"|at:calibrated-{self.calibrate}"

    @property
    def needs(self) -> frozenset[Need]:
        """The English side too, where the threshold is calibrated on it."""
        on_english = self.at is None and self.calibrate == "english"
        return super().needs | (frozenset({"english"}) if on_english else frozenset())

    def thresholds(self, topics: Returned, judged: Judged) -> Doubles:
        n = len(topics.n_relevant)
        if self.at is not None:
            return np.full(n, -float(self.at) if self.rule == "top" else float(self.at))
        if self.calibrate == "english":
            return np.full(n, _on_english(self, judged))
        if n < 2:
            raise InputError(f"measure {self.name}: calibrate=half needs at least 2 scored topics, there are {n}")
        odd = np.arange(n) % 2 == 1
        return np.where(odd, self.best(topics, ~odd), self.best(topics, odd))


@dataclass(frozen=True)
class MQWV(QueryWeighted):
    """Maximum query-weighted value: at the one threshold that is best for this run over all topics."""

    name: str = "MQWV"

    def thresholds(self, topics: Returned, judged: Judged) -> Doubles:
        return np.full(len(topics.n_relevant), self.best(topics))


@dataclass(frozen=True)
class OQWV(QueryWeighted):
    """Oracle query-weighted value: at the threshold that is best for each topic; its mean is at least 0."""

    name: str = "OQWV"

    def thresholds(self, topics: Returned, judged: Judged) -> Doubles:
        n = len(topics.n_relevant)
        ends = np.searchsorted(topics.topic, np.arange(1, n))  # of a topic's documents, whose keys never rise
        gains = self.gains(topics, np.ones(n, dtype=bool))
        by_topic = zip(np.split(topics.keys, ends), np.split(gains, ends), strict=True)
        return np.array([best_threshold(*of_topic) for of_topic in by_topic][:n], dtype=np.float64)


@lru_cache(maxsize=4)
def _on_english(measure: AQWV, judged: Judged) -> float:
    """The English side's best single threshold; once for all systems, a `Judged` hashes by identity."""
    return measure.best(scored_lists(judged.ideal, judged, measure.rule))
