"""WER, PER, CDER and TER: errors for each reference word; BS and TOTAL-BS: words in runs that only one side has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from clirbench.metrics.base import check_aligned
from clirbench.metrics.macrof import type_statistics
from clirbench.metrics.segments import SegmentMean
from clirbench.metrics.tokens import Tokenised, case_of, sacrebleu_signature
from clirbench.types import Doubles, TestSet


@dataclass(frozen=True)
class WER(Tokenised):
    """Word error rate: word insertions, deletions and substitutions for each reference word, as jiwer computes it.

    WER = 100 * edits / reference words, edits = Levenshtein distance of the tokens.

    `tokenize=none` (the default, as in jiwer) splits on white space.

    Statistics: edits, reference words. Score: 0-100 and above, lower is better; an empty hypothesis has one deletion
    a word; totals without any reference word have 100 where there are edits and 0 where there are none. Defined for
    one reference: of several, the first is used (`refs:first` in the signature).

    **Source:** Levenshtein 1966; jiwer.
    """

    higher_is_better: ClassVar[bool] = False
    first_reference: ClassVar[bool] = True
    jumps: ClassVar[bool] = False

    tokenize: str = "none"
    name: str = "WER"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Errors and reference words, one row a segment: (segments, 2)."""
        from clirbench.labs.papers.word_metrics import errors

        ours, theirs = self.tokens(hypotheses, test)
        counts = errors(ours.numbers, ours.offsets, theirs.numbers, theirs.offsets, self.jumps)
        return np.column_stack([counts, theirs.lengths])

    def score(self, totals: Doubles) -> Doubles:
        """Error rate from summed statistics, vectorised over leading axes: (..., 2) -> (...), 0-100 and above."""
        found, words = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(found, words, out=np.array(np.sign(found)), where=words > 0))


@dataclass(frozen=True)
class PER(WER):
    """Position-independent error rate: word errors where the order of words does not matter.

    PER = 100 * (max(hypothesis words, reference words) - words in both) / reference words, per segment, words in
    both = sum over types of the smaller count.

    Statistics, scale, direction, empty sides and several references as in `WER`; tokens are those of `tokenize`.

    **Source:** Tillmann et al. 1997; Moses, `mert/PerScorer.cpp`.
    """

    tokenize: str = "13a"
    name: str = "PER"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Errors and reference words, one row a segment: (segments, 2)."""
        ours, theirs = self.tokens(hypotheses, test)
        both = np.asarray(type_statistics(ours, theirs)[:, 2::3].sum(axis=1)).ravel()
        return np.column_stack([np.maximum(ours.lengths, theirs.lengths) - both, theirs.lengths]).astype(np.float64)


@dataclass(frozen=True)
class CDER(WER):
    """Block-movement error rate: edits where a jump to any place in the hypothesis costs one.

    CDER = 100 * CD distance / reference words. Each reference word is covered exactly once; hypothesis words may be
    covered several times or not at all.

    Statistics, scale, direction, empty sides and several references as in `WER`; tokens are those of `tokenize`.

    **Source:** Leusch et al. 2006, section 3; Moses, `mert/CderScorer.cpp`.
    """

    jumps: ClassVar[bool] = True

    tokenize: str = "13a"
    name: str = "CDER"


@dataclass(frozen=True)
class TER:
    """Translation edit rate: insertions, deletions, substitutions and block shifts for each reference word.

    TER = 100 * edits / reference length. A real segment takes some 8 ms, one of 1,000 words up to a minute.

    `normalized` tokenises punctuation, `no_punct` removes it, `asian_support` treats CJK text with either,
    `case_sensitive` keeps the case (it is lowered otherwise).

    Statistics: edits against the reference that needs fewest, mean length of the references. Score: 0-100 and above
    (more edits than reference words), lower is better; 100 where references without words meet a text with words,
    0 where both have none.

    **Source:** Snover et al. 2006; the counts are those of `sacrebleu.metrics.TER`.
    """

    higher_is_better: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: str = "TER"

    @property
    def signature(self) -> str:
        norm, punct, asian = (
            "yes" if flag else "no" for flag in (self.normalized, not self.no_punct, self.asian_support)
        )
        settings = f"norm:{norm}", f"punct:{punct}", f"asian:{asian}"
        return sacrebleu_signature(self.name, case_of(not self.case_sensitive), "tok:tercom", *settings)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Edits and mean reference length, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        from sacrebleu.metrics.ter import TER as Counts

        counts = Counts(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        counts._force = True  # or it warns of texts with a space before the last full stop
        rows = counts._extract_corpus_statistics(hypotheses, test.references)
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    def score(self, totals: Doubles) -> Doubles:
        """TER from summed statistics, vectorised over leading axes: (..., 2) -> (...), 0-100 and above."""
        edits, length = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(edits, length, out=np.array(np.sign(edits)), where=length > 0))


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
