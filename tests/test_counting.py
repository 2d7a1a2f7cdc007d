"""The count of work finds readers that are not linear."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from clirbench import text
from tests.counting import TooMuch
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


def copies_a_list(path: Path) -> list[str]:
    held: list[str] = []
    for line in text.TextFile(path).lines():
        held = [*held, line]
    return held


@pytest.mark.parametrize("reader", [counts_lines_from_the_start, looks_to_the_end_each_time, copies_a_list])
def test_a_reader_that_is_not_linear_is_found(tmp_path: Path, reader: Reader) -> None:
    assert read_or_refused(linear, tmp_path / "a", repeated("<top>\n")) == ""
    with pytest.raises(TooMuch):
        read_or_refused(reader, tmp_path / "a", repeated("<top>\n"))
