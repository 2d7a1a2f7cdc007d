"""Topics of TREC files, JSON lines and tables. Expected texts are read off the published files, or worked by hand."""

from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, Problems, UnknownName
from clirbench.topics.files import JsonlTopics, TopicFiles, TrecTopics, TsvTopics
from clirbench.types import Documents

TREC = """<top>
<num> Number: 051
<dom> Domain:  Trade
<title> Topic:  Airbus
 Subsidies
<desc> Description:
Help for
Airbus.
<con> Concept(s):
1. Airbus
</top>
"""
JSONL = '{"topic_id": 7, "title": "a\\nb", "description": "c", "n": 3}\n\n{"id": "x", "title": "d"}\n'
TABLE = "topic_id\ttitle\tdescription\n1\ta\tb\n2\tc\t\n"
CLOSED = "<top>\n<num>7</num>\n<title>a < b and topic: c</title>\n<top>\n<num> Number: x8\n<title> t\n"
Kind = type[TrecTopics] | type[JsonlTopics] | type[TsvTopics]


def read(source: TopicFiles) -> list[tuple[str, str]]:
    return [(topic.topic_id, topic.text) for topic in source.topics(Documents.of([]))]


@pytest.mark.parametrize(
    ("kind", "content", "fields", "expected"),
    [
        (TrecTopics, TREC, ["title"], [("51", "Airbus Subsidies")]),
        (TrecTopics, TREC, ["desc", "concepts", "domain"], [("51", "Help for Airbus. 1. Airbus Trade")]),
        (TrecTopics, CLOSED, ["title"], [("7", "a < b and topic: c"), ("x8", "t")]),
        (JsonlTopics, JSONL, ["title"], [("7", "a b"), ("x", "d")]),
        (JsonlTopics, JSONL, ["title", "description"], [("7", "a b c"), ("x", "d")]),
        (TsvTopics, TABLE, ["title", "description"], [("1", "a b"), ("2", "c")]),
        (TsvTopics, '1\tsaid "it"\n#2\tc, d\n', ["title"], [("1", 'said "it"'), ("#2", "c, d")]),
    ],
)
def test_fields_make_the_text(
    tmp_path: Path, kind: Kind, content: str, fields: list[str], expected: list[tuple[str, str]]
) -> None:
    (tmp_path / "t").write_text(content)
    assert read(kind(str(tmp_path / "t"), fields)) == expected
    with pytest.raises(UnknownName, match=r"name in topics.fields 'titel'\. Did you mean '(topics.fields=.)?title"):
        read(kind(str(tmp_path / "t"), ["titel"]))


def test_missing_files_and_settings(tmp_path: Path) -> None:
    with pytest.raises(Problems, match=r"a: no such topic file\n.*b\*: no such topic file"):
        read(TrecTopics([str(tmp_path / "a"), str(tmp_path / "b*")]))
    with pytest.raises(ConfigError, match=r"topics\.path=FILE"):
        read(TrecTopics())
    with pytest.raises(ConfigError, match=r"topics\.fields is empty"):
        TrecTopics("x", [])


def test_the_signature_is_the_content_not_the_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(TREC)
    (tmp_path / "b").write_text(TREC)
    assert TrecTopics(str(tmp_path / "a")).signature == TrecTopics(str(tmp_path / "b")).signature
    assert TrecTopics(str(tmp_path / "a"), ["title", "desc"]).signature.startswith("trec:title+description|sha256:")


TERABYTE, HC4 = "trec-terabyte/topics.701-850.txt", "clir/hc4/dev.topics.v1-0.jsonl"


@pytest.mark.parametrize(
    ("source", "n", "expected"),
    [
        (TrecTopics(f"queries/{TERABYTE}"), 150, {"701": "U.S. oil industry history"}),
        (TrecTopics(f"queries/{TERABYTE}", ["description"]), 150,
         {"701": "Describe the history of the U.S. oil industry"}),
        (TrecTopics("queries/trec-adhoc/*.txt"), 150,
         {"51": "Airbus Subsidies", "151": "Coping with overcrowded prisons"}),
        (JsonlTopics(HC4), 15, {"1": "Asteroids Endangering Earth"}),
        (JsonlTopics(HC4, ["description"]), 15,
         {"1": "Articles related to asteroids that pose danger of impact to Earth."}),
    ],
)  # fmt: skip
def test_topics_as_published(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, source: Any, n: int, expected: dict[str, str]
) -> None:
    monkeypatch.chdir(shared_data)
    found = dict(read(source))
    assert len(found) == n
    assert {topic_id: found[topic_id] for topic_id in expected} == expected
    assert not [text for text in found.values() if text.startswith(("Topic:", "Description:")) or "<" in text]
