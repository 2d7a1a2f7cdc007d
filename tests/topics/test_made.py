"""Topics made from the reference side, on documents small enough to work by hand."""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import ConfigError, InputError
from clirbench.retrieval.analyzers import Character, English
from clirbench.text import TextLines
from clirbench.topics.base import described
from clirbench.topics.files import TsvTopics
from clirbench.topics.made import KeyTerms, RareTerms, Sentences, Titles, evenly_spaced, other_kind
from clirbench.types import Document, DocumentMap, Documents


@dataclass(frozen=True)
class Plain:
    """Lower-cased words without a plural s; `the` is no term."""

    signature: str = "plain"

    def terms(self, text: str) -> list[str]:
        words = (word.lower().removesuffix("s") for word in re.findall(r"\w+", text))
        return [word for word in words if word != "the"]


def documents(*texts: str) -> Documents:
    return Documents.of([Document(f"d{number}", text) for number, text in enumerate(texts, start=1)])


def test_key_terms_are_the_rarest_that_are_not_too_rare_as_words_of_the_document() -> None:
    """df: port 4, ship 3, tax 2, rum 1, crane 2; of d1 in 2 documents or more: tax, crane, then ship."""
    found = documents("The ports, (Ships) Rum taxes? Tax-free tax Cranes!", "ship port tax", "port ship", "port crane")
    one = KeyTerms(Plain(), n=1, min_documents=2).topics(found)
    assert [(topic.topic_id, topic.text) for topic in one] == [("d1", "Tax Cranes Ships")]
    everything = KeyTerms(Plain(), n=9, terms=1, min_documents=2).topics(found)
    assert [topic.text for topic in everything] == ["Tax", "tax", "ship", "crane"]


def test_rare_terms_are_of_sentences_that_have_enough_of_them() -> None:
    """df: port 4, ship 3, tax 2, rum 1, crane 2; in 2 documents or more are 4 terms of d1, 3 of d2, 2 of d3 and d4."""
    found = documents("The ports, (Ships) Rum taxes? Tax-free tax Cranes!", "ship port tax", "port ship", "port crane")
    topics = RareTerms(Plain(), terms=4, min_documents=2).topics(found)
    assert [(t.topic_id, t.text) for t in topics] == [("line1", "Tax Cranes Ships ports"), ("line2", "tax ship port")]
    assert len(RareTerms(Plain(), n=1, min_documents=2).topics(found)) == 1
    with pytest.raises(InputError, match="no document has a segment of 3 terms that are in 9 documents"):
        RareTerms(Plain(), min_documents=9).topics(found)


@pytest.mark.parametrize("kind", [KeyTerms, RareTerms])
def test_a_script_without_spaces_gives_its_characters(kind: type[KeyTerms | RareTerms]) -> None:
    """Every character is a term; of the first line 京 is in 1 document, 北 in 3, 我 in 3, 爱 in 2."""
    found = documents("我爱北京", "我爱北", "我北")
    topics = kind(Character(), terms=3, min_documents=2).topics(found)
    assert [topic.text for topic in topics][:2] == ["爱 我 北", "爱 我 北"]


def test_marks_do_not_divide_a_word() -> None:
    """Devanagari's vowel signs are no letters of \\w: the word is whole, as the analyser has it."""
    (topic,) = KeyTerms(English(), min_documents=1).topics(documents("विद्यार्थी"))
    assert topic.text == "विद्यार्थी"


def test_topics_are_the_same_where_few_chunks_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = documents("The ports, (Ships) Rum taxes? Tax-free tax Cranes!", "ship port tax", "port ship", "port crane")
    makers = [KeyTerms(Plain(), min_documents=2), RareTerms(Plain(), min_documents=2), Sentences(Plain(), min_terms=2)]
    before = [maker.topics(found) for maker in makers]
    monkeypatch.setattr("clirbench.topics.made.MOST_CHUNKS", 2)
    monkeypatch.setattr("clirbench.retrieval.postings.FORGET_BEYOND", 2)
    assert [maker.topics(found) for maker in makers] == before


def test_a_document_without_a_term_gives_no_topic() -> None:
    found = documents("a b", "the", "b a")
    assert [t.topic_id for t in KeyTerms(Plain(), min_documents=2).topics(found)] == ["d1", "d3"]
    with pytest.raises(InputError, match="no document has a term that is in 3 documents"):
        KeyTerms(Plain()).topics(found)


def test_titles_are_first_segments() -> None:
    map_ = DocumentMap(("x", "y", "z"), np.array([2, 1, 1]))
    found = Documents(TextLines(("Title one", "body", "...", " Last ")), map_)
    assert [(t.topic_id, t.text) for t in Titles().topics(found)] == [("x", "Title one"), ("z", "Last")]


def test_sentences_have_enough_terms() -> None:
    found = documents("one two the", "one two three", "x", "a b c d", "e f g")
    topics = Sentences(Plain(), n=2, min_terms=3).topics(found)
    assert [(t.topic_id, t.text) for t in topics] == [("line2", "one two three"), ("line4", "a b c d")]
    with pytest.raises(InputError, match="a segment of 9 terms"):
        Sentences(Plain(), min_terms=9).topics(found)


@given(st.integers(0, 500), st.integers(1, 200))
def test_evenly_spaced_positions_are_distinct_and_apart(candidates: int, n: int) -> None:
    positions = evenly_spaced(candidates, n)
    assert len(positions) == min(n, candidates)
    gaps = {b - a for a, b in pairwise(positions)}
    assert all(gap >= 1 for gap in gaps)
    assert len(gaps) <= 2
    assert positions == [] or (positions[0] == 0 and positions[-1] < candidates)


@pytest.mark.parametrize("n", [0, -1, True, 1.5])
def test_how_many_must_be_a_count(n: int) -> None:
    with pytest.raises(ConfigError, match=r"topics\.n="):
        Titles(n)


def test_signatures_say_that_topics_are_known_item_like() -> None:
    assert KeyTerms(Plain()).signature == "keyterms:150|terms:3|min_df:3|an:plain|known-item-like"
    assert RareTerms(Plain()).signature == "rareterms:500|terms:5|min_df:3|min_terms:3|an:plain|known-item-like"
    assert Titles(20).signature == "titles:20|known-item-like"


def test_the_second_kind_is_another_one_with_the_same_analyser() -> None:
    assert other_kind(RareTerms(Plain()), English()) == KeyTerms(Plain())
    assert other_kind(KeyTerms(Plain()), English()) == RareTerms(Plain())
    assert other_kind(Titles(), Plain()) == KeyTerms(Plain())
    assert other_kind(TsvTopics("topics.tsv"), Plain()) is None


def test_kinds_are_described_in_words() -> None:
    assert described(RareTerms(Plain()), 369) == "up to five rare words from each of 369 reference sentences"
    assert described(KeyTerms(Plain(), terms=12), 8) == "up to 12 rare words from each of 8 reference documents"
    assert described(Titles(), 8) == "the first lines of 8 reference documents"
