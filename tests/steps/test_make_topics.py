"""Topics that take work are made once."""

from pathlib import Path

import pytest

from clirbench.engines.local import Serial
from clirbench.errors import InputError
from clirbench.inputs import topics_of
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.text import TextFile, TextLines
from clirbench.topics.made import KeyTerms, Sentences, Titles
from clirbench.types import DocumentMap, Documents
from tests.conftest import write_lines

LINES = ["the ports of oil", "oil and pearls in old ports", "pearls, oil, ports, tables and other old things"]


def documents(path: Path, lines: list[str]) -> Documents:
    write_lines(path, lines)
    return Documents(TextFile(path), DocumentMap.blocks_of(len(lines)))


@pytest.mark.parametrize("source", [KeyTerms(n=2, min_documents=2), Sentences(n=2), Titles(n=2)])
def test_topics_from_the_store_are_those_of_the_source(source, tmp_path: Path, monkeypatch) -> None:
    english, engine = documents(tmp_path / "a.txt", LINES), Cached(Serial(), Store(tmp_path / "store"))
    made = tuple(source.topics(english))
    assert made
    assert topics_of(source, english, engine) == made
    if not isinstance(source, Titles):
        monkeypatch.setattr(type(source), "topics", None)
    assert topics_of(source, english, engine) == made


def test_another_text_makes_other_topics(tmp_path: Path) -> None:
    engine, source = Cached(Serial(), Store(tmp_path / "store")), KeyTerms(min_documents=1)
    before = topics_of(source, documents(tmp_path / "a.txt", LINES), engine)
    other = documents(tmp_path / "b.txt", [*LINES[:2], "now five other words"])
    assert topics_of(source, other, engine) != before


def test_a_text_without_topics_is_an_error_each_time(tmp_path: Path) -> None:
    english = Documents(TextLines(("a", "b")), DocumentMap.blocks_of(2))
    for _ in range(2):
        with pytest.raises(InputError, match="choose another topics="):
            topics_of(Sentences(), english, Cached(Serial(), Store(tmp_path)))
