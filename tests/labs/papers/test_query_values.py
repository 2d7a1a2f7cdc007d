"""AQWV and its family."""

from pathlib import Path

import numpy as np
import pytest

import clirbench as cb
from clirbench.configuration.laboratories import parse
from clirbench.corpora.base import NO_TEST, Corpus, NoEnglish
from clirbench.errors import ConfigError, InputError, UnknownName
from clirbench.labs.papers.query_aware import AQWV, MQWV, OQWV, query_weighted_value, scored_lists
from clirbench.measures import parsing
from clirbench.relevance.base import sorted_out
from clirbench.types import Document, DocumentMap, Documents, Judged, Qrels, Run
from tests.conftest import records, write_lines

# Ten documents. Topic 1: relevant a b; ranked a x b y. Topic 2: relevant c; ranked x c.
RUN = Run.of({"1": {"a": 9, "x": 7, "b": 5, "y": 3}, "2": {"x": 4, "c": 2}})
QRELS = Qrels({"1": {"a": 1, "b": 2, "y": 0}, "2": {"c": 1}})
ENGLISH = Run.of({"1": {"a": 9, "b": 8, "x": 1}, "2": {"c": 8, "x": 2}})
JUDGED = Judged(QRELS, ENGLISH, 10)


def test_the_148_rows_of_table_4(shared_data: Path) -> None:
    """mAQWV of papers/material-table4 from its P_miss_rel and P_fa columns, beta 40, to the printed third decimal."""
    rows = records(shared_data / "papers" / "material-table4" / "Material-Joel-AQWV-MAP-2B2C2S.tsv")
    assert len(rows) == 148
    p_miss, p_fa, printed = (np.array([float(row[c]) for row in rows]) for c in ("P_miss_rel", "P_fa", "mAQWV"))
    # P_fa is printed to 6 decimals, so that its rounding alone moves the value by up to 40 * 5e-7.
    assert np.abs(query_weighted_value(p_miss, p_fa) - printed).max() <= 0.0005 + 40 * 5e-7 + 5e-7


def test_the_form_with_beta_20() -> None:
    """A published score of a MATERIAL system: P_miss .617761, P_fa .006770, AQWV .246838 at beta 20."""
    assert query_weighted_value(0.617761, 0.006770, beta=20) == pytest.approx(0.246838, abs=2e-6)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # At 5: topic 1 returns a x b (no miss, 1 of 8 others), topic 2 nothing (QWV 0).
        (AQWV(beta=2, at=5), [1 - 2 / 8, 0]),
        # The first two: a x (half missed, 1 of 8 others); x c (no miss, 1 of 9 others).
        (AQWV(beta=2, rule="top", at=2), [1 - (1 / 2 + 2 / 8), 1 - 2 / 9]),
        # At least half of the best: a x b (9, 7, 5 of 9); x c (4, 2 of 4).
        (AQWV(beta=2, rule="share", at=0.5), [1 - 2 / 8, 1 - 2 / 9]),
        # English: at 8 all of a, b, c and nothing else; the system then returns a alone for topic 1, nothing for 2.
        (AQWV(), [0.5, 0]),
        # Topic 1 alone is best at 5 (1 - 2/8), topic 2 alone at 2; so topic 1 is cut at 2, topic 2 at 5.
        (AQWV(beta=2, calibrate="half"), [1 - 2 * 2 / 8, 0]),
        # One for all: at 2, (1 - 4/8) + (1 - 2/9) = 1.28 beats at 5, 0.75. One each: 1 - 2/8 and 1 - 2/9.
        (MQWV(beta=2), [1 - 4 / 8, 1 - 2 / 9]),
        (OQWV(beta=2), [1 - 2 / 8, 1 - 2 / 9]),
    ],
)
def test_values_by_hand(measure: AQWV | MQWV | OQWV, expected: list[float]) -> None:
    assert measure.per_topic(RUN, JUDGED).tolist() == pytest.approx(expected)


def test_by_rank_documents_that_share_a_score_are_apart() -> None:
    """At beta 40 returning both costs 5 for a gain of 1; the rank order puts a first."""
    run = Run.of({"1": {"a": 1, "x": 1}})
    judged = Judged(Qrels({"1": {"a": 1}}), run, 9)
    assert [OQWV(beta=40, rule=rule).per_topic(run, judged).tolist() for rule in ("score", "top")] == [[0], [1]]


