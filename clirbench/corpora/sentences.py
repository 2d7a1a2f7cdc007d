"""Documents cut into sentences, because translators are made for those, and put together again."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from clirbench.checks import require
from clirbench.corpora.layout import language_code
from clirbench.errors import ConfigError

PARAGRAPH = "\u2029"
"""Stands for a newline in a document that is one line."""
END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’»)\]])\s+|(?<=[。！？।])\s*")
"""The end of a sentence, in any language, for lines that are too long: an abbreviation may end one too."""


@dataclass(frozen=True)
class SentenceSplitter:
    """Cuts documents with the library sentencex, by the rules and abbreviations of `language` (`zh`, `ru`, `fa`, ...).

    A newline always ends a sentence. Raises, when it is used, `ConfigError` where no language is set and
    `ResourceError` where the library is not installed.

    **Source:** Wikimedia Language Team, sentencex (github.com/wikimedia/sentencex).
    """

    language: str | None = None

    @property
    def signature(self) -> str:
        return f"sentences:{self.code}|v:sentencex-{version('sentencex')}"

    @property
    def code(self) -> str:
        """The language as the library names it: by its two-letter code, where it has one."""
        return language_code(self.language, "corpus.sentences.language=") if self.language else ""

    def check(self) -> None:
        require("corpus.sentences", "sentences", "sentencex")
        if not self.language:
            said = "corpus.sentences.language is not set: documents are cut into sentences before they are translated"
            cure = "name their language (zh, ru, fa, ...), or corpus.sentences=null where a translator takes documents"
            raise ConfigError(f"{said}; {cure}")

    def cut(self, document: str) -> list[str]:
        """The sentences of a document, without white space around them."""
        from sentencex import segment

        parts = (part for paragraph in document.split(PARAGRAPH) for part in segment(self.code, paragraph))
        return [sentence for part in parts if (sentence := part.strip())]


def split_line(line: str, fits: Callable[[str], bool]) -> list[str]:
    """The line, cut at ends of sentences into as few parts as fit; a sentence alone may be one that does not fit."""
    parts: list[str] = []
    for sentence in [line] if fits(line) else filter(None, END.split(line)):
        if parts and fits(joined := f"{parts[-1]} {sentence}"):
            parts[-1] = joined
        else:
            parts.append(sentence)
    return parts
