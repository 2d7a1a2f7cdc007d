"""Natural breaks by hand and against every possible cut."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.corpora.base import NO_TEST, Corpus, NoEnglish
from clirbench.errors import ConfigError, InputError
from clirbench.labs.papers.relevance.jenks import Jenks, natural_classes
from clirbench.labs.papers.relevance.percentile import Percentile
from clirbench.labs.papers.relevance.query_in_document import QueryInDocument
from clirbench.relevance import needs
from clirbench.relevance.base import Relevance
from clirbench.types import Document, DocumentMap, Documents, Run, Topic

DOCUMENTS = Documents.of([Document("a", "x")])
TOPICS = [Topic.of("1", "x"), Topic.of("2", "y"), Topic.of("none", "z")]


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
    found = rule.judge(ideal, DOCUMENTS, TOPICS)
    assert found.topic_ids == ("1",)
    assert list(found.grades["1"].values()) == grades


def test_clirevals_example() -> None:
    """100 80 60 50 10 and 0 in 5 classes: one pair at distance 10 shares a class, 60 with 50 or 10 with 0."""
    ideal = Run.of({"1": {"1": 100, "2": 80, "3": 60, "4": 50, "5": 10}})
    assert list(Jenks().judge(ideal, DOCUMENTS, TOPICS).grades["1"].values()) in ([4, 3, 2, 2, 1], [4, 3, 2, 1, 0])


def test_equal_scores_are_one_class_and_relevant() -> None:
    ideal = Run.of({"1": {"a": 3, "b": 3}, "2": {"a": 5}})
    assert Jenks().judge(ideal, DOCUMENTS, TOPICS).grades == {"1": {"a": 1, "b": 1}, "2": {"a": 1}}


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
        Jenks().judge(Run.of({"1": {"a": -2}}), DOCUMENTS, TOPICS)


def test_what_the_rule_needs_and_gives() -> None:
    foreign = Corpus(NO_TEST, Documents(NoEnglish("docs"), DocumentMap(("a",), np.ones(1, dtype=np.int64))))
    rules: dict[str, Relevance] = {"percentile": Percentile(), "jenks": Jenks(), "known": QueryInDocument()}
    assert [str(error).split()[0] for error in needs.unmet_needs(rules, foreign)] == ["percentile", "jenks", "known"]
    assert needs.offered_by_judgments(Jenks(), []) == {"grades"}
