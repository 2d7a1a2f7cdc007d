"""What an analyser is."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Analyzer(Protocol):
    """Turns text into terms; a frozen, hashable dataclass whose fields are its configuration.

    White space (ASCII's) ends every term, so that `terms(a + " " + b) == terms(a) + terms(b)`: the retriever
    relies on it when it analyses each distinct chunk between white space once.
    """

    @property
    def signature(self) -> str:
        """Tokeniser, stop list, stemmer and every version that can move a term, `key:value` joined by `,`."""

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in reading order, repeated ones repeated; no term for text without a word."""

    def __hash__(self) -> int:
        """Equal configurations are one key: what an analyser has done is kept under it."""
