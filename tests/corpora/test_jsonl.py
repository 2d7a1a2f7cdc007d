"""Documents as JSON lines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import InputError
from clirbench.text import Limits, TextFile, within_limits
from tests.hostile import read_or_refused, repeated


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"text": "x"}\n', r"line 1: no doc_id"),
        ('{"doc_id": "a b", "text": "x"}\n', r"line 1: doc_id 'a b' holds white space"),
        ('{"doc_id": "a"}\n', r"line 1: no text \(a string\); keys here: doc_id"),
        ('{"doc_id": "a", "text": 3}\n', r"line 1: no text"),
        ('{"doc_id": "a", "text": ""}\n{"doc_id": "a", "text": ""}\n', r"line 2: doc_id 'a' stands on line 1 already"),
        ("{\n", r"line 1: not JSON"),
        ("[" * 100_000 + "\n", r"line 1: more than 100 lists"),
        (b'{"doc_id": "\xff"}\n', r"line 1, byte 13: 0xff"),
    ],
)
def test_faulty_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        text_of(tmp_path, content).doc_ids()


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    text = text_of(tmp_path_factory.mktemp("fuzz"), content)
    try:
        ids = text.doc_ids()
    except InputError:
        return
    assert len(ids) == len(text.lines())


def test_documents_of_patapsco_as_published(shared_data: Path) -> None:
    text = JsonlText(shared_data / "clir" / "patapsco" / "eng_mini_docs.jsonl")
    assert text.doc_ids()[0] == "e18e71bf-0c9f-4e43-b27b-973c1cd08807"
    assert text.lines()[0].startswith("Inmates are sleeping on mats of the floor at the Logan County Detention Center")
    assert "".join(block.decode() for block in text.blocks(100)).count("\n") == len(text.doc_ids())


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


@pytest.mark.parametrize("piece", ["[", "{", '{"a":', '[["', '"', "\\", '"\\', "{}", "[]", "\n"])
def test_hostile_files_are_read_or_refused_at_once(tmp_path: Path, piece: str) -> None:
    message = read_or_refused(lambda path: JsonlText(path).doc_ids(), tmp_path / "d.jsonl", repeated(piece))
    assert len(message.replace(str(tmp_path), "")) < 600
