"""Graded pseudo-relevance: natural breaks in the scores of what a topic matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.checks import whole_number
from clirbench.errors import InputError
from clirbench.pages.wording import short
from clirbench.relevance.base import PSEUDO
from clirbench.types import Documents, Doubles, Ints, Judge, Need, Qrels, Run, Topic


@dataclass(frozen=True)
class Jenks:
    """The scores of a topic's documents, cut into `classes` natural classes; a document's grade is its class.

    Grades run from 0 (lowest class, not relevant) to classes - 1. The classes have the least sum of squared
    deviations from their means that any cut of the sorted scores has. One score of 0, that of a document which is
    not matched, takes part, so that the lowest class begins there. Equal scores share a class. With fewer distinct
    scores than classes, every distinct score is a class. A topic that the English side does not match is left out.
    Raises `ConfigError` for fewer than 2 classes, `InputError` for a negative score.

    **Source:** Sun and Duh, CLIReval, ACL 2020 (jenks mode, 5 classes by default); Fisher, On Grouping for Maximum
    Homogeneity, JASA 1958, for the exact optimum. CLIReval means to add the 0 and loses it; here it takes part.
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    judged_by: ClassVar[Judge] = "pseudo-relevance"
    gives: ClassVar[frozenset[Need]] = frozenset({"grades"})
    classes: int = 5

    def __post_init__(self) -> None:
        whole_number("relevance.classes", self.classes, least=2)

    @property
    def kind(self) -> str:
        return f"jenks{self.classes}"

    @property
    def signature(self) -> str:
        return self.kind

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        grades: dict[str, dict[str, int]] = {}
        for topic in topics:
            scores = ideal.values(topic.topic_id, tied=True).astype(np.float64)
            if not len(scores):
                continue
            if scores[-1] < 0:
                raise InputError(
                    f"topic {topic.topic_id}: a score is negative ({short(scores[-1])}); natural breaks start at 0, "
                    "use relevance=top_k with this retrieval"
                )
            labels = natural_classes(np.append(scores, 0.0), self.classes)[:-1].tolist()
            grades[topic.topic_id] = dict(zip(ideal.ranking(topic.topic_id), labels, strict=True))
        return Qrels({topic_id: by_document for topic_id, by_document in grades.items() if any(by_document.values())})


def natural_classes(values: Doubles, classes: int) -> Ints:
    """The class (0 lowest) of each value, for the cut into at most `classes` with the least squared deviation.

    Dynamic programme over the n distinct values v with counts: best(c, j) = min_i best(c-1, i) + cost(i..j), where
    cost is sum w v^2 - (sum w v)^2 / sum w; O(classes n^2) time, O(classes n) memory.
    """
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    n, k = len(distinct), min(classes, len(distinct))
    centred = distinct - np.average(distinct, weights=counts)
    weight, first, second = (np.concatenate([[0.0], np.cumsum(counts * centred**power)]) for power in (0, 1, 2))
    best = np.full((k + 1, n + 1), np.inf)
    best[0, 0] = 0.0
    cut = np.zeros((k + 1, n + 1), dtype=np.int64)
    for j in range(1, n + 1):
        cost = second[j] - second[:j] - (first[j] - first[:j]) ** 2 / (weight[j] - weight[:j])
        total = best[:-1, :j] + np.maximum(cost, 0.0)
        cut[1:, j] = total.argmin(axis=1)
        best[1:, j] = total.min(axis=1)
    label = np.empty(n, dtype=np.int64)
    end = n
    for c in range(k, 0, -1):
        label[cut[c, end] : end] = c - 1
        end = int(cut[c, end])
    return label[inverse]
