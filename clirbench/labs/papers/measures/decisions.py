"""From ranked lists to returned sets: a decision rule gives every document a key, a threshold cuts at a key."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clirbench.errors import InputError
from clirbench.measures.ordinals import ranked_documents
from clirbench.types import Doubles, Ints, Judged, Run

Booleans = NDArray[np.bool_]

RULES = ("score", "top", "share")


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

    def part(self, topic: int) -> slice:
        """Where a topic's documents stand: they are in rank order, so that their keys never rise."""
        start, stop = np.searchsorted(self.topic, [topic, topic + 1])
        return slice(int(start), int(stop))

    def gains(self, beta: float) -> Doubles:
        """What returning a document adds to its topic's QWV: 1/R for a relevant one, -beta/(N - R) for another."""
        n_relevant = self.n_relevant[self.topic]
        cost = -beta / np.maximum(self.n_documents - n_relevant, 1)
        return np.where(self.relevant, 1.0 / np.maximum(n_relevant, 1), cost)


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
    flag = np.zeros(len(where), dtype=bool)  # of every document, one topic at a time
    flags = [np.empty(0, dtype=bool)]
    for topic_id, ids in zip(topic_ids, relevant_ids, strict=True):
        found = [where[doc_id] for doc_id in ids if doc_id in where]
        flag[found] = True
        flags.append(flag[ranked_documents(run, topic_id)])
        flag[found] = False
    return np.concatenate(flags)


def _keys(run: Run, topic_id: str, rule: str) -> Doubles:
    scores = run.values(topic_id, tied=True).astype(np.float64)
    if rule == "top":
        return -np.arange(1.0, len(scores) + 1)
    if rule == "share" and len(scores):
        if scores[0] <= 0:
            raise InputError(
                f"topic {topic_id}: the best score is {scores[0]:g}; a share of it means nothing, use rule=top or score"
            )
        return np.asarray(scores / scores[0], dtype=np.float64)
    return scores
