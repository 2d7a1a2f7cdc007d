"""MacroF and MicroF over the analyser's terms, on cases worked by hand."""

from math import log
from pathlib import Path

import numpy as np
import pytest

from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.papers.query_aware import TermF
from clirbench.retrieval.analyzers import English
from clirbench.topics.files import TsvTopics
from clirbench.topics.made import Titles
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score

HYPOTHESES = ("The cats sleep", "a dog and the cat")
TEST = TestSet((("A cat sleeps on the roof", "dogs and dogs"),))
# Terms of the reference: cat sleep roof | dog dog; of the hypotheses: cat sleep | dog cat.
# term   REFS PREDS MATCH  F1     lines of the reference with it, idf = ln(1 + (2 - df + .5) / (df + .5))
# cat      1     2    1    2/3    1   ln 2
# sleep    1     1    1    1      1   ln 2
# roof     1     0    0    0      1   ln 2
# dog      2     1    1    2/3    1   ln 2


def test_terms_worked_by_hand() -> None:
    assert TermF(English()).types(HYPOTHESES, TEST) == ("cat", "sleep", "roof", "dog")
    assert corpus_score(TermF(English()), HYPOTHESES, TEST) == pytest.approx(100 * (2 / 3 + 1 + 2 / 3) / 4)
    # Weights REFS + 1: 2, 2, 2, 3.
    micro = TermF(English(), average="micro")
    assert corpus_score(micro, HYPOTHESES, TEST) == pytest.approx(100 * (2 * 2 / 3 + 2 + 3 * 2 / 3) / 9)


def test_idf_worked_by_hand() -> None:
    test = TestSet((("cat sleeps", "cat", "roof", "x"),))
    hypotheses = ["cats", "cats", "roof", "bird"]
    # N = 4. cat: df 2, ln(1 + 2.5 / 2.5) = ln 2, F 1; sleep: df 1, ln(1 + 3.5 / 1.5), F 0; roof: the same, F 1;
    # x: the same, F 0; bird: df 0, ln(1 + 4.5 / .5) = ln 10, F 0.
    one = log(1 + 3.5 / 1.5)
    macro = TermF(English(), weights="idf")
    assert corpus_score(macro, hypotheses, test) == pytest.approx(100 * (log(2) + one) / (log(2) + 3 * one + log(10)))
    # f = REFS + 1: cat 3, sleep 2, roof 2, x 2, bird 1.
    micro = TermF(English(), average="micro", weights="idf")
    expected = (3 * log(2) + 2 * one) / (3 * log(2) + 6 * one + log(10))
    assert corpus_score(micro, hypotheses, test) == pytest.approx(100 * expected)


def test_only_the_terms_of_the_topics(tmp_path: Path) -> None:
    path = tmp_path / "topics.tsv"
    path.write_text("1\tsleeping dogs\n2\tthe moon\n")
    metric = TermF(English(), topics=TsvTopics(str(path)))
    assert metric.name == "QueryMacroF1"
    assert metric.topic_terms == {"sleep", "dog", "moon"}
    assert corpus_score(metric, HYPOTHESES, TEST) == pytest.approx(100 * (1 + 2 / 3) / 2)
    path.write_text("1\tsleeping dogs\n2\tthe sun\n")
    assert TermF(English(), topics=TsvTopics(str(path))).signature != metric.signature


def test_topics_made_from_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "a.txt").write_text("x\ny\n")
    (tmp_path / "reference.txt").write_text("The cat sleeps\nDogs bark\n")
    metric = TermF(English(), topics=Titles(n=1), corpus=FolderCorpus(str(tmp_path)))
    assert metric.topic_terms == {"cat", "sleep"}


@pytest.mark.parametrize("weights", ["none", "idf"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_rows_sums_and_perfect_text(average: str, weights: str) -> None:
    metric = TermF(English(), average=average, weights=weights)
    rows = metric.statistics(HYPOTHESES, TEST)
    np.testing.assert_allclose(metric.score(rows), metric.score(rows.toarray()))
    assert corpus_score(metric, AWKWARD, TestSet((AWKWARD,))) == pytest.approx(100)
    assert corpus_score(metric, ["", "the"], TEST) == 0


def test_names_and_errors() -> None:
    assert TermF(English(), average="micro", weights="idf").name == "TermMicroF1idf"
    with pytest.raises(ConfigError, match="average='mean' is not one of macro, micro"):
        TermF(English(), average="mean")
    with pytest.raises(ConfigError, match="weights='tf' is not one of none, idf"):
        TermF(English(), weights="tf")
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        TermF(English()).statistics(["a"], TEST)
