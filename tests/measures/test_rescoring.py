"""Other scorings of a run against trec_eval (by ir-measures), our RBO, and a value by hand."""

import numpy as np
import pytest

from clirbench.measures.ir import IrMeasure, evaluate
from clirbench.measures.parsing import PERSISTENCE, RESERVE, RULES, SCORINGS, Rescoring
from clirbench.measures.rbo import RBO
from clirbench.types import Documents, Judged, Qrels, Run, Topic

TOPICS = tuple(f"t{t}" for t in range(12))


def made(seed: int, whole: bool = False) -> Run:
    """Lists of 1 to 60 of 80 documents, scores from few values, so that there are ties; t11 matches nothing."""
    rng = np.random.default_rng(seed)
    lists = {}
    for topic in TOPICS[: len(TOPICS) if whole else -1]:
        documents = rng.choice(80, size=int(rng.integers(1, 60)), replace=False)
        lists[topic] = {f"d{d:02}": float(rng.integers(1, 20)) for d in documents}
    return Run.of(lists)


IDEAL, RUN = made(0, whole=True), made(1)
VALUES = dict(zip(SCORINGS, Rescoring(IDEAL, TOPICS, 80).per_topic(RUN), strict=True))


def test_there_are_sixteen_and_one_in_reserve() -> None:
    assert len(SCORINGS) == len(set(SCORINGS)) == 17
    assert RESERVE in SCORINGS


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("measure", ["AP", "nDCG", "P@10"])
def test_cut_scorings_are_those_of_trec_eval(rule: str, measure: str) -> None:
    topics = [Topic.of(topic, topic) for topic in TOPICS]
    qrels = RULES[rule].judge(IDEAL, Documents.of([]), topics)
    (expected,) = evaluate([IrMeasure(measure, measure)], RUN, Judged(qrels, IDEAL, 80))
    assert VALUES[f"{measure}, {rule}"] == pytest.approx(expected, abs=1e-6)
    assert expected.any()


@pytest.mark.parametrize("p", PERSISTENCE)
def test_overlap_is_rbo(p: str) -> None:
    expected = RBO(p=PERSISTENCE[p]).per_topic(RUN, Judged(Qrels({key: {} for key in TOPICS}), IDEAL))
    assert VALUES[f"RBO, p = {p}"] == pytest.approx(expected)


def test_gain_by_score_is_trec_evals_ndcg_of_graded_judgments() -> None:
    """The scores are whole numbers, so they can be grades; linear gain over log2(rank + 1), as in trec_eval."""
    grades = {
        topic: {d: int(s) for d, s in zip(IDEAL.ranking(topic), IDEAL.values(topic, tied=True), strict=True)}
        for topic in TOPICS
    }
    (expected,) = evaluate([IrMeasure("nDCG", "nDCG")], RUN, Judged(Qrels(grades), IDEAL, 80))
    assert VALUES["nDCG, gain = score"] == pytest.approx(expected, abs=1e-6)


def test_scores_without_a_zero_have_no_share() -> None:
    """Cosines may be negative: the rules of scores then say nothing, the others stay."""
    ideal = Run.of({"t": {"a": -1, "b": -2}})
    values = dict(zip(SCORINGS, Rescoring(ideal, ("t",), 5).per_topic(ideal)[:, 0].tolist(), strict=True))
    holes = {name for name, value in values.items() if np.isnan(value)}
    assert holes == {"AP, score .5", "nDCG, score .5", "P@10, score .5", "nDCG, gain = score"}
    assert values["RBO, p = .8"] == pytest.approx(1)
