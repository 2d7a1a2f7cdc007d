"""The count of work finds readers that are not linear, and its regular expressions are those of `re`."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench import text
from tests.counting import CountedPattern, Steps, TooMuch
from tests.hostile import read_or_refused, repeated

Reader = Callable[[Path], object]


def linear(path: Path) -> list[str]:
    content = text.whole_text(path)
    return [content[a.end() : b.start()].strip() for a, b in pairwise(re.compile("<top>").finditer(content))]


def counts_lines_from_the_start(path: Path) -> list[int]:
    content = text.whole_text(path)
    return [content.count("\n", 0, tag.start()) for tag in re.compile("<top>").finditer(content)]


def looks_to_the_end_each_time(path: Path) -> list[int]:
    content = text.whole_text(path)
    return [content.find("</top>", tag.end()) for tag in re.compile("<top>").finditer(content)]


def tries_again_from_each_place(path: Path) -> object:
    return re.compile(r"<[^/]*/>").search(text.whole_text(path))


def goes_back(path: Path) -> object:
    return re.compile(r"(?:[a-z<>\n]+)+\d").search(text.whole_text(path)[:25])


def copies_a_list(path: Path) -> list[str]:
    held: list[str] = []
    for line in text.TextFile(path).lines():
        held = [*held, line]
    return held


@pytest.mark.parametrize(
    "reader",
    [
        counts_lines_from_the_start,
        looks_to_the_end_each_time,
        tries_again_from_each_place,
        goes_back,
        copies_a_list,
    ],
)
def test_a_reader_that_is_not_linear_is_found(tmp_path: Path, reader: Reader) -> None:
    assert read_or_refused(linear, tmp_path / "a", repeated("<top>\n")) == ""
    with pytest.raises(TooMuch):
        read_or_refused(reader, tmp_path / "a", repeated("<top>\n"))


PATTERNS = [
    r"a*b", r"^a|b$", r"(?m:^[ \t]*<(?P<name>/?[a-z]+)>$)", r"\b[ab]{2,3}?\b", r"(?:ab|a)+b", r"(?i)A[^b-z]\s",
    r"(?<![ab])a", r"(?:[^ab]++|<.)*+", r"\A(?:a|b)?(?!<)\w", r"(?s:a.*?b)\Z", r"a(?=b)|[\W\d]", r"(?>a+)b",
]  # fmt: skip
"""What `re` can do: repeats of three kinds, choices, places, conditions, kinds of characters."""


@given(st.sampled_from(PATTERNS), st.text("ab <>\n/A1", max_size=12), st.booleans())
def test_what_is_counted_is_what_re_does(pattern: str, content: str, as_bytes: bool) -> None:
    given_text = content.encode() if as_bytes else content
    real = re.compile(pattern.encode() if as_bytes else pattern)
    counted = CountedPattern(real, Steps(10**6))  # fails by itself where it ends elsewhere
    for way in ("search", "match", "fullmatch"):
        assert getattr(counted, way)(given_text) == getattr(real, way)(given_text) or getattr(real, way)(given_text)
