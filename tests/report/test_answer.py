"""The answer, on scoreboards made by hand: it says no more than the numbers written here carry."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np

from clirbench.report.answer import Answer, answer, answered, changed
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import units_of
from tests.report.boards import board, result

MAP = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2]
GOOD = [1.0, 3.0, 2.0, 4.0, 5.0, 7.0, 6.0, 8.0, 9.0, 10.0, 12.0, 11.0]
FAIR = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0, 9.0, 11.0, 10.0, 12.0]
NOISE = [5.0, 11.0, 6.0, 1.0, 9.0, 12.0, 2.0, 10.0, 3.0, 7.0, 4.0, 8.0]


def said(made: Scoreboard, units: str = "", **keywords: object) -> Answer:
    return answer(made, units_of(made, units), **keywords)  # type: ignore[arg-type]


def of(metrics: Mapping[str, Sequence[float]], **metadata: Sequence[str]) -> Answer:
    return said(board(metrics, {"MAP": MAP}, metadata))


def test_a_set_of_metrics_may_be_trusted_and_none_of_them_is_called_the_best() -> None:
    found = of({"Good": GOOD, "Fair": FAIR, "Noise": NOISE})
    assert found.metrics == ("Good", "Fair")
    assert found.sentences[0].startswith(
        "Good and Fair may be trusted to order these 12 systems by MAP: tau .848 to .909 ("
    )
    assert "p < .001, corrected for 3 metrics), and none of them is shown to be better than another" in str(found)
    assert "Noise agrees less." in found.sentences[0]


def test_one_metric_stands_alone_with_its_tau_and_interval() -> None:
    found = of({"Good": GOOD})
    assert found.sentences[0].startswith("Good may be trusted to order these 12 systems by MAP: tau .909 (")
    assert "with 95 % confidence; p < .001)." in found.sentences[0]


def test_agreement_that_is_not_significant_is_not_called_agreement() -> None:
    found = of({"Noise": NOISE, "Other": [*NOISE[:11], 14.0]})
    assert found.metrics == ()
    assert found.sentences[0].startswith("No metric is shown to order these 12 systems as MAP does: the highest tau")
    assert "corrected for 2 metrics" in found.sentences[0]


def test_what_is_significant_alone_is_not_when_it_was_picked_from_many() -> None:
    """Useless metrics: X orders these systems was said in one run in four with 15 of them."""
    rng = np.random.default_rng(0)
    named = 0
    for _ in range(60):
        metrics = {f"m{i}": rng.normal(size=12).tolist() for i in range(15)}
        named += bool(of(metrics).metrics)
    assert named <= 8  # 3 are expected


def test_two_families_of_near_copies_carry_no_claim() -> None:
    """The demo: 2 families of doses; within each every metric has tau 1."""
    measure = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85]
    metric = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    made = board({"BLEU": metric}, {"MAP": measure}, {"family": ["fluent"] * 6 + ["adequate"] * 6})
    found = said(made)
    assert found.metrics == ()
    assert found.sentences[0] == (
        "Whether any metric orders these systems as MAP does cannot be said: "
        "2 independent families are too few, at least 6 are needed."
    )
    assert "p " not in str(found)
    (row, *_) = result(made).correlations
    assert row.significant == "undefined"
    assert np.isnan([row.p_value, row.ci_low, row.ci_high]).all()


def test_units_can_be_asked_for() -> None:
    made = board({"BLEU": GOOD}, {"MAP": MAP}, {"family": ["a"] * 6 + ["b"] * 6, "lab": list("xxyyzz") * 2})
    assert "2 independent families are too few" in said(made).sentences[0]
    assert "3 independent units (lab) are too few" in said(made, "lab").sentences[0]
    assert "may be trusted to order these 12 systems by MAP" in said(made, "none").sentences[0]


def test_metrics_over_different_systems_are_never_ranked_together() -> None:
    holed = [nan] * 6 + MAP[6:]
    found = of({"BLEU": GOOD, "COMET": holed})
    assert found.metrics == ("BLEU",)
    assert "not compared, because systems are missing: COMET" in found.sentences[0]
    few = of({"BLEU": GOOD, "COMET": [*MAP[:4], *[nan] * 8]})
    assert few.metrics == ("BLEU",)
    assert "too few" not in str(few)


def test_a_constant_metric_costs_nothing_because_it_picks_nothing() -> None:
    found = of({"BLEU": GOOD, "Constant": [7.0] * 12})
    assert "Constant" not in found.sentences[-1]
    alone = of({"Constant": [7.0] * 12})
    assert alone.sentences == (
        "Whether any metric orders these systems as MAP does cannot be said: Constant is the same for all of them.",
    )


def test_tied_best_systems_are_called_tied() -> None:
    made = board({"BLEU": FAIR}, {"MAP": [*MAP[:10], 1.2, 1.2]})
    assert said(made).sentences[-1] == (
        "On these topics, picking the first system by BLEU would have cost nothing: "
        "s11 and s12 are tied as the best by MAP."
    )


def test_a_metric_that_ties_several_systems_first_is_charged_for_the_worst_of_them() -> None:
    tied = [*FAIR[:10], 12.0, 12.0]
    assert of({"BLEU": tied}).sentences[-1] == (
        "On these topics, picking the first system would have cost .100 MAP (s11 instead of s12) by BLEU."
    )


def test_the_cost_of_metrics_that_pick_differently() -> None:
    assert of({"Good": GOOD, "Fair": FAIR}).sentences[-1] == (
        "On these topics, picking the first system would have cost nothing by Fair, but .100 MAP (s11 instead of s12) "
        "by Good."
    )
    assert of({"Good": GOOD, "Fair": FAIR, "Twin": GOOD}).sentences[-1].endswith(" by Good and Twin.")


def test_five_systems_have_no_interval() -> None:
    made = board({"BLEU": MAP[:5]}, {"MAP": MAP[:5]})
    found = said(made)
    assert "confidence" not in str(found)
    assert "[" not in str(found)
    assert "too few independent systems (5)" in found.sentences[0]
    four = said(board({"BLEU": MAP[:4]}, {"MAP": MAP[:4]}))
    assert "4 independent systems are too few, at least 6 are needed" in four.sentences[0]


def test_an_interval_that_reaches_below_0_trusts_no_metric() -> None:
    made = board({"A": [1, 3, 7, 2, 4, 5, 6, 8], "B": [2, 3, 1, 4, 5, 7, 6, 8]}, {"MAP": MAP[:8]})
    found = said(made).sentences[0]
    assert found.startswith("A and B agree with MAP on the order of these 8 systems: tau .643 to .786 (-.")
    assert "trusted" not in found


def test_fewer_than_eight_systems_have_no_joint_range_and_trust_no_metric() -> None:
    made = board({"A": [1, 2, 3, 4, 6, 5], "B": [2, 1, 3, 4, 5, 6]}, {"MAP": MAP[:6]})
    found = said(made).sentences[0]
    assert found.startswith("A and B agree with MAP on the order of these 6 systems: tau .867 (p = ")
    assert "trusted" not in found


def test_no_interval_where_no_system_changes_tau() -> None:
    made = board({"A": [1, 1, 2, 2, 3, 3]}, {"MAP": [1, 1, 2, 2, 3, 3]})
    assert "confidence" not in str(said(made))


def test_perfect_agreement_has_no_interval_either() -> None:
    found = of({"BLEU": MAP, "Fair": FAIR})
    assert "confidence" not in str(found)
    assert "which of the metrics is best cannot be said (tau of BLEU is 1" in found.sentences[0]


def test_checkpoints_of_one_run_are_described_and_nothing_is_claimed() -> None:
    steps = [str(1000 * i) for i in range(12)]
    found = of({"BLEU": GOOD}, step=steps)
    assert found.metrics == ()
    assert found.sentences[0].startswith("These 12 systems are checkpoints of one training run")
    assert "describes and proves nothing; proof needs at least 5 runs with the same steps." in found.sentences[0]
    assert "p " not in str(found)


def test_names_tell_checkpoints() -> None:
    names = [f"ckpt_{1000 * i}" for i in range(1, 13)]
    found = said(board({"BLEU": GOOD}, {"MAP": MAP}, systems=names))
    assert "checkpoints of one training run" in found.sentences[0]


def test_systems_at_one_step_are_no_checkpoints() -> None:
    found = of({"BLEU": GOOD}, step=["1000"] * 12)
    assert "checkpoints" not in str(found)
    assert found.metrics == ("BLEU",)


def test_an_undeclared_column_of_steps_is_no_metric() -> None:
    found = of({"BLEU": GOOD, "step": MAP})
    assert "step orders" not in str(found)
    assert "step" not in found.metrics
    assert "checkpoints of one training run" in found.sentences[0]


def test_replicate_runs_are_compared_at_the_same_step() -> None:
    runs = [run for run in "abcdef" for _ in range(3)]
    steps = ["1000", "2000", "3000"] * 6
    level = np.repeat(np.arange(6.0), 3)
    rise = np.tile(np.arange(3.0), 6)
    made = board({"BLEU": (10 * rise + level).tolist()}, {"MAP": (rise + level / 10).tolist()})
    found = said(replace(made, metadata={"run": tuple(runs), "step": tuple(steps)}))
    assert "At the same step, runs with more BLEU have more MAP (p = .003, corrected for 1 metric)." in str(found)


def test_training_size_alone_is_named_where_it_does_as_well() -> None:
    size = [f"{1000 * i}" for i in (1, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 6)]
    found = of({"Good": GOOD, "Fair": FAIR}, training_lines=size)
    assert found.sentences[1] == (
        "Known without any metric: training_lines (tau .890), which cannot be told from them; whether the metrics say "
        "more than that, 'given=[training_lines]' tests."
    )


def test_what_metrics_add_to_what_is_known_is_tested_where_it_is_asked_for() -> None:
    rng = np.random.default_rng(1)
    size = np.repeat(np.arange(8.0), 4)
    quality = rng.normal(size=32)
    made = board(
        {"Sees": (size + quality).tolist(), "Blind": (size + 0.1 * rng.normal(size=32)).tolist()},
        {"MAP": (size + quality + 0.1 * rng.normal(size=32)).tolist()},
        {"training_lines": [f"{1000 * value:.0f}" for value in size]},
    )
    found = said(made, given=["training_lines"])
    assert found.sentences[1].startswith("Sees says more of MAP than training_lines: tau ")
    assert "corrected for 2 metrics" in found.sentences[1]


def test_between_and_within_units_that_differ_raise_an_alarm() -> None:
    family = [name for name in "abcdef" for _ in range(4)]
    between = np.repeat(np.arange(6.0), 4)
    within = np.tile(np.arange(4.0), 6)
    made = board({"BLEU": (10 * between - within).tolist()}, {"MAP": (10 * between + within).tolist()})
    found = said(replace(made, metadata={"family": tuple(family)}))
    assert "tau of BLEU is 1.000 between and -1.000 within." in str(found)


def test_human_judgments_come_first_and_pseudo_relevance_is_called_so() -> None:
    columns = (
        Column("BLEU", "metric", np.array(GOOD)),
        Column("MAP", "measure", np.array(MAP), declared={"judged_by": "pseudo-relevance"}),
        Column("MAP[qrels]", "measure", np.array(MAP), declared={"judged_by": "people"}),
    )
    names = tuple(f"s{i}" for i in range(12))
    assert said(Scoreboard(names, columns)).measure == "MAP[qrels]"
    assert "by MAP (pseudo-relevance)" in said(Scoreboard(names, columns[:2])).sentences[0]


def test_a_negative_tau_is_no_agreement_however_significant() -> None:
    found = of({"Upside": [-value for value in GOOD]})
    assert found.sentences[0].endswith("the highest tau, -.909 of Upside, is not above 0.")


def test_less_is_better_is_turned_round() -> None:
    errors = Column("TER", "metric", -np.array(GOOD), higher_is_better=False)
    made = board({}, {"MAP": MAP})
    assert said(replace(made, columns=(errors, *made.columns))).metrics == ("TER",)


def test_without_metrics_or_measures_nothing_is_claimed() -> None:
    assert "no MT metric" in said(board({}, {"MAP": MAP})).sentences[0]
    assert "no IR measure" in said(board({"A": MAP}, {})).sentences[0]


def test_at_most_four_sentences_and_the_same_from_a_result() -> None:
    made = board({"Good": GOOD, "Fair": FAIR}, {"MAP": MAP}, {"training_lines": [str(i // 2) for i in range(12)]})
    assert answered(result(made)) == said(made)
    assert len(said(made).sentences) <= 4


def test_a_constant_metric_lacks_no_system_and_a_constant_measure_is_named() -> None:
    assert "missing" not in str(of({"BLEU": GOOD, "Constant": [7.0] * 12}))
    flat = said(board({"BLEU": GOOD, "chrF": FAIR}, {"MAP": [0.3] * 12}))
    assert flat.sentences[0].endswith("cannot be said: MAP is the same for all of them.")


def test_metrics_over_halves_of_the_systems_say_that_systems_are_lacking() -> None:
    found = of({"A": [*MAP[:6], *[nan] * 6], "B": [*[nan] * 6, *MAP[6:]]})
    assert found.sentences == (
        "Whether any metric orders these systems as MAP does cannot be said: "
        "every metric lacks more than a tenth of the 12 systems that have MAP.",
    )


def test_seeds_and_training_sizes_that_nobody_declared_are_no_metrics() -> None:
    found = of({"BLEU": GOOD, "seed": FAIR, "training_lines": MAP})
    assert found.metrics == ("BLEU",)
    assert "seed" not in str(found)
    assert "which" not in found.sentences[0] or "tau of training_lines is 1" in found.sentences[0]
    assert found.sentences[1].startswith("Known without any metric: training_lines (tau 1.000)")


def test_exact_copies_are_one_system() -> None:
    columns = [[*column[:4]] * 3 for column in (GOOD, FAIR, MAP)]
    found = said(board({"Good": columns[0], "Fair": columns[1]}, {"MAP": columns[2]}))
    assert found.metrics == ()
    assert found.sentences[0].endswith(
        "4 independent systems (the others are copies of them) are too few, at least 6 are needed."
    )
    alone = said(board({"Good": columns[0], "Fair": columns[1]}, {"MAP": columns[2]}), "none")
    assert "Good" in alone.metrics


def test_metrics_that_pick_one_poor_system_cost_alike() -> None:
    worse = [*GOOD[:10], 13.0, 11.0]
    assert of({"A": worse, "B": [2 * value for value in worse]}).sentences[-1] == (
        "On these topics, picking the first system by any of these metrics would have cost .100 MAP "
        "(s11 instead of s12)."
    )


def test_a_metric_that_differs_in_one_system_is_named_as_what_cannot_be_compared() -> None:
    found = of({"BLEU": GOOD, "Odd": [1.0] * 11 + [2.0]})
    assert "cannot be said (without one of the systems Odd is constant)" in found.sentences[0]


def test_which_answers_another_retriever_changes() -> None:
    def trusts(measure: str, *metrics: str) -> Answer:
        return Answer(measure, metrics, ())

    first = trusts("MAP", "BLEU", "chrF2")
    assert changed(first, trusts("MAP[dense]", "chrF2", "BLEU")) == ["The answer for MAP[dense] is that for MAP."]
    assert changed(first, trusts("MAP[dense]", "chrF2", "TER")) == [
        "With another retriever the answer is another: trusted are BLEU by MAP alone, TER by MAP[dense] alone."
    ]
    assert changed(first, trusts("MAP[dense]")) == [
        "With another retriever the answer is another: trusted are BLEU and chrF2 by MAP alone."
    ]
    assert changed(trusts("MAP"), trusts("MAP[dense]")) == []  # nothing is trusted, and each says so