def slow_value(run: Run, judged: Judged, beta: float, policy: str, threshold: dict[str, float]) -> float:
    """The module's docstring, topic by topic: documents that score at least the topic's threshold are returned."""
    misses, alarms, values = [], [], []
    for topic_id, grades in judged.qrels.grades.items():
        relevant = {doc_id for doc_id, grade in grades.items() if grade > 0}
        scores = zip(run.ranking(topic_id), run.values(topic_id, tied=True).tolist(), strict=True)
        returned = {doc_id for doc_id, score in scores if score >= threshold[topic_id]}
        p_fa = len(returned - relevant) / (judged.n_documents - len(relevant))
        if relevant:
            misses.append(len(relevant - returned) / len(relevant))
            values.append(1 - misses[-1] - beta * p_fa)
        elif policy == "no_miss":
            values.append(1 - beta * p_fa)
        alarms.append(p_fa)
    if policy == "modified":
        return 1 - (float(np.mean(misses)) if misses else 0.0) - beta * float(np.mean(alarms))
    return float(np.mean(values)) if values else float("nan")


def drawn_case(rng: np.random.Generator) -> tuple[Run, Run, Judged, float]:
    """A run, the reference side's run, judgments of 1 to 4 topics, each with no relevant document as often as not."""

    def ranked() -> Run:
        return Run.of({t: {d: int(rng.integers(1, 6)) for d in "abcdefg" if rng.random() < 0.6} for t in topics})

    topics = [str(t) for t in range(int(rng.integers(1, 5)))]
    grades = {t: {d: int(rng.random() < 0.4) for d in "abcdefg" if rng.random() < 0.7} for t in topics}
    grades = {t: dict.fromkeys(g, 0) if rng.random() < 0.4 else g for t, g in grades.items()}
    run, english = ranked(), ranked()
    return run, english, Judged(Qrels(grades), english, 9), float(rng.choice([0.0, 0.5, 2.0, 7.0, 40.0]))


@pytest.mark.parametrize("policy", ["drop", "no_miss", "modified"])
@pytest.mark.parametrize("cases", [300, pytest.param(3400, marks=pytest.mark.release)])
def test_actual_is_at_most_maximum_is_at_most_oracle(policy: str, cases: int) -> None:
    """Many cases for each policy, each held against every threshold (1 to 6: 6 returns nothing), without exception.

    All topics are handed over, also those without a relevant document; where every topic is dropped there is no value.
    """
    rng = np.random.default_rng(20)
    compared = 0
    for _ in range(cases):
        run, _, judged, beta = drawn_case(rng)
        family = [kind(beta=beta, empty=policy) for kind in (AQWV, MQWV, OQWV)]
        actual, maximum, oracle = (float(m.aggregate(m.per_topic(run, judged))) for m in family)
        thresholds = range(1, 7)
        tried = [slow_value(run, judged, beta, policy, dict.fromkeys(judged.topic_ids, at)) for at in thresholds]
        each = [
            max(thresholds, key=lambda at: alone(run, judged, beta, policy, topic_id, at))
            for topic_id in judged.topic_ids
        ]
        best = slow_value(run, judged, beta, policy, dict(zip(judged.topic_ids, each, strict=True)))
        np.testing.assert_allclose(maximum, max(tried), atol=1e-12)
        np.testing.assert_allclose(oracle, best, atol=1e-12)
        dropped = policy == "drop" and not judged.with_relevant.topic_ids
        assert np.isnan([actual, maximum, oracle]).all() == dropped
        assert dropped or actual <= maximum + 1e-12 <= oracle + 2e-12
        assert dropped or -1e-12 <= oracle <= 1 + 1e-12
        compared += not dropped
    assert compared > 0.75 * cases


def alone(run: Run, judged: Judged, beta: float, policy: str, topic_id: str, at: float) -> float:
    """What cutting one topic at `at` gives, all others returning nothing; topics without P_miss under `drop`: 0."""
    value = slow_value(run, judged, beta, policy, {**dict.fromkeys(judged.topic_ids, 9.0), topic_id: at})
    return 0.0 if np.isnan(value) else value


@pytest.mark.parametrize("policy", ["drop", "no_miss", "modified"])
@pytest.mark.parametrize("at", [2, 4])
def test_a_fixed_decision_against_the_slow_reference(policy: str, at: int) -> None:
    rng = np.random.default_rng(21)
    for _ in range(300):
        run, _, judged, beta = drawn_case(rng)
        measure = AQWV(beta=beta, empty=policy, at=at)
        expected = slow_value(run, judged, beta, policy, dict.fromkeys(judged.topic_ids, float(at)))
        np.testing.assert_allclose(float(measure.aggregate(measure.per_topic(run, judged))), expected, atol=1e-12)


