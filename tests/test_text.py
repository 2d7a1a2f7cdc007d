import gzip
import hashlib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import ConfigError, InputError
from clirbench.text import BLOCK, Limits, Numbers, TextFile, TextLines, current_limits, split_lines, within_limits
from tests.counting import at_most

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20), max_size=30)


def test_only_a_newline_ends_a_line() -> None:
    assert split_lines("a\u2028b\x0cc\rd\u00a0e\nf") == ("a\u2028b\x0cc\rd\u00a0e", "f")


def test_a_last_line_without_newline_counts_and_an_empty_file_has_none() -> None:
    assert split_lines("a\n\nb") == ("a", "", "b")
    assert split_lines("a\n\n") == ("a", "")
    assert split_lines("") == ()


@given(LINES, st.integers(1, 40), st.booleans())
def test_blocks_are_the_lines_whatever_their_size(tmp_path_factory, lines, size, packed) -> None:
    content = "".join(line + "\n" for line in lines).encode()
    path = tmp_path_factory.mktemp("text") / "file.txt"
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    blocks = list(TextFile(path).blocks(size))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks)
    assert TextFile(path).lines() == tuple(lines)
    assert b"".join(TextLines(tuple(lines)).blocks(size)) == content


def test_the_fingerprint_is_of_the_unpacked_content(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_bytes(b"x\ny\n")
    packed.write_bytes(gzip.compress(b"x\ny\n"))
    expected = hashlib.sha256(b"x\ny\n").hexdigest()
    assert TextFile(plain).fingerprint == TextFile(packed).fingerprint == expected
    assert TextLines(("x", "y")).fingerprint == expected


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing: no such file"):
        TextFile(tmp_path / "nothing").lines()
    with pytest.raises(InputError, match="is a folder"):
        TextFile(tmp_path).lines()


def test_a_lone_surrogate_becomes_the_replacement_character(tmp_path: Path) -> None:
    text = TextLines(("caf\u00e9 \ud800 x",))
    assert text.lines() == ("caf\u00e9 \ufffd x",)
    assert b"".join(text.blocks()) == "caf\u00e9 \ufffd x\n".encode()
    path = tmp_path / "documents.jsonl"
    path.write_text('{"doc_id": "1", "text": "x \\ud800 y"}\n')
    assert JsonlText(path).lines() == ("x \ufffd y",)
    assert b"".join(JsonlText(path).blocks()) == "x \ufffd y\n".encode()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("before", [b"", b"x\n", b"x\n" * BLOCK])
def test_a_line_beyond_the_limit_is_refused_before_it_is_held(tmp_path: Path, packed: bool, before: bytes) -> None:
    path = tmp_path / "a"
    for length, fits in ((BLOCK, True), (BLOCK + 1, False)):
        content = before + b"a" * length + b"\nb\n"
        path.write_bytes(gzip.compress(content) if packed else content)
        with within_limits(Limits(line_bytes=BLOCK)):
            if fits:
                assert b"".join(TextFile(path).blocks()) == content
                continue
            for reads in (TextFile(path).lines, lambda: list(TextFile(path).blocks())):
                with pytest.raises(InputError, match=r"a: a line of more than 1,048,576 bytes; limits\.line_bytes=N"):
                    reads()
        assert len(TextFile(path).lines()) > 1


def test_more_than_is_held_or_unpacked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a line\n" * BLOCK))
    with within_limits(Limits(held_bytes=BLOCK)):
        assert sum(map(len, TextFile(path).blocks())) == 7 * BLOCK
        with pytest.raises(InputError, match=r"a\.gz: more than 1,048,576 bytes of text, .*; limits\.held_bytes=N"):
            TextFile(path).lines()
    with within_limits(Limits(unpacked_bytes=2 * BLOCK)), pytest.raises(InputError, match=r"limits\.unpacked_bytes=N"):
        list(TextFile(path).blocks())
    assert current_limits() == Limits()


@pytest.mark.parametrize("value", [0, -1, "x", 1.5, True, None])
def test_a_limit_is_a_whole_number(value: object) -> None:
    with pytest.raises(ConfigError, match=r"limits\.line_bytes=.* must be a whole number of at least 1048576"):
        Limits(line_bytes=value)  # type: ignore[arg-type]


def test_the_work_for_a_long_line_is_proportional_to_its_length(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"word " * 12_000_000)
    with at_most(10 * 60_000_000):  # in 58 pieces: what copies all of them at each comes to 30 times 60,000,000
        (block,) = TextFile(path).blocks()
    assert len(block) == 60_000_001


@given(st.integers(0, 1200), st.integers(-1300, 1300), st.integers(-1300, 1300))
def test_numbers_are_names_padded_to_one_width(n, begin, end) -> None:
    expected = tuple(str(number).zfill(len(str(n))) for number in range(1, n + 1))
    names = Numbers(n)
    assert (len(names), tuple(names), names[begin:end]) == (n, expected, expected[begin:end])
    assert names == expected == names
    assert names not in ((*expected, "x"), Numbers(n + 1), list(expected))
    assert hash(names) == hash(Numbers(n))
    assert all(names[at] == expected[at] for at in (-n, -1, 0, n - 1) if n)
    with pytest.raises(IndexError):
        names[n]
