"""Whether two sources of judgments say the same: of documents, and of systems."""

from dataclasses import dataclass

import numpy as np

from clirbench.statistics.coefficients import Coefficient, kendall
from clirbench.types import Doubles, Qrels


@dataclass(frozen=True, eq=False)
class Agreement:
    """Two sets of judgments on the topics both have, in the order of the first; one value a topic, each in [0, 1].

    `overlap` = |A & B| / |A | B| of the relevant sets, `found` = |A & B| / |B|, the share of the second's relevant
    documents that the first has (its recall), `right` = |A & B| / |A|, the share of the first's that the second
    confirms (its precision); 1 is perfect agreement. A side without a relevant document makes its share NaN.
    """

    topic_ids: tuple[str, ...]
    overlap: Doubles
    found: Doubles
    right: Doubles
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    def mean(self, what: str = "overlap") -> float:
        """Mean over the topics of `overlap`, `found` or `right`; NaN where there is none."""
        values = np.asarray(getattr(self, what))
        defined = values[~np.isnan(values)]
        return float(defined.mean()) if len(defined) else float("nan")


def agreement(first: Qrels, second: Qrels) -> Agreement:
    """Per-topic agreement of the relevant sets (grade above 0); topics that only one side judges are listed.

    **Source:** overlap of relevance judgments: Voorhees, Variations in Relevance Judgments and the Measurement of
    Retrieval Effectiveness, SIGIR 1998.
    """
    shared = tuple(topic_id for topic_id in first.topic_ids if topic_id in second.grades)
    sets = [(_relevant(first, topic_id), _relevant(second, topic_id)) for topic_id in shared]
    return Agreement(
        topic_ids=shared,
        overlap=np.array([_share(len(a & b), len(a | b)) for a, b in sets], dtype=np.float64),
        found=np.array([_share(len(a & b), len(b)) for a, b in sets], dtype=np.float64),
        right=np.array([_share(len(a & b), len(a)) for a, b in sets], dtype=np.float64),
        only_first=tuple(topic_id for topic_id in first.topic_ids if topic_id not in second.grades),
        only_second=tuple(topic_id for topic_id in second.topic_ids if topic_id not in first.grades),
    )


def system_agreement(first: Doubles, second: Doubles) -> Coefficient:
    """Kendall's tau_b between the values that one measure gives the same systems under two sets of judgments.

    1 means that both rank the systems alike; undefined (with its reason) for fewer than two systems or equal values.
    """
    return kendall(np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64))


def _relevant(qrels: Qrels, topic_id: str) -> set[str]:
    return {doc_id for doc_id, grade in qrels.grades[topic_id].items() if grade > 0}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
