"""The decision as findings, sentences and tables: what is recommended, what is tied, what metrics would choose."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.errors import UnknownName
from clirbench.pages import written
from clirbench.report.answer import answered
from clirbench.report.decision import decision_findings, decision_sentences, decision_tables
from clirbench.report.folder import results
from clirbench.report.tables import all_tables
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import correlate, with_ceilings
from clirbench.statistics.grades import Evidence
from clirbench.systems.likeness import Resemblances
from tests.names import letter_names
from tests.report.analysed import result_of
from tests.report.boards import board, result
from tests.statistics.worlds import Mean, world


def run_of(evidence: Evidence, baseline: str = "", margin: float = 0.0) -> Result:
    """A finished run whose evidence is given."""
    made = replace(result_of(evidence), experiment=Experiment("made", Serial(), baseline=baseline, margin=margin))
    rows = with_ceilings(correlate(made.board, ("kendall",)), evidence, made.units)
    return replace(made, correlations=tuple(rows))


def equal(n: int = 10, topics: int = 40) -> Evidence:
    """Systems that differ by topic noise alone, and no metric."""
    values = np.random.default_rng(0).normal(size=(n, topics))
    columns = (Column("y0", "measure", values.mean(axis=1)),)
    systems = letter_names(n, width=2)
    return Evidence(Scoreboard(systems, columns), per_topic={"y0": values}, measures={"y0": Mean()})


def two(shift: float, topics: int = 40, noise: float = 0.1) -> Evidence:
    """`new` is better than `old` by `shift`."""
    rng = np.random.default_rng(1)
    hard = rng.normal(size=topics)
    values = np.stack([hard, hard + shift + noise * rng.normal(size=topics)])
    columns = (Column("MAP", "measure", values.mean(axis=1)),)
    return Evidence(Scoreboard(("old", "new"), columns), per_topic={"MAP": values}, measures={"MAP": Mean()})


def spread(gap: float, n: int = 8, topics: int = 60, metrics: tuple[tuple[float, ...], ...] = ()) -> Evidence:
    """The last system is better than the others, which are equal but for noise, by `gap` SDs of one topic."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1, topics)) + rng.normal(size=(n, topics))
    values[-1] += gap
    columns = (
        *(Column(f"m{at}", "metric", np.array(scores)) for at, scores in enumerate(metrics)),
        Column("MAP", "measure", values.mean(axis=1)),
    )
    systems = letter_names(n)
    return Evidence(Scoreboard(systems, columns), per_topic={"MAP": values}, measures={"MAP": Mean()})


def test_a_system_that_is_significantly_better_than_all() -> None:
    made = run_of(spread(2.0))
    (finding,) = decision_findings(made)
    near = max(made.decision.standings[1:], key=lambda row: row.difference)
    assert finding.as_dict() == {
        "kind": "recommendation", "measure": "MAP", "systems": ("h7",), "tied": (), "nearest": near.system,
        "lead": -near.difference, "interval": (-near.difference_high, -near.difference_low),
        "sentence": str(finding),
    }  # fmt: skip
    lead = f"{-near.difference:.3f} [{-near.difference_high:.3f}, {-near.difference_low:.3f}]".replace("0.", ".")
    assert str(finding) == (
        "clirbench recommends h7, which retrieval itself puts first by MAP: significantly better than all 7 others; "
        f"the nearest, {near.system}, is {lead} behind."
    )
    two_alone = decision_sentences(run_of(two(0.5)))[0]
    begin = (
        "clirbench recommends new, which retrieval itself puts first by MAP: significantly better than old, by .485 [."
    )
    assert two_alone.startswith(begin)


