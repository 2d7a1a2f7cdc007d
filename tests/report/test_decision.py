"""The decision in words: what is shipped, what cannot be told from it, what is said of a baseline; and its tables."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.errors import UnknownName
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables, probability
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import correlate, with_corrections
from clirbench.statistics.evidence import Evidence
from tests.report.boards import board, result
from tests.statistics.worlds import Mean, world


def run_of(evidence: Evidence, baseline: str = "", margin: float = 0.0, same_lines: bool = False) -> Result:
    """A finished run whose evidence is given."""

    class Given(Result):
        @property
        def evidence(self) -> Evidence:
            return evidence

        @property
        def same_lines(self) -> bool:
            return same_lines

    experiment = Experiment("made", Serial(), baseline=baseline, margin=margin)
    made = Given(experiment, evidence.board, ())
    rows = with_corrections(correlate(made.board, ("kendall",)), evidence, made.units, same_lines=same_lines)
    return replace(made, correlations=tuple(rows))


def equal(n: int = 10, topics: int = 40) -> Evidence:
    """Systems that differ by topic noise alone, and no metric."""
    values = np.random.default_rng(0).normal(size=(n, topics))
    columns = (Column("y0", "measure", values.mean(axis=1)),)
    systems = tuple(f"s{i:02d}" for i in range(n))
    return Evidence(Scoreboard(systems, columns), per_topic={"y0": values}, measures={"y0": Mean()})


def two(shift: float, topics: int = 40, noise: float = 0.1) -> Evidence:
    """`new` is better than `old` by `shift`."""
    rng = np.random.default_rng(1)
    hard = rng.normal(size=topics)
    values = np.stack([hard, hard + shift + noise * rng.normal(size=topics)])
    columns = (Column("MAP", "measure", values.mean(axis=1)),)
    return Evidence(Scoreboard(("old", "new"), columns), per_topic={"MAP": values}, measures={"MAP": Mean()})


def test_what_is_shipped_and_what_cannot_be_told_from_it() -> None:
    evidence = world(n=12, topics=60)
    made = run_of(evidence)
    first, *others = made.decision.standings
    alike = [row.system for row in others if row.in_set]
    said = decision_sentences(made)
    assert said[0].startswith(f"Ship {first.system} (P(best) .")
    if alike:
        assert "cannot be told from it: " in said[0]
    assert all(name in said[0] for name in alike)
    picked = said[-1]
    assert "would have picked" in picked
    assert "m0" in picked
    assert "m1" in picked
    (table,) = decision_tables(made)
    assert table.header[:3] == ("system", "measure", "value")
    assert [row[0] for row in table.rows] == [row.system for row in made.decision.standings]
    assert [row[-1] for row in table.rows].count("true") == 1 + len(alike)
    assert table.rows[0][2] == evidence.board["y0"].values[made.board.systems.index(first.system)]


def test_probabilities_are_of_systems_and_never_of_metrics() -> None:
    made = run_of(world(n=12, topics=60))
    for sentence in (*decision_sentences(made), *answered(made).sentences):
        assert sentence.count("P(best)") == sentence.startswith(("Ship ", "By "))


def test_systems_that_are_equal_have_no_winner() -> None:
    said = decision_sentences(run_of(equal(n=4, topics=20)))
    assert said[0].startswith("By y0 any of these 4 systems may be the best; first comes ")
    assert "expected loss" not in said[0]


def test_nothing_is_decided_from_scores_alone() -> None:
    made = result(board({"BLEU": [1, 2, 3, 4, 5, 6]}, {"MAP": [1, 2, 3, 4, 5, 6]}))
    assert decision_sentences(made) == (
        "Which system is the best by MAP is not said: no per-topic values: the noise of the measure is not known.",
    )
    assert decision_tables(made) == ()
    assert decision_sentences(result(board({"A": [1, 2]}, {}))) == ()


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
    least = min(int(name.partition("step")[2]) for name in kept)
    assert f"(step {least})." in cheapest
    (table,) = decision_tables(made)
    mean = {row[0]: row[3] for row in table.rows}
    over = {row[0]: row[4] for row in table.rows}
    assert over["seed0-step3000"] == over["seed1-step3000"]
    assert over["seed0-step3000"] == pytest.approx((mean["seed0-step3000"] + mean["seed1-step3000"]) / 2)


def test_less_is_better_in_the_measure_as_printed() -> None:
    evidence = world(n=6, topics=50)
    column = replace(evidence.board["y0"], higher_is_better=False)
    made = replace(evidence, board=replace(evidence.board, columns=(*evidence.board.metrics, column)))
    (table,) = decision_tables(run_of(made))
    for _, _, value, mean, _, low, high, *_ in table.rows:
        assert low < mean < high
        assert abs(value - mean) < 1


@pytest.mark.parametrize(
    ("shift", "margin", "said", "worse"),
    [
        (0.1, 0.0, "new is better than old by MAP: +.", False),
        (-0.1, 0.0, "new is worse than old by MAP: -.", True),
        (0.0, 0.1, "new is not worse than old by more than 0.1 MAP: ", False),
        (-0.1, 0.2, "new is not worse than old by more than 0.2 MAP: ", False),
        (0.0, 0.0, "Whether new is better than old by MAP is open: ", False),
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
    made = run_of(evidence, "s02")
    said = decision_sentences(made)
    assert said[0].startswith("Better than s02 by y0, corrected for 7 candidates: s0")
    assert not made.worse
    both = run_of(evidence.only(np.isin(np.arange(8), [0, 1, 7])), "s07")
    assert decision_sentences(both)[0] == "Worse than s07 by y0, corrected for 2 candidates: all of them."
    assert both.worse
    assert not run_of(evidence.only(np.isin(np.arange(8), [0, 6, 7])), "s06").worse


def test_few_topics_and_unknown_names() -> None:
    few = run_of(two(0.1, topics=6), "old")
    assert decision_sentences(few)[0] == (
        "Whether new is better than old by MAP cannot be said: 6 topics: at least 8 are needed."
    )
    with pytest.raises(UnknownName, match="Did you mean 'old'"):
        decision_sentences(run_of(two(0.1), "odl"))
    alone = replace(result(board({"B": [1, 2]}, {"MAP": [1, 2]})), experiment=Experiment("x", Serial(), baseline="s1"))
    assert "no per-topic values" in decision_sentences(alone)[0]


def test_probabilities_round_to_neither_0_nor_1() -> None:
    assert [probability(p) for p in (1.0, 0.9996, 0.5, 0.0001)] == ["> .999", "> .999", ".500", "< .001"]
