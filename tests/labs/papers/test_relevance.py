"""Percentiles, natural breaks and known items: by hand, by numpy, and CLIReval's own examples."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.corpora.base import NO_TEST, Corpus, NoEnglish
from clirbench.errors import ConfigError, InputError
from clirbench.files.trec import read_qrels
from clirbench.labs.papers.relevance import Jenks, Percentile, QueryInDocument, natural_classes
from clirbench.relevance import base as needs
from clirbench.relevance.base import Relevance
from clirbench.types import Document, DocumentMap, Documents, Run, Topic, rank_order

TOPICS = [Topic.of("1", "x")]
SIX = Documents.of([Document(str(i), "x") for i in range(1, 7)])
# CLIReval's test scores 100 80 60 50 10 0; document 6, score 0, is one that is not matched.
IDEAL = Run.of({"1": {"1": 100, "2": 80, "3": 60, "4": 50, "5": 10}})


@pytest.mark.parametrize("percent", [25, 50])
def test_clireval_percentiles(shared_data: Path, percent: int) -> None:
    """CLIReval's tests/test_data: percentile_25.qrel and percentile_50.qrel on these scores."""
    folder = shared_data / "clir" / "clireval" / "tests" / "test_data"
    expected = read_qrels(folder / f"percentile_{percent}.qrel").grades["1"]
    found = Percentile(percent, of="collection").judge(IDEAL, SIX, TOPICS).grades["1"]
    assert found == {doc_id: 1 for doc_id, grade in expected.items() if grade > 0}


def test_a_document_that_is_not_matched_is_never_relevant() -> None:
    many = Documents.of([Document(str(i), "x") for i in range(100)])
    assert set(Percentile(50, of="collection").judge(IDEAL, many, TOPICS).grades["1"]) == set("12345")


@given(st.lists(st.integers(1, 20), min_size=1, max_size=30), st.floats(0.1, 100), st.integers(1, 30))
def test_numpys_percentile_as_deep_as_the_list_is(values: list[int], percent: float, depth: int) -> None:
    scores = np.array(values, dtype=np.float32)
    document_map = DocumentMap(tuple(f"{i:02}" for i in range(len(values))), np.ones(len(values), dtype=np.int64))
    order = rank_order(scores, document_map.id_rank, depth)
    ideal = Run.build(document_map, [("1", order, scores[order])], n_matched=[len(values)])
    threshold = np.percentile(scores.astype(float), 100 - percent)
    found = Percentile(percent).judge(ideal, SIX, TOPICS).grades["1"]
    assert len(found) == (scores[order] >= threshold - 1e-9).sum()


def test_bad_options_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"relevance\.percent=0 must be a number above 0 and at most 100"):
        Percentile(0)
    with pytest.raises(ConfigError, match=r"relevance\.of='all' is not one of matched, collection"):
        Percentile(of="all")


ONE = Documents.of([Document("a", "x")])
JUDGED_TOPICS = [Topic.of("1", "x"), Topic.of("2", "y"), Topic.of("none", "z")]


@pytest.mark.parametrize(
    ("classes", "grades"),
    [
        (2, [1, 1, 1, 0, 0]),  # 0 1 2 | 8 9 10
        (6, [5, 4, 3, 2, 1]),
        (9, [5, 4, 3, 2, 1]),
    ],
)
def test_classes_by_hand(classes: int, grades: list[int]) -> None:
    """Scores 10 9 8 2 1, and the 0 of a document that is not matched."""
    ideal = Run.of({"1": {"a": 10, "b": 9, "c": 8, "d": 2, "e": 1}, "none": {}})
    rule = Jenks(classes)
    assert isinstance(rule, Relevance)
    found = rule.judge(ideal, ONE, JUDGED_TOPICS)
    assert found.topic_ids == ("1",)
    assert list(found.grades["1"].values()) == grades


