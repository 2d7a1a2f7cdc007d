"""Separable pairs: as scipy tests them, counted by hand, luck by enumeration."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_rel

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.grades import Evidence
from clirbench.statistics.pairs import by_luck, separable_order, separable_pairs
from tests.statistics.worlds import Mean, scores_only, world


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = 0.4 * rng.normal(size=(9, 1)) + rng.normal(size=30) + rng.normal(size=(9, 30))
    pairs = list(combinations(range(9), 2))
    adjusted = false_discovery_control([ttest_rel(values[i], values[j]).pvalue for i, j in pairs])
    told = separable_order(values)
    assert [told[pair] != 0 for pair in pairs] == (adjusted <= 0.05).tolist()
    assert 0 < (adjusted <= 0.05).sum() < len(pairs)
    assert (told == -told.T).all()
    better = [np.sign(values[i].mean() - values[j].mean()) for i, j in pairs]
    assert all(told[pair] in (0, sign) for pair, sign in zip(pairs, better, strict=True))


def test_copies_and_equal_differences_are_not_separable_order() -> None:
    values = np.random.default_rng(0).normal(size=20)
    assert not separable_order(np.stack([values, values, values + 0.3])).any()


def made(values: np.ndarray, metrics: dict[str, list[float]], **metadata: tuple[str, ...]) -> Evidence:
    columns = [Column(name, "metric", np.array(row)) for name, row in metrics.items()]
    board = Scoreboard(
        tuple("abcdefgh"[: len(values)]), (*columns, Column("MAP", "measure", values.mean(axis=1))), metadata
    )
    return Evidence(board, per_topic={"MAP": values}, measures={"MAP": Mean()})


def four() -> np.ndarray:
    """a > b > c by 1 each, noise .1; d is just above c, noise 9: of six pairs (a,b), (a,c) and (b,c) are told."""
    noise = np.random.default_rng(1).normal(size=(4, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    return np.array([[2.0], [1.0], [0.0], [1e-3]]) + np.array([[0.1], [0.1], [0.1], [9.0]]) * noise


def test_right_pairs_by_hand() -> None:
    """Of the told pairs m has all three, t ties a and b (not right), w has none; of the others, (a,d), (b,d) and (d,c),
    m has the first two, t has all, w has (d,c)."""
    metrics = {"m": [4.0, 3, 2, 1], "t": [3.0, 3, 1, 2], "w": [1.0, 2, 3, 4]}
    evidence = made(four(), metrics)
    rows = separable_pairs(evidence, "MAP", units_of(evidence.board, "none"))
    assert [(row.metric, row.pairs, row.separable, row.right, row.others, row.others_right) for row in rows] == [
        ("m", 6, 3, 3, 3, 2), ("t", 6, 3, 2, 3, 3), ("w", 6, 3, 0, 3, 1),
    ]  # fmt: skip
    # Permuted together: of 24 orders 4 have a > b > c by m, 4 others by w (m turned round), and 2 others by t, whose
    # values 3, 3, 1, 2 have two ways to be strictly in order.
    assert rows[0].p_value == pytest.approx(10 / 24)
    assert (rows[0].separable, rows[0].others_right) == (3, 2)


def test_where_less_is_better() -> None:
    evidence = made(four(), {"TER": [1.0, 2, 3, 4]})
    turned = tuple(replace(column, higher_is_better=column.name != "TER") for column in evidence.board.columns)
    turned_evidence = replace(evidence, board=replace(evidence.board, columns=turned))
    (row,) = separable_pairs(turned_evidence, "MAP", units_of(evidence.board, "none"))
    assert (row.right, row.others_right) == (3, 2)


@pytest.mark.parametrize(("metrics", "seed"), [(1, 0), (1, 1), (3, 2), (3, 3)])
def test_luck_is_that_of_all_orders(metrics: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.integers(6, size=(metrics, 6)).astype(np.int16)
    better = np.triu(rng.random((6, 6)) < 0.6, 1)

    def right(row: np.ndarray) -> int:
        return sum(bool(better[i, j]) and row[i] > row[j] for i in range(6) for j in range(6))

    most = [max(right(row[list(order)]) for row in places) for order in permutations(range(6))]
    expected = [np.mean(np.array(most) >= right(row)) for row in places]
    assert by_luck(places, better).tolist() == pytest.approx(expected)


def test_luck_of_many_systems_is_drawn() -> None:
    """Of 8 systems all 28 pairs are told: as many right as Kendall's exact distribution has (scipy, one-sided)."""
    from scipy.stats import kendalltau

    x = np.array([1, 0, 3, 2, 5, 4, 7, 6], dtype=np.int16)[::-1]
    better = np.triu(np.ones((8, 8), dtype=np.bool_), 1)
    exact = kendalltau(-np.arange(8), x, alternative="greater", method="exact").pvalue
    (p,) = by_luck(x[None], better)
    assert 0 < p == pytest.approx(exact, abs=0.003)
    assert by_luck(x[None], better).tolist() == [p]  # the seed alone decides


def test_one_system_of_each_group_and_every_checkpoint() -> None:
    evidence = world(n=12, topics=60)
    family = tuple("aabbccddeeff")
    grouped = replace(evidence, board=replace(evidence.board, metadata={"family": family}))
    rows = separable_pairs(grouped, "y0", units_of(grouped.board))
    alone = evidence.only(np.arange(12) % 2 == 0)
    assert [row.pairs for row in rows] == [15, 15]
    assert rows == separable_pairs(alone, "y0", units_of(alone.board, "none"))
    steps = replace(evidence, board=replace(evidence.board, metadata={"step": tuple(map(str, range(12)))}))
    assert units_of(steps.board).along_training
    assert [row.pairs for row in separable_pairs(steps, "y0", units_of(steps.board))] == [66, 66]


def test_a_metric_with_a_hole_is_counted_over_the_systems_that_it_has() -> None:
    evidence = world(n=8, topics=40)
    first, second = evidence.board.metrics
    holed = replace(first, values=np.where(np.arange(8) == 3, np.nan, first.values))
    known = Column("step", "metric", np.arange(8.0))
    board = replace(evidence.board, columns=(holed, second, known, evidence.board["y0"]))
    rows = separable_pairs(replace(evidence, board=board), "y0", units_of(board, "none"))
    assert [(row.metric, row.pairs) for row in rows] == [("m0", 21), ("m1", 28)]


def test_nothing_without_topics_or_pairs() -> None:
    scores = scores_only([[1, 2, 3]], [[1, 2, 3]])
    few, one = world(topics=4), world(n=1)
    for evidence in (scores, few, one):
        assert separable_pairs(evidence, "y0", units_of(evidence.board, "none")) == ()
