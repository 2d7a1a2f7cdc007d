"""Choosing by a metric: regret by hand, rises."""

from math import inf

import numpy as np
import pytest

from clirbench.errors import ConfigError
from clirbench.labs.choosing.choice import Choice, Improvement, choices, improvements, rise_of
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.agreement import Interval
from clirbench.statistics.belonging import units_of
from clirbench.statistics.decision import decided, jackknifed_slope
from clirbench.statistics.grades import Evidence
from clirbench.types import Doubles, Ints
from tests.statistics.worlds import scores_only, world


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


def test_expected_regret_is_that_of_the_decision() -> None:
    evidence = world(n=12, topics=60)
    decision = decided(evidence, units_of(evidence.board), "y0")
    for row in made(evidence, (1, 3)):
        own = decision[row.pick]
        assert row.expected_regret == own.expected_loss
        assert (row.low, row.high) == (max(0.0, -own.difference_high), max(0.0, -own.difference_low))


def test_sizes_below_1_are_refused_and_holes_left_out() -> None:
    with pytest.raises(ConfigError, match=r"shortlists=\[0\]"):
        made(world(), (0,))
    holed = scores_only([[1, float("nan"), 3]], [[1, 2, 3]])
    assert made(holed) == []
    assert [row.n_systems for row in made(holed, (1,), complete=True)] == [2]


def rise_for(x: Doubles, y: Doubles, unit: Ints) -> Interval:
    return rise_of(jackknifed_slope(x, y, unit))


def test_ends_and_silence() -> None:
    x = np.arange(10.0)
    rng = np.random.default_rng(1)
    falls = rise_for(x, -x + 3 * rng.normal(size=10), np.arange(10))
    assert (falls.value, falls.high) == (inf, inf)
    useless = rise_for(x, rng.permutation(10).astype(float), np.arange(10))
    assert useless.high == inf > useless.low > 0
    assert np.isnan(rise_for(x, x, np.arange(10)).value)  # every pair agrees: no finite slope
    assert "too few" in rise_for(x[:5], x[[1, 0, 2, 4, 3]], np.arange(5)).note


def curves(evidence: Evidence, points: int = 5) -> list[Improvement]:
    return improvements(evidence, units_of(evidence.board), points=points)


def test_curve() -> None:
    rng = np.random.default_rng(1)
    x = np.linspace(10, 40, 20)
    y = x + 4 * rng.normal(size=20)
    rows = curves(scores_only([x.tolist()], [y.tolist()]), points=4)
    assert [row.pairs for row in rows] == [48, 48, 47, 47]
    assert sum(row.pairs for row in rows) == 190
    probabilities = [row.probability for row in rows]
    assert probabilities == sorted(probabilities)
    assert all(0.5 <= row.ci_low <= row.probability <= row.ci_high <= 1 for row in rows)
    assert rows[0].rise_80 == pytest.approx(np.log(4) / rows[0].slope)
    assert rows[-1].share > 0.95
    sure = rise_for(x, y, np.arange(20))
    assert (rows[0].rise_80_low, rows[0].rise_80, rows[0].rise_80_high) == (sure.low, sure.value, sure.high)
    assert rows[0].rise_80_low < rows[0].rise_80 < rows[0].rise_80_high


def test_few_systems_have_a_curve_but_no_interval_and_no_rise() -> None:
    (row, *_) = curves(scores_only([[1, 2, 3, 4, 5]], [[1, 3, 2, 5, 4.0]]))
    assert row.probability > 0.5
    assert np.isnan([row.ci_low, row.ci_high, row.rise_80, row.rise_80_low]).all()
    assert row.note == "too few independent systems (5)"


def test_bad_input_is_stated() -> None:
    (row,) = curves(scores_only([[1, 1, 1]], [[1, 2, 3]]))
    assert row.note == "a column is constant"
    assert np.isnan(row.probability)
    (row,) = curves(scores_only([[1, 2]], [[1, 2]]))
    assert row.note == "2 systems: at least 3 are needed"
