import gzip
import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import InputError
from clirbench.text import TextFile, TextLines, split_lines

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


def test_a_byte_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"fine\nab\xffcd\n")
    with pytest.raises(InputError, match=r"bad\.txt: line 2, byte 3: 0xff is not valid UTF-8"):
        TextFile(path).lines()


def test_a_truncated_gzip_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress(b"some text that is long enough\n" * 100)[:-12])
    with pytest.raises(InputError, match=r"cut\.txt\.gz: the gzip file is damaged or truncated"):
        TextFile(path).lines()


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