def test_equal_scores_are_one_class_and_relevant() -> None:
    ideal = Run.of({"1": {"a": 3, "b": 3}, "2": {"a": 5}})
    assert Jenks().judge(ideal, ONE, JUDGED_TOPICS).grades == {"1": {"a": 1, "b": 1}, "2": {"a": 1}}


def _deviation(values: list[float], labels: list[int]) -> float:
    groups = [[v for v, label in zip(values, labels, strict=True) if label == c] for c in sorted(set(labels))]
    return sum(sum((v - np.mean(group)) ** 2 for v in group) for group in groups)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=9), st.integers(1, 5))
def test_no_other_cut_of_the_sorted_values_is_better(values: list[int], classes: int) -> None:
    distinct = sorted(set(values))
    k = min(classes, len(distinct))
    best = min(
        _deviation(values, [sum(v >= distinct[c] for c in cuts) for v in values])
        for cuts in itertools.combinations(range(1, len(distinct)), k - 1)
    )
    labels = natural_classes(np.array(values, dtype=float), classes).tolist()
    assert _deviation(values, labels) == pytest.approx(best, abs=1e-9)
    assert set(labels) == set(range(k))
    pairs = sorted(zip(values, labels, strict=True))
    assert [label for _, label in pairs] == sorted(labels)


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"relevance\.classes=1 must be a whole number of at least 2"):
        Jenks(1)
    with pytest.raises(InputError, match=r"topic 1: a score is negative \(-2\)"):
        Jenks().judge(Run.of({"1": {"a": -2}}), ONE, JUDGED_TOPICS)


def test_what_the_rule_needs_and_gives() -> None:
    foreign = Corpus(NO_TEST, Documents(NoEnglish("docs"), DocumentMap(("a",), np.ones(1, dtype=np.int64))))
    rules: dict[str, Relevance] = {"percentile": Percentile(), "jenks": Jenks(), "known": QueryInDocument()}
    assert [str(error).split()[0] for error in needs.unmet_needs(rules, foreign)] == ["percentile", "jenks", "known"]
    assert needs.offered_by_judgments(Jenks(), []) == {"grades"}


TEXTS = {"a": "One  line.", "b": "A line with One line. in it", "c": "one line."}
KNOWN = Documents.of([Document(doc_id, text) for doc_id, text in TEXTS.items()])
KNOWN_IDEAL = Run.of({t: {"a": 1} for t in ("1", "2", "3", "4")} | {"unmatched": {}})
KNOWN_TOPICS = [
    Topic.of("2", "with One"),
    Topic.of("1", " One line."),
    Topic.of("3", "nowhere"),
    Topic.of("4", " "),
    Topic.of("unmatched", "One line."),
]


def judged(**options: object) -> dict[str, str]:
    rule = QueryInDocument(**options)  # type: ignore[arg-type]
    assert isinstance(rule, Relevance)
    return {t: "".join(g) for t, g in rule.judge(KNOWN_IDEAL, KNOWN, KNOWN_TOPICS).grades.items()}


def test_documents_by_hand() -> None:
    assert judged() == {"1": "a"}
    assert judged(ignore_case=True) == {"1": "ac"}
    assert judged(unit="text") == {"2": "b", "1": "ab"}
    assert judged(unit="text", ignore_case=True) == {"2": "b", "1": "abc"}


def test_one_document_of_several_lines() -> None:
    """A line of the document, not its text, is what a topic must be."""
    two = replace(KNOWN, map=DocumentMap.blocks_of(3, 2))
    assert QueryInDocument().judge(KNOWN_IDEAL, two, KNOWN_TOPICS).grades == {"1": {"1": 1}}


def test_the_setting_stands_in_the_signature_and_is_checked() -> None:
    assert QueryInDocument(ignore_case=True).signature == "query_in_document|unit:line|case:ignored"
    with pytest.raises(ConfigError, match=r"relevance\.unit='word' is not one of line, text"):
        QueryInDocument(unit="word")
