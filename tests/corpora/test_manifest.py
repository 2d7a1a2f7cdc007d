"""Corpora of data sets: found in a mirror, with translations of another collection, or refused."""

import json
from pathlib import Path

import pytest

from clirbench.corpora.manifest import ManifestCorpus
from clirbench.errors import AlignmentError, InputError, MissingData
from clirbench.systems.files import FileSystems
from tests.conftest import write_lines


def test_without_the_data(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"data set wmt21_deen is not here: 22 of 22 files"):
        ManifestCorpus("wmt21_deen", cache=str(tmp_path)).read()


@pytest.fixture
def translations(tmp_path: Path, shared_data: Path) -> Path:
    """A translated collection of three documents for the systems of 25,000 lines, of three kinds of file."""
    documents = [("d2", "a b\nc"), ("d1", "e"), ("d3", "f")]
    lines = [json.dumps({"doc_id": doc_id, "text": text}) for doc_id, text in documents]
    write_lines(tmp_path / "t" / "reference.jsonl", lines)
    (tmp_path / "t" / "025000.bpe16000.jsonl").write_text("\n".join(lines).replace("a b", "A B"))
    (tmp_path / "t" / "025000.bpe32000.txt").write_text("x\ny\nz\n")
    return tmp_path / "t"


def test_translations_of_another_collection(shared_data: Path, translations: Path) -> None:
    source = ManifestCorpus(
        "lignos2019_csen", mirror=str(shared_data), collection="news", translations=str(translations)
    )
    corpus = source.read()
    assert corpus.collection == ""
    assert [(d.doc_id, d.text) for d in corpus.english] == [("d2", "a b c"), ("d1", "e"), ("d3", "f")]
    systems = FileSystems(include=["025000*"]).translations(corpus)
    assert [t.collection and t.collection.lines() for t in systems] == [("A B c", "e", "f"), ("x", "y", "z")]
    assert systems[0].test is not None
    assert len(systems[0].test.lines()) == 5000
    with pytest.raises(InputError, match=r"no file of 050000"):
        FileSystems().translations(corpus)


def test_translations_must_be_of_the_same_documents(shared_data: Path, translations: Path) -> None:
    (translations / "025000.bpe16000.jsonl").write_text('{"doc_id": "d2", "text": ""}\n' * 1 + (
        '{"doc_id": "d3", "text": ""}\n{"doc_id": "d1", "text": ""}\n'
    ))  # fmt: skip
    corpus = ManifestCorpus("lignos2019_csen", mirror=str(shared_data), translations=str(translations)).read()
    with pytest.raises(AlignmentError, match=r"document 2 is 'd3', the reference side has 'd1' there"):
        FileSystems(include=["025000*"]).translations(corpus)


def test_the_english_side_may_lie_elsewhere(tmp_path: Path, shared_data: Path, translations: Path) -> None:
    english = tmp_path / "english.txt"
    english.write_text("one\ntwo\nthree\n")
    (translations / "docs.tsv").write_text("line\tdoc_id\n1\tx\n2\tx\n3\ty\n")
    corpus = ManifestCorpus(
        "lignos2019_csen", mirror=str(shared_data), translations=str(translations), english=str(english)
    ).read()
    assert [(d.doc_id, d.text) for d in corpus.english] == [("x", "one\ntwo"), ("y", "three")]
