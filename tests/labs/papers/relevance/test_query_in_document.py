"""Known items."""

from dataclasses import replace

import pytest

from clirbench.errors import ConfigError
from clirbench.labs.papers.relevance.query_in_document import QueryInDocument
from clirbench.relevance.base import Relevance
from clirbench.types import Document, DocumentMap, Documents, Run, Topic

TEXTS = {"a": "One  line.", "b": "A line with One line. in it", "c": "one line."}
DOCUMENTS = Documents.of([Document(doc_id, text) for doc_id, text in TEXTS.items()])
IDEAL = Run.of({t: {"a": 1} for t in ("1", "2", "3", "4")} | {"unmatched": {}})
TOPICS = [
    Topic.of("2", "with One"),
    Topic.of("1", " One line."),
    Topic.of("3", "nowhere"),
    Topic.of("4", " "),
    Topic.of("unmatched", "One line."),
]


def judged(**options: object) -> dict[str, str]:
    rule = QueryInDocument(**options)  # type: ignore[arg-type]
    assert isinstance(rule, Relevance)
    return {t: "".join(g) for t, g in rule.judge(IDEAL, DOCUMENTS, TOPICS).grades.items()}


def test_documents_by_hand() -> None:
    assert judged() == {"1": "a"}
    assert judged(ignore_case=True) == {"1": "ac"}
    assert judged(unit="text") == {"2": "b", "1": "ab"}
    assert judged(unit="text", ignore_case=True) == {"2": "b", "1": "abc"}


def test_one_document_of_several_lines() -> None:
    """A line of the document, not its text, is what a topic must be."""
    two = replace(DOCUMENTS, map=DocumentMap.blocks_of(3, 2))
    assert QueryInDocument().judge(IDEAL, two, TOPICS).grades == {"1": {"1": 1}}


def test_the_setting_stands_in_the_signature_and_is_checked() -> None:
    assert QueryInDocument(ignore_case=True).signature == "query_in_document|unit:line|case:ignored"
    with pytest.raises(ConfigError, match=r"relevance\.unit='word' is not one of line, text"):
        QueryInDocument(unit="word")
