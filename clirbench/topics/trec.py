"""Topics in TREC's mark-up: <top> <num> Number: 701 <title> ... <desc> Description: ... <narr> Narrative: ... </top>

Tags stand at the start of a line and are rarely closed. Topics 51-200 write a label before the text (`Topic:`,
`Domain:`, `Concept(s):`), 701-850 do so for the description and the narrative but not for the title.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

from clirbench.errors import InputError
from clirbench.text import whole_text
from clirbench.topics.files import RawTopic, TopicFiles

NAMES = {
    "desc": "description",
    "narr": "narrative",
    "smry": "summary",
    "dom": "domain",
    "con": "concepts",
    "fac": "factors",
    "def": "definitions",
    "nat": "nationality",
}
LABELS = {**NAMES, "num": "number", "title": "topic", "time": "time"}
_PLURAL = r"s?(?:\(s\))?"  # `Concept:`, `Concepts:`, `Concept(s):`
_LABELLED = {
    name: re.compile(rf"\A\s*{re.sub('s$', lambda _: _PLURAL, label)}[ \t]*:", re.IGNORECASE)
    for name, label in LABELS.items()
}
_TAG = re.compile(r"^[^\S\n]*<(?P<name>/top|[a-z]+)>", re.IGNORECASE | re.MULTILINE)
_CLOSED = re.compile(r"</[A-Za-z]+>")


@dataclass(frozen=True)
class TrecTopics(TopicFiles):
    """Topics of TREC files.

    `path` is a file, several, or a pattern; `fields` are `title`, `description` (`desc`), `narrative` (`narr`) or
    any other tag; `weights` gives each field a weight above 0 (None: 1). A number of digits loses its leading zeros
    (051 is topic 51 in the judgments). Raises what `topics_of` raises, `InputError` for a file without <top>.
    """

    @property
    def kind(self) -> str:
        return "trec"

    def read(self, path: Path) -> Iterator[RawTopic]:
        return read_trec(path)

    @property
    def names(self) -> tuple[str, ...]:
        """The fields by their long names (`desc` is `description`)."""
        return tuple(NAMES.get(field, field) for field in super().names)


def read_trec(path: Path) -> Iterator[RawTopic]:
    """The topics of one file, with every tag as a field; raises `InputError` naming the line where one is broken."""
    text = whole_text(path)
    line, counted, n = 1, 0, 0
    parts: dict[str, list[str]] | None = None
    for tag, following in pairwise(chain(_TAG.finditer(text), [None])):
        assert tag is not None
        name = tag["name"].lower()
        if name in ("top", "/top"):
            if parts is not None:
                yield _entry(f"{path}: line {line + 1}", parts)
            line, counted = line + text.count("\n", counted, tag.end()), tag.end()
            parts, n = ({}, n + 1) if name == "top" else (None, n)
        elif parts is not None:
            parts.setdefault(name, []).append(text[tag.end() : following.start() if following else len(text)])
    if parts is not None:
        yield _entry(f"{path}: line {line + 1}", parts)
    if not n:
        raise InputError(f"{path}: no <top> in this file; TREC topics were expected (topics=jsonl and tsv exist too)")


def _entry(where: str, parts: Mapping[str, list[str]]) -> RawTopic:
    """The topic with these texts of its tags; `where` names its first line."""
    texts = {name: _unlabelled(name, _CLOSED.sub(" ", "\n".join(pieces))) for name, pieces in parts.items()}
    if "num" not in texts:
        raise InputError(f"{where}: a topic without <num>")
    topic_id = texts.pop("num")
    if topic_id.isascii() and topic_id.isdigit():
        topic_id = topic_id.lstrip("0") or "0"
    return RawTopic(where, topic_id, {NAMES.get(name, name): text for name, text in texts.items()})


def _unlabelled(name: str, text: str) -> str:
    """The text without the label that some years write before it."""
    label = _LABELLED.get(name)
    if label:
        text = label.sub("", text, count=1)
    return " ".join(text.split())
