"""The count of work finds readers that are not linear, and its regular expressions are those of `re`."""

import gc
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench import text
from tests.counting import CountedPattern, Steps, TooMuch, at_most
from tests.hostile import read_or_refused, repeated

Reader = Callable[[Path], object]


def linear(path: Path) -> list[str]:
    content = text.whole_text(path)
    return [content[a.end() : b.start()].strip() for a, b in pairwise(re.compile("<top>").finditer(content))]


def counts_lines_from_the_start(path: Path) -> list[int]:
    content = text.whole_text(path)
    return [content.count("\n", 0, tag.start()) for tag in re.compile("<top>").finditer(content)]


def cuts_what_it_has_read(path: Path) -> None:
    rest = text.whole_text(path)
    while found := re.compile("<top>").search(rest):
        rest = rest[found.end() :]


def looks_to_the_end_each_time(path: Path) -> list[int]:
    content = text.whole_text(path)
    return [content.find("</top>", tag.end()) for tag in re.compile("<top>").finditer(content)]


def tries_again_from_each_place(path: Path) -> object:
    return re.compile(r"<[^/]*/>").search(text.whole_text(path))


def goes_back(path: Path) -> object:
    return re.compile(r"(?:[a-z<>\n]+)+\d").search(text.whole_text(path)[:25])


def joins_at_each_line(path: Path) -> str:
    held = ""
    for line in text.TextFile(path).lines():
        held = held + line
    return held


def copies_a_list(path: Path) -> list[str]:
    held: list[str] = []
    for line in text.TextFile(path).lines():
        held = [*held, line]
    return held


def loops_over_all_earlier_lines(path: Path) -> int:
    lines = text.TextFile(path).lines()
    return sum(1 for number, _ in enumerate(lines) for _ in lines[:number])


def gives_a_parser_pieces(path: Path) -> None:
    parser, content = expat.ParserCreate(), text.whole_content(path)
    for at in range(0, len(content), 10):
        parser.Parse(b"<a b='" * (at == 0) + content[at : at + 10].replace(b"<", b"x"), False)


@pytest.mark.parametrize(
    "reader",
    [
        counts_lines_from_the_start,
        cuts_what_it_has_read,
        looks_to_the_end_each_time,
        tries_again_from_each_place,
        goes_back,
        joins_at_each_line,
        copies_a_list,
        loops_over_all_earlier_lines,
        gives_a_parser_pieces,
    ],
)
def test_a_reader_that_is_not_linear_is_found(tmp_path: Path, reader: Reader) -> None:
    assert read_or_refused(linear, tmp_path / "a", repeated("<top>\n")) == ""
    with pytest.raises(TooMuch):
        read_or_refused(reader, tmp_path / "a", repeated("<top>\n"))


def test_the_count_is_the_same_each_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("<top>\n" * 50)
    counts = []
    for _ in range(2):
        with at_most(10**9) as steps:
            linear(tmp_path / "a")
        counts.append(steps.n)
    assert counts[0] == counts[1] > 300


def test_what_a_library_does_when_memory_is_collected_is_not_counted(tmp_path: Path) -> None:
    def collected(phase: str, info: object) -> None:
        assert phase

    (tmp_path / "a").write_text("<top>\n" * 5000)
    gc.callbacks.append(collected)
    threshold = gc.get_threshold()
    counts = []
    try:
        for often in (threshold[0], 10):
            gc.set_threshold(often)
            with at_most(10**9) as steps:
                linear(tmp_path / "a")
            counts.append(steps.n)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(collected)
    assert counts[0] == counts[1]


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
