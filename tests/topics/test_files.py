"""Topics of JSON lines, plain and with a list of languages, and of tables, with and without a header."""

from pathlib import Path

import pytest

from clirbench.errors import UnknownName
from clirbench.topics.files import JsonlTopics, TsvTopics
from clirbench.types import Documents

NONE = Documents.of([])


def test_plain_objects(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"topic_id": 7, "title": "a\\nb", "description": "c", "n": 3}\n\n{"id": "x", "title": "d"}\n')
    assert [(t.topic_id, t.text) for t in JsonlTopics(str(path)).topics(NONE)] == [("7", "a b"), ("x", "d")]
    both = JsonlTopics(str(path), fields=["title", "description"]).topics(NONE)
    assert [t.text for t in both] == ["a b c", "d"]


def test_hc4_topics_as_published(shared_data: Path) -> None:
    path = str(shared_data / "clir" / "hc4" / "dev.topics.v1-0.jsonl")
    by_id = {topic.topic_id: topic.text for topic in JsonlTopics(path).topics(NONE)}
    assert by_id["1"] == "Asteroids Endangering Earth"
    description = {topic.topic_id: topic.text for topic in JsonlTopics(path, ["description"]).topics(NONE)}
    assert description["1"] == "Articles related to asteroids that pose danger of impact to Earth."


def test_with_and_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("topic_id\ttitle\tdescription\n1\ta\tb\n2\tc\t\n")
    assert [t.text for t in TsvTopics(str(path), ["title", "description"]).topics(NONE)] == ["a b", "c"]
    with pytest.raises(UnknownName, match=r"topic field 'tittle'\. Did you mean 'title'\?"):
        TsvTopics(str(path), ["tittle"]).topics(NONE)
    path.write_text('1\tsaid "it"\n#2\tc, d\n')
    found = [(t.topic_id, t.text) for t in TsvTopics(str(path)).topics(NONE)]
    assert found == [("1", 'said "it"'), ("#2", "c, d")]
