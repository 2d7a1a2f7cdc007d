"""Topics made from the English side: key terms, titles, sentences. They are like known items, and say so.

Evenly spaced: of N candidates, n topics take those at positions floor(i * N / n), i = 0 .. n-1; all N where n >= N.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from clirbench.checks import whole_number
from clirbench.errors import InputError
from clirbench.retrieval.analyzers.base import Analyzer
from clirbench.retrieval.analyzers.english import ByLanguage
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