def test_a_recommended_system_that_is_near_the_reference() -> None:
    """The warning follows the recommendation where the searched reference itself says what is relevant."""
    nearest = Resemblances(nearest=("h3", "h7"))
    measure = Column("MAP", "measure", np.zeros(1), declared={"judged_by": "pseudo-relevance"})
    made = run_of(evidence := spread(2.0))
    assert len(decision_findings(replace(made, resemblances=nearest))) == 1
    measure = replace(measure, values=evidence.board["MAP"].values)
    made = run_of(replace(evidence, board=replace(evidence.board, columns=(measure,))))
    values = dict(zip(made.board.systems, measure.values.tolist(), strict=True))
    other = max(values.keys() - {"h3", "h7"}, key=values.__getitem__)
    said = "h7 repeats wording that only the reference has; by another reference it may not be first, and "
    said += "grades may differ. clirbench "
    said += f"recommends no system before another reference compares it with {other}."
    assert decision_sentences(replace(made, resemblances=nearest))[1:] == (said,)
    assert len(decision_findings(replace(made, resemblances=Resemblances(nearest=("h3",))))) == 1


def test_every_reference_that_was_asked_decides() -> None:
    """Recommended is what is in the set of each of two references, which are given, the first system of each first."""
    both, tied = "By references A and B, clirbench recommends ", "statistically tied with the first"
    lost = ".300 [.200, .400] behind. The references disagree, so clirbench recommends no system;"
    lost += " one more reference, or relevance judged by people, would help."
    columns = (evidence := spread(2.0, metrics=((*range(7), 9.0),))).board.columns
    board = replace(
        evidence.board, columns=(columns[0], replace(columns[1], declared={"judged_by": "pseudo-relevance"}))
    )
    made = replace(run_of(replace(evidence, board=board)), resemblances=Resemblances(nearest=("h7",)))
    row, own = made.decision.standings[0], made.decision
    for sets, said, choice in (
        ("h7 h7", f"{both}h7, which retrieval itself puts first by MAP; no other is tied.", "m0 picks h7."),
        ("h7a0 a0h7", f"{both}h7, by reference A first in MAP, by B {tied}; tied by both: a0.", "m0 picks h7."),
        (
            "h7a0 b1a0",
            f"{both}a0, by both in MAP {tied}; no other is tied.",
            "m0 picks h7; that costs .300 [.200, .400] MAP",
        ),
        (
            "h7 a0",
            f"By reference A, h7 is first by MAP and a0 .300 [.200, .400] behind; by B, a0 is first and h7 {lost}",
            "m0 picks h7; that costs .300",
        ),
    ):
        made.__dict__["decisions"] = {
            name: replace(own, standings=tuple(
                replace(row, system=s, value=-at, difference=-0.3, difference_low=-0.4, difference_high=-0.2,
                        in_set=s in of)
                for at, s in enumerate(sorted(board.systems, key=lambda s, of=of: (of.find(s) % 9, s)))
            )) for name, of in zip("AB", sets.split(), strict=True)
        }  # fmt: skip
        fresh = replace(made)
        fresh.__dict__.update(decisions=made.decisions, decision=made.decisions["A"])
        near = "h7 repeats wording that only reference A has, so figures by A may favour it."
        assert (sentences := decision_sentences(fresh))[:2] == (said, near)
        assert sentences[2].startswith(choice)
        assert len(said.partition(". The references")[0].partition("tied: ")[0].split()) <= 25
        assert results(fresh)["warnings"] == [*sentences[said.startswith(both) : 2]]


def test_a_system_that_is_tied_with_some() -> None:
    made = run_of(world(n=12, topics=60))
    decision = made.decision
    assert 0 < len(decision.tied) < 11
    first, *others = decision_findings(made)
    assert first.values["tied"] == decision.tied
    begin = (
        f"clirbench recommends {decision.recommended[0]}, which retrieval itself puts first by y0; statistically tied: "
    )
    assert str(first).startswith(begin)
    assert all(name in str(first) for name in decision.tied[:5])
    for copies, end in ((decision.tied, " (of nearly the same text)."), (decision.tied[1:], ".")):
        near = Resemblances(near={(decision.recommended[0], name): 0.9 for name in copies})
        assert decision_sentences(replace(made, resemblances=near))[0] == str(first)[:-1] + end
    # On real topics P(best) was off by up to .33: it is a column of the table, and no sentence.
    assert not any("p_best" in finding.values for finding in (first, *others))