def test_calibration_on_the_other_half_counts_topics_as_the_policy_does() -> None:
    """By hand, beta 2, N = 10. Topics 1 and 3 decide for 2 and 4, and these for the first two. Of 2 and 4 only 2 has
    a relevant document (c at 2 behind x at 4); under no_miss cutting at 2 adds 1 - 2/9 for topic 2 and costs 2/10 for
    x of topic 4: worth it (.578). Under modified the hit counts twice, so it is worth it too; without topic 4's false
    alarm the same. At beta 9 (cost 1 and .9) it pays under modified alone: 2 - 1 - .9 = .1, 1 - 1 - .9 < 0."""
    run = Run.of({"1": {"a": 3}, "2": {"x": 4, "c": 2}, "3": {"b": 3}, "4": {"x": 2}})
    judged = Judged(Qrels({"1": {"a": 1}, "2": {"c": 1}, "3": {"b": 1}, "4": {"x": 0}}), run, 10)
    for beta, policy, cut in ((2.0, "no_miss", 2.0), (9.0, "no_miss", np.inf), (9.0, "modified", 2.0)):
        measure = AQWV(beta=beta, calibrate="half", empty=policy)
        assert measure.thresholds(scored_lists(run, judged, "score"), judged).tolist()[::2] == [cut, cut]


def test_every_setting_stands_in_the_signature() -> None:
    assert AQWV(beta=20, rule="top", at=10, empty="no_miss").signature == (
        "AQWV|measure:AQWV|beta:20|rule:top|at:10|empty:no_miss|mean:arithmetic|unmatched:0"
    )
    assert "|at:calibrated-half|" in AQWV(calibrate="half").signature


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(InputError, match="need the number of documents of the collection, 0 is less"):
        AQWV().per_topic(RUN, Judged(QRELS, ENGLISH))
    with pytest.raises(InputError, match="calibrate=half needs at least 2 scored topics, there are 1"):
        AQWV(calibrate="half").per_topic(RUN, Judged(QRELS.only(["1"]), ENGLISH, 10))
    with pytest.raises(InputError, match="topic 1: the best score is -1; a share of it means nothing"):
        AQWV(rule="share", at=0.5).per_topic(Run.of({"1": {"a": -1}}), JUDGED)


def test_names_set_parameters() -> None:
    assert parse("mAQWV(beta=20)") == AQWV(beta=20, empty="modified", name="mAQWV(beta=20)")
    with pytest.raises(UnknownName, match=r"Did you mean 'AQWV'\? Choices: AQWV, mAQWV, .* others"):
        parse("AQVW")
    with pytest.raises(UnknownName, match="unknown measure 'AQWV'"):
        parsing.parse("AQWV")  # the core alone


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AQWV@3", "unknown parameter of measure AQWV 'k'"),
        ("AQWV(beta=-1)", "beta=-1 must be a number of at least 0"),
        ("AQWV(rule=top,at=0)", "at=0 must be a whole number of at least 1"),
        ("AQWV(rule=share,at=1.5)", r"at=1.5 must be a number above 0 and at most 1"),
        ("AQWV(calibrate=best)", "calibrate='best' is not one of english, half"),
        ("AQWV(at=x)", "at='x' must be a number"),
    ],
)
def test_a_wrong_parameter_is_a_config_error(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse(name)


def test_thresholds_of_the_english_side_need_one() -> None:
    foreign = Corpus(NO_TEST, Documents(NoEnglish("docs"), DocumentMap(("a",), np.ones(1, dtype=np.int64))))
    named = ["AQWV", "AQWV(at=0)", "AQWV(calibrate=half)", "MQWV"]
    kept, notes = sorted_out([parse(name) for name in named], foreign, frozenset({"grades", "all topics"}))
    assert [measure.name for measure in kept] == named[1:]
    assert notes[0].endswith("which there is not: AQWV")


def test_false_alarms_of_a_topic_without_relevant_documents_count_in_a_run(small_folder: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "topics.tsv", ["topic_id\ttitle", "q1\tthe fish", "q2\tnorthern waters"])
    write_lines(tmp_path / "qrels", ["q1 0 doc0 1", "q2 0 doc1 0"])
    judged = {"relevance": "qrels", "relevance__path": str(tmp_path / "qrels"), "relevance__judged_by": "people"}
    topics = {"topics": "tsv", "topics__path": str(tmp_path / "topics.tsv")}
    measures = ["MAP", "AQWV(at=0)", "mAQWV(at=0)", "AQWV(at=0,empty=no_miss)"]
    made = cb.run("folder", folder=str(small_folder), metric=["BLEU"], measures=measures, **topics, **judged)
    scored = made.per_topic.groupby("measure").topic_id.unique()
    assert {name: sorted(scored[name]) for name in measures} == {
        "MAP": ["q1"], "AQWV(at=0)": ["q1"], "mAQWV(at=0)": ["q1", "q2"], "AQWV(at=0,empty=no_miss)": ["q1", "q2"],
    }  # fmt: skip
    assert "1 judged without a relevant document (q2)" in (made.save(tmp_path / "run") / "report.md").read_text()


def test_forms_that_differ_only_where_a_topic_has_no_relevant_document() -> None:
    _, notes = sorted_out(
        [parse("AQWV"), parse("mAQWV")], Corpus(NO_TEST, Documents.of([Document("a", "text")])), frozenset()
    )
    assert len(notes) == 1
    assert notes[0].startswith("mAQWV: no topic is judged without a relevant document")
