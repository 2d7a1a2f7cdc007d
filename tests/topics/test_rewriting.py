"""Stop structure and translated queries; expected texts are worked by hand from real descriptions."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clirbench.errors import InputError, Problems
from clirbench.topics.files import TrecTopics
from clirbench.topics.made import without_stop_structure
from clirbench.types import Documents

NOTHING = Documents.of([])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Describe the history of the U.S. oil industry", "history of the U.S. oil industry"),  # topic 701
        ("Find documents that discuss the cost of dams.", "the cost of dams."),
        ("What are the effects of acid rain?", "the effects of acid rain?"),
        ("Give information on Scrabble players, when and where Scrabble is played.", None),  # topic 801 of another kind
        ("I am looking for prices of organic milk.", "prices of organic milk."),
        ("Relevant documents will discuss pearl farming. Name the countries.", "pearl farming. countries."),
        ("pearl farming operations", "pearl farming operations"),
        ("How-to guides: report:0 errors", "How-to guides: report:0 errors"),
        ("REPORT:0", "REPORT:0"),  # found by the property below
    ],
)
def test_what_speaks_to_a_person_is_removed(text: str, left: str | None) -> None:
    expected = "Scrabble players, when and where Scrabble is played." if left is None else left
    assert without_stop_structure(text) == expected


def test_a_text_of_nothing_else_is_kept() -> None:
    assert without_stop_structure("Find documents.") == "Find documents."


PIECES = st.sampled_from(["report", "find", "me", "how", "what", "0", ":", ",", ".", "?", "-", "\n"])


@settings(max_examples=500)
@given(st.text(max_size=80) | st.lists(PIECES, max_size=9).map("".join))
def test_nothing_is_added_and_something_is_left(text: str) -> None:
    left = without_stop_structure(text)
    assert bool(left) == bool(text)
    assert set(left.split()) <= set(text.split())


def topics_file(folder: Path) -> Path:
    path = folder / "topics.txt"
    path.write_text("<top>\n<num> Number: 7\n<title> pêche\n<desc> Description:\nDescribe fishing.\n</top>\n")
    return path


def test_options_of_a_reader_reach_the_topics_and_the_signature(tmp_path: Path) -> None:
    path = str(topics_file(tmp_path))
    (table := tmp_path / "translated.tsv").write_text("topic_id\ttext\n7\tfish catching\n")
    plain = TrecTopics(path, ["description"])
    bare = TrecTopics(path, ["description"], stop_structure=True)
    translated = TrecTopics(path, translations=str(table))
    assert [topic.text for topic in bare.topics(NOTHING)] == ["fishing."]
    assert [topic.text for topic in translated.topics(NOTHING)] == ["fish catching"]
    assert bare.signature == f"{plain.signature}|stop_structure:removed"
    assert "|translated:" in translated.signature


def test_a_topic_without_translation_is_named(tmp_path: Path) -> None:
    path, table = str(topics_file(tmp_path)), tmp_path / "translated.tsv"
    table.write_text("topic_id\ttext\n8\tx\n")
    with pytest.raises(InputError, match=r"translated\.tsv: no translation of topic 7"):
        TrecTopics(path, translations=str(table)).topics(NOTHING)
    table.write_text("topic_id\twords\n7\tx\n")
    with pytest.raises(InputError, match="no column text; columns: topic_id, words"):
        TrecTopics(path, translations=str(table)).topics(NOTHING)
    table.write_text("topic_id\ttext\n7\t \n")
    with pytest.raises((InputError, Problems), match="translation of topic 7 is empty"):
        TrecTopics(path, translations=str(table)).topics(NOTHING)


def test_real_descriptions_lose_their_stop_structure(shared_data: Path) -> None:
    path = str(shared_data / "queries" / "trec-terabyte" / "topics.701-850.txt")
    described = TrecTopics(path, ["description"]).topics(NOTHING)
    bare = TrecTopics(path, ["description"], stop_structure=True).topics(NOTHING)
    changed = [(a.text, b.text) for a, b in zip(described, bare, strict=True) if a.text != b.text]
    assert len(changed) > 100  # of 150: most of TREC's descriptions speak to a person
    assert not any(b.lower().startswith(("what ", "find ", "describe ", "identify ")) for _, b in changed)