def test_the_nearest_is_the_one_of_the_smallest_loss() -> None:
    """On WMT24 the nearest was named by the limit of its interval: TranssionMT (-.040), not Gemini-1.5-Pro (-.026)."""
    made = run_of(spread(2.0))
    first, second, *rest = made.decision.standings
    wide = replace(second, difference=-0.03, difference_low=-0.05, difference_high=-0.01)
    narrow = replace(rest[-1], difference=-0.04, difference_low=-0.075, difference_high=-0.005)
    made.__dict__["decision"] = replace(made.decision, standings=(first, wide, narrow))
    (finding,) = decision_findings(made)
    assert (finding["nearest"], finding["lead"]) == (wide.system, 0.03)


def test_a_rise_is_of_the_metric_that_the_answer_names_first() -> None:
    """Under a headline about m1 "+1 m0 ..." was said, where nothing is known of a rise of m1."""
    for noise, headline, said in (((0.3, 0.1), "m1", []), ((0.3, 0.3), "m0", ["m0"])):
        made = run_of(world(n=12, topics=60, noise=noise))
        assert answered(made).findings[0]["metric"] == headline
        assert {pick.metric for pick in made.decision.picks if pick.better_low > 0.5} == {"m0"}
        rises = [f for f in decision_findings(made) if f.kind == "rise"]
        assert [rise["metric"] for rise in rises] == said
        for rise in rises:
            (pick,) = [pick for pick in made.decision.picks if pick.metric == rise["metric"]]
            begin = "Of two of these systems 1 point of m0 apart, the higher one is better by y0 with probability "
            ends = f"[{pick.better_low:.3f}, {pick.better_high:.3f}]".replace("0.", ".")
            assert str(rise) == f"{begin}{pick.better:.3f} {ends}.".replace(" 0.", " .")


def test_a_ranking_of_the_reference_speaks_for_this_reference() -> None:
    for evidence, begins in (
        (world(n=12, topics=60), "clirbench recommends"),
        (equal(n=4, topics=20), "all 4 systems"),
    ):
        columns = tuple(replace(c, declared={"judged_by": "pseudo-relevance"}) for c in evidence.board.columns)
        made = run_of(replace(evidence, board=replace(evidence.board, columns=columns)))
        assert decision_sentences(made)[0].startswith(f"By this reference, {begins}")


def test_separable_pairs_are_a_table_of_the_run() -> None:
    made = run_of(world(n=12, topics=60))
    (table,) = [table for table in all_tables(made) if table.name == "separable_pairs"]
    assert table.records == made.separable
    assert [row[:2] for row in table.rows] == [("y0", "m0"), ("y0", "m1")]
    assert 0 < made.separable[0].separable < made.separable[0].pairs == 66
    without = result(board({"A": [1, 2]}, {"MAP": [1, 2]}))
    assert without.separable == ()


def test_systems_that_are_equal_have_no_winner() -> None:
    (said,) = decision_sentences(run_of(equal(n=4, topics=20)))
    assert said.startswith("All 4 systems are statistically tied; c02 ")
    assert said.endswith(" has the highest y0. Choose the cheapest, or add topics.")


def test_what_metrics_choose_and_lose() -> None:
    right, wrong = (*range(7), 9.0), (9.0, *range(7))
    made = run_of(spread(2.0, metrics=(right, wrong, right)))
    loss = made.decision["a0"]
    _, too, lost = decision_sentences(made)
    assert too == "Each of m0 and m2 picks h7."
    cells = [f"{-v:.3f}" for v in (loss.difference, loss.difference_high, loss.difference_low)]
    assert lost == f"m1 picks a0; that costs {cells[0]} [{cells[1]}, {cells[2]}] MAP.".replace("0.", ".")
    tables = {table.name: table for table in decision_tables(made)}
    row = dict(zip(tables["picks"].header, tables["picks"].rows[1], strict=True))
    assert (row["metric"], row["system"], row["tied"]) == ("m1", "a0", "false")
    losses = (-loss.difference, -loss.difference_high, -loss.difference_low)
    assert (row["loss"], row["loss_low"], row["loss_high"]) == losses


