"""TREC topics: labels, tags and numbers. Expected texts are read off the published files."""

from pathlib import Path

import pytest

from clirbench.errors import ConfigError, Problems, UnknownName
from clirbench.topics.files import TrecTopics
from clirbench.types import Documents

NONE = Documents.of([])
ONE = """<top>
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


def topics_in(folder: Path, text: str | bytes, **settings: list[str] | list[float]) -> list[tuple[str, str]]:
    path = folder / "topics.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = TrecTopics(str(path), **settings).topics(NONE)  # type: ignore[arg-type]
    return [(topic.topic_id, topic.text) for topic in found]


def test_labels_go_and_other_fields_stay_apart(tmp_path: Path) -> None:
    assert topics_in(tmp_path, ONE) == [("51", "Airbus Subsidies")]
    assert topics_in(tmp_path, ONE, fields=["desc", "concepts", "domain"]) == [
        ("51", "Help for Airbus. 1. Airbus Trade")
    ]


def test_closed_tags_and_a_missing_end(tmp_path: Path) -> None:
    text = "<top>\n<num>7</num>\n<title>a < b and topic: c</title>\n<top>\n<num> Number: x8\n<title> t\n"
    assert topics_in(tmp_path, text) == [("7", "a < b and topic: c"), ("x8", "t")]


def test_weights_stay_with_their_field(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(ONE)
    topic = TrecTopics(str(tmp_path / "t"), ["title", "description"], [2, 0.5]).topics(NONE)[0]
    assert topic.parts == (("Airbus Subsidies", 2.0), ("Help for Airbus.", 0.5))


def test_unknown_field_missing_file_and_settings(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"topic field 'titel'\. Did you mean 'title'\?"):
        topics_in(tmp_path, ONE, fields=["titel"])
    with pytest.raises(Problems, match=r"a: no such topic file\n.*b\*: no such topic file"):
        TrecTopics([str(tmp_path / "a"), str(tmp_path / "b*")]).topics(NONE)
    with pytest.raises(ConfigError, match=r"topics\.path=FILE"):
        TrecTopics().topics(NONE)
    with pytest.raises(ConfigError, match=r"2 fields need 2 weights"):
        TrecTopics("x", ["title", "desc"], [1])
    with pytest.raises(ConfigError, match=r"numbers above 0"):
        TrecTopics("x", ["title"], [0])


def test_the_signature_is_the_content_not_the_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(ONE)
    (tmp_path / "b").write_text(ONE)
    assert TrecTopics(str(tmp_path / "a")).signature == TrecTopics(str(tmp_path / "b")).signature
    assert TrecTopics(str(tmp_path / "a"), ["title", "desc"]).signature.startswith("trec:title+description|sha256:")


def test_topics_701_to_850_as_published(shared_data: Path) -> None:
    path = str(shared_data / "queries" / "trec-terabyte" / "topics.701-850.txt")
    titles = TrecTopics(path).topics(NONE)
    assert [topic.topic_id for topic in titles] == [str(number) for number in range(701, 851)]
    assert titles[0].text == "U.S. oil industry history"
    assert TrecTopics(path, ["description"]).topics(NONE)[0].text == "Describe the history of the U.S. oil industry"
    assert TrecTopics(path, ["narrative"]).topics(NONE)[2].text.startswith("The title of an article alone")


def test_topics_51_to_200_as_published(shared_data: Path) -> None:
    topics = TrecTopics(str(shared_data / "queries" / "trec-adhoc" / "*.txt")).topics(NONE)
    by_id = {topic.topic_id: topic.text for topic in topics}
    assert sorted(by_id, key=int) == [str(number) for number in range(51, 201)]
    assert by_id["51"] == "Airbus Subsidies"
    assert by_id["151"] == "Coping with overcrowded prisons"
    assert not [text for text in by_id.values() if text.startswith("Topic") or "<" in text]
