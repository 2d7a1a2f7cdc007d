"""Retrievers side by side: by hand, against scipy, and in worlds in which both are predicted alike."""

from math import isnan

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from clirbench.labs.collections.statistics.retrievers import Beside, compare_retrievers, student
from clirbench.labs.collections.statistics.settings import Collection, Setting, Stratum
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import units_of
from clirbench.types import Doubles

FIRST, SECOND = (Stratum("pseudo-relevance", "MAP", name) for name in ("bm25", "dense"))


def collection(name: str, systems: int = 4, pair: str = "") -> Collection:
    names = tuple(f"{pair or name}{i}" for i in range(systems))
    board = Scoreboard(names, (Column("M", "metric", np.arange(systems, dtype=float)),))
    return Collection(name, board, units_of(board))


def setting(of: Collection, taus: dict[str, float]) -> Setting:
    nothing, labels = np.empty(0), of.board.systems
    tau = np.array(list(taus.values()))
    unit = np.arange(len(labels))
    return Setting(of.name, of, tuple(taus), tau, nothing, labels, nothing, nothing, nothing, unit, np.nan)


def compared(first: list[Setting], second: list[Setting]) -> list[Beside]:
    return list(compare_retrievers({FIRST: first, SECOND: second}))


def test_the_interval_is_students() -> None:
    values = np.array([0.1, -0.2, 0.3, 0.25, 0.0])
    found, low, high, p = student(values)
    theirs = ttest_1samp(values, 0)
    assert np.allclose([found, p], [values.mean(), theirs.pvalue])
    assert np.allclose([low, high], theirs.confidence_interval(0.95))
    mean, *rest = student(np.full(3, 0.1))
    assert mean == pytest.approx(0.1)
    assert all(map(isnan, rest))  # no spread, no idea of the noise


def test_gaps_and_what_pairs_change_by_hand() -> None:
    a, b = collection("a"), collection("b")
    rows = compared(
        [setting(a, {"M": 0.5, "N": 0.4}), setting(b, {"M": 0.7, "N": 0.2})],
        [setting(a, {"M": 0.3, "N": 0.6}), setting(b, {"M": 0.6, "N": 0.3})],
    )
    of = {(row.metric, row.other, row.collection): row for row in rows}
    assert of["M", "", "a"].value == pytest.approx(0.2)
    assert of["M", "", ""].value == pytest.approx((0.2 + 0.1) / 2)
    pair = of["M", "N", ""]
    assert (pair.by_first, pair.by_second) == pytest.approx(((0.1 + 0.5) / 2, (-0.3 + 0.3) / 2))
    assert pair.value == pytest.approx(0.3)
    assert (pair.first, pair.second, pair.collections) == ("bm25", "dense", 2)


def test_the_same_systems_count_once_and_what_one_lacks_is_left_out() -> None:
    a, same, c = collection("a", pair="x"), collection("b", pair="x"), collection("c")
    first = [setting(a, {"M": 0.5, "N": 0.1}), setting(same, {"M": 0.3}), setting(c, {"M": 0.2})]
    second = [setting(a, {"M": 0.1}), setting(same, {"M": 0.1}), setting(c, {"M": 0.1})]
    rows = {(row.metric, row.collection): row for row in compared(first, second) if not row.other}
    assert {metric for metric, _ in rows} == {"M"}
    assert rows["M", "a+b"].value == pytest.approx(0.4 - 0.1)
    assert rows["M", ""].collections == 2


def test_a_retriever_that_searched_other_collections_stands_for_itself() -> None:
    a, b, c = (collection(name) for name in "abc")
    assert compared([setting(a, {"M": 0.5}), setting(b, {"M": 0.5})], [setting(c, {"M": 0.5})]) == []
    alone = compared([setting(a, {"M": 0.5}), setting(b, {"M": 0.5})], [setting(a, {"M": 0.1})])
    assert [row.collection for row in alone] == ["a"]  # one collection is no mean


def claims(rng: np.random.Generator, shift: float) -> tuple[bool, bool]:
    """(a tau, an order) that is called another by the second retriever, in a world of six collections and 4 metrics."""
    first, second = [], []
    for name in "abcdef":
        place = collection(name, 12)
        truth = rng.normal(size=12)
        metrics = truth + rng.normal(size=(4, 12))
        noise = 0.5 * rng.normal(size=(2, 12))
        ys = truth + noise + np.array([[0.0], [shift]]) * metrics[0]
        for y, where in zip(ys, (first, second), strict=True):
            where.append(setting(place, dict(zip("MNOP", taus(metrics, y), strict=True))))
    rows = [row for row in compared(first, second) if not row.collection and row.p_holm < 0.05]
    return any(not row.other for row in rows), any(row.other for row in rows)


def taus(x: Doubles, y: Doubles) -> list[float]:
    pairs = np.triu_indices(len(y), 1)
    up = np.sign(y[pairs[0]] - y[pairs[1]])
    return [float(np.mean(np.sign(row[pairs[0]] - row[pairs[1]]) * up)) for row in x]


def test_worlds_in_which_retrievers_are_predicted_alike_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(0)
    found = np.mean([claims(rng, 0.0) for _ in range(200)], axis=0)
    assert (found <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)).all()
    assert claims(np.random.default_rng(1), 3.0) == (True, True)