def test_what_every_metric_picks_is_named_the_costliest_first() -> None:
    made = run_of(spread(2.0, metrics=((*range(7), 9.0), (9.0, *range(7)), (0.0, 9.0, *range(6)))))
    picks = sorted(made.decision.picks[1:], key=lambda pick: made.decision[pick.system].difference)
    said = [sentence.partition(";")[0] for sentence in decision_sentences(made)[1:4]]
    assert said == ["m0 picks h7.", *(f"{pick.metric} picks {pick.system}" for pick in picks)]


def test_nothing_is_recommended_where_the_reference_may_be_in_another_language() -> None:
    """A source in the place of the reference once recommended a system as significantly better than all others."""
    made = run_of(spread(2.0))
    for n, begins in ((len(made.board.systems) // 2, "clirbench recommends"), (None, "clirbench cannot recommend")):
        of = replace(made, health=[SimpleNamespace(system=name, foreign=True) for name in made.board.systems[:n]])
        assert decision_sentences(of)[0].startswith(begins)


def test_a_choice_that_is_tied_is_right() -> None:
    evidence = world(n=12, topics=60, noise=(0.6,))
    tied = run_of(evidence).decision.tied[-1]
    chooses = Column("m0", "metric", np.array([float(system == tied) for system in evidence.systems]))
    board = Scoreboard(evidence.systems, (chooses, evidence.board["y0"]))
    made = run_of(replace(evidence, board=board))
    (pick,) = made.decision.picks
    assert pick.system in made.decision.tied
    (finding,) = [f for f in decision_findings(made) if f.kind == "choice"]
    assert str(finding) == f"m0 picks {tied}, tied with {made.decision.recommended[0]}."


@pytest.mark.parametrize("evidence", [world(n=12, topics=60), world(n=40, topics=200), spread(2.0), equal()])
def test_sentences_are_short(evidence: Evidence) -> None:
    """At most 25 words, names of tied systems apart, and three numbers; an interval counts as one."""
    for sentence in decision_sentences(run_of(evidence)):
        words = sentence.partition("tied: ")[0].split()
        assert len(words) <= 25
        bare = re.sub(r"\b[a-z]\d+\b|\bt?y0\b", "", re.sub(r"\[[^]]*\]", "", sentence))
        assert len(re.findall(r"\d+", bare)) <= 3
        assert not re.search(r"\b(ship|shipped|unit|trust)", sentence, re.IGNORECASE)


def test_nothing_is_decided_from_scores_alone() -> None:
    made = result(board({"BLEU": [1, 2, 3, 4, 5, 6]}, {"MAP": [1, 2, 3, 4, 5, 6]}))
    assert decision_sentences(made) == (
        "clirbench cannot recommend a system: MAP has no per-topic values, so its noise is unknown. "
        "g6 has the highest MAP.",
    )
    assert decision_tables(made) == ()
    assert decision_sentences(result(board({"A": [1, 2]}, {}))) == ()


def test_a_measure_with_topics_takes_the_place_of_a_first_one_without() -> None:
    evidence = world(n=12, topics=60, measures=2)
    made = run_of(replace(evidence, per_topic={"y1": evidence.per_topic["y1"]}), baseline="a00")
    assert made.decision.measure == made.decided_by == "y1"
    sentences = decision_sentences(made)
    assert sentences[0].startswith("Better than the baseline a00 by y1")
    assert any(said.startswith("By y1 (y0 has no topics), clirbench recommends ") for said in sentences)


def test_the_cheapest_checkpoint_of_the_set_and_the_mean_over_seeds() -> None:
    rng = np.random.default_rng(0)
    steps = np.tile(np.arange(1.0, 9), 2)
    quality = np.minimum(steps, 5) / 2
    values = quality[:, None] + rng.normal(size=(1, 60)) + 0.5 * rng.normal(size=(16, 60))
    names = tuple(f"seed{i // 8}-step{1000 * (i % 8 + 1)}" for i in range(16))
    metadata = {"seed": tuple(str(i // 8) for i in range(16)), "step": tuple(f"{1000 * s:.0f}" for s in steps)}
    columns = (Column("BLEU", "metric", quality), Column("MAP", "measure", values.mean(axis=1)))
    made = run_of(Evidence(Scoreboard(names, columns, metadata), per_topic={"MAP": values}, measures={"MAP": Mean()}))
    (cheapest,) = [said for said in decision_sentences(made) if said.startswith("The cheapest")]
    kept = [row.system for row in made.decision.standings if row.in_set]
    least = min(kept, key=lambda name: int(name.partition("step")[2]))
    assert cheapest == f"The cheapest of the tied systems, trained least, is {least}."
    (table, _) = decision_tables(made)
    value = {row[0]: row[2] for row in table.rows}
    over = {row[0]: row[3] for row in table.rows}
    assert over["seed0-step3000"] == over["seed1-step3000"]
    assert over["seed0-step3000"] == pytest.approx((value["seed0-step3000"] + value["seed1-step3000"]) / 2)


def test_less_is_better_in_the_measure_as_printed() -> None:
    evidence = world(n=6, topics=50)
    column = replace(evidence.board["y0"], higher_is_better=False)
    made = replace(evidence, board=replace(evidence.board, columns=(*evidence.board.metrics, column)))
    table, picks = decision_tables(run_of(made))
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert [row["value"] for row in rows] == sorted(row["value"] for row in rows)
    for row in rows:
        assert row["low"] < row["value"] < row["high"]
        assert row["difference"] == row["value"] - rows[0]["value"] >= 0
        assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert all(loss >= 0 for loss in (row[3] for row in picks.rows))


@pytest.mark.parametrize(
    ("shift", "margin", "said", "worse"),
    [
        (0.1, 0.0, "new is better than old by MAP: +.", False),
        (-0.1, 0.0, "new is worse than old by MAP: -.", True),
        (0.0, 0.1, "new is not worse than old by more than 0.1 MAP: ", False),
        (-0.1, 0.2, "new is not worse than old by more than 0.2 MAP: ", False),
        (0.0, 0.0, "Whether new is better than old by MAP is undecided: ", False),
    ],
)
def test_two_systems_and_no_metric(shift: float, margin: float, said: str, worse: bool) -> None:
    made = run_of(two(shift), "old", margin)
    assert decision_sentences(made)[0].startswith(said)
    assert "P(better)" in decision_sentences(made)[0]
    assert ("P(loss > " in decision_sentences(made)[0]) == (margin > 0)
    assert made.worse == worse
    (table,) = [table for table in decision_tables(made) if table.name == "baseline"]
    assert table.rows[0][0] == "new"


def test_many_candidates_are_corrected_for_their_number() -> None:
    evidence = world(n=8, topics=80)
    made = run_of(evidence, "c02")
    said = decision_sentences(made)
    assert said[0].startswith("Better than the baseline c02 by y0, corrected for 7 candidates: h07")
    assert not made.worse
    both = run_of(evidence.only(np.isin(np.arange(8), [0, 1, 7])), "h07")
    assert decision_sentences(both)[0] == "Worse than the baseline h07 by y0, corrected for 2 candidates: all of them."
    assert both.worse
    assert not run_of(evidence.only(np.isin(np.arange(8), [0, 6, 7])), "g06").worse


def test_few_topics_and_unknown_names() -> None:
    few = "clirbench cannot tell whether new is better than old by MAP: 6 topics: at least 8 are needed."
    assert decision_sentences(run_of(two(0.1, topics=6), "old"))[0] == few
    with pytest.raises(UnknownName, match="Did you mean 'old'"):
        decision_sentences(run_of(two(0.1), "odl"))
    alone = replace(result(board({"B": [1, 2]}, {"MAP": [1, 2]})), experiment=Experiment("x", Serial(), baseline="b1"))
    assert "no per-topic values" in decision_sentences(alone)[0]


def test_probabilities_round_to_neither_0_nor_1() -> None:
    assert [written("p_best", p) for p in (1.0, 0.9996, 0.5, 0.0001)] == ["> .999", "> .999", ".500", "< .001"]
