"""WER and TER: errors for each reference word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.base import check_aligned
from clirbench.metrics.tokens import Tokenised, Tokens, case_of, sacrebleu_signature
from clirbench.types import Doubles, TestSet

AT_ONCE = 256
"""Segments whose errors are counted at a time, of about one length."""


class ErrorRate:
    """A metric of errors for each reference word."""

    higher_is_better = False

    def score(self, totals: Doubles) -> Doubles:
        """100 times errors by words, vectorised over leading axes: (..., 2) -> (...), 0-100 and above.

        Where there is no reference word, 100 where there are errors and 0 where there are none.
        """
        found, words = totals[..., 0], totals[..., 1]
        return np.asarray(100.0 * np.divide(found, words, out=np.array(np.sign(found)), where=words > 0))


@dataclass(frozen=True)
class WER(ErrorRate, Tokenised):
    """Word error rate: word insertions, deletions and substitutions for each reference word, as jiwer computes it.

    WER = 100 * edits / reference words, edits = Levenshtein distance of the tokens.

    `tokenize=none` (the default, as in jiwer) splits on white space.

    Statistics: edits, reference words. Score: 0-100 and above, lower is better; an empty hypothesis has one deletion
    a word; totals without any reference word have 100 where there are edits and 0 where there are none. Defined for
    one reference: of several, the first is used (`refs:first` in the signature).

    **Source:** Levenshtein 1966; jiwer.
    """

    first_reference: ClassVar[bool] = True

    tokenize: str = "none"
    name: str = "WER"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Errors and reference words, one row a segment: (segments, 2)."""
        ours, theirs = self.tokens(hypotheses, test)
        return np.column_stack([_errors(ours, theirs), theirs.lengths])


def _errors(ours: Tokens, theirs: Tokens) -> Doubles:
    """Fewest insertions, deletions and substitutions of words, of each segment: Levenshtein's rows, many in step."""
    found = np.empty(len(ours.lengths))
    by_length = np.lexsort((theirs.lengths, ours.lengths))
    for begin in range(0, len(found), AT_ONCE):
        segments = by_length[begin : begin + AT_ONCE]
        hypotheses, references = (_padded(side, segments, filling) for side, filling in ((ours, -1), (theirs, -2)))
        places = np.arange(hypotheses.shape[1] + 1, dtype=np.int32)
        row = np.tile(places, (len(segments), 1))
        for words in range(references.shape[1] + 1):
            ended = theirs.lengths[segments] == words
            found[segments[ended]] = row[ended, ours.lengths[segments[ended]]]
            if words < references.shape[1]:
                changed = row[:, :-1] + (hypotheses != references[:, words, None])
                row += 1  # one reference word more is missed
                np.minimum(row[:, 1:], changed, out=row[:, 1:])
                row = np.minimum.accumulate(row - places, axis=1) + places  # or words are inserted
    return found


def _padded(side: Tokens, segments: NDArray[np.intp], filling: int) -> NDArray[np.int32]:
    """The words of the segments, one a row."""
    lengths = side.lengths[segments]
    held = np.arange(lengths.max(initial=0)) < lengths[:, None]
    out = np.full(held.shape, filling, dtype=np.int32)
    row, place = np.nonzero(held)
    out[row, place] = side.numbers[side.offsets[segments][row] + place]
    return out


@dataclass(frozen=True)
class TER(ErrorRate):
    """Translation edit rate: insertions, deletions, substitutions and block shifts for each reference word.

    TER = 100 * edits / reference length. A real segment takes some 8 ms, one of 1,000 words up to a minute.

    `normalized` tokenises punctuation, `no_punct` removes it, `asian_support` treats CJK text with either,
    `case_sensitive` keeps the case (it is lowered otherwise).

    Statistics: edits against the reference that needs fewest, mean length of the references. Score: 0-100 and above
    (more edits than reference words), lower is better; 100 where references without words meet a text with words,
    0 where both have none.

    **Source:** Snover et al. 2006; the counts are those of `sacrebleu.metrics.TER`.
    """

    needs_reference: ClassVar[bool] = True
    by_segment: ClassVar[bool] = True

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: str = "TER"

    @property
    def signature(self) -> str:
        flags = {"norm": self.normalized, "punct": not self.no_punct, "asian": self.asian_support}
        settings = [f"{name}:{'yes' if on else 'no'}" for name, on in flags.items()]
        return sacrebleu_signature(self.name, case_of(not self.case_sensitive), "tok:tercom", *settings)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Edits and mean reference length, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        from sacrebleu.metrics.ter import TER as Counts

        counts = Counts(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        counts._force = True  # or it warns of texts with a space before the last full stop
        rows = counts._extract_corpus_statistics(hypotheses, test.references)
        return np.array(rows, dtype=np.float64).reshape(-1, 2)
