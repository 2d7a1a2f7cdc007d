"""BM25 against a slow, obvious version (to the last bit) and sums by hand; labs/search has it against Lucene."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import AlignmentError, InputError
from clirbench.retrieval.analyzers import English
from clirbench.retrieval.bm25 import BM25, rounded_lengths
from clirbench.text import TextFile
from clirbench.types import Document, DocumentMap, Documents, Run, Topic


def collection(*texts: str) -> Documents:
    return Documents.of(Document(f"d{number}", text) for number, text in enumerate(texts, 1))


def scores(run: Run, topic_id: str) -> dict[str, float]:
    return dict(zip(run.ranking(topic_id), run.values(topic_id, tied=True).tolist(), strict=True))


# ---------------------------------------------------------------------------------------------- the slow version


def int_to_byte4(value: int) -> int:
    """Lucene's SmallFloat.intToByte4, from its description: 24 exact values, then 3 bits behind the leading one."""
    if value < 24:
        return value
    value -= 24
    bits = value.bit_length()
    if bits < 4:
        return 24 + value
    shift = bits - 4
    return 24 + (((value >> shift) & 7) | ((shift + 1) << 3))


def byte4_to_int(code: int) -> int:
    if code < 24:
        return code
    code -= 24
    mantissa, shift = code & 7, (code >> 3) - 1
    return 24 + (mantissa if shift == -1 else (mantissa | 8) << shift)


def slow_bm25(engine: BM25, documents: Documents, topic: Topic) -> list[tuple[str, float]]:
    """One document and one term at a time, every step in the width that Lucene has it in."""
    f = np.float32
    analysed = [(document.doc_id, Counter(engine.analyzer.terms(document.text))) for document in documents]
    held = [counts for _, counts in analysed if counts]
    average = f(sum(sum(counts.values()) for counts in held) / len(held))
    query: Counter[str] = Counter()
    for text, weight in topic.parts:
        for term in engine.analyzer.terms(text):
            query[term] += weight  # type: ignore[assignment]
    ranked = []
    for doc_id, counts in analysed:
        length = sum(counts.values())
        rounded = byte4_to_int(int_to_byte4(length))
        k1, b = f(engine.k1), f(engine.b)
        total, matched = 0.0, False
        for term, qtf in query.items():
            if counts[term]:
                df = sum(term in other for other in held)
                weight = f(qtf) * f(math.log(1 + (len(held) - df + 0.5) / (df + 0.5)))
                norm = f(1) / (k1 * ((f(1) - b) + b * f(rounded) / average))
                total += float(weight - weight / (f(1) + f(counts[term]) * norm))
                matched = True
        if matched:
            ranked.append((doc_id, float(f(total))))
    return sorted(ranked, key=lambda pair: (-pair[1], pair[0]))[: engine.depth]


vocabulary = st.sampled_from(
    ["oil", "Oil.", "history", "the", "pearls", "Pearl", "(oil)", "1,000", "\u00e9t\u00e9", "x" * 20]
)
lines = st.lists(vocabulary, max_size=50).map(" ".join)


@given(
    texts=st.lists(lines, min_size=1, max_size=12).filter(lambda texts: any(English().terms(text) for text in texts)),
    query=st.lists(vocabulary, max_size=5).map(" ".join),
    weight=st.sampled_from([0.5, 1.0, 3.0]),
    b=st.sampled_from([0.0, 0.4, 1.0]),
    depth=st.sampled_from([1, 3, 1000]),
)
def test_equals_the_slow_version_to_the_last_bit(
    texts: list[str], query: str, weight: float, b: float, depth: int
) -> None:
    engine = BM25(b=b, depth=depth)
    topic = Topic("t", (("oil history", weight), (query, 1.0)))
    documents = collection(*texts)
    run = engine.rank(documents, [topic])
    expected = slow_bm25(engine, documents, topic)
    assert list(zip(run.ranking("t"), run.values("t", tied=True).tolist(), strict=True)) == expected


@given(st.integers(0, 2**31 - 1))
def test_lengths_are_rounded_as_in_a_lucene_index(length: int) -> None:
    assert rounded_lengths(np.array([length], dtype=np.int32)).tolist() == [byte4_to_int(int_to_byte4(length))]


# ------------------------------------------------------------------------------------------------ sums by hand


def test_k1_of_0_scores_presence_alone() -> None:
    run = BM25(k1=0).rank(collection("oil", "oil oil", "x"), [Topic.of("t", "oil")])
    idf = math.log(1 + 1.5 / 2.5)
    assert scores(run, "t") == {"d1": pytest.approx(idf), "d2": pytest.approx(idf)}


# ------------------------------------------------------------------------------------------------------ bad input


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"good line\n" * 200_000 + b"bad \xff line\nmore\n")
    with pytest.raises(InputError, match=r"text.txt: line 200001, byte 5: 0xff is not valid UTF-8"):
        BM25().rank(Documents(TextFile(path), DocumentMap.blocks_of(200_002)), [Topic.of("t", "good")])
    # The chunks seen before the bad one are not lost to the next collection.
    assert BM25().rank(collection("good"), [Topic.of("t", "good")]).ranking("t") == ("d1",)


@pytest.mark.parametrize("n_lines", [2, 4])
def test_text_that_does_not_fit_its_map(tmp_path: Path, n_lines: int) -> None:
    path = tmp_path / "text.txt"
    path.write_text("one\ntwo\nthree\n", encoding="utf-8")
    with pytest.raises(AlignmentError, match=f"text.txt: 3 lines, but its {n_lines} documents have {n_lines}"):
        BM25().rank(Documents(TextFile(path), DocumentMap.blocks_of(n_lines)), [Topic.of("t", "one")])


def test_signature_names_every_parameter() -> None:
    assert BM25().signature == (
        "bm25:clirbench|k1:0.9|b:0.4|idf:lucene|lengths:lucene|empty:skipped|qtf:sum"
        "|an:english,words:uax29-12.1,stop:lucene33,stem:porter|depth:1000|ties:doc_id"
    )
