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


PLANTED = """
Which system is best | is not said |. Where there are few topics, | nothing is said | of it. It | was said | of
it. These metrics cannot be | told apart |. The files | tell the two runs apart |. This one | cannot be
told
  from | it. The value | stands in | the report. The file | lies in | the folder. It | stands first |, then |
stands beside | the ceiling. A line | is passed over |. It loads itself | anew |, | once
more |, and | for ever
|. After | so many | updates, with | that many | systems. | Such a | topic is | at hand |; all | looked at |. A
run | lacking | topics | lacks | what was | foretold |. Both are | weighed |, | owed to | luck. | What is
searched | is not | who judged |.
"""


def test_planted_phrases_are_found() -> None:
    wanted = [" ".join(text.split()) for text in PLANTED.split("|")[1::2]]
    assert [found for _, found in phrases(prose(PLANTED.replace("| ", "").replace(" |", "")))] == wanted


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
