"""What analysis costs, counted: each distinct chunk is analysed once, for all collections of a process."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import InputError
from clirbench.retrieval import postings as module
from clirbench.retrieval.analyzers import English, Whitespace
from clirbench.retrieval.bm25 import BM25
from clirbench.retrieval.postings import KnownChunks, known_chunks, postings, query
from clirbench.text import TextFile, TextLines
from clirbench.types import Document, DocumentMap, Documents, Topic


class Counting(Whitespace):
    """Splits at white space and remembers what it was asked; two of them are never equal."""

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "asked", [])

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def terms(self, text: str) -> list[str]:
        self.asked.append(text)  # type: ignore[attr-defined]
        return super().terms(text)


@dataclass(frozen=True)
class Blocks(TextLines):
    """Text that comes in blocks of a size."""

    block: int

    def blocks(self, size: int = 0) -> Iterator[bytes]:
        return super().blocks(self.block)


def documents(*texts: str) -> Documents:
    return Documents.of(Document(f"{number:03}", text) for number, text in enumerate(texts))


def test_each_distinct_chunk_is_analysed_once_in_all_collections() -> None:
    analyzer = Counting()
    for _ in range(2):
        postings(documents("a b a b c", "a (b) c"), analyzer, ["a", "b"])
        postings(documents("c b a new", "a"), analyzer, ["b", "c"])
    assert analyzer.asked == ["a", "b", "c", "(b)", "new"]  # type: ignore[attr-defined]


def test_one_table_of_chunks_serves_all_systems_of_a_run() -> None:
    topics = [Topic.of("t", "kept alive between systems")]
    BM25().rank(documents("systems that live", "kept"), topics)
    known = known_chunks(BM25().analyzer)
    before = known.n_chunks
    BM25().rank(documents("kept", "systems that live"), topics)
    assert known_chunks(BM25().analyzer) is known
    assert known.n_chunks == before > 0


def test_lists_are_the_same_from_threads(shared_data: Path) -> None:
    """Real collections of different words, so that each thread meets new ones while others search."""
    paths = sorted((shared_data / "wmt21" / "de-en" / "systems").glob("*.txt"))[:8]
    assert len(paths) == 8
    topics = [Topic.of(word, word) for word in ("government", "police", "vaccine", "market price", "water")]

    def ranked(path: Path) -> bytes:
        lines = TextFile(path).lines()
        run = BM25(depth=20).rank(documents(*lines, path.name), topics)
        return run.documents.tobytes() + run.scores.tobytes() + repr(run.doc_ids).encode()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ranked, paths * 3)) == [ranked(path) for path in paths] * 3


def test_chunks_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of 100 bytes: the same postings, more analyses, little kept."""
    texts = [f"oil chunk{number} oil" for number in range(200_000)]
    analyzer = Counting()
    whole = postings(documents(*texts), analyzer, ["oil"])
    monkeypatch.setattr(module, "FORGET_BEYOND", 100)
    small = Counting()
    cut = postings(documents(*texts), small, ["oil"])
    assert (whole.counts == cut.counts).all()
    assert (whole.lengths == cut.lengths).all()
    assert len(small.asked) > len(analyzer.asked) == 200_001  # type: ignore[attr-defined]
    assert known_chunks(small).n_chunks < 150_000


@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=30), min_size=1, max_size=30),
    st.integers(1, 4),
    st.sampled_from([1, 50, 1 << 20]),
)
def test_counts_equal_those_of_whole_texts(texts: list[str], lines: int, size: int) -> None:
    """The oracle analyses each document of some lines whole; blocks end within documents, or hold all of them."""
    query = ["a", "b", "\u00e9"]
    held = [text.replace("\n", " ") for text in [*texts, "a b"]]
    whole = Documents(Blocks(tuple(held), size), DocumentMap.blocks_of(len(held), lines))
    analysed = [English().terms(document.text) for document in whole]
    with patch.object(module, "ROWS", 12 * lines):
        found = postings(whole, English(), query)
    assert found.lengths.tolist() == [len(terms) for terms in analysed]
    for number, term in enumerate(query):
        part = slice(found.starts[number], found.starts[number + 1])
        pairs = list(zip(found.documents[part].tolist(), found.counts[part].tolist(), strict=True))
        assert pairs == [(d, terms.count(term)) for d, terms in enumerate(analysed) if term in terms]
    assert np.diff(found.starts).tolist() == [sum(term in terms for terms in analysed) for term in query]
    known = KnownChunks(English().terms)
    listed = [pair for part in known.distinct(whole, whole.map.lengths) for pair in zip(*part, strict=True)]
    numbered = [sorted({known.numbers[term] for term in terms}) for terms in analysed]
    assert listed == [(d, number) for d, numbers in enumerate(numbered) for number in numbers]


def test_qtf_is_the_sum_of_weights_over_occurrences() -> None:
    topic = Topic("t", (("Oil prices of oil", 1.0), ("price history", 0.25), ("the", 9.0)))
    assert [*query(topic, English()).items()] == [("oil", 2.0), ("price", 1.25), ("histori", 0.25)]  # as first read
    assert query(Topic("t", (("oil", 0.0), ("pearl", 1.0))), English()) == {"pearl": 1.0}


@pytest.mark.parametrize("weight", [-0.5, math.nan, math.inf])
def test_impossible_weights(weight: float) -> None:
    with pytest.raises(InputError, match="topic 7: the weight of a part must be a number of 0 or above"):
        query(Topic("7", (("oil", weight),)), English())
