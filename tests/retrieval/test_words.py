"""Expected words: the rules of UAX #29 by hand; agreement with Lucene itself stands in test_english.py."""

import pytest
from hypothesis import given, strategies as st

from clirbench.errors import ConfigError
from clirbench.retrieval import analyzers as module
from clirbench.retrieval.analyzers import Character, Whitespace, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" .,;:!?'\"()-_ ", []),
        ("don't stop", ["don't", "stop"]),  # WB6-7
        ("U.S. a.m.", ["U.S", "a.m"]),  # a stop at the end joins nothing
        ("1,000.5 3;4 1:2", ["1,000.5", "3;4", "1", "2"]),  # WB11-12: a colon is for letters
        ("a:b a,b a;b", ["a:b", "a", "b", "a", "b"]),
        ("a_b _x __ x_ 1_a", ["a_b", "_x", "x_", "1_a"]),  # WB13a-b
        ("a1b2 3rd", ["a1b2", "3rd"]),  # WB9-10
        ("well-known e-mail", ["well", "known", "e", "mail"]),
        ("a..b a''b 1.,2", ["a", "b", "a", "b", "1", "2"]),  # one character between, no more
        ("'tis dogs'", ["tis", "dogs"]),
        ("cafe\u0301 d\u2019or", ["cafe\u0301", "d\u2019or"]),  # WB4: the accent goes with its letter
        ("\u0301a", ["a"]),
        ("soft\u00adhyphen no\u00a0break line\u2028end", ["soft\u00adhyphen", "no", "break", "line", "end"]),
        ("\u65e5\u672c\u8a9e", ["\u65e5", "\u672c", "\u8a9e"]),  # ideographs one by one
        ("\u3072\u3089 \u30ab\u30bf\u30ab\u30ca", ["\u3072", "\u3089", "\u30ab\u30bf\u30ab\u30ca"]),
        ("\ud55c\uad6d\uc5b4", ["\ud55c\uad6d\uc5b4"]),
        ("\u0e20\u0e32\u0e29\u0e32", ["\u0e20\u0e32\u0e29\u0e32"]),  # Thai: a run is one word
        ('\u05d0"\u05d1 \u05d0\' \u05d0"', ['\u05d0"\u05d1', "\u05d0'", "\u05d0"]),  # WB7a-c
        ("\uff11\uff12 \u0663\u066b\u0664", ["\uff11\uff12", "\u0663\u066b\u0664"]),
        ("hi\U0001f600\U0001f44d\U0001f3fd!", ["hi", "\U0001f600", "\U0001f44d\U0001f3fd"]),  # emoji, skin tone
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", ["\U0001f468\u200d\U0001f469\u200d\U0001f467"]),
        ("\U0001f1e8\U0001f1ff\U0001f1e9", ["\U0001f1e8\U0001f1ff"]),  # a flag is a pair
        ("#\ufe0f\u20e3 #1", ["#\ufe0f\u20e3", "1"]),
        ("\u00a9\u2122 \u20ac \u2192", ["\u00a9", "\u2122"]),  # pictures by Unicode's list; signs are not
        ("a\x00b\x01c", ["a", "b", "c"]),
        ("\ud800x\udfff", ["x"]),  # a lone surrogate is no letter
        ("\U00030000\U0001fae0", ["\U0001fae0"]),  # Unicode 13: no ideograph of 12.1, but reserved for emoji
    ],
)
def test_rules(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_words_are_cut_at_255_units() -> None:
    assert [len(word) for word in words("x" * 600)] == [255, 255, 90]
    # 127 letters of two units fit into 255, the 128th does not.
    assert [len(word) for word in words("\U0001d41a" * 200)] == [127, 73]
    # The window ends on a stop with nothing behind it to join, so the word ends before the stop.
    assert [len(word) for word in words("x" * 254 + ".y")] == [254, 1]
    assert words("\u4e00" * 300) == ["\u4e00"] * 300


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_the_short_way_for_ascii_is_the_long_way(text: str) -> None:
    spans = [match.span() for match in module._rules().finditer(module._classes_of(text))]
    assert words(text) == [text[start:end] for start, end in spans]


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(" \t\n\r\f\v"))
def test_white_space_ends_every_word(left: str, right: str, space: str) -> None:
    assert words(left + space + right) == words(left) + words(right)


def test_white_space() -> None:
    assert Whitespace().terms(" The (Oil)\u00a0price\u2028rises ") == ["the", "(oil)", "price", "rises"]
    assert Whitespace(lower=False).terms("The oil") == ["The", "oil"]
    assert Whitespace().terms(" \t") == []


def test_characters() -> None:
    assert Character().terms("Ab c") == ["a", "b", "c"]
    assert Character(n=2).terms("abc d \u65e5\u672c\u8a9e") == ["ab", "bc", "d", "\u65e5\u672c", "\u672c\u8a9e"]
    assert Character(n=2, lower=False).terms("AB") == ["AB"]
    assert Character().terms("") == []


def test_signatures() -> None:
    assert Whitespace().signature == "whitespace,lower:yes"
    assert Character(n=3, lower=False).signature == "character,n:3,lower:no"


def test_no_character_is_no_run() -> None:
    with pytest.raises(ConfigError, match="analyzer.n=0 must be a whole number of at least 1"):
        Character(n=0)
