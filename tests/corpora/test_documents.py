"""Collections of documents: two sides that share ids, not lines."""

import json
from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.documents import DocumentReader, DocumentsCorpus, JsonDocuments, ReadText
from clirbench.corpora.europarl import EuroparlDocuments
from clirbench.corpora.trec_documents import TrecDocuments
from clirbench.errors import ClirbenchError, ConfigError, InputError, Problems
from clirbench.files.trec import read_qrels
from clirbench.relevance.qrels import QrelsFile
from clirbench.systems.files import FileSystems
from clirbench.types import Document, Documents, Run, Topic


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("x", "y", "z"):
        write(tmp_path / "test" / "systems" / f"{name}.txt", "one\n")
    write(tmp_path / "test" / "reference.txt", "One\n")
    write(tmp_path / "en" / "ep-1.txt", "a\nb\nc\n")
    write(tmp_path / "en" / "ep-2.txt", "too short\n")
    write(tmp_path / "en" / "ep-3.txt", "d\n<P>\ne\nf\n")
    for name in ("ep-1", "ep-2", "ep-3"):
        write(tmp_path / "mt" / "x" / f"{name}.txt", f"x {name}\n")
    write(tmp_path / "mt" / "y.txt", "y 1\ny 3\n")
    records = [{"id": f"ep-{n}", "text": f"z {n}"} for n in (1, 2, 3)]
    write(tmp_path / "mt" / "z.jsonl", "\n".join(map(json.dumps, records)))
    return tmp_path


def corpus_of(folder: Path) -> DocumentsCorpus:
    return DocumentsCorpus(EuroparlDocuments(), str(folder / "en"), folder / "mt", folder / "test")


def test_systems_in_three_forms(folder: Path) -> None:
    """A folder in the reader's format (whose short documents stay), lines in order, and JSON lines."""
    source = corpus_of(folder)
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert [(d.doc_id, d.text) for d in corpus.english] == [("ep-1", "a b c"), ("ep-3", "d e f")]
    translations = {t.system: t for t in FileSystems().translations(corpus)}
    searched = {name: t.collection.lines() for name, t in translations.items() if t.collection is not None}
    assert searched == {"x": ("x ep-1", "x ep-3"), "y": ("y 1", "y 3"), "z": ("z 1", "z 3")}
    assert all(t.test is not None and t.test.lines() == ("one",) for t in translations.values())


def test_a_document_that_a_system_lacks_is_an_error(folder: Path) -> None:
    (folder / "mt" / "x" / "ep-3.txt").unlink()
    with pytest.raises(ClirbenchError, match="x has 1 lines"):
        FileSystems().translations(corpus_of(folder).read())


def test_the_reader_and_the_content_are_the_identity(folder: Path) -> None:
    text = ReadText(folder / "en", EuroparlDocuments())
    assert text.fingerprint == ReadText(folder / "en", EuroparlDocuments()).fingerprint
    assert text.fingerprint != ReadText(folder / "en", EuroparlDocuments(min_lines=0)).fingerprint
    assert text.fingerprint != ReadText(folder / "en", EuroparlDocuments(), ("ep-1",)).fingerprint
    before = text.fingerprint
    write(folder / "en" / "ep-1.txt", "a\nb\nc\nd\n")
    assert text.fingerprint != before


def test_what_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"corpus\.translations, test_folder not set"):
        DocumentsCorpus(TrecDocuments(), "x")
    (folder / "empty").mkdir()
    source = DocumentsCorpus(EuroparlDocuments(), folder / "empty", folder / "a", folder / "b")
    with pytest.raises(Problems, match=r"(?s)no files in it.*no such folder.*no such folder; one file or folder"):
        source.read()
    write(folder / "mt" / "x.txt", "a\nb\n")
    with pytest.raises(InputError, match="system 'x' has two entries"):
        corpus_of(folder).read()


def test_doubled_ids_are_refused(folder: Path) -> None:
    write(folder / "en" / "more" / "ep-1.txt", "g\nh\ni\n")
    with pytest.raises(InputError, match="doc_id 'ep-1' stands on line 1 already"):
        corpus_of(folder).read()


def test_json_fields(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": 7, "title": "T", "text": "x"}\n{"doc_id": "b", "text": "y"}\n')
    reader = JsonDocuments(["title", "text"])
    assert isinstance(reader, DocumentReader)
    assert list(reader.documents(path)) == [("7", "T x"), ("b", "y")]
    with pytest.raises(InputError, match=r"a\.jsonl: line 2: none of the fields title; keys: doc_id, text"):
        list(JsonDocuments(["title"]).documents(path))
    with pytest.raises(InputError, match=r"a\.jsonl: line 1: no doc_id"):
        list(JsonDocuments().documents(write(tmp_path / "a.jsonl", '{"id": true, "text": "x"}')))
    with pytest.raises(ConfigError, match="a list of at least one field"):
        JsonDocuments("text")


def test_patapsco_is_read(shared_data: Path) -> None:
    """20 documents in four languages under the same ids, and judgments of people on them."""
    folder = shared_data / "clir" / "patapsco"
    reader = JsonDocuments(["title", "text"])
    sides = {lang: dict(reader.documents(folder / f"{lang}_mini_docs.jsonl")) for lang in ("eng", "fas", "rus", "zho")}
    assert [len(side) for side in sides.values()] == [20] * 4
    assert all(side.keys() == sides["eng"].keys() for side in sides.values())
    assert all(text.strip() for side in sides.values() for text in side.values())
    qrels = read_qrels(folder / "eng_mini_qrels")
    assert qrels.topic_ids == ("001", "002")
    assert set().union(*qrels.grades.values()) <= sides["eng"].keys()
    text = ReadText(folder / "eng_mini_docs.jsonl", reader)
    ideal = Run.of({topic_id: {text.doc_ids()[0]: 1.0} for topic_id in qrels.topic_ids})
    documents = Documents.of([Document(*pair) for pair in text.documents()])
    judged = QrelsFile(folder / "eng_mini_qrels").judge(ideal, documents, [Topic.of("001", "Flooding")])
    assert max(judged.grades["001"].values()) == 3
    assert len(list(reader.documents(folder / "cc-news-zho-1000.jsonl"))) == 998


@pytest.mark.parametrize("language", ["fas", "rus", "zho"])
def test_hc4_judgments_are_read(shared_data: Path, language: str) -> None:
    for part in ("dev", "train"):
        path = shared_data / "clir" / "hc4" / language / f"{part}.qrels.v1-0.txt"
        grades = {g for by_document in read_qrels(path).grades.values() for g in by_document.values()}
        assert grades <= {0, 1, 3}
