"""Rank-biased overlap of two rankings: how alike they are, the top of the lists weighing most."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from clirbench.checks import number, one_of, whole_number
from clirbench.errors import InputError
from clirbench.measures.base import ArithmeticMean
from clirbench.measures.ordinals import ranked_documents, shared_ordinals
from clirbench.measures.overlap import OverlapCurve, Ranks, curve, extrapolated, maximum, minimum
from clirbench.types import Doubles, Ints, Judged, Need, Run

TIES = ("doc_id", "w", "a", "b")
VARIANTS = ("ext", "min", "max", "res")

Ranking = Sequence[str | Sequence[str]]
"""Items in order, best first; a group of tied items is a tuple or list of them."""


@dataclass(frozen=True)
class RBO(ArithmeticMean):
    """Rank-biased overlap between a system's ranking and the English side's own, or of any two rankings.

    RBO = (1-p)/p sum_{d>=1} A_d p^d, A_d the agreement of the first d ranks (see `clirbench.measures.overlap`).

    * `p` in (0, 1): persistence; the first d ranks carry about 1 - p^d of the weight.
    * `depth` >= 1: both rankings are cut to this number of items (a tie group across the cut is cut too).
    * `ties`: how equal scores enter: `doc_id` breaks them by id ascending, the one rank order of every other
      measure (default); `w`, `a` and `b` keep them as ties (`Run.tied`), counted as in sports, averaged over all
      orders, and normalised so that a ranking agrees with itself.
    * `variant`: what unseen items do: `ext` agree as seen ones (default), `min` never, `max` always; `res` is
      max - min, how much is left open.

    Values are in [0, 1]; higher is more alike, `res` apart. Identical rankings give EXT 1, except under `a`, where a
    tie is an order left to chance. A topic that the system does not match scores 0 in every variant. Raises
    `ConfigError`.

    **Source:** Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010, eq. 32 for EXT;
    Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024, for w, a, b.
    """

    p: float = 0.98
    ties: str = "doc_id"
    variant: str = "ext"
    depth: int = 1000
    name: str = "RBO"
    uses_qrels: bool = field(default=False, init=False)
    needs_relevant: bool = field(default=False, init=False)
    needs: ClassVar[frozenset[Need]] = frozenset({"english"})

    def __post_init__(self) -> None:
        number(f"measure {self.name}: p", self.p, above=0, below=1)
        whole_number(f"measure {self.name}: depth", self.depth)
        one_of(f"measure {self.name}: ties", self.ties, TIES)
        one_of(f"measure {self.name}: variant", self.variant, VARIANTS)

    @property
    def higher_is_better(self) -> bool:
        return self.variant != "res"

    @property
    def signature(self) -> str:
        settings = f"p:{self.p:g}|depth:{self.depth}|variant:{self.variant}|ties:{self.ties}"
        return f"{self.name}|measure:RBO|{settings}|mean:arithmetic|unmatched:0"

    def compare(self, x: Ranking, y: Ranking) -> float:
        """RBO of two rankings, given as items or as groups of tied items, best first.

        With `ties="doc_id"` the items of a group are ordered by their text. Two rankings of which one is empty have
        EXT and MIN 0 and MAX 1. Raises `InputError` for an item that stands twice in a ranking.
        """
        (ranks_x, items_x), (ranks_y, items_y) = self._read(x), self._read(y)
        where = {item: i for i, item in enumerate(items_y)}
        shared = [(i, where[item]) for i, item in enumerate(items_x) if item in where]
        at = np.array(shared, dtype=np.int64).reshape(-1, 2)
        return self._value(curve(ranks_x, ranks_y, at[:, 0], at[:, 1], self.ties))

    def __call__(self, x: Ranking, y: Ranking) -> float:
        """The same as `compare`: `RBO(p=0.9, ties="a", variant="ext")(x, y)`."""
        return self.compare(x, y)

    def _read(self, ranking: Ranking) -> tuple[Ranks, list[str]]:
        groups = [[group] if isinstance(group, str) else list(group) for group in ranking]
        if self.ties == "doc_id":
            groups = [[item] for group in groups for item in sorted(group)]
        items = [item for group in groups for item in group]
        if len(set(items)) < len(items):
            double = next(item for i, item in enumerate(items) if item in items[:i])
            raise InputError(f"the ranking has {double!r} twice; an item stands once in a ranking")
        sizes = np.array([len(group) for group in groups if group], dtype=np.int64)
        cut = np.diff(np.minimum(np.cumsum(np.append(0, sizes)), self.depth))
        ranks = Ranks.untied(int(cut.sum())) if (cut <= 1).all() else Ranks.of_sizes(cut)
        return ranks, items[: self.depth]

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        ordinals = shared_ordinals(run, judged.ideal)
        scratch = np.full(len(judged.ideal.doc_ids) + 1, -1, dtype=np.int64)
        values = [self._topic(run, judged.ideal, topic_id, ordinals, scratch) for topic_id in judged.topic_ids]
        return np.array(values, dtype=np.float64)

    def _topic(self, run: Run, ideal: Run, topic_id: str, ordinals: Ints, scratch: Ints) -> float:
        """One topic's value; `scratch` is -1 for every document, and is left so."""
        x = ordinals[ranked_documents(run, topic_id)[: self.depth]]
        y = ranked_documents(ideal, topic_id)[: self.depth]
        if not len(x) or not len(y):
            return 0.0
        scratch[y] = np.arange(len(y))
        at = scratch[x]
        scratch[y] = -1
        at_x = np.flatnonzero(at >= 0)
        ranks_x, ranks_y = self._ranks(run, topic_id), self._ranks(ideal, topic_id)
        return self._value(curve(ranks_x, ranks_y, at_x, at[at_x], self.ties))

    def _ranks(self, run: Run, topic_id: str) -> Ranks:
        scores = run.values(topic_id, tied=True)[: self.depth]
        return Ranks.untied(len(scores)) if self.ties == "doc_id" else Ranks.of_scores(scores)

    def _value(self, curve: OverlapCurve) -> float:
        if self.variant == "ext":
            return extrapolated(curve, self.p)
        if self.variant == "min":
            return minimum(curve, self.p)
        if self.variant == "max":
            return maximum(curve, self.p)
        return maximum(curve, self.p) - minimum(curve, self.p)
