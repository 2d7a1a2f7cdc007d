import hashlib
from collections.abc import Iterable

import pytest

from clirbench.files.lines import Lines
from clirbench.report import provenance
from clirbench.types import TestSet


def test_references_are_hashed_as_their_lines_joined() -> None:
    expected = hashlib.sha256(b"a\nb\0c\nd\0" + b"\0").hexdigest()  # two references, and no source
    assert provenance.references_sha256(TestSet((Lines([b"a\nb\n"]), ("c", "d")))) == expected


def test_a_reference_is_hashed_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference of millions of lines is never in memory as a whole."""
    drawn: list[bytes] = []

    def joined(_: Lines) -> Iterable[bytes]:
        for piece in (b"a", b"b", b"c"):
            drawn.append(piece)
            yield piece

    monkeypatch.setattr(Lines, "joined", joined)
    monkeypatch.setattr(provenance, "sha256_of", lambda pieces: next(iter(pieces)).hex())
    assert provenance.references_sha256(TestSet((Lines([b"abc\n"]),))) == b"a".hex()
    assert drawn == [b"a"]
