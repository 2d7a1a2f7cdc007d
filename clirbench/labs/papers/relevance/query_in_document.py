"""Known items: the document that the topic's text was taken from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from clirbench.checks import one_of
from clirbench.relevance.base import PSEUDO
from clirbench.types import Documents, Judge, Need, Qrels, Run, Topic

UNITS = ("line", "text")


@dataclass(frozen=True)
class QueryInDocument:
    """A document that contains the topic's text is relevant (grade 1).

    `unit="line"` (default): one of the document's lines is the topic's text, for topics that are sentences or titles
    of the English side; `unit="text"`: the topic's text is anywhere in it. White space at both ends and runs of
    it do not count; `ignore_case`: whether case does not count either. A topic that no document contains, that has
    no text, or that the English side does not match is left out. Raises `ConfigError` for an unknown unit.

    **Source:** Sun and Duh, CLIReval, ACL 2020 (query-in-document mode).
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    judged_by: ClassVar[Judge] = "known_items"
    kind: ClassVar[str] = "query_in_document"
    unit: str = "line"
    ignore_case: bool = False

    def __post_init__(self) -> None:
        one_of("relevance.unit", self.unit, UNITS)

    @property
    def signature(self) -> str:
        return f"{self.kind}|unit:{self.unit}|case:{'ignored' if self.ignore_case else 'kept'}"

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        wanted = [topic for topic in topics if len(ideal.values(topic.topic_id))]
        topics_of: dict[str, list[str]] = {}
        for topic in wanted:
            topics_of.setdefault(self._plain(topic.text), []).append(topic.topic_id)
        topics_of.pop("", None)
        grades: dict[str, dict[str, int]] = {topic.topic_id: {} for topic in wanted}
        for document in documents:
            for text in self._found(document.text, topics_of):
                for topic_id in topics_of[text]:
                    grades[topic_id][document.doc_id] = 1
        return Qrels({topic_id: by_document for topic_id, by_document in grades.items() if by_document})

    def _found(self, text: str, wanted: dict[str, list[str]]) -> set[str]:
        if self.unit == "line":
            return {self._plain(line) for line in text.split("\n")} & wanted.keys()
        plain = self._plain(text)
        return {query for query in wanted if query in plain}

    def _plain(self, text: str) -> str:
        spaced = " ".join(text.split())
        return spaced.casefold() if self.ignore_case else spaced
