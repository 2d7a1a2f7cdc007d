"""The three sentences, on scoreboards made by hand: what they say follows from the numbers written here."""

from dataclasses import replace

import numpy as np

from clirbench.report.answer import answer, answered
from clirbench.result import AnalysisTable
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.choice import choices
from clirbench.statistics.correlation import correlate
from clirbench.statistics.differences import Difference
from clirbench.statistics.evidence import Evidence
from tests.report.boards import board, difference, result

RISING = [float(i) for i in range(1, 11)]
SHUFFLED = [5.0, 6.0, 1.0, 9.0, 2.0, 10.0, 3.0, 7.0, 4.0, 8.0]


def test_a_clear_winner_is_named_with_its_tau_its_tests_and_the_cost_of_the_other() -> None:
    made = board({"Good": RISING, "Bad": SHUFFLED}, {"MAP": [v / 20 for v in RISING]})
    said = answer(made, correlate(made), [difference("MAP", "Good", "Bad", 0.8, "true")])
    assert said.metric == "Good"
    assert said.sentences[0].startswith(
        "Of 2 metrics, Good orders these 10 systems most nearly as MAP does, with tau 1"
    )
    assert said.sentences[1] == "By perm-systems, it is significantly better than Bad."
    # Bad's first choice is s6, MAP .3; the best is s10, MAP .5.
    assert said.sentences[2] == (
        "Picking a system by Good would have cost no MAP here, by Bad .200 MAP (s6 instead of s10)."
    )


def test_the_sign_of_a_difference_does_not_depend_on_which_metric_stands_first() -> None:
    made = board({"Bad": SHUFFLED, "Good": RISING}, {"MAP": RISING})
    said = answer(made, correlate(made), [difference("MAP", "Bad", "Good", -0.8, "true")])
    assert said.sentences[1] == "By perm-systems, it is significantly better than Bad."


def test_no_difference_between_metrics_is_not_turned_into_a_winner() -> None:
    near = [2.0, 1.0, *RISING[2:]]
    made = board({"A": RISING, "B": near}, {"MAP": RISING})
    said = answer(made, correlate(made), [difference("MAP", "A", "B", 0.04, "false")])
    assert said.sentences[1] == (
        "By perm-systems, no other metric is significantly worse: B cannot be told from it on 10 systems."
    )
    untested = answer(made, correlate(made))
    assert "was not tested" in untested.sentences[1]
    assert "better than B" not in str(untested)


def test_agreement_that_is_not_significant_is_not_called_agreement() -> None:
    made = board({"Noise": SHUFFLED}, {"MAP": RISING})
    (row,) = correlate(made, ["kendall"])
    assert row.significant == "false"
    said = answer(made, [row])
    assert said.sentences[0].startswith("No metric is shown to order these 10 systems as MAP does")
    assert "not significant" in said.sentences[0]


def test_four_systems_can_never_be_significant_and_the_answer_says_how_many_could() -> None:
    # Two-sided, the rarest order of n systems has p = 2/n!: .083 for 4, .017 for 5.
    made = board({"A": RISING[:4]}, {"MAP": RISING[:4]})
    said = answer(made, correlate(made))
    assert said.sentences[0] == (
        "4 systems are too few for an answer: even perfect agreement would not be significant "
        "(p < 0.05 needs at least 5); A comes closest to MAP with tau 1.000."
    )


def test_an_undefined_tau_gives_no_answer_but_its_reason() -> None:
    made = board({"Constant": [7.0] * 6}, {"MAP": RISING[:6]})
    rows = correlate(made, ["kendall"])
    said = answer(made, rows)
    assert said.metric == ""
    assert said.sentences[0] == f"Whether any metric orders these systems as MAP does cannot be said: {rows[0].note}."
    assert rows[0].note


def test_without_metrics_or_measures_nothing_is_claimed() -> None:
    assert "no MT metric" in answer(board({}, {"MAP": RISING}), []).sentences[0]
    assert "no IR measure" in answer(board({"A": RISING}, {}), []).sentences[0]


def test_a_negative_tau_is_no_agreement_however_significant() -> None:
    made = board({"Upside": RISING[::-1]}, {"MAP": RISING})
    said = answer(made, correlate(made))
    assert said.sentences[0].startswith("No metric is shown")
    assert "not above 0" in said.sentences[0]


def test_checkpoints_rise_together_and_the_answer_says_so() -> None:
    steps = [str(1000 * i) for i in range(10)]
    made = board({"A": RISING}, {"MAP": RISING}, {"step": steps})
    assert "a common rise along it gives such agreement by itself" in answer(made, correlate(made)).sentences[0]


def test_ties_for_the_first_place_are_all_named() -> None:
    made = board({"A": RISING, "B": RISING}, {"MAP": RISING})
    said = answer(made, correlate(made))
    assert "A and B order these 10 systems" in said.sentences[0]
    assert "all have the same" in said.sentences[1]


def test_the_cost_on_other_topics_is_added_where_it_was_computed() -> None:
    made = board({"Good": RISING, "Bad": SHUFFLED}, {"MAP": [v / 20 for v in RISING]})
    (fair,) = (row for row in choices(Evidence(made), (1,)) if row.metric == "Bad")
    fair = replace(fair, regret_split=0.17, split_low=0.1, split_high=0.25)
    said = answer(made, correlate(made), chosen=[fair])
    assert said.sentences[2].endswith("(.170 [.100, .250] on topics that did not name the best system).")


def test_a_column_with_holes_chooses_nothing() -> None:
    made = board({"A": [*RISING[:9], float("nan")], "B": RISING}, {"MAP": RISING})
    said = answer(made, correlate(made, complete=True))
    assert said.sentences[2] == "Picking a system by B would have cost no MAP here: s10 is first by all of them."


def test_less_is_better_is_turned_round_before_choosing() -> None:
    errors = Column("TER", "metric", np.array([30.0, 10.0, 20.0]), higher_is_better=False)
    measure = Column("MAP", "measure", np.array([0.1, 0.2, 0.3]))
    made = Scoreboard(("a", "b", "c"), (errors, measure))
    said = answer(made, correlate(made))
    assert said.sentences[2] == "Picking a system by TER would have cost .100 MAP (b instead of c) here."


def test_the_answer_finds_what_the_analyses_of_a_run_computed() -> None:
    made = board({"Good": RISING, "Bad": SHUFFLED}, {"MAP": RISING})
    row = difference("MAP", "Good", "Bad", 0.8, "true")
    table = AnalysisTable.of("differences", "Differences", Difference, [row])
    assert answered(result(made, [table])).sentences[1] == "By perm-systems, it is significantly better than Bad."
