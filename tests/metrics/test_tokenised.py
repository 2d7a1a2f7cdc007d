"""A metric that is its idea alone has tokens, alignment and signature from its base."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.metrics.base import Metric
from clirbench.metrics.tokens import Tokenised, sacrebleu_version
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class Lengths(Tokenised):
    """Tokens of the hypotheses for each token of the references."""

    name: str = "Lengths"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        ours, theirs = self.tokens(hypotheses, test)
        return np.column_stack([ours.lengths, theirs.lengths.reshape(-1, len(test)).sum(axis=0)]).astype(float)

    def score(self, totals: Doubles) -> Doubles:
        return np.asarray(totals[..., 0] / totals[..., 1])


@dataclass(frozen=True)
class FirstLengths(Lengths):
    first_reference: ClassVar[bool] = True

    @property
    def details(self) -> Sequence[str]:
        return ("order:4",)


TWO = TestSet((("a b.", "c"), ("d", "e f g")))


def test_three_lines_make_a_metric() -> None:
    metric: Metric = Lengths()
    assert metric.statistics(["a", "b c"], TWO).tolist() == [[1, 4], [2, 4]]
    assert FirstLengths().statistics(["a", "b c"], TWO).tolist() == [[1, 3], [2, 1]]


def test_signatures() -> None:
    version = sacrebleu_version()
    assert Lengths("none", True).signature == f"Lengths|case:lc|tok:none|sacrebleu:{version}"
    assert FirstLengths().signature == f"Lengths|case:mixed|tok:13a|order:4|refs:first|sacrebleu:{version}"
