"""`topics=pyserini`: topics by pyserini's name for them."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from clirbench.errors import ConfigError
from clirbench.labs.search.pyserini_names import topics_named
from clirbench.topics.files import FieldedTopics, RawTopic


@dataclass(frozen=True)
class PyseriniTopics(FieldedTopics):
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
        super().__post_init__()

    @property
    def kind(self) -> str:
        return "pyserini"

    @cached_property
    def _found(self) -> dict[str, dict[str, str]]:
        return topics_named(self.name, self.download)

    @property
    def contents(self) -> Iterable[str]:
        return [hashlib.sha256(json.dumps(self._found, sort_keys=True).encode()).hexdigest()]

    def entries(self) -> Iterable[RawTopic]:
        return [RawTopic(f"pyserini's {self.name}", topic_id, texts) for topic_id, texts in self._found.items()]
