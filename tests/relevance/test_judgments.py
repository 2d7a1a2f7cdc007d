"""Judgments: what a run lacks is said before it starts; of people, which topics stay, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.corpora.base import NO_TEST, Corpus, NoEnglish
from clirbench.errors import ConfigError, InputError
from clirbench.measures.parsing import parse
from clirbench.relevance.base import Relevance, offered_by_judgments, sorted_out, unmet_needs
from clirbench.relevance.qrels import QrelsFile
from clirbench.relevance.top_k import ScoreShare, TopK, TopShare
from clirbench.types import Document, DocumentMap, Documents, Need, Qrels, Run, Topic

FOREIGN = Corpus(NO_TEST, Documents(NoEnglish("docs"), DocumentMap(("a",), np.ones(1, dtype=np.int64))))
ENGLISH = Corpus(NO_TEST, Documents.of([Document("a", "text")]))
ALL: frozenset[Need] = frozenset({"grades", "all topics"})


def test_rules_that_search_the_english_side_need_one() -> None:
    rules: dict[str, Relevance] = {
        "top_k": TopK(), "top_share": TopShare(), "share": ScoreShare(),
        "qrels": QrelsFile("people.txt", judged_by="people"),
    }  # fmt: skip
    refused = [str(error).split()[0] for error in unmet_needs(rules, FOREIGN)]
    assert refused == ["top_k", "top_share", "share"]
    assert not list(unmet_needs(rules, ENGLISH))


def test_measures_against_the_english_ranking_are_left_out() -> None:
    named = ["MAP", "RBO", "RBO(p=0.9)"]
    kept, notes = sorted_out([parse(name) for name in named], FOREIGN, ALL)
    assert [measure.name for measure in kept] == ["MAP"]
    assert notes == [
        "left out, because they compare with a search of the reference side, which there is not: RBO, RBO(p=0.9)"
    ]
    assert sorted_out([parse(name) for name in named], ENGLISH, ALL)[1] == []
    with pytest.raises(ConfigError, match=r"which there is not: RBO; choose measures of judgments"):
        sorted_out([parse("RBO")], FOREIGN, ALL)


def test_grades_that_the_judgments_lack() -> None:
    with pytest.raises(ConfigError, match=r"P\(rel=2\)@10: needs grades above 1, and no judgment"):
        sorted_out([parse("P(rel=2)@10"), parse("P(rel=1)@10")], ENGLISH, frozenset())
    assert sorted_out([parse("P(rel=2)@10")], ENGLISH, ALL)[1] == []


def test_what_a_file_of_judgments_gives(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 2\n2 0 a -2\n3 0 a 1\n4 0 a 0\n")
    file = QrelsFile(tmp_path / "qrels", judged_by="people")
    topics = {name: Topic.of(name, "x") for name in "1234"}
    assert offered_by_judgments(file, list(topics.values())) == ALL
    assert offered_by_judgments(file, [topics["3"]]) == frozenset()
    assert offered_by_judgments(file, [topics["1"]]) == {"grades"}
    assert offered_by_judgments(file, [topics["2"]]) == {"all topics"}


DOCUMENTS = Documents.of([Document(i, "text") for i in "abcd"])
TOPICS = [Topic.of("2", "x"), Topic.of("1", "y")]
IDEAL = Run.of({"1": {"d": 4}, "2": {"b": 1}, "unmatched": {}})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\nunmatched 0 a 1\nnothing 0 a 0\nother 0 zzz 1\n")
    return path


def by_people(path: Path, *further: str, **options: Any) -> Qrels:
    """The judgments of TOPICS and further topics."""
    rule = QrelsFile(path, judged_by="people", **options)
    assert isinstance(rule, Relevance)
    return rule.judge(IDEAL, DOCUMENTS, [*TOPICS, *(Topic.of(name, "x") for name in further)])


def test_topics_in_their_order_grades_as_judged(path: Path) -> None:
    qrels = by_people(path)
    assert qrels == Qrels({"2": {"c": 1}, "1": {"a": 2, "b": 0}})
    assert qrels.topic_ids == ("2", "1")


def test_topics_without_a_relevant_document_or_unmatched_by_english_are_left_out(path: Path) -> None:
    assert by_people(path, "unmatched", "nothing").topic_ids == ("2", "1")


def test_judgments_of_other_topics_name_them_and_what_to_type(path: Path) -> None:
    for missing in ("error", "drop"):
        with pytest.raises(
            InputError, match=r"none of these 1 topics \(new\), but \d.*; write .* topics=trec topics.path"
        ):
            QrelsFile(path, missing_topics=missing, judged_by="people").judge(IDEAL, DOCUMENTS, [Topic.of("new", "x")])


def test_a_topic_that_is_not_judged_at_all(path: Path) -> None:
    with pytest.raises(InputError, match=r"qrels\.txt: 1 of the topics are not judged: new; .*missing_topics=drop"):
        by_people(path, "new")
    assert by_people(path, "new", missing_topics="drop").topic_ids == ("2", "1")
    with pytest.raises(InputError, match=r": 10 of .*: a, b, c, d, e, f, g, h, i, j; leave"):
        by_people(path, *"abcdefghij")
    with pytest.raises(InputError, match=r": 11 of .*: a, b, c, d, e, f, g, h, i, j, \.\.\.; leave"):
        by_people(path, *"abcdefghijk")


def test_a_judged_document_outside_the_collection(path: Path) -> None:
    with pytest.raises(InputError, match=r"qrels\.txt: line 6: document 'zzz' is not in the collection"):
        by_people(path, "other")
    assert by_people(path, "other", unknown_documents="drop").topic_ids == ("2", "1")
    path.write_text("1 0 zzz 1\n")
    with pytest.raises(InputError, match="'zzz' is not .*: they are of another collection than this, which has a, b"):
        by_people(path)


def test_the_signature_is_the_content(path: Path, tmp_path: Path) -> None:
    first = QrelsFile(path, judged_by="people").signature
    (tmp_path / "other").write_bytes(path.read_bytes())
    assert QrelsFile(tmp_path / "other", judged_by="people").signature == first
    (tmp_path / "other").write_text("1 0 a 1\n")
    assert QrelsFile(tmp_path / "other", judged_by="people").signature != first


def test_who_judged_must_be_stated(tmp_path: Path) -> None:
    """Known items, a model's and made judgments were all called people's."""
    with pytest.raises(ConfigError, match=r"who made .*judged_by=people \(or known_items, model, made\) topics=trec"):
        QrelsFile("x")
    with pytest.raises(ConfigError, match="'pseudo-relevance' is not one of people, known_items, model, made"):
        QrelsFile("x", judged_by="pseudo-relevance")


def test_bad_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"relevance\.missing_topics='no' is not one of error, drop"):
        QrelsFile("x", missing_topics="no", judged_by="people")
    with pytest.raises(ConfigError, match=r"relevance\.path=FILE"):
        QrelsFile("", judged_by="people")
    with pytest.raises(InputError, match="no such file"):
        by_people(tmp_path / "none")
