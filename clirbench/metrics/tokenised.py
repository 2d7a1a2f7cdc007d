"""What metrics of tokens share: the tokeniser, tokens of both sides, and the signature around a metric's own part.

@dataclass(frozen=True)
class LengthRatio(Tokenised):
    name: str = "LengthRatio"

    def statistics(self, hypotheses, test):
        ours, theirs = self.tokens(hypotheses, test)
        ...

    def score(self, totals): ...
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from clirbench.metrics.base import check_aligned, hashable
from clirbench.metrics.tokens import Cutter, Tokeniser, Tokens, hypothesis_tokens, reference_tokens, sacrebleu_version
from clirbench.types import TestSet


@dataclass(frozen=True)
class Tokenised:
    """A metric of tokens; it adds its `name`, `statistics` and `score`, and to the signature its `details`.

    `tokenize` is any tokeniser of sacreBLEU (13a, intl, zh, char, none, ...); `lowercase` lowers the case before it.
    `first_reference`: of several references only the first is used, and the signature says so (`refs:first`).

    Raises `ConfigError` for an unknown tokeniser, `ResourceError` for one that is not installed.
    """

    higher_is_better: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = True
    first_reference: ClassVar[bool] = False

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        _ = self.tokeniser  # what is not installed is missed now, not after an hour

    @property
    def name(self) -> str:
        raise NotImplementedError(f"{type(self).__name__} needs a field `name`")

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.tokenize, self.lowercase)

    @property
    def details(self) -> Sequence[str]:
        """What else can move the number, e.g. `order:4`."""
        return ()

    @property
    def signature(self) -> str:
        """Name, case, tokeniser, the metric's details, and the version of the library."""
        used = ("refs:first",) if self.first_reference else ()
        return sacrebleu_signature(self.name, self.tokeniser.signature, *self.details, *used)

    def tokens(self, hypotheses: Sequence[str], test: TestSet) -> tuple[Tokens, Tokens]:
        """The tokens of the hypotheses and of the references (all of them, or the first), as `aligned_tokens`."""
        return aligned_tokens(self.tokeniser, hypotheses, test, only_first=self.first_reference)


def aligned_tokens(
    cutter: Cutter, hypotheses: Sequence[str], test: TestSet, *, only_first: bool = False
) -> tuple[Tokens, Tokens]:
    """The tokens of the hypotheses, and of all references one after the other (or of the first alone).

    Equal tokens have equal numbers on both sides. Raises `AlignmentError` for unequal numbers of lines.
    """
    check_aligned(hypotheses, test)
    references = test.references[:1] if only_first else test.references
    return hypothesis_tokens(cutter, hashable(hypotheses), references), reference_tokens(cutter, references)


def sacrebleu_signature(name: str, *parts: str) -> str:
    """A signature in sacreBLEU's manner: `BLEU|case:mixed|tok:13a|...|sacrebleu:2.4.3`."""
    return "|".join([name, *parts, f"sacrebleu:{sacrebleu_version()}"])
