"""What a choice loses: regret and early stopping by hand, and halves of the topics that take away the bias."""

import numpy as np
import pytest

from clirbench.errors import ConfigError
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.choice import choices, early_stopping
from clirbench.statistics.evidence import Evidence
from tests.statistics.test_training import checkpoints
from tests.statistics.worlds import Mean, scores_only, world


def test_regret_by_hand() -> None:
    evidence = scores_only([[10, 30, 20, 5]], [[0.3, 0.2, 0.4, 0.5]])
    rows = {row.shortlist: row for row in choices(evidence, (1, 2, 3, 5))}
    assert set(rows) == {1, 2, 3}
    assert [(row.pick, row.regret) for row in rows.values()] == [
        ("s01", pytest.approx(0.3)),
        ("s02", pytest.approx(0.1)),
        ("s02", pytest.approx(0.1)),
    ]
    assert rows[1].best == "s03"
    assert np.isnan(rows[1].regret_split)
    assert rows[1].n_topics == rows[1].splits == 0


def test_ties_are_noted_and_direction_is_kept() -> None:
    board = Scoreboard(
        ("a", "b", "c"),
        (
            Column("TER", "metric", np.array([50.0, 40, 40]), higher_is_better=False),
            Column("MAP", "measure", np.array([0.1, 0.2, 0.3])),
        ),
    )
    (row,) = choices(Evidence(board), (1,))
    assert row.pick == "b"
    assert row.note == "1 more tied with the last of the list; the first in order was taken"


def test_split_halves_are_unbiased_where_all_systems_are_equal() -> None:
    """20 equal systems: measured regret is all luck, and about 0 on topics that did not name the best."""
    plain, split = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(20, 50))
        board = Scoreboard(
            tuple(f"s{i}" for i in range(20)),
            (Column("m", "metric", rng.normal(size=20)), Column("y", "measure", values.mean(axis=1))),
        )
        (row,) = choices(Evidence(board, per_topic={"y": values}, measures={"y": Mean()}), (1,), splits=50)
        plain.append(row.regret)
        split.append(row.regret_split)
    assert np.mean(plain) > 0.2  # the largest of 20 means of 50 topics: 1.87 / sqrt(50) = .26 above the mean
    assert abs(np.mean(split)) < 0.08
    assert row.splits == 50


def test_the_whole_list_loses_nothing() -> None:
    evidence = world(n=6)
    rows = choices(evidence, (6,), splits=20)
    assert all(row.regret == 0 and row.regret_split == 0 for row in rows)
    assert rows == choices(evidence, (6,), splits=20)


def test_sizes_below_1_are_refused_and_holes_left_out() -> None:
    with pytest.raises(ConfigError, match=r"shortlists=\[0\]"):
        choices(world(), (0,))
    holed = scores_only([[1, float("nan"), 3]], [[1, 2, 3]])
    assert choices(holed) == []
    assert [row.n_systems for row in choices(holed, (1,), complete=True)] == [2]


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
