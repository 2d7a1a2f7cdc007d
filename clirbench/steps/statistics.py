"""A metric's statistics of every segment of one system."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clirbench.errors import AlignmentError
from clirbench.files.lines import Lines
from clirbench.files.spool import Spool
from clirbench.metrics.base import Metric, Statistics
from clirbench.metrics.tokens import STRETCH, stretches
from clirbench.recent import keep_recent
from clirbench.text import Text
from clirbench.types import TestSet


@dataclass(frozen=True)
class SegmentStatistics:
    """(metric, one system's translation of the test set) -> one row of statistics a segment."""

    bulky: ClassVar[bool] = True
    test: TestSet

    def cost(self, item: tuple[Metric, Text]) -> float:
        return item[1].size

    def kind(self, item: tuple[Metric, Text]) -> str:
        return type(item[0]).__name__

    def __call__(self, item: tuple[Metric, Text]) -> Statistics:
        metric, text = item
        hypotheses = _lines(text, text.fingerprint)
        if len(hypotheses) != len(self.test):
            raise AlignmentError(
                f"{text.where} has {len(hypotheses)} lines, the reference {len(self.test)}: they must be line-aligned"
            )
        if len(hypotheses) <= STRETCH or not getattr(metric, "by_segment", False):
            return metric.statistics(hypotheses, self.test)
        rows = Spool()
        for lines in stretches(len(hypotheses)):
            rows.write(np.asarray(metric.statistics(hypotheses[lines], self.test.part(lines)), dtype=np.float64))
        return rows.array(np.float64).reshape(len(hypotheses), -1)


@keep_recent(1)
def _lines(text: Text, fingerprint: str) -> Lines:
    """The lines of a text, read once for all metrics of its system; `fingerprint` tells when the file has changed."""
    return Lines.of(text)
