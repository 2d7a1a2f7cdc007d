"""What a choice loses: regret and early stopping by hand, expected regret where all systems are equal."""

import numpy as np
import pytest

from clirbench.errors import ConfigError
from clirbench.labs.choosing.statistics.choice import Choice, choices, early_stopping
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.decision import decided
from clirbench.statistics.units.belonging import units_of
from tests.labs.choosing.statistics.test_training import checkpoints
from tests.statistics.worlds import Mean, scores_only, world


def made(evidence: Evidence, shortlists: tuple[int, ...] = (1, 2, 3, 5), **keywords: bool) -> list[Choice]:
    return choices(evidence, units_of(evidence.board), shortlists, **keywords)


def test_regret_by_hand() -> None:
    evidence = scores_only([[10, 30, 20, 5]], [[0.3, 0.2, 0.4, 0.5]])
    rows = {row.shortlist: row for row in made(evidence, (1, 2, 3, 5))}
    assert set(rows) == {1, 2, 3}
    assert [(row.pick, row.regret) for row in rows.values()] == [
        ("b01", pytest.approx(0.3)),
        ("c02", pytest.approx(0.1)),
        ("c02", pytest.approx(0.1)),
    ]
    assert rows[1].best == "d03"
    assert np.isnan(rows[1].expected_regret)
    assert rows[1].note == "y0 has no per-topic values, so its noise is unknown"
    assert rows[1].n_topics == 0


def test_ties_are_noted_and_direction_is_kept() -> None:
    board = Scoreboard(
        ("a", "b", "c"),
        (
            Column("TER", "metric", np.array([50.0, 40, 40]), higher_is_better=False),
            Column("MAP", "measure", np.array([0.1, 0.2, 0.3])),
        ),
    )
    (row,) = made(Evidence(board), (1,))
    assert row.pick == "b"
    assert row.note.startswith(
        "1 more tied with the last of the list; the first in order was taken; MAP has no per-topic"
    )


def test_all_of_the_regret_is_luck_where_all_systems_are_equal() -> None:
    """20 equal systems: measured regret is all luck, and next to none is expected elsewhere."""
    plain, expected = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(20, 50)) + np.linspace(0, 1e-6, 20)[:, None]
        board = Scoreboard(
            tuple(f"s{i}" for i in range(20)),
            (Column("m", "metric", rng.normal(size=20)), Column("y", "measure", values.mean(axis=1))),
        )
        (row,) = made(Evidence(board, per_topic={"y": values}, measures={"y": Mean()}), (1,))
        plain.append(row.regret)
        if not np.isnan(row.expected_regret):
            expected.append(row.expected_regret)
    assert np.mean(plain) > 0.2  # the largest of 20 means of 50 topics: 1.87 / sqrt(50) = .26 above the mean
    assert len(expected) <= 4  # so much noise is called too large


def test_expected_regret_is_that_of_the_decision() -> None:
    evidence = world(n=12, topics=60)
    decision = decided(evidence, units_of(evidence.board), "y0")
    for row in made(evidence, (1, 3)):
        own = decision[row.pick]
        assert row.expected_regret == own.expected_loss
        assert (row.low, row.high) == (max(0.0, -own.difference_high), max(0.0, -own.difference_low))


def test_the_whole_list_loses_nothing() -> None:
    evidence = world(n=6)
    rows = made(evidence, (6,))
    assert all(row.regret == 0 for row in rows)
    assert rows == made(evidence, (6,))


def test_sizes_below_1_are_refused_and_holes_left_out() -> None:
    with pytest.raises(ConfigError, match=r"shortlists=\[0\]"):
        made(world(), (0,))
    holed = scores_only([[1, float("nan"), 3]], [[1, 2, 3]])
    assert made(holed) == []
    assert [row.n_systems for row in made(holed, (1,), complete=True)] == [2]


def test_early_stopping_by_hand() -> None:
    # the metric peaks at step 2, dips, and peaks higher at step 5; retrieval rises all along (0, 1, ... 5)
    evidence = checkpoints(["0", "1", "2", "3", "4", "5"], x=[1, 2, 5, 4, 5, 6])
    rows = {row.patience: row for row in early_stopping(evidence, (1, 2, 3))}
    assert [(rows[p].stopped, rows[p].shipped, rows[p].value, rows[p].regret, rows[p].saved) for p in (1, 2, 3)] == [
        (3, 2, 2, 3, 2),
        (4, 2, 2, 3, 1),
        (5, 5, 5, 0, 0),
    ]
    assert rows[1].best_step == 5
    assert rows[1].n_steps == 6


def test_no_early_stopping_without_steps() -> None:
    assert early_stopping(checkpoints(["", ""])) == []
    with pytest.raises(ConfigError, match=r"patiences=\[0\]"):
        early_stopping(checkpoints(["1", "2"]), (0,))
