"""The same rankings scored in other reasonable ways: sixteen, fixed before any result was seen, and one in reserve.

All are functions of the ranks at which a system has the documents of the English side's ranking: AP, nDCG and P@10
under four cuts of that ranking, RBO with four persistences, and nDCG whose gain is the English side's own score, which
has no cut. `RBO, p = .9`, the registered measure, is none of the sixteen; it takes the place of a scoring that is the
measure of the run itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clirbench.measures.ordinals import ranked_documents, shared_ordinals
from clirbench.relevance.base import BestRanked
from clirbench.relevance.shares import ScoreShare, TopShare
from clirbench.relevance.top_k import TopK
from clirbench.types import Doubles, Ints, Run

RULES: Mapping[str, BestRanked] = {
    "k = 3": TopK(3),
    "k = 10": TopK(10),
    "share .2": TopShare(0.2),
    "score .5": ScoreShare(0.5),
}
PERSISTENCE = {".8": 0.8, ".95": 0.95, ".98": 0.98, ".9": 0.9}
RESERVE = "RBO, p = .9"
SCORINGS = (
    *(f"{measure}, {rule}" for rule in RULES for measure in ("AP", "nDCG", "P@10")),
    "nDCG, gain = score",
    *(f"RBO, p = {p}" for p in PERSISTENCE),
)
"""The sixteen, and the one in reserve."""
CUT = 10


TOGETHER = 1000
"""Topics that are scored at once."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Ranked lists, one after the other: of every place the topic's number, the 0-based rank and the document."""

    lengths: Ints
    topic: Ints
    rank: Ints
    document: Ints

    @classmethod
    def of(cls, run: Run, topic_ids: Sequence[str]) -> "Lists":
        lists = [ranked_documents(run, topic_id) for topic_id in topic_ids]
        lengths = np.array([len(one) for one in lists], dtype=np.int64)
        topic = np.repeat(np.arange(len(lists)), lengths)
        rank = np.arange(len(topic)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return cls(lengths, topic, rank, np.concatenate(lists))


@dataclass(frozen=True)
class Rescoring:
    """Other scorings of a run, over the topics `topic_ids`, of a collection of `n_documents`."""

    ideal: Run
    topic_ids: tuple[str, ...]
    n_documents: int

    @cached_property
    def lists(self) -> Lists:
        return Lists.of(self.ideal, self.topic_ids)

    @cached_property
    def gains(self) -> Doubles:
        """The English side's scores at every place of its lists, none below 0."""
        scores = [self.ideal.values(topic_id, tied=True) for topic_id in self.topic_ids]
        return np.maximum(np.concatenate(scores).astype(np.float64), 0)

    @cached_property
    def relevant(self) -> Ints:
        """(rules, topics): how many documents are relevant; 0 where a rule cannot say it."""
        counts = np.zeros((len(RULES), len(self.topic_ids)), dtype=np.int64)
        for t, topic_id in enumerate(self.topic_ids):
            best = self.ideal.values(topic_id, tied=True)[:1]
            for r, rule in enumerate(RULES.values() if len(best) else ()):
                if best[0] > 0 or not isinstance(rule, ScoreShare):
                    counts[r, t] = rule.relevant(self.ideal, topic_id, self.n_documents)
        return counts

    @cached_property
    def keys(self) -> tuple[Ints, Ints]:
        """(topic, document) of every place of the English side's lists as one number, ascending, and the place."""
        keys = self.lists.topic * (len(self.ideal.doc_ids) + 1) + self.lists.document
        order = np.argsort(keys)
        return keys[order], order

    def per_topic(self, run: Run) -> Doubles:
        """(scorings, topics): a topic that the system does not match scores 0; NaN where the rule cannot judge it."""
        found, ideal, n = Lists.of(run, self.topic_ids), self.lists, len(self.topic_ids)
        keys, order = self.keys
        wanted = found.topic * (len(self.ideal.doc_ids) + 1) + shared_ordinals(run, self.ideal)[found.document]
        at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        shared = np.flatnonzero(keys[at] == wanted) if len(keys) else at
        at, topic, rank = order[at[shared]], found.topic[shared], found.rank[shared] + 1
        place = ideal.rank[at] + 1
        discount = 1 / np.log2(np.arange(2, 2 + max(found.lengths.max(initial=1), ideal.lengths.max(initial=1))))
        most = np.append(np.nan, np.cumsum(discount))
        values = []
        for relevant in self.relevant:
            hit = place <= relevant[topic]
            of, ranked = topic[hit], rank[hit]
            nth = np.arange(len(of)) - np.searchsorted(of, of) + 1
            some = np.where(relevant > 0, relevant, np.nan)
            values.append(np.bincount(of, nth / ranked, n) / some)
            values.append(np.bincount(of, discount[ranked - 1], n) / most[relevant])
            values.append(np.bincount(of[ranked <= CUT], minlength=n) / CUT + 0 * some)
        best = np.bincount(ideal.topic, self.gains * discount[ideal.rank], n)
        gained = np.bincount(topic, self.gains[at] * discount[rank - 1], n)
        values.append(gained / np.where(best > 0, best, np.nan))
        return np.stack([*values, *_overlaps(topic, np.maximum(rank, place), found.lengths, ideal.lengths)])


def _overlaps(topic: Ints, depth: Ints, first: Ints, second: Ints) -> Doubles:
    """(persistences, topics): RBO, extrapolated, of lists of these lengths without ties.

    `depth`: of each shared document (of `topic`) the depth from which both lists have it. See `rbo`.
    """
    short, long = np.minimum(first, second), np.maximum(first, second)
    width = max(1, int(long.max(initial=1)))
    depths = np.arange(1, width + 1)
    shared = np.bincount(topic * width + depth - 1, minlength=len(first) * width).reshape(len(first), width)
    overlap = np.cumsum(shared, axis=1).astype(np.float64)
    rows = np.arange(len(first))
    last = overlap[rows, np.maximum(short, 1) - 1] / np.maximum(short, 1)
    agreement = (overlap + np.maximum(0, depths - short[:, None]) * last[:, None]) / depths
    agreement *= depths <= long[:, None]
    p = np.array(list(PERSISTENCE.values()))
    value = (1 - p) / p * (agreement @ p ** depths[:, None])
    value += agreement[rows, np.maximum(long, 1) - 1][:, None] * p ** long[:, None]
    return np.asarray(np.where(short[:, None] > 0, value, 0.0).T)
