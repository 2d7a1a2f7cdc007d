"""Decisions from evidence: the right system, reasons for none, picks, sides that are no arithmetic means."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import t

from clirbench.measures.base import geometric
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.decision import Decision, decided, measure_with_topics, topic_values
from clirbench.statistics.grades import Evidence
from tests.statistics.worlds import Mean, scores_only, world


@dataclass(frozen=True)
class Geometric(Mean):
    def aggregate(self, values: np.ndarray) -> np.ndarray:
        return geometric(values)


def decide(evidence: Evidence) -> Decision:
    return decided(evidence, units_of(evidence.board), "y0")


def test_the_best_system_is_recommended() -> None:
    evidence = world(n=12, topics=60)
    found = decide(evidence)
    first = found.standings[0]
    assert (found.reason, found.n_topics, found.recommended) == ("", 60, (first.system,))
    assert first.in_set
    assert (first.difference, first.difference_low, first.difference_high) == (0, 0, 0)
    assert sum(row.p_best for row in found.standings) == pytest.approx(1)
    assert {row.system for row in found.standings[-4:]} <= {"a00", "b01", "c02", "d03", "e04", "f05"}
    values = dict(zip(evidence.systems, evidence.board["y0"].values.tolist(), strict=True))
    for row in found.standings:
        assert row.difference == pytest.approx(values[row.system] - values[first.system])
        assert row.low < row.value < row.high
        assert row.in_set == (row.difference_high >= 0)
        assert found[row.system] == row
    assert found.tied == tuple(row.system for row in found.standings[1:] if row.in_set)


def test_an_interval_of_a_mean_is_at_least_that_of_student() -> None:
    evidence = world(n=4, topics=30)
    row = decide(evidence)["c02"]
    values = evidence.per_topic["y0"][2]
    low, high = t.interval(0.95, 29, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(30))
    assert row.low <= low + 1e-12
    assert row.high >= high - 1e-12
    assert row.high - row.low < 1.2 * (high - low)


def test_systems_with_the_same_values_are_recommended_together() -> None:
    evidence = world(n=6, topics=40)
    values = evidence.per_topic["y0"].copy()
    values[0] = values[values.mean(axis=1).argmax()]
    column = Column("y0", "measure", values.mean(axis=1))
    board = replace(evidence.board, columns=(*evidence.board.metrics, column))
    found = decide(replace(evidence, board=board, per_topic={"y0": values}))
    assert len(found.recommended) == 2
    assert "a00" in found.recommended
    assert not set(found.tied) & set(found.recommended)


def test_what_metrics_choose() -> None:
    evidence = world(n=12, topics=60)
    tied = Column("tied", "metric", np.array([1.0, 1.0, *[0.0] * 10]))
    known = Column("step", "metric", np.arange(12.0))
    constant = Column("same", "metric", np.ones(12))
    board = replace(evidence.board, columns=(*evidence.board.columns, tied, known, constant))
    found = decided(replace(evidence, board=board), units_of(board, "none"), "y0")
    picks = {pick.metric: pick for pick in found.picks}
    assert list(picks) == ["m0", "m1", "tied"]
    for name in ("m0", "m1"):
        assert picks[name].system == evidence.systems[int(evidence.board[name].values.argmax())]
    worse = evidence.systems[int(evidence.board["y0"].values[:2].argmin())]
    assert picks["tied"].system == worse  # of those that tie, the worst by the measure
    assert 0.5 < picks["m0"].better_low < picks["m0"].better < picks["m0"].better_high < 1


def test_a_rise_by_1_outside_of_what_systems_show_is_not_predicted() -> None:
    evidence = world(n=12, topics=60)
    small = tuple(replace(column, values=column.values / 100) for column in evidence.board.metrics)
    board = replace(evidence.board, columns=(*small, evidence.board["y0"]))
    assert all(np.isnan(pick.better) for pick in decide(replace(evidence, board=board)).picks)


def test_reasons() -> None:
    assert decide(world(topics=4)).reason == "4 topics: at least 5 are needed"
    without = decide(scores_only([[1, 2, 3]], [[1, 2, 3]])).reason
    assert without == "y0 has no per-topic values, so its noise is unknown"
    assert "same for all" in decide(scores_only([[1, 2, 3]], [[1, 1, 1]])).reason
    assert "at least 2" in decide(scores_only([[1]], [[1]])).reason


def test_less_is_better() -> None:
    evidence = world(n=6, topics=50)
    column = replace(evidence.board["y0"], higher_is_better=False)
    board = replace(evidence.board, columns=(*evidence.board.metrics, column))
    found = decide(replace(evidence, board=board))
    assert found.standings[-1].system in {"e04", "f05"}


def test_an_aggregate_that_is_no_mean() -> None:
    evidence = world(n=4, topics=9)
    values = np.exp(evidence.per_topic["y0"])
    column = Column("y0", "measure", geometric(values))
    board = replace(evidence.board, columns=(*evidence.board.metrics, column))
    made = Evidence(board, per_topic={"y0": values}, measures={"y0": Geometric()})
    found = topic_values(made, "y0")
    assert found is not None
    whole = geometric(values[0])
    assert found[0, 2] == pytest.approx(9 * whole - 8 * geometric(np.delete(values[0], 2)))


def test_checkpoints_have_no_probability_but_its_reason() -> None:
    evidence = world(n=12)
    steps = {"step": tuple(map(str, range(12)))}
    found = decide(replace(evidence, board=replace(evidence.board, metadata=steps)))
    assert all(row.note.startswith("no p_best: checkpoints along training") for row in found.standings)
    assert all(pick.note for pick in found.picks if np.isnan(pick.better))


def test_few_topics_and_noise_are_reasons() -> None:
    assert decide(world(n=12, topics=19)).standings[0].note == "no p_best: 19 topics, at least 20 are needed"
    rng = np.random.default_rng(0)
    evidence, values = world(n=10, topics=40), rng.normal(size=(10, 40))
    board = replace(evidence.board, columns=(*evidence.board.metrics, Column("y0", "measure", values.mean(axis=1))))
    noisy = decide(replace(evidence, board=board, per_topic={"y0": values}))
    assert noisy.standings[0].note.startswith("no p_best: reliability may be .0")
    assert not decide(world(n=12, topics=60)).standings[0].note


def test_more_systems_than_can_be_compared_have_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = scores_only([[10, 30, 20, 5]], [[0.3, 0.2, 0.4, 0.5]])
    monkeypatch.setattr("clirbench.statistics.decision.MOST_SYSTEMS", 3)
    found = decided(evidence, units_of(evidence.board), evidence.board.measures[0].name)
    assert found.reason == "4 systems: at most 3 are compared"


def test_a_measure_without_topics_gives_way_to_one_that_has_some() -> None:
    evidence = world(n=6, measures=2)
    bare = replace(evidence, per_topic={"y1": evidence.per_topic["y1"]})
    assert measure_with_topics(evidence, "y0") == "y0"
    assert measure_with_topics(bare, "y0") == "y1"
    assert measure_with_topics(replace(evidence, per_topic={}), "y0") == "y0"


def test_the_decision_leaves_out_systems_without_a_value_and_takes_steps() -> None:
    evidence = world(n=8, topics=40)
    holed = replace(evidence.board["y0"], values=np.where(np.arange(8) == 7, np.nan, evidence.board["y0"].values))
    steps = {"step": tuple(str(100 * i) for i in range(8))}
    board = Scoreboard(evidence.systems, (*evidence.board.metrics, holed), steps)
    part = replace(evidence, board=board)
    found = decided(part, units_of(board), "y0")
    assert (found.reason, len(found.standings)) == ("", 7)
    assert "h07" not in {row.system for row in found.standings}
