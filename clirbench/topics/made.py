"""Topics made from the English side: rare terms, key terms, titles, sentences. They are like known items, and say so.

Evenly spaced: of N candidates, n topics take those at positions floor(i * N / n), i = 0 .. n-1; all N where n >= N.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from clirbench.checks import whole_number
from clirbench.errors import InputError
from clirbench.retrieval.analyzers import Analyzer, ByLanguage
from clirbench.retrieval.postings import KnownChunks, count_into
from clirbench.types import Document, Documents, Ints32, Topic

MOST_CHUNKS = 1 << 14
"""Chunks between white space whose words are kept, some 6 MB."""
_WORD = re.compile(r"\w+")


class Made(ABC):
    """What topics made from documents share: each is taken from one, `n` of them; their settings are counts.

    `topics` raises `InputError` where no document gives one.
    """

    known_item_like: ClassVar[bool] = True
    kind: ClassVar[str]
    rule: ClassVar[str] = ""
    """The settings besides `n`, as the signature has them."""
    wanted: ClassVar[str]
    """What a document must have to give a topic."""
    said: ClassVar[str]
    """What `{n}` topics of this kind are, in an answer."""
    n: int

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "analyzer":
                whole_number(f"topics.{name}", value)

    @abstractmethod
    def texts(self, documents: Documents) -> Iterator[tuple[str, str]]:
        """(topic_id, text) of each topic; a text of white space is none."""

    @property
    def signature(self) -> str:
        return f"{self.kind}:{self.n}{self.rule.format(**vars(self))}|known-item-like"

    def topics(self, documents: Documents) -> Sequence[Topic]:
        made = tuple(Topic.of(topic_id, text) for topic_id, text in self.texts(documents) if text)
        if not made:
            where, wanted = documents.text.where, self.wanted.format(**vars(self))
            raise InputError(f"{where}: no document has {wanted}, so no topic can be made; choose another topics=")
        return made

    def chosen(self, documents: Documents) -> Iterator[Document]:
        """`n` documents evenly spaced."""
        positions = set(evenly_spaced(len(documents), self.n))
        return (document for position, document in enumerate(documents) if position in positions)

    def lines(self, documents: Documents, n_terms: Ints32, least: int) -> Iterator[tuple[str, str]]:
        """(`line` and its number, line) of `n` segments evenly spaced among those with at least `least` terms."""
        fitting = np.flatnonzero(n_terms >= least) + 1
        chosen = set(fitting[evenly_spaced(len(fitting), self.n)].tolist())
        numbered = enumerate(documents.lines(), start=1)
        return ((f"line{number}", line.strip()) for number, line in numbered if number in chosen)


@dataclass(frozen=True)
class RareTerms(Made):
    """The `terms` rarest terms of each of `n` segments, evenly spaced among those that have `min_terms` or more.

    Only terms that are in `min_documents` documents or more count (`rare_words`). topic_id = `line` and the 1-based
    line number. What chose the constants, and on which collections it was confirmed: docs/decisions.md.
    """

    kind: ClassVar[str] = "rareterms"
    kept: ClassVar[bool] = True
    rule: ClassVar[str] = "|terms:{terms}|min_df:{min_documents}|min_terms:{min_terms}|an:{analyzer.signature}"
    wanted: ClassVar[str] = "a segment of {min_terms} terms that are in {min_documents} documents"
    said: ClassVar[str] = "up to {terms} rare words from each of {n} reference sentences"

    analyzer: Analyzer = field(default_factory=ByLanguage)
    n: int = 500
    terms: int = 5
    min_documents: int = 3
    min_terms: int = 3

    def texts(self, documents: Documents) -> Iterator[tuple[str, str]]:
        rarest = rare_words(documents, self.analyzer, self.min_documents)
        n_terms = np.zeros(documents.map.n_lines, dtype=np.int32)
        for line, _ in KnownChunks(rarest).distinct(documents, np.ones_like(n_terms)):
            count_into(n_terms, line)
        for topic_id, text in self.lines(documents, n_terms, self.min_terms):
            yield topic_id, " ".join([*rarest(text).values()][: self.terms])


@dataclass(frozen=True)
class KeyTerms(Made):
    """The `terms` rarest terms of each of `n` documents evenly spaced, as `rare_words` says.

    A document of fewer such terms gives a shorter topic, a document of none gives no topic. topic_id = doc_id.
    """

    kind: ClassVar[str] = "keyterms"
    kept: ClassVar[bool] = True
    rule: ClassVar[str] = "|terms:{terms}|min_df:{min_documents}|an:{analyzer.signature}"
    wanted: ClassVar[str] = "a term that is in {min_documents} documents"
    said: ClassVar[str] = "up to {terms} rare words from each of {n} reference documents"

    analyzer: Analyzer = field(default_factory=ByLanguage)
    n: int = 150
    terms: int = 3
    min_documents: int = 3

    def texts(self, documents: Documents) -> Iterator[tuple[str, str]]:
        rarest = rare_words(documents, self.analyzer, self.min_documents)
        for document in self.chosen(documents):
            yield document.doc_id, " ".join([*rarest(document.text).values()][: self.terms])


@dataclass(frozen=True)
class Titles(Made):
    """The first segment of each of `n` documents evenly spaced; one without a letter or digit gives no topic.

    topic_id = doc_id.
    """

    kind: ClassVar[str] = "titles"
    wanted: ClassVar[str] = "a first segment with text"
    said: ClassVar[str] = "the first lines of {n} reference documents"

    n: int = 150

    def texts(self, documents: Documents) -> Iterator[tuple[str, str]]:
        for document in self.chosen(documents):
            first = document.text.split("\n", 1)[0]
            yield document.doc_id, first.strip() if _WORD.search(first) else ""


@dataclass(frozen=True)
class Sentences(Made):
    """`n` segments evenly spaced among those of at least `min_terms` terms.

    topic_id = `line` and the 1-based line number.
    """

    kind: ClassVar[str] = "sentences"
    kept: ClassVar[bool] = True
    rule: ClassVar[str] = "|min_terms:{min_terms}|an:{analyzer.signature}"
    wanted: ClassVar[str] = "a segment of {min_terms} terms"
    said: ClassVar[str] = "{n} reference sentences"

    analyzer: Analyzer = field(default_factory=ByLanguage)
    n: int = 150
    min_terms: int = 5

    def texts(self, documents: Documents) -> Iterator[tuple[str, str]]:
        n_terms, known = np.zeros(documents.map.n_lines, dtype=np.int32), KnownChunks(_terms_of(self.analyzer))
        for chunks, line in known.read(documents, np.ones_like(n_terms)):
            count_into(n_terms, line, known.n_terms(chunks))
        return self.lines(documents, n_terms, self.min_terms)


def rare_words(documents: Documents, analyzer: Analyzer, min_documents: int) -> Callable[[str], dict[str, str]]:
    """From a text to its terms that are in at least `min_documents` documents, the rarest first, with a word of each.

    idf falls with the number of documents that contain a term; ties go to the term that comes first in the text. A term
    enters a topic as the word of the text that analyses to it alone, so that any engine can search it; in a script
    without spaces, and where marks divide a word, as it stands.
    """
    frequency = _frequencies(documents, analyzer, min_documents)

    @lru_cache(MOST_CHUNKS)
    def words_of(chunk: str) -> tuple[tuple[str, str], ...]:
        """(term, word) of a chunk: itself without the marks around it, the words in it, then terms as they stand."""
        inside = analyzer.terms(chunk)
        as_they_stand = () if chunk.isascii() else [term for term in inside if term in chunk]
        candidates = () if frequency.keys().isdisjoint(inside) else (*_words_of(chunk), *as_they_stand)
        terms = ((inside if word == chunk else analyzer.terms(word), word) for word in candidates)
        return tuple((found[0], word) for found, word in terms if len(found) == 1 and found[0] in inside)

    def words(text: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for term, word in (one for chunk in text.split() for one in words_of(chunk)):
            if term in frequency:
                found.setdefault(term, word)
        return {term: found[term] for term in sorted(found, key=frequency.__getitem__)}

    return words


@lru_cache(maxsize=1)  # a second kind of topics asks the same
def _frequencies(documents: Documents, analyzer: Analyzer, least: int) -> dict[str, int]:
    """In how many documents each term is that is in `least` or more."""
    known, counts = KnownChunks(_terms_of(analyzer)), np.zeros(0, dtype=np.int64)
    for _, terms in known.distinct(documents, documents.map.lengths):
        found = np.bincount(terms, minlength=len(known.numbers))
        found[: len(counts)] += counts
        counts = found
    return {term: count for term, count in zip(known.numbers, counts.tolist(), strict=True) if count >= least}


def _terms_of(analyzer: Analyzer) -> Callable[[str], list[str]]:
    """The terms of a chunk between ASCII's white space, of which Unicode has more."""
    return lambda chunk: [term for part in chunk.split() for term in analyzer.terms(part)]


def other_kind(source: object, analyzer: Analyzer) -> Made | None:
    """A second kind of topics beside a made one, with its analyser or else this one: key terms, or rare terms beside
    them; None beside topics that are not made."""
    if not isinstance(source, Made):
        return None
    return (RareTerms if isinstance(source, KeyTerms) else KeyTerms)(getattr(source, "analyzer", analyzer))


def evenly_spaced(n_candidates: int, n: int) -> list[int]:
    """floor(i * N / n) for i = 0 .. n-1; every position where n >= N."""
    n = min(n, n_candidates)
    return [i * n_candidates // n for i in range(n)]


def _words_of(chunk: str) -> list[str]:
    """The words of a chunk that a topic may use: itself without the marks around it, then the words inside it."""
    inner = list(_WORD.finditer(chunk))
    if not inner:
        return []
    whole = chunk[inner[0].start() : inner[-1].end()]
    return list(dict.fromkeys([whole, *(word.group() for word in inner)]))
