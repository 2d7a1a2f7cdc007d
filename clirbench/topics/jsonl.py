"""Topics as JSON lines: `{"topic_id": "7", "title": "...", "description": "..."}`.

Keys of other collections are understood: `id`, `qid` or `_id` (BEIR) for the id, `topic_title` for `title`, and a
list `topics` with one entry for each language (HC4, Patapsco), of which the original in the language asked for is
read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.corpora.jsonl import first_of, json_lines
from clirbench.errors import InputError
from clirbench.topics.files import RawTopic, TopicFiles

ID_KEYS = ("topic_id", "id", "qid", "query_id", "_id")


@dataclass(frozen=True)
class JsonlTopics(TopicFiles):
    """Topics of JSON-lines files; `fields` are keys, `weights` as in `TrecTopics`, `language` as in `lang` of a list.

    Raises what `topics_of` raises, and `InputError` naming the line of a topic that is no object or has no id.
    """

    language: str = "eng"

    @property
    def kind(self) -> str:
        return f"jsonl.{self.language}"

    def read(self, path: Path) -> Iterator[RawTopic]:
        for number, record in json_lines(path):
            where = f"{path}: line {number}"
            topic_id = first_of(record, ID_KEYS)
            if isinstance(topic_id, bool) or not isinstance(topic_id, str | int):
                raise InputError(f"{where}: no topic_id; a line is an object with topic_id and text fields")
            yield RawTopic(where, str(topic_id), _texts(record, self.language, where))


def _texts(record: dict[str, Any], language: str, where: str) -> dict[str, str]:
    """The fields: every key whose value is a string."""
    listed = record.get("topics")
    if isinstance(listed, list):
        ours = [entry for entry in listed if isinstance(entry, dict) and entry.get("lang") == language]
        if not ours:
            raise InputError(f"{where}: no text in the language {language!r}; set topics.language")
        record = next((entry for entry in ours if entry.get("source") == "original"), ours[0])
    return {
        key.removeprefix("topic_"): value
        for key, value in record.items()
        if isinstance(value, str) and key not in ID_KEYS
    }
