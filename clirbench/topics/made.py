"""Topics made from the English side: key terms, titles, sentences. They are like known items, and say so.

Evenly spaced: of N candidates, n topics take those at positions floor(i * N / n), i = 0 .. n-1; all N where n >= N.

What may happen to topics after they are read: stop structure removed, text replaced by a translation.

*Stop structure* is what a description says to a person and not about the need: "Find documents that discuss ...",
"What are the ...". A bag-of-words engine takes its words for content.

*Query translation*: topics in the language of the documents' source (`topics.fields` and `topics.language` choose the
text), and a file with what an MT system made of them: `topics.translations=FILE`. Searched beside the same topics in
English (`topics@also_topics=...`), it sets query translation beside document translation.

**Source:** stop structure: Callan, Croft and Harding, The INQUERY Retrieval System, DEXA 1992; the phrases here are
our own list.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from clirbench.checks import whole_number
from clirbench.errors import AlignmentError, ClirbenchError, InputError, raise_all
from clirbench.files.tables import read_table
from clirbench.retrieval.analyzers import Analyzer, ByLanguage
from clirbench.text import TextFile
from clirbench.types import Documents, Topic

MOST_CHUNKS = 1 << 18
"""Chunks whose terms are kept, some 60 MB."""
_WORD = re.compile(r"\w+")


class Made:
    """What topics made from documents share: each is taken from one, and their settings are counts."""

    known_item_like: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "analyzer":
                whole_number(f"topics.{name}", value)


@dataclass(frozen=True)
class KeyTerms(Made):
    """For each of `n` documents evenly spaced, the `terms` terms of highest idf that enough documents contain.

    idf falls with the number of documents that contain a term; ties go to the term that comes first in the document.
    A term enters the topic as the word of the document that analyses to it alone, so that any engine can search it.
    A document of fewer such terms gives a shorter topic, a document of none gives no topic. topic_id = doc_id.
    Raises `InputError` where no document gives a topic.
    """

    kind: ClassVar[str] = "keyterms"
    kept: ClassVar[bool] = True
    analyzer: Analyzer = field(default_factory=ByLanguage)
    n: int = 150
    terms: int = 3
    min_documents: int = 3

    @property
    def signature(self) -> str:
        rule = f"{self.kind}:{self.n}|terms:{self.terms}|min_df:{self.min_documents}"
        return f"{rule}|an:{self.analyzer.signature}|known-item-like"

    def topics(self, documents: Documents) -> Sequence[Topic]:
        chosen = set(evenly_spaced(len(documents), self.n))
        held: list[tuple[str, str]] = []
        chunks = _Chunks(self.analyzer)
        frequency: Counter[str] = Counter()
        for position, document in enumerate(documents):
            found: set[str] = set()
            found.update(*map(chunks.__getitem__, set(document.text.split())))
            frequency.update(found)
            if position in chosen:
                held.append((document.doc_id, document.text))
        made = [Topic.of(doc_id, " ".join(words)) for doc_id, text in held if (words := self._words(text, frequency))]
        return _some(made, documents, f"a term that is in {self.min_documents} documents")

    def _words(self, text: str, frequency: Mapping[str, int]) -> list[str]:
        words: dict[str, str] = {}
        for chunk in text.split():
            inside = self.analyzer.terms(chunk)
            for word in _words_of(chunk):
                found = self.analyzer.terms(word)
                if len(found) == 1 and found[0] in inside and frequency[found[0]] >= self.min_documents:
                    words.setdefault(found[0], word)
        rarest = sorted(words, key=lambda term: frequency[term])
        return [words[term] for term in rarest[: self.terms]]


@dataclass(frozen=True)
class Titles(Made):
    """The first segment of each of `n` documents evenly spaced; one without a letter or digit gives no topic.

    topic_id = doc_id. Raises `InputError` where no document gives a topic.
    """

    kind: ClassVar[str] = "titles"
    n: int = 150

    @property
    def signature(self) -> str:
        return f"{self.kind}:{self.n}|known-item-like"

    def topics(self, documents: Documents) -> Sequence[Topic]:
        chosen = set(evenly_spaced(len(documents), self.n))
        firsts = (
            (document.doc_id, document.text.split("\n", 1)[0])
            for position, document in enumerate(documents)
            if position in chosen
        )
        made = [Topic.of(doc_id, first.strip()) for doc_id, first in firsts if _WORD.search(first)]
        return _some(made, documents, "a first segment with text")


@dataclass(frozen=True)
class Sentences(Made):
    """`n` segments evenly spaced among those of at least `min_terms` terms.

    topic_id = `line` and the 1-based line number. Raises `InputError` where there is no such segment.
    """

    kind: ClassVar[str] = "sentences"
    kept: ClassVar[bool] = True
    analyzer: Analyzer = field(default_factory=ByLanguage)
    n: int = 150
    min_terms: int = 5

    @property
    def signature(self) -> str:
        return f"{self.kind}:{self.n}|min_terms:{self.min_terms}|an:{self.analyzer.signature}|known-item-like"

    def topics(self, documents: Documents) -> Sequence[Topic]:
        chunks = _Chunks(self.analyzer)
        long_enough = [
            number
            for number, line in enumerate(documents.lines(), start=1)
            if sum(len(chunks[chunk]) for chunk in line.split()) >= self.min_terms
        ]
        chosen = {long_enough[position] for position in evenly_spaced(len(long_enough), self.n)}
        made = [
            Topic.of(f"line{number}", line.strip())
            for number, line in enumerate(documents.lines(), start=1)
            if number in chosen
        ]
        return _some(made, documents, f"a segment of {self.min_terms} terms")


class _Chunks(dict[str, tuple[str, ...]]):
    """Terms of a white-space chunk, analysed the first time it is seen."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self._analyzer = analyzer

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        if len(self) == MOST_CHUNKS:
            self.clear()
        found = self[chunk] = tuple(self._analyzer.terms(chunk))
        return found


def evenly_spaced(n_candidates: int, n: int) -> list[int]:
    """floor(i * N / n) for i = 0 .. n-1; every position where n >= N."""
    if n >= n_candidates:
        return list(range(n_candidates))
    return [i * n_candidates // n for i in range(n)]


def _words_of(chunk: str) -> list[str]:
    """The words of a chunk that a topic may use: itself without the marks around it, then the words inside it."""
    inner = list(_WORD.finditer(chunk))
    if not inner:
        return []
    whole = chunk[inner[0].start() : inner[-1].end()]
    return list(dict.fromkeys([whole, *(word.group() for word in inner)]))


def _some(topics: list[Topic], documents: Documents, what: str) -> tuple[Topic, ...]:
    if not topics:
        raise InputError(
            f"{documents.text.where}: no document has {what}, so no topic can be made; choose another topics="
        )
    return tuple(topics)


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
