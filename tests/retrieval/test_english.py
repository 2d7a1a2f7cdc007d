"""Token streams against Lucene 9.9.1 itself: Anserini's default English analyser in the Java machine."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from clirbench.retrieval.analyzers import STOP_WORDS, English, lower_case, without_possessive
from clirbench.text import TextFile


def test_what_the_steps_do() -> None:
    """By hand, from the description of each of Lucene's filters."""
    assert English().terms("The U.S.'s dogs' DON'T stopping a_b _C") == ["u.", "s", "dog", "don't", "stop", "a_b", "_c"]
    assert English(stop_words=False).terms("to be") == ["to", "be"]
    assert English(stem=False).terms("The Houses") == ["houses"]
    assert English().terms("The of and") == []
    assert len(STOP_WORDS) == 33


def test_lower_case_is_javas() -> None:
    assert lower_case("ΑΣ İI ẞ") == "ας ii ß".replace("ς", "σ")
    assert without_possessive("dog's") == without_possessive("dog\u2019S") == without_possessive("dog\uff07s") == "dog"
    assert without_possessive("s") == "s"


def test_signature_names_what_moves_a_term() -> None:
    assert English().signature == "english,words:uax29-12.1,stop:lucene33,stem:porter"
    assert English(stop_words=False, stem=False).signature == "english,words:uax29-12.1,stop:none,stem:none"


CURIOUS = (
    "aA1_.:,;'\"-\u2019\u05d0\u05d1\u3072\u30ab\u4e00\ud55c\u0e01\u0e31\u0301\u200d\u00ad\ufe0f\ufe0e\u20e3#*"
    "\U0001f600\U0001f3fd\U0001f1e8\U000e0067\U0001d41a\u00a9\u0130\u03a3s\uff11\uff07\x00\x01 \u00a0\u2028"
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=40),
    st.text(CURIOUS, max_size=60),
    st.text(st.characters(exclude_categories=("Cs",), max_codepoint=0x2FF), max_size=40),
    st.text("ab1.'_,\U0001d41a\u00e9\U0001f600\u0301", min_size=200, max_size=700),  # words that are cut
)


@settings(max_examples=40)
@given(st.lists(texts.filter(lambda text: "qjq" not in text.lower()), min_size=25, max_size=50))
def test_random_texts_have_lucenes_terms(lucene_terms, some: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert [English().terms(text) for text in some] == lucene_terms(some)


def test_every_character_has_lucenes_class_in_a_sample(lucene_terms) -> None:  # type: ignore[no-untyped-def]
    _characters_agree(lucene_terms, range(0, 0x110000, 37))


@pytest.mark.release
def test_every_character_has_lucenes_class(lucene_terms) -> None:  # type: ignore[no-untyped-def]
    _characters_agree(lucene_terms, range(0, 0x20000))
    _characters_agree(lucene_terms, range(0x20000, 0xE0000, 31))
    _characters_agree(lucene_terms, range(0xE0000, 0xE0200))


def _characters_agree(lucene_terms, code_points: range) -> None:  # type: ignore[no-untyped-def]
    """Each character alone, after a letter, between letters, between digits, after itself and among emoji."""
    characters = [chr(code) for code in code_points if not 0xD800 <= code < 0xE000]
    contexts = ("{c}", "a{c}a", "1{c}1", "{c}{c}", "\u30a2{c}_", "\u05d0{c}\u05d0", "\U0001f600{c}\u200d{c}")
    asked = [context.format(c=character) for character in characters for context in contexts]
    expected = lucene_terms(asked)
    analyse = English().terms
    assert [text for text, terms in zip(asked, expected, strict=True) if analyse(text) != terms] == []


def test_a_sample_of_real_lines_has_lucenes_terms(shared_data: Path, lucene_terms) -> None:  # type: ignore[no-untyped-def]
    for path in real_texts(shared_data):
        lines = TextFile(path).lines()
        _agree(lucene_terms, lines[:: max(len(lines) // 400, 1)])


@pytest.mark.release
def test_all_real_lines_have_lucenes_terms(shared_data: Path, lucene_terms) -> None:  # type: ignore[no-untyped-def]
    """0 differing lines."""
    for path in real_texts(shared_data):
        _agree(lucene_terms, TextFile(path).lines()[:60_000])


def _agree(lucene_terms, lines: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    analyse = English().terms
    expected = lucene_terms(lines)
    assert [line for line, terms in zip(lines, expected, strict=True) if analyse(line) != terms] == []


def real_texts(shared_data: Path) -> list[Path]:
    """Both Europarl sets, every WMT21 reference with one system each, Lignos' reference and one system."""
    found = [shared_data / "europarl" / name / "reference.txt.gz" for name in ("fr-en-2007", "en-2008-2009")]
    for folder in [*sorted((shared_data / "wmt21").glob("*-en")), shared_data / "lignos2019" / "cs-en"]:
        found += sorted(folder.glob("reference*.txt"))
        found += sorted((folder / "systems").glob("*.txt"))[:1]
    assert len(found) > 15
    return found
