"""What holds for every translator: blank lines, newlines in an output, the count."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import AlignmentError, ResourceError
from clirbench.labs.models.translating.base import translate_lines
from clirbench.text import BLOCK, Limits, within_limits


@given(st.lists(st.text(alphabet="ab \t\u2028\u00a0", max_size=4)))
def test_every_line_stays_in_its_place_and_blank_ones_are_not_shown_to_the_engine(lines: list[str]) -> None:
    shown: list[str] = []

    def engine(full: Sequence[str]) -> list[str]:
        shown.extend(full)
        return [f"<{line}>" for line in full]

    expected = [f"<{line}>" if line.strip() else "" for line in lines]
    assert translate_lines(engine, lines, "here") == expected
    assert all(line.strip() for line in shown)


def test_an_engine_is_not_called_for_nothing() -> None:
    def engine(full: Sequence[str]) -> list[str]:
        raise AssertionError("was called")

    assert translate_lines(engine, ["", "  "], "here") == ["", ""]


def test_newlines_in_an_output_become_spaces() -> None:
    assert translate_lines(lambda full: ["a\nb"], ["x"], "here") == ["a b"]


@pytest.mark.parametrize("written", [["one"], ["one", "two", "three"]])
def test_another_count_is_an_error_with_both(written: list[str]) -> None:
    with pytest.raises(AlignmentError, match=f"sys: f.txt: 2 source lines were given, {len(written)} lines came back"):
        translate_lines(lambda full: written, ["a", "", "b"], "sys: f.txt")


def test_a_line_that_is_no_translation_is_refused() -> None:
    """A million characters for a short line, a hundred for one of a longer line's, and `limits.line_bytes`."""
    assert translate_lines(lambda lines: ["x" * BLOCK], ["a"], "here") == ["x" * BLOCK]
    assert len(translate_lines(lambda lines: ["x" * 2_000_000], ["a" * 20_000], "here")[0]) == 2_000_000
    with pytest.raises(ResourceError, match=r"here: a line of 10,000,000 characters came back for one of 1, at most"):
        translate_lines(lambda lines: ["x" * 10_000_000], ["a"], "here")
    with within_limits(Limits(line_bytes=BLOCK)), pytest.raises(ResourceError, match="at most 1,048,576 are read"):
        translate_lines(lambda lines: ["x" * 2_000_000], ["a" * 20_000], "here")
