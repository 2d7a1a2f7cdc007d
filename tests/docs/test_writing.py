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


PLANTED = [
    ("Which system is best is not said.", "is not said"),
    ("Where there are few topics, nothing is said of it.", "nothing is said"),
    ("What was said of it was true.", "was said"),
    ("These metrics cannot be told apart.", "told apart"),
    ("The files tell the two runs apart.", "tell the two runs apart"),
    ("This one cannot be told\n  from it.", "cannot be told from"),
    ("The value stands in the report.", "stands in"),
    ("The file lies in the folder.", "lies in"),
    ("Why nothing was tested stands first.", "stands first"),
    ("The ceiling stands beside it.", "stands beside"),
    ("A blank line is passed over.", "is passed over"),
    ("The report loads itself anew.", "anew"),
    ("Read it once\nmore.", "once more"),
    ("It is kept for ever.", "for ever"),
    ("After so many updates.", "so many"),
    ("With that many systems.", "that many"),
    ("Such a topic has no relevant document.", "Such a"),
    ("Every collection at hand.", "at hand"),
    ("All metrics that it looked at.", "looked at"),
    ("A run lacking topics.", "lacking"),
    ("It lacks a reference.", "lacks"),
    ("What cannot be foretold.", "foretold"),
    ("Both are weighed.", "weighed"),
    ("The rise is owed to luck.", "owed to"),
    ("What is searched is the collection.", "What is searched"),
    ("It names who judged.", "who judged"),
]


@pytest.mark.parametrize(("text", "phrase"), PLANTED)
def test_a_planted_phrase_is_found(text: str, phrase: str) -> None:
    assert [found for _, found in phrases(prose(f"# A page\n\n{text}\n"))] == [phrase]


@pytest.mark.parametrize(
    "text",
    [
        "Systems such as these, as many lines as the reference.",
        "`sed` stands in for a translator.",
        "Look at the report.",
        "We said that we report it.",
        "The lacquer weighs little; hand it out.",
        'Do not write "nothing is said of it" or `told apart`.',
        "> These two cannot be told apart.",
        "```console\n$ clirbench\nWhich system is the best is not said.\n```",
        "<!-- materials: at hand -->",
    ],
)
def test_plain_words_and_quotations_are_no_phrases(text: str) -> None:
    assert list(phrases(prose(f"# A page\n\n{text}\n"))) == []


def test_the_line_of_a_phrase_is_that_of_the_page() -> None:
    page = "# A page\n\n```text\nat hand\n```\n\nFine.\nEverything at hand.\n"
    assert list(phrases(prose(page))) == [(8, "at hand")]
