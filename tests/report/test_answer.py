"""The answer, on scoreboards made by hand: its words are those of the contract, its numbers those of the tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from clirbench.pages import Finding, percent
from clirbench.report.answer import (
    OPTIONAL,
    TEMPLATES,
    WORDS,
    Answer,
    agreement,
    answered,
    judged,
    other_metrics,
    sentence,
    sentences,
)
from clirbench.report.groupings import group_columns, grouped_by, grouping, training_runs
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.statistics.correlation import correlate
from clirbench.statistics.kinds import Kinds, KindTau
from clirbench.systems.health import FileHealth
from tests.report.boards import board, result

MAP = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2]
GOOD = [1.0, 3.0, 2.0, 4.0, 5.0, 7.0, 6.0, 8.0, 9.0, 10.0, 12.0, 11.0]
FAIR = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0, 9.0, 11.0, 10.0, 12.0]
NOISE = [5.0, 11.0, 6.0, 1.0, 9.0, 12.0, 2.0, 10.0, 3.0, 7.0, 4.0, 8.0]


def run_of(metrics: Mapping[str, Sequence[float]], reliability: float = 1.0, **metadata: Sequence[str]) -> Result:
    """A run with MAP by people over the first systems; its reliability over topics is set."""
    n = len(next(iter(metrics.values())))
    made = result(board(metrics, {"MAP": MAP[:n]}, metadata))
    rows = correlate(made.board, units=made.units, reliabilities={"MAP": reliability})
    return replace(made, correlations=tuple(rows))


def of(metrics: Mapping[str, Sequence[float]], reliability: float = 1.0, **metadata: Sequence[str]) -> Answer:
    return answered(run_of(metrics, reliability, **metadata))


def test_the_first_metric_has_its_pairs_its_bound_and_its_grade() -> None:
    """3 of 66 pairs of Good are in the other order: 95.5 %; of Fair 5."""
    found = of({"Good": GOOD, "Fair": FAIR, "Noise": NOISE})
    row = next(one for one in found.findings if one.kind == "agreement")
    assert (row["metric"], row["tau"]) == ("Good", pytest.approx(1 - 6 / 66))
    assert found.sentences[:2] == (
        "Good orders 95 % of system pairs as people's judgments do (at least "
        f"{percent((1 + row['low']) / 2)}, 95 % confidence; 12 systems, if made independently): strong evidence.",
        "Also strong: Fair. Close to a coin flip: Noise. Grades do not say which metric is better "
        "(analysis=differences tests that).",
    )
    assert found.grades == {"Good": "strong", "Fair": "strong", "Noise": "little"}
    assert "Retrieval (MAP) is judged by people." in found.sentences


SIX_SIZES = [str(1000 * 2 ** (i // 2)) for i in range(12)]
"""Two systems of each: the second has more by both MAP and what rises with it."""
LINES = [str(i) for i in range(12)]


@pytest.mark.parametrize(
    ("metrics", "metadata", "first", "grades"),
    [
        ({"G": MAP[:5]}, {}, "G orders all 10 pairs as .* 5 systems, if made independently.*: moderate .*",
         {"G": "moderate"}),
        ({"G": MAP}, {"family": [*"aabbccddeeff"]}, r"G orders 100 % of pairs between groups as people's judgments do "
         r"\(at least \d\d %, 95 % confidence; 6 independent groups of systems\): moderate evidence\.",
         {"G": "moderate"}),
        ({"X": [-value for value in MAP]}, {}, "X orders most pairs the wrong way .at most .* 95 % confidence.*",
         {"X": "contradicted"}),
        ({"G": MAP[:2]}, {}, "Two independent systems cannot validate a metric; make five.", {"G": ""}),
        ({"Flat": [1.0] * 12}, {}, "Whether Flat orders the systems as people's judgments do .*", {"Flat": ""}),
        ({"G": GOOD}, {"step": LINES}, "Checkpoints of one run cannot validate a metric for other runs.", {}),
        ({"G": GOOD}, {"step": [str(i % 4) for i in range(12)], "run": [str(i // 4) for i in range(12)]},
         "Checkpoints of three runs cannot validate a metric for other runs.", {}),
        # A covariate that explains everything limits the grade, unless pairs of equal covariate show the metric.
        ({"G": MAP}, {"training_lines": LINES}, ".*: weak evidence about other systems.", {"G": "weak"}),
        ({"G": MAP}, {"training_lines": SIX_SIZES}, ".*: strong evidence.", {"G": "strong"}),
    ],
)  # fmt: skip
def test_the_first_sentence_and_the_grade(
    metrics: dict[str, list[float]], metadata: dict[str, list[str]], first: str, grades: dict[str, str]
) -> None:
    found = of(metrics, **metadata)
    assert re.fullmatch(first, found.sentences[0])
    assert found.grades == grades


def test_undecided_says_how_many_systems_it_takes() -> None:
    slight = [2.0, 5.0, 1.0, 4.0, 3.0, 8.0]
    found = of({"Slight": slight})
    needed = next(one for one in found.findings if one.kind == "agreement")["groups_needed"]
    assert needed > 6
    assert (
        found.sentences[0]
        == f"Slight: undecided for systems beyond these 6; about {needed} with these might show it to be above chance."
    )


def test_the_least_tau_of_all_references_tells_how_many_systems_it_takes_and_the_least_low_end_orders() -> None:
    of_b = [KindTau(name, 0.3, low, 0.7, "open", 0.5, 0.0, 0.4, False) for name, low in (("X", -0.2), ("Y", -0.1))]
    found = []
    for reliability in (0.9, 0.5):  # with 0.5 the other reference has no vote
        made = result(board({"X": GOOD, "Y": FAIR}, {"MAP": MAP}))
        made.__dict__["kinds"] = {"reference B": Kinds("", "reference B", 40, reliability, 0.5, 0.4, (*of_b,))}
        row = replace(next(row for row in made.correlations if row.coefficient == "kendall"), grade="open")
        expected = agreement(replace(row, value=0.3), made)["groups_needed"]
        found += [(agreement(row, made)["groups_needed"], [*answered(made).grades])]
    (lowered, *by_b), (alone, *by_own) = found
    assert (by_b, by_own) == ([["Y", "X"]], [["X", "Y"]])
    assert alone < lowered == expected


def test_topics_that_cannot_rank_the_systems() -> None:
    assert of({"Noise": NOISE}, reliability=0.3).grades == {"Noise": "too noisy to tell"}


def test_a_coin_flip() -> None:
    y = np.arange(40.0)
    coin = np.where(y % 2 == 0, y, 40 - y)  # 0, 39, 2, 37, ...
    made = result(board({"X": coin.tolist()}, {"MAP": y.tolist()}))
    assert answered(made).grades == {"X": "little"}
    assert re.match(
        r"X is close to a coin flip \(at most \d\d % right, 95 % confidence\)\.", answered(made).sentences[0]
    )


MODELS = [f"model_{1000 * i}" for i in range(1, 13)]


def test_names_that_number_one_run_are_no_evidence_and_both_readings_are_given() -> None:
    made = result(board({"Good": GOOD}, {"MAP": MAP}, systems=MODELS))
    found = answered(made)
    assert (found.grades, made.units.source) == ({}, "number")
    assert found.sentences[:2] == (
        "Names alike but for a number are taken for checkpoints of one run (if not, units=none), which cannot validate "
        "a metric for other runs.",
        "If each system was made independently, which clirbench does not assume, the evidence would be weak at best.",
    )
    told = replace(made, experiment=replace(made.experiment, units="none"))
    alone = answered(replace(told, correlations=tuple(correlate(told.board, units=told.units))))
    assert alone.grades == {"Good": "weak"}  # the number in the names explains all of it


@pytest.mark.parametrize("names", [MODELS, [f"s{i}" for i in range(1, 13)]])
def test_a_reading_that_would_remove_the_claim_is_always_printed(names: list[str]) -> None:
    """The measure does not rise with the numbers."""
    order = [4, 0, 2, 1, 7, 3, 5, 9, 6, 11, 8, 10]
    columns = {f"A long name of the metric {i}": [MAP[at] + i / 99 for at in order] for i in range(7)}
    found = answered(result(board(columns, {"MAP": [MAP[at] for at in order]}, systems=names)))
    assert set(found.grades.values()) == {"strong"}
    needed = "This assumes systems made independently; if these are steps of one training, type units=number: then "
    assert f"{needed}no evidence remains." in found.sentences


def test_checkpoints_that_rise_are_never_strong_without_the_reading() -> None:
    """Twelve checkpoints on a line or a curve; measure and metric share the noise of a checkpoint: 40 draws."""
    rng = np.random.default_rng(0)
    joined = 0
    for draw in range(40):
        curve = [np.linspace(0, 1, 12), 1 - np.exp(-4 * np.linspace(0, 1, 12))][draw % 2]
        measure = curve + rng.normal(size=12) * [0.02, 0.1][draw // 20]
        metric = measure + rng.normal(size=12) * 0.05
        made = result(board({"X": metric.tolist()}, {"MAP": measure.tolist()}, systems=MODELS))
        joined += made.units.along_training
        found = answered(made)
        assert not {"strong", "moderate"} & set(found.grades.values()) or "units=number" in str(found)
    assert joined >= 32


def test_replicate_runs_are_tested_at_the_same_step() -> None:
    """Six runs by two steps, and the same order of the runs at both: 2 of the 720 orders of six runs."""
    runs, steps = [str(i // 2) for i in range(12)], [str(i % 2) for i in range(12)]
    found = of({"Good": MAP}, run=runs, step=steps)
    assert "tau along training proves nothing by itself" in found.sentences[0]
    assert found.sentences[1] == "At the same step, runs with more Good have more MAP (p = .003)."


def test_a_covariate_that_does_as_well_is_said_with_the_pairs_of_equal_covariate() -> None:
    made = run_of({"Good": MAP}, training_lines=SIX_SIZES)
    found = answered(replace(made, experiment=replace(made.experiment, given=("training_lines",))))
    assert found.sentences[1] == (
        "training_lines alone orders the systems as well as Good; between systems of equal training_lines Good is "
        "right in 6 of 6 pairs, so Good sees more and keeps its grade (no other metric was tried)."
    )
    assert "Good adds to training_lines (p = .031)." in found.sentences  # 2 of 64 sign permutations
    (row,) = (one for one in found.findings if one.kind == "covariate")
    assert (row["p_value"], row["grade"]) == (pytest.approx(1 / 64, rel=1e-12), "weak")
    alone = str(of({"Good": MAP}, training_lines=LINES))
    assert "no two systems have the same, so Good cannot be shown to add to it" in alone
    assert not any(one.kind == "covariate" for one in of({"Good": MAP}, training_lines=["3", "1"] * 6).findings)


BY_BM25 = {"judged_by": "pseudo-relevance", "lexical_model": "BM25"}


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"judged_by": "people"}, "Retrieval (MAP) is judged by people."),
        (BY_BM25, "Retrieval (MAP) is judged by the ranking of the metrics' own reference, which favours metrics "
         "that match words."),
        ({**BY_BM25, "searched_reference": "B", "scoring_reference": "A"},
         "Retrieval (MAP) is judged by the ranking of reference B; metrics score against reference A."),
        ({"judged_by": "known_items"},
         "Retrieval (MAP) is judged by known items: the documents that the topics belong to."),
        ({"judged_by": "model"}, "Retrieval (MAP) is judged by a model, no person."),
        ({"judged_by": "made"},
         "Retrieval (MAP) is judged by relevance generated together with the documents, by no person."),
        ({"judged_by": "unknown"}, "The source of relevance judgments (MAP) is unknown."),
    ],
)  # fmt: skip
def test_who_judged_is_always_there(declared: dict[str, str], said: str) -> None:
    made = board({"Good": GOOD}, {"MAP": MAP})
    made = replace(made, columns=(*made.metrics, Column("MAP", "measure", np.array(MAP), declared=declared)))
    found = answered(result(made))
    assert said in found.sentences
    (one,) = (one for one in found.findings if one.kind == "judged")
    assert declared.items() <= one.values.items()


@pytest.mark.parametrize(
    ("against", "other"), [(["other", ""], True), (["other", "searched other"], False), ([], False)]
)
def test_metrics_that_score_against_another_text_say_so(against: list[str], other: bool) -> None:
    measure = Column("MAP", "measure", np.array(MAP), declared=BY_BM25)
    metrics = [Column(text, "metric", np.array(MAP), declared={"scored_against": text}) for text in against]
    said = "Retrieval (MAP) is judged by the ranking of the documents' own reference translations; "
    said += "metrics score against a separate test set."
    assert (sentence(judged(measure, metrics)) == said) == other


def test_a_measure_that_is_read_may_be_made_from_the_metrics_own_reference() -> None:
    said = "M{x} is read from a score table, which does not say how relevance was judged"
    read = Column("M{x}", "measure", np.array(MAP), origin="imported")
    assert sentence(judged(read, [])) == f"{said}."
    told = judged(replace(read, declared={"made_from": ""}), [])
    assert sentence(told) == f"{said}; scores.reference says, unchecked, that the metrics' reference was no judge."
    said += "; perhaps by the metrics' own reference, so evidence is moderate at most (else 'scores.reference="
    assert sentence(judged(read, [], capped=True)) == said + "{M{x}: none}')."


def test_without_a_metric_or_a_measure_nothing_is_compared() -> None:
    for metrics, measures, missing in (({}, {"MAP": MAP}, "MT metric"), ({"Good": GOOD}, {}, "IR measure")):
        found = answered(result(board(metrics, measures)))
        assert found.sentences == (f"This run has no {missing}, so nothing is compared.",)
        assert found.measure == ""


def test_percentages_of_nearly_all_pairs_are_not_all() -> None:
    assert [percent((1 + tau) / 2) for tau in (1.0, 0.995, 0.95, 0.0, -1.0, -0.995)] == [
        "100 %", "over 99 %", "98 %", "50 %", "0 %", "under 1 %"
    ]  # fmt: skip


def test_what_is_optional_has_the_room_that_is_left() -> None:
    """Noise before range before second, in the order in which they were found."""
    optional = {"second": {"measure": "RBO", "metric": "X", "tau": 0.8, "low": 0.4, "confidence": "95 %",
                           "judged_by": ""},
                "range": {"metric": "X", "tau": 0.2, "ceiling": 0.8},
                "noise": {"measure": "MAP", "ceiling": 0.39, "topics": 61}}  # fmt: skip
    found = [of({"Good": GOOD}).findings[0], *(Finding(kind, values=values) for kind, values in optional.items())]
    texts = [sentence(one) for one in found]
    for kept in ((0,), (0, 3), (0, 2, 3), (0, 1, 2, 3)):
        room = sum(len(texts[at].split()) for at in kept)
        assert sentences(found, room) == [texts[at] for at in kept]


def test_an_answer_is_short_and_has_none_of_the_forbidden_words() -> None:
    """Ninety words before the decision, other metrics apart; 25 and three numbers in the first sentence."""
    rng = np.random.default_rng(1)
    for seed in range(25):
        n = int(rng.integers(3, 13))
        columns = {
            f"Metric{i}": (np.array(MAP[:n]) + rng.normal(size=n) * rng.uniform(0, 0.5)).tolist() for i in range(7)
        }
        metadata = {"training_lines": [str(i // 2) for i in range(n)]} if seed % 2 else {}
        found = of(columns, reliability=0.4 if seed % 3 else 0.9, **metadata)
        others = other_metrics([one for one in found.findings if one.kind == "agreement"])
        assert len(str(found).replace(others, "").split()) <= WORDS
        assert set(re.findall(r"Metric\d", f"{found.sentences[0]} {others}")) >= set(found.grades) or set(
            found.grades.values()
        ) == {"too noisy to tell"}
        first = found.sentences[0]
        assert len(first.split()) <= 25
        numbers = re.findall(r"\d+", re.sub(r"Metric\d|; \d+ (systems|groups)", "", first))
        assert len(numbers) <= 3
        assert not re.search(r"\b(ship|units?(?!=)|trust\w*)\b", str(found), re.IGNORECASE)


QUERIES = {"topics": "five rare words from each of 369 reference sentences", "second": "titles", "metric": "X",
           "first": "A", "first_by_second": "A", "by_noise": "", "differs": True, "grade": ""}  # fmt: skip
RARE = f"Topics are {QUERIES['topics']}, not people's queries"
OTHERWISE = "by titles instead, the order of the systems differs"
PAIRS = {"systems": 10, "pairs": 45, "separable": 10, "metric": "X", "right": 9, "others": 35, "others_right": 19,
         "of": "systems", "p_value": 0.02, "tested": 1, "by": ""}  # fmt: skip
BY_B = {"own": "A", "by": "B", "metric": "Z", "tau": 0.5, "low": 0.2, "own_tau": 0.6, "own_low": 0.1}
WORSE = "Grades go by the worse of references A and B: by A, Z orders 80 % (at least 55 %); by B, 75 % (at least 60 %)"
OWN = "About these systems themselves, more is shown: of their 45 pairs"


def test_a_system_that_hardly_translates_is_named_once_with_the_grade_of_the_others() -> None:
    x = [0.0, 2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 20.0]
    made, along = run_of({"X": x}), run_of({"X": x}, family=["r"] * 8, step=[*"01234567"])
    rows = (FileHealth("i8", "test", shared=0.03), FileHealth("i8", "collection", shared=0.03))
    grade = of({"X": x[:7]}).grades["X"]  # a run of the seven others
    assert (answered(made).grades["X"], grade) == ("moderate", "weak")
    said = "i8, perhaps no translation, may flatter all figures"
    then = f"; with systems.exclude=[i8], the evidence for X is {grade}."
    for one, more in ((made, then), (along, ": systems.exclude=[i8].")):
        assert answered(replace(one, health=rows)).sentences.count(said + more) == 1
        assert said not in str(answered(replace(one, health=(replace(rows[0], shared=0.3),))))
    most = tuple(FileHealth(name, "test", shared=0.03) for name in made.board.systems[:5])
    assert "Most systems share hardly any text with the reference: is it" in str(answered(replace(made, health=most)))


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        ("agreement", {"metric": "X", "grade": "weak", "tau": 0.9, "low": 0.6, "grouped_by": "", "confidence": "95 %",
                       "judged_by": "pseudo-relevance", "groups": 8, "declared": False, "worse": "B", "worse_tau": 0.8,
                       "worse_low": 0.1}, "X orders 90 % of pairs as retrieval by B does (at least 55 %, 95 % "
         "confidence): weak evidence about other systems."),
        ("agreement", {"metric": "X", "grade": "too noisy to tell", "topics": 61, "topics_to_add": 120,
                       "grouped_by": "", "judged_by": ""},
         "These 61 topics cannot rank the systems; add about 120."),
        ("second", {"measure": "MAP{x}", "metric": "X", "tau": 0.8, "low": 0.4, "confidence": "95 %",
                    "judged_by": "pseudo-relevance"},
         "By MAP{x} (judged by the reference), X orders 90 % (at least 70 %)."),
        ("queries", {**QUERIES, "differs": False}, f"{RARE}."),
        ("queries", QUERIES, f"{RARE}; {OTHERWISE}, though A is first by both."),
        ("queries", {**QUERIES, "first_by_second": "B"},
         f"{RARE}; {OTHERWISE}, and B is first."),
        ("queries", {**QUERIES, "grade": "open"}, f"{RARE}; by titles instead, the grade of X is undecided."),
        ("queries", {**QUERIES, "by_noise": "grades drop to undecided for X"},
         f"{RARE}; {OTHERWISE}, though A is first by both; grades drop to undecided for X, a drop that may be noise."),
        ("separable_pairs", PAIRS, f"{OWN}, retrieval can tell 10 apart; X orders 9 rightly (p = .020 "
         "that luck does as well), and 19 of the 35 that noise may turn round."),
        ("separable_pairs", {**PAIRS, "p_value": 0.06},
         "Of these 10 systems' own 45 pairs, retrieval can tell 10 apart."),
        ("separable_pairs", {**PAIRS, "separable": 9}, "Of these 10 systems' own 45 pairs, retrieval can tell 9 apart, "
         "too few to judge a metric by."),
        ("separable_pairs", {**PAIRS, "tested": 5, "by": "B"}, f"{OWN}, retrieval by reference B can tell 10 apart; X "
         "orders 9 rightly (p = .020 that luck does as well, corrected for 5 metrics), and 19 of the 35 that "
         "noise may turn round."),
        ("separable_pairs", {**PAIRS, "of": "groups"}, f"{OWN} (first listed of each of 10 groups), "
         "retrieval can tell 10 apart; X orders 9 rightly (p = .020 that luck does as well), and 19 of the 35 that "
         "noise may turn round."),
        ("separable_pairs", {**PAIRS, "of": "groups", "separable": 9}, "Of these systems' own 45 pairs (first "
         "listed of each of 10 groups), retrieval can tell 9 apart, too few to judge a metric by."),
        ("separable_pairs", {**PAIRS, "separable": 45, "right": 44, "others": 0}, f"{OWN}, retrieval can tell 45 "
         "apart; X orders 44 rightly (p = .020 that luck does as well)."),
        ("separable_pairs", {**PAIRS, "of": "checkpoints", "p_value": nan}, "Of these 10 checkpoints' own 45 pairs, "
         "retrieval can tell 10 apart; X orders 9 rightly, and 19 of the 35 that noise may turn round."),
        ("foreign", {"systems": ["A", "B"], "typed": "A,B", "metric": "", "most": False},
         "A and B, perhaps no translation, may flatter all figures: systems.exclude=[A,B]."),
        ("foreign", {"systems": ["A"], "typed": "A", "metric": "X", "grade": "open", "most": False},
         "A, perhaps no translation, may flatter all figures; with systems.exclude=[A], no evidence remains."),
        ("queries", {"topics": QUERIES["topics"]}, f"{RARE}."),
        ("noise", {"measure": "MAP", "ceiling": 0.39, "topics": 61},
         "With these 61 topics, a perfect metric would order about 70 % of pairs rightly."),
        ("lowered", {"metric": "X", "by": "topics exchanged"},
         "With the two references exchanged, the evidence for X is weaker."),
        ("reference", {**BY_B, "lowered": ["X", "Y"]}, f"{WORSE}, and B lowered the grades of X and Y."),
        ("reference", {**BY_B, "lowered": []}, f"{WORSE}."),
        ("reference", {"by": "B", "noisy": True}, "Reference B, asked too, has too much noise to count."),
        ("reading", {"metric": "X", "units": "maker", "grade": "weak", "together": ["A-1", "A-2"]},
         "This assumes systems made independently; if A-1 and A-2 and others like them are variants of one "
         "system, type units=maker (by the names): then the evidence for X is weak."),
        ("reading", {"metric": "X", "units": "none", "grade": "strong", "grouped_by": "near-copies"},
         "If even near-copies were made independently, which clirbench does not assume, the evidence would be strong "
         "for X."),
        ("given", {"given": ["a", "b"], "tested": 0, "metrics": [], "p_value": nan, "note": "n"},
         "clirbench cannot tell whether a metric adds to a and b: n."),
        ("given", {"given": ["a"], "tested": 2, "metrics": ["X", "Y"], "p_value": 0.0004, "note": ""},
         "X and Y add to a (p < .001)."),
        ("range", {"metric": "X", "tau": 0.4, "ceiling": 0.3}, "Among the better half of the systems X orders 70 % of "
         "pairs; noise of the topics would hold a perfect metric to about 65 %."),
    ],
)  # fmt: skip
def test_each_kind_of_finding_has_a_sentence(kind: str, values: dict[str, object], said: str) -> None:
    assert sentence(Finding(kind, values=values)) == said
    assert set(OPTIONAL) <= {*TEMPLATES, "others", "basis"}


VALUES = {"BLEU": [1.0, 2.0, 3.0, 4.0]}


def test_a_column_that_tells_few_groups_apart_is_chosen_and_one_with_a_telling_name_first() -> None:
    metadata = {"id": [*"1234"], "size": [*"ssmm"], "family": [*"xyy "], "same": [*"aaaa"]}
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    found = grouping(made)
    assert (found.column, found.names, found.group_of) == ("family", ("x", "y", "(none)"), (0, 1, 1, 2))


def test_groups_that_are_numbers_rise_and_carry_the_name_of_the_column() -> None:
    found = grouped_by(board(VALUES, {}, {"size": ["1000000", "30000", "500000", "30000"]}), "size")
    assert found.names == ("size 30000", "size 500000", "size 1000000")
    assert found.group_of == (2, 0, 1, 0)


def test_without_metadata_all_are_one_group() -> None:
    found = grouping(board(VALUES, {}))
    assert (found.column, found.group_of) == ("", (0, 0, 0, 0))


def test_a_training_run_is_a_group_with_several_steps() -> None:
    metadata = {"step": ["1", "2", "1", "2"], "family": ["x", "y", "y", "x"], "size": ["s", "s", "m", "m"]}
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    assert training_runs(made).group_of == (0, 1, 1, 0)
    by_size = training_runs(board(VALUES, {}, {**metadata, "family": ["x", "y", "x", "y"]}))
    assert by_size.group_of == (0, 0, 1, 1)
    assert training_runs(board(VALUES, {}, {"step": ["1", "2", "3", "4"]})).group_of == (0, 0, 0, 0)
