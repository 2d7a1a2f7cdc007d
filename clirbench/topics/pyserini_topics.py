"""`topics=pyserini`: topics by pyserini's name for them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from clirbench.checks import name_list
from clirbench.errors import ConfigError
from clirbench.retrieval.pyserini_names import topics_named
from clirbench.topics.files import RawTopic, check_fields, files_signature, topics_of
from clirbench.topics.rewriting import Rewriting
from clirbench.types import Documents, Topic


@dataclass(frozen=True)
class PyseriniTopics(Rewriting):
    """The topics that `pyserini.search.get_topics(name)` gives; `fields` and `weights` as in `TrecTopics`.

    `download`: whether pyserini may fetch them. Raises `UnknownName` for a name that pyserini does not know,
    `MissingData` where the topics are not here and must not be fetched, `ResourceError` without the extra `lucene`, and
    what `topics_of` raises.
    """

    name: str = ""
    fields: str | Sequence[str] = ("title",)
    weights: Sequence[float] | None = None
    download: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            raise ConfigError("topics.name is not set: one of pyserini's names, such as topics.name=robust04")
        check_fields(self._names, self.weights)

    @property
    def _names(self) -> tuple[str, ...]:
        return name_list("topics.fields", self.fields)

    @cached_property
    def _found(self) -> dict[str, dict[str, str]]:
        return topics_named(self.name, self.download)

    @property
    def signature(self) -> str:
        content = hashlib.sha256(json.dumps(self._found, sort_keys=True).encode()).hexdigest()
        return self.signed(files_signature("pyserini", [content], self._names, self.weights))

    def topics(self, documents: Documents) -> Sequence[Topic]:
        entries = [RawTopic(f"pyserini's {self.name}", topic_id, texts) for topic_id, texts in self._found.items()]
        return self.rewritten(topics_of(entries, self._names, self.weights))
