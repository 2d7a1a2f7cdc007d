"""Phrases that WRITING.md replaces by plainer ones (rows 1 to 10 of its table), and where a text has them."""

import io
import re
import tokenize
from collections.abc import Iterator

ROWS = (
    r"(?:is|are|was|were|be|being) (?:not |never )?said|nothing (?:is|was) said|says? nothing",
    r"(?:tell|tells|telling|told) (?:[^\W\d]\w* ){0,4}apart|(?:cannot|can|could) (?:not )?be told from",
    r"stands? in(?! for)|stood in(?! for)|standing in(?! for)|(?:lies?|lay|lain|lying) in",
    r"(?:stands?|stood|standing) (?:first|last|beside)",
    r"(?:is|are|was|were|be) passed over",
    r"anew|once more|for ?ever",
    r"so many|that many|such an?",
    r"at hand",
    r"looked at",
    r"lacking|lacks|foretold|foretell|weighed|owed to|what (?:is|are|was|were) searched|who(?:ever)? judged",
)
"""Row by row."""
PHRASE = re.compile("|".join(rf"\b(?:{row})\b" for row in ROWS).replace(" ", r"\s+"), re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}).*?^(?P=indent)(?P=ticks)[ \t]*$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*(?:\n[^\"\n]+)?\"|^>.*$", re.MULTILINE)


def prose(page: str) -> str:
    """A Markdown page whose comments, code and quotations are blank; lines keep their numbers."""
    for pattern in (COMMENT, FENCE, QUOTED):
        page = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), page)
    return page


def phrases(text: str) -> Iterator[tuple[int, str]]:
    """(line from 1, phrase) of each phrase to replace, also of those that a line end breaks."""
    for found in PHRASE.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, " ".join(found[0].split())


def texts(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each string and each comment of Python source; `0` takes the place of a value in an f-string."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", None)):
            yield token.start[0], re.sub(r"\{[^{}\n]*\}", "0", token.string)
