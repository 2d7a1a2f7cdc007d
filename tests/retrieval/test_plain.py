"""Expected terms by hand."""

import pytest

from clirbench.errors import ConfigError
from clirbench.retrieval.analyzers import Character, Whitespace


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
