"""JSON-lines topics, plain and with a list of languages."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ClirbenchError, InputError
from clirbench.topics.jsonl import JsonlTopics
from clirbench.types import Documents

NONE = Documents.of([])


def test_plain_objects(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"topic_id": 7, "title": "a\\nb", "description": "c", "n": 3}\n\n{"id": "x", "title": "d"}\n')
    assert [(t.topic_id, t.text) for t in JsonlTopics(str(path)).topics(NONE)] == [("7", "a b"), ("x", "d")]
    both = JsonlTopics(str(path), fields=["title", "description"]).topics(NONE)
    assert [t.text for t in both] == ["a b c", "d"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no topics in the topic files"),
        ('{"title": "a"}\n', r"line 1: no topic_id"),
        ('{"topic_id": true, "title": "a"}\n', r"line 1: no topic_id"),
        ('\n{"topic_id": 1', r"line 2: not JSON"),
        ("[1]\n", r"line 1: a JSON object was expected, found list"),
        (
            '{"topic_id": 1, "title": "a"}\n{"topic_id": "1", "title": "b"}\n',
            r"line 2: topic 1 is already",
        ),
        ('{"topic_id": 1, "title": "a"}\n{"topic_id": 2, "title": " "}\n', r"topic 2 has no text in title"),
        ('{"topic_id": 1, "topics": [{"lang": "zho"}]}\n', r"no text in the language 'eng'"),
    ],
)
def test_faulty_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        JsonlTopics(str(path)).topics(NONE)


def test_invalid_utf8_is_placed(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"topic_id": 1, "title": "a"}\n{"topic_id": "\xff"}\n')
    with pytest.raises(InputError, match=r"line 2, byte 15: 0xff"):
        JsonlTopics(str(path)).topics(NONE)


def test_hc4_topics_as_published(shared_data: Path) -> None:
    path = str(shared_data / "clir" / "hc4" / "dev.topics.v1-0.jsonl")
    by_id = {topic.topic_id: topic.text for topic in JsonlTopics(path).topics(NONE)}
    assert by_id["1"] == "Asteroids Endangering Earth"
    description = {topic.topic_id: topic.text for topic in JsonlTopics(path, ["description"]).topics(NONE)}
    assert description["1"] == "Articles related to asteroids that pose danger of impact to Earth."


@given(
    st.one_of(
        st.binary(max_size=60),
        st.dictionaries(
            st.sampled_from(["topic_id", "id", "title", "topics", "lang"]),
            st.recursive(
                st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4)),
                lambda inner: st.one_of(
                    st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)
                ),
                max_leaves=4,
            ),
        ).map(lambda record: json.dumps(record).encode()),
    )
)
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "t.jsonl"
    path.write_bytes(content)
    try:
        topics = list(JsonlTopics(str(path)).topics(NONE))
    except ClirbenchError:
        topics = []
    assert all(topic.topic_id and topic.text for topic in topics)
