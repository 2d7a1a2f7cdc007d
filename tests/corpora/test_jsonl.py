"""Documents as JSON lines."""

from pathlib import Path

import pytest

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import InputError
from clirbench.text import Limits, TextFile, within_limits


def text_of(folder: Path, content: str | bytes) -> JsonlText:
    path = folder / "d.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return JsonlText(path)


def test_one_document_is_one_line(tmp_path: Path) -> None:
    text = text_of(tmp_path, '{"doc_id": "b", "text": "x\\ny"}\n\n{"id": 7, "contents": ""}\n')
    assert text.doc_ids() == ("b", "7")
    assert text.lines() == ("x y", "")
    assert b"".join(text.blocks(size=1)) == b"x y\n\n"
    assert text.fingerprint != TextFile(text.path).fingerprint
    assert text.fingerprint == JsonlText(text.path).fingerprint


def test_depth_is_what_stands_within_each_other(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"doc_id": "[[[[[", "text": "a\\"[[[[\\\\", "x": [[1], [2], [3]], "y": {}}\n')
    with within_limits(Limits(json_depth=3)):
        assert JsonlText(path).doc_ids() == ("[[[[[",)
    with (
        within_limits(Limits(json_depth=2)),
        pytest.raises(InputError, match=r"line 1: more than 2 .*limits\.json_depth=N"),
    ):
        JsonlText(path).doc_ids()
