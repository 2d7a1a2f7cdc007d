"""What a run lacks is said before it starts."""

from pathlib import Path

import numpy as np
import pytest

from clirbench.corpora.base import NO_TEST, Corpus, NoEnglish
from clirbench.errors import ConfigError
from clirbench.measures.parsing import parse
from clirbench.relevance.base import Relevance, offered_by_judgments, sorted_out, unmet_needs
from clirbench.relevance.qrels import QrelsFile
from clirbench.relevance.top_k import ScoreShare, TopK, TopShare
from clirbench.types import Document, DocumentMap, Documents, Need, Topic

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
