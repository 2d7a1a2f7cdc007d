"""How MT metrics cut text into tokens: sacreBLEU's tokenisers, by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Protocol

from clirbench.metrics.base import check_choice

TOKENISERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200")


class CutsLines(Protocol):
    def __call__(self, line: str) -> str: ...


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser of sacreBLEU and whether text is lower-cased before it."""

    name: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        check_choice("tokeniser", "tokenize", self.name, TOKENISERS)

    @property
    def signature(self) -> str:
        return f"case:{'lc' if self.lowercase else 'mixed'}|tok:{self.name}"

    def __call__(self, lines: Sequence[str]) -> list[list[str]]:
        """The tokens of every line; tokens are split on Unicode white space after the tokeniser's own rules."""
        cut = _library_tokeniser(self.name)
        return [cut((line.lower() if self.lowercase else line).rstrip()).split() for line in lines]


@cache
def sacrebleu_version() -> str:
    return version("sacrebleu")


@cache
def _library_tokeniser(name: str) -> CutsLines:
    from sacrebleu.metrics.bleu import _get_tokenizer

    tokeniser: CutsLines = _get_tokenizer(name)()
    return tokeniser
