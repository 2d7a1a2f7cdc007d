"""Pages, docstrings, comments and messages have none of the phrases that WRITING.md replaces (rows 1 to 10)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, pages
from tests.docs.writing import comments, docstrings, messages, phrases, prose

Texts = Callable[[str], Iterator[tuple[int, str]]]
PAGES = {str(path.relative_to(ROOT)): path for path in pages()}
SOURCES = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "clirbench").rglob("*.py"))}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_in_plain_words(name: str) -> None:
    assert [f"{name}:{line}: {phrase}" for line, phrase in phrases(prose(read(PAGES[name])))] == []


@pytest.mark.parametrize("texts", [docstrings, messages, comments])
def test_the_source_is_in_plain_words(texts: Texts) -> None:
    assert [
        f"{name}:{line}: {phrase}" for name in SOURCES for line, phrase in written(read(SOURCES[name]), texts)
    ] == []


def written(source: str, texts: Texts) -> list[tuple[int, str]]:
    """(line, phrase) of each phrase to replace in these texts of a source."""
    return [(start + line - 1, phrase) for start, text in texts(source) for line, phrase in phrases(text)]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
