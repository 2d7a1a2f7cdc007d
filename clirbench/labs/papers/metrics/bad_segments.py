"""BS and TOTAL-BS: how many words of hypothesis and reference are in runs that only one of them has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

from clirbench.metrics.segments import SegmentMean
from clirbench.metrics.tokenised import Tokenised
from clirbench.types import TestSet


@dataclass(frozen=True)
class TotalBS(SegmentMean, Tokenised):
    """Mean total length of the bad segments.

    A bad segment is a maximal run of words of the hypothesis whose stems are not in the reference, or of the
    reference whose stems are not in the hypothesis. A word's stem is the word without its last floor(length / 3)
    characters. Per segment: the sum over its bad segments of their length in words.

    Statistics: (segment value, 1). Score: the mean over segments, from 0 up (words, NOT 0-100), lower is better; of an
    empty hypothesis the whole reference is one bad segment, and the other way round. Defined for one reference: of
    several, the first is used (`refs:first` in the signature).

    **Source:** Stanojević et al. 2015, section 2.2.2 (there is no other description).
    """

    higher_is_better: ClassVar[bool] = False
    first_reference: ClassVar[bool] = True

    name: str = "TOTAL-BS"

    @property
    def details(self) -> Sequence[str]:
        return ("stem:2/3", "mean")

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> list[float]:
        """The value of each segment's bad segments: (segments,)."""
        ours, theirs = self.tokens(hypotheses, test)
        stems = [word[: len(word) - len(word) // 3] for word in ours.types]
        lines = zip(ours.lines(stems), theirs.lines(stems), strict=True)
        return [sum(map(self.value, bad_lengths(a, b))) for a, b in lines]

    def value(self, length: int) -> float:
        """What a bad segment of `length` words counts."""
        return float(length)


@dataclass(frozen=True)
class BS(TotalBS):
    """Mean log-sum of the bad segments' lengths.

    Per segment: the sum over its bad segments of ln(1 + length), so that both the number and the length of bad
    segments count. The description says "log-sum of the bad segment lengths"; adding 1 is our reading, since
    otherwise segments of one word would count nothing. Everything else is as in `TotalBS`: from 0 up, lower is better.

    **Source:** Stanojević et al. 2015, section 2.2.2.
    """

    name: str = "BS"

    def value(self, length: int) -> float:
        """What a bad segment of `length` words counts."""
        return log(1 + length)


def bad_lengths(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[int]:
    """Lengths of the maximal runs in either line of stems that are not in the other line."""
    for line, other in ((ours, frozenset(theirs)), (theirs, frozenset(ours))):
        run = 0
        for stem in line:
            if stem not in other:
                run += 1
            elif run:
                yield run
                run = 0
        if run:
            yield run
