"""Topics in tables, with and without a header."""

from pathlib import Path

import pytest

from clirbench.errors import InputError, UnknownName
from clirbench.topics.tsv import TsvTopics
from clirbench.types import Documents

NONE = Documents.of([])


def test_with_and_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("topic_id\ttitle\tdescription\n1\ta\tb\n2\tc\t\n")
    assert [t.text for t in TsvTopics(str(path), ["title", "description"]).topics(NONE)] == ["a b", "c"]
    path.write_text('1\tsaid "it"\n2\tc, d\n')
    assert [(t.topic_id, t.text) for t in TsvTopics(str(path)).topics(NONE)] == [
        ("1", 'said "it"'),
        ("2", "c, d"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no topics"),
        ("1\ta\n1\tb\n", r"line 2: topic 1 is already at .*line 1"),
        ("1\ta\n2\t \n", r"line 2: topic 2 has no text in title"),
        ("1 a\n", r"line 1: 1 columns; without a header"),
        ("topic_id\ttitle\n1\n", r"line 2: 1 columns, the header has 2"),
    ],
)
def test_faulty_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        TsvTopics(str(path)).topics(NONE)


def test_an_unknown_column(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("topic_id\ttitle\n1\ta\n")
    with pytest.raises(UnknownName, match=r"topic field 'tittle'\. Did you mean 'title'\?"):
        TsvTopics(str(path), ["tittle"]).topics(NONE)
