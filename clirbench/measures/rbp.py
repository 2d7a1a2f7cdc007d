"""Rank-biased precision, which ir-measures reads but computes only with a further package."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clirbench.checks import number, whole_number
from clirbench.measures.base import ArithmeticMean, ByJudgments
from clirbench.types import Doubles, Judged, Run


@dataclass(frozen=True)
class RBP(ByJudgments, ArithmeticMean):
    """Rank-biased precision: (1 - p) sum_i g_i p^(i-1), g_i = 1 where the document at rank i has grade >= `rel`.

    `p` in (0, 1) is the chance of reading on, `k` cuts the ranking (None: its whole length). In [0, 1), higher is
    better; documents below the ranking's end count 0, so that p^n of the weight is left open. A topic that retrieved
    nothing scores 0. Raises `ConfigError`.

    **Source:** Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 2008, eq. 3.
    """

    p: float = 0.8
    rel: int = 1
    k: int | None = None
    name: str = "RBP"

    def __post_init__(self) -> None:
        number(f"measure {self.name}: p", self.p, above=0, below=1)
        whole_number(f"measure {self.name}: rel", self.rel)
        whole_number(f"measure {self.name}: k", self.k, or_null=True)

    @property
    def signature(self) -> str:
        cut = "" if self.k is None else f"|k:{self.k}"
        return f"{self.name}|measure:RBP|p:{self.p:g}|rel:{self.rel}{cut}|mean:arithmetic|ties:doc_id|unmatched:0"

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        return np.array([self._topic(run.ranking(t), g) for t, g in judged.qrels.grades.items()], dtype=np.float64)

    def _topic(self, ranking: tuple[str, ...], grades: Mapping[str, int]) -> float:
        gains = np.array([grades.get(doc_id, 0) >= self.rel for doc_id in ranking[: self.k]], dtype=np.float64)
        return float((1 - self.p) * (gains @ self.p ** np.arange(len(gains))))
