"""Analysers that know no language."""

from dataclasses import dataclass

from clirbench.checks import whole_number
from clirbench.retrieval.analyzers.english import lower_case


@dataclass(frozen=True)
class Whitespace:
    """What stands between white space (Unicode's), in lower case unless `lower=False`; for text split beforehand."""

    lower: bool = True

    @property
    def signature(self) -> str:
        return f"whitespace,lower:{'yes' if self.lower else 'no'}"

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order."""
        return (lower_case(text) if self.lower else text).split()


@dataclass(frozen=True)
class Character:
    """Runs of `n` characters within what stands between white space, in lower case unless `lower=False`.

    With `n` = 1, the default, every character is a term, which suits scripts without spaces and needs no dictionary.
    A stretch shorter than `n` characters is one term.
    """

    n: int = 1
    lower: bool = True

    def __post_init__(self) -> None:
        whole_number("analyzer.n", self.n)

    @property
    def signature(self) -> str:
        return f"character,n:{self.n},lower:{'yes' if self.lower else 'no'}"

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order."""
        stretches = (lower_case(text) if self.lower else text).split()
        return [
            stretch[start : start + self.n]
            for stretch in stretches
            for start in range(max(len(stretch) - self.n + 1, 1))
        ]
