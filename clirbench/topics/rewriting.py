"""What may happen to topics after they are read: stop structure removed, text replaced by a translation.

*Stop structure* is what a description says to a person and not about the need: "Find documents that discuss ...",
"What are the ...". A bag-of-words engine takes its words for content.

*Query translation*: topics in the language of the documents' source (`topics.fields` and `topics.language` choose the
text), and a file with what an MT system made of them: `topics.translations=FILE`. Searched beside the same topics in
English (`topics@also_topics=...`), it sets query translation beside document translation.

**Source:** stop structure: Callan, Croft and Harding, The INQUERY Retrieval System, DEXA 1992; the phrases here are
our own list.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clirbench.errors import AlignmentError, ClirbenchError, InputError, raise_all
from clirbench.files.tables import read_table
from clirbench.text import TextFile
from clirbench.types import Topic

_THING = r"(?:documents?|articles?|reports?|items?|information|details?|discussions?|accounts?|examples?|evidence)"
_VERB = (
    r"(?:discuss|describe|report|mention|contain|provide|give|include|identify|concern|address|relate to|deal with)"
    r"(?:s|es|ing)?"
)
_LINK = r"(?:that|which|who|on|about|of|for|regarding|concerning|in which|where|as to)"
_PHRASES = (
    rf"(?:please )?(?:find|identify|locate|provide|give|describe|discuss|list|show|report|name|seek|retrieve)"
    rf"(?: me)?(?: (?:any|all|some|the))?(?: {_THING})?(?: {_LINK})?(?: {_VERB})?",
    rf"(?:a |any |all )?(?:relevant )?{_THING} (?:(?:that|which) )?(?:(?:will|must|should|may|can) )?"
    rf"(?:{_VERB}|be)(?: {_LINK})?",
    r"(?:i am|i'm|we are) (?:looking for|interested in|seeking)",
    r"(?:what|which|who|where|when|how|why)(?: (?:much|many|is|are|was|were|do|does|did|has|have|had|can|could|will))*",
    r"(?:is|are|was|were|do|does|did|has|have|can) there(?: (?:any|been))?",
    r"to what extent(?: (?:is|are|was|were|do|does|did|has|have))?",
)
# A phrase ends where a word ends: nothing is cut off "report:0" or "how-to".
_START = re.compile(rf"(?:{'|'.join(_PHRASES)})(?:\s*[:,])?(?:\s+|$|(?=[.?!]+$))", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.?!])\s+")


def without_stop_structure(text: str) -> str:
    """The text without the stop structure at the start of each sentence; unchanged where nothing else would be left."""
    kept = [_bare(sentence) for sentence in _SENTENCE.split(text)]
    return " ".join(sentence for sentence in kept if re.search(r"\w", sentence)) or text


def _bare(sentence: str) -> str:
    found = _START.match(sentence)
    return sentence[found.end() :] if found else sentence


def translated(topics: Sequence[Topic], path: Path) -> tuple[Topic, ...]:
    """The topics with the text of a table with columns `topic_id` and `text`; the weights of fields become 1.

    Raises `AlignmentError` for a topic missing from the table, `InputError` for an empty translation, all at once.
    """
    table = read_table(path)
    table.require("topic_id", "text")
    table.unique("topic_id")
    texts = dict(zip(table.column("topic_id"), table.column("text"), strict=True))
    errors: list[ClirbenchError] = []
    for topic in topics:
        if topic.topic_id not in texts:
            errors.append(AlignmentError(f"{path}: no translation of topic {topic.topic_id}"))
        elif not texts[topic.topic_id].strip():
            errors.append(InputError(f"{path}: the translation of topic {topic.topic_id} is empty"))
    raise_all(errors)
    return tuple(Topic.of(topic.topic_id, " ".join(texts[topic.topic_id].split())) for topic in topics)


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """What a reader of topic files may do to them: see this module.

    `stop_structure`: remove it. `translations`: a table of topic_id and text that takes the place of the file's text.
    """

    stop_structure: bool = False
    translations: str | None = None

    def rewritten(self, topics: Sequence[Topic]) -> tuple[Topic, ...]:
        """The topics as they are searched: translated where a file says how, then without stop structure."""
        made = tuple(topics) if self.translations is None else translated(topics, self._path)
        if not self.stop_structure:
            return made
        return tuple(replace(t, parts=tuple((without_stop_structure(x), w) for x, w in t.parts)) for t in made)

    def signed(self, signature: str) -> str:
        """The signature of a reader with what is done to its topics, by content."""
        if self.translations is not None:
            signature += f"|translated:{TextFile(self._path).fingerprint[:12]}"
        return f"{signature}|stop_structure:removed" if self.stop_structure else signature

    @property
    def _path(self) -> Path:
        return Path(self.translations or "").expanduser()
