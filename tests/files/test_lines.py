import hashlib
import mmap
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import InputError, ResourceError
from clirbench.files import lines as spool
from clirbench.files.lines import Lines, Spool, give_back, held_text, map_of, pages
from clirbench.metrics.base import hashable
from clirbench.store.keys import fingerprint
from clirbench.text import TextFile, TextLines, current_limits, within_limits
from clirbench.types import TestSet

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=9), max_size=30)


@given(LINES, st.integers(-12, 12), st.integers(-12, 12), st.integers(1, 40), st.booleans())
def test_lines_are_a_sequence_of_strings_and_a_text(strings, begin, end, size, in_file) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "HELD", 3 if in_file else 1 << 26)
        patch.setattr(spool, "AT_ONCE", 4)
        lines = Lines(TextLines(strings).blocks(size))
    expected = tuple(strings)
    assert (len(lines), tuple(lines), lines[begin:end]) == (len(expected), expected, expected[begin:end])
    assert lines[::-2] == expected[::-2]
    assert all(lines[at] == expected[at] for at in range(-len(expected), len(expected)))
    with pytest.raises(IndexError):
        lines[len(expected)]
    content = "".join(f"{line}\n" for line in strings).encode()
    blocks = list(lines.blocks(size))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks)
    assert b"".join(lines.joined()) == "\n".join(strings).encode()
    assert lines.fingerprint == hashlib.sha256(content).hexdigest()
    copy = pickle.loads(pickle.dumps(lines))  # noqa: S301  our own bytes
    assert (copy, hash(copy), tuple(copy)) == (lines, hash(lines), expected)


def test_lines_are_equal_where_their_strings_are(tmp_path) -> None:
    whole, open_ended = tmp_path / "a.txt", tmp_path / "b.txt"
    whole.write_bytes(b"x\ny\n")
    open_ended.write_bytes(b"x\ny")
    assert Lines.of(TextFile(whole)) == Lines.of(TextFile(open_ended))
    assert Lines.of(TextLines(["x"])) != Lines.of(TextLines(["y"]))
    assert Lines.of(TextFile(whole)) == ("x", "y")
    assert Lines.of(TextFile(whole)) not in (("x",), ("x", "z"), ["x", "y"])


def test_the_key_of_a_test_set_does_not_ask_where_its_lines_are_held(monkeypatch) -> None:
    before = fingerprint(TestSet((Lines([b"x\ny\n"]),)))
    monkeypatch.setattr(spool, "HELD", 0)
    assert fingerprint(TestSet((Lines([b"x\n", b"y\n"]),))) == before
    assert fingerprint(TestSet((Lines([b"x\n", b"z\n"]),))) != before


def test_what_is_held_already_is_not_copied() -> None:
    lines = Lines([b"x\n"])
    assert hashable(lines) is held_text(lines) is lines
    assert hashable(["x"]) == ("x",)
    assert held_text(("x",)) == TextLines(("x",))


def test_more_lines_than_the_limit_are_refused_block_by_block() -> None:
    asked = []

    def blocks():
        for number in range(100):
            asked.append(number)
            yield b"a b\n" * 10

    with within_limits(replace(current_limits(), lines=25)), pytest.raises(InputError) as told:
        Lines(blocks(), "r.txt")
    assert str(told.value) == "r.txt: more than 25 lines; limits.lines=N allows more"
    assert asked == [0, 1, 2]


@pytest.mark.parametrize("held", [1 << 26, 40])
def test_what_was_written_is_read_back_in_memory_and_in_a_file(held, monkeypatch) -> None:
    monkeypatch.setattr(spool, "HELD", held)
    made = Spool()
    for piece in (np.arange(4), np.arange(4, 9).reshape(5, 1), np.empty(0, dtype=np.int64)):
        made.write(piece)
    array = made.array(np.int64)
    assert array.tolist() == list(range(9))
    assert made.read(8, 24) == np.array([1, 2]).tobytes()
    assert (map_of(array[2:5]) is not None) == (held == 40)


def test_an_empty_spool_is_an_empty_array() -> None:
    assert Spool().array(np.float64).shape == (0,)
    assert Spool().read(0, 0) == b""


def test_pages_are_all_bytes_and_what_was_given_back_is_read_again(monkeypatch) -> None:
    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(spool, "PIECE", mmap.PAGESIZE)
    made = Spool()
    values = np.arange(5 * mmap.PAGESIZE // 8 + 3)
    made.write(values)
    array = made.array(np.int64)
    pieces = [bytes(piece) for piece in pages(array)]
    assert len(pieces) == 6  # five pages, and three numbers more
    assert b"".join(pieces) == values.tobytes()
    give_back(array)
    assert array.tolist() == values.tolist()
    assert list(pages(b"ab")) == [b"ab"]


def test_a_folder_without_room_is_named(monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(spool, "TemporaryFile", full)
    with pytest.raises(ResourceError, match=r"no room for 3 bytes .*No space left on device.*TMPDIR"):
        Spool().write(b"abc")
