import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.errors import UnknownName
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import units_of
from clirbench.statistics.units.claims import beyond_known, claims, selected
from clirbench.statistics.units.given import Permuting


def board(n: int = 20, seed: int = 0, **metadata: list[str]) -> Scoreboard:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    good, bad, few = y + 0.5 * rng.normal(size=n), rng.normal(size=n), y.copy()
    few[4:] = np.nan
    columns = (
        Column("good", "metric", good),
        Column("bad", "metric", -bad, higher_is_better=False),
        Column("few", "metric", few),
        Column("MAP", "measure", y),
    )
    names = tuple(f"s{i}" for i in range(n))
    return Scoreboard(names, columns, {name: tuple(cells) for name, cells in metadata.items()})


def test_every_metric_has_its_row_and_holes_their_own_n() -> None:
    made = board()
    good, bad, few = claims(made, units_of(made), samples=499)
    assert good.tau == pytest.approx(kendalltau(made["good"].values, made["MAP"].values).statistic)
    assert good.p_adjusted < 0.05
    assert good.ci_low > 0
    assert good.n_units == 20
    assert "systems are a sample; jackknife over 20 systems, t" in good.scheme
    assert bad.p_value > 0.05
    assert (few.tau, few.n_systems) == (1.0, 4)
    assert np.isnan(few.p_value)
    assert np.isnan(few.p_adjusted)
    assert "too few independent systems (4)" in few.note


def test_a_metric_over_other_systems_is_not_ranked() -> None:
    made = board()
    found = selected(made, made["MAP"], units_of(made))
    assert found is not None
    assert (found.names, found.left_out) == (("good", "bad"), ("few",))
    assert found.best.in_set.tolist() == [True, False]


def test_a_trivial_predictor_that_does_as_well_is_in_the_set() -> None:
    made = board()
    y = made["MAP"].values
    lines = np.exp(-y - 0.4 * np.random.default_rng(5).normal(size=20))
    made = Scoreboard(made.systems, made.columns, {"training_lines": tuple(f"{value:.9f}" for value in lines)})
    found = selected(made, made["MAP"], units_of(made))
    assert found is not None
    assert found.names == ("good", "bad", "training_lines")
    assert found.trivial == (False, False, True)
    assert found.best.in_set.tolist() == [True, False, True]
    assert found.best.tau[2] > 0


def test_two_families_say_nothing() -> None:
    made = board(family=["a"] * 10 + ["b"] * 10)
    for row in claims(made, units_of(made)):
        assert np.isnan(row.p_value)
        assert np.isnan(row.ci_low)
        assert row.units == "family"


def test_checkpoints_are_described_only() -> None:
    made = board(step=[str(i) for i in range(20)])
    assert all(np.isnan(row.p_value) and "along training" in row.note for row in claims(made, units_of(made)))
    assert selected(made, made["MAP"], units_of(made)) is None
    runs = board(step=[str(i // 5) for i in range(20)], run=[str(i % 5) for i in range(20)])
    rows = claims(runs, units_of(runs))
    assert all(np.isnan(row.p_value) and np.isnan(row.ci_low) for row in rows)
    assert not np.isnan(rows[0].tau)


def test_an_undeclared_step_column_is_no_metric() -> None:
    made = board()
    step = Column("step", "metric", np.arange(20.0))
    made = Scoreboard(made.systems, (step, *made.columns))
    rows = claims(made, units_of(made))
    assert {row.metric for row in rows} == {"good", "bad", "few"}
    assert all(np.isnan(row.p_value) for row in rows)


def test_a_constant_metric_has_no_number() -> None:
    made = board()
    made = Scoreboard(made.systems, (Column("flat", "metric", np.ones(20)), *made.columns))
    flat, good, *_ = claims(made, units_of(made), samples=499)
    assert np.isnan(flat.tau)
    assert "constant" in flat.note
    assert good.p_adjusted < 0.05


def test_a_second_factor_is_no_evidence_beyond_the_first() -> None:
    """Eight sizes by two vocabularies: at every size the same vocabulary leads on both sides, once, not eight times."""
    rng = np.random.default_rng(1)
    size, second = np.arange(16) // 2, np.arange(16) % 2
    columns = (
        Column("BLEU", "metric", size + 0.3 * second + 0.01 * rng.normal(size=16)),
        Column("MAP", "measure", size + 0.3 * second + 0.01 * rng.normal(size=16)),
    )
    sizes = tuple(str(1000 * (i + 1)) for i in size)
    names = tuple(f"s{i}" for i in range(16))
    alone = Scoreboard(names, columns, {"training_lines": sizes})
    found = beyond_known(alone, units_of(alone), ["training_lines"], Permuting())["MAP", "BLEU"]
    assert (found.tau, found.p_value, found.pairs) == (1.0, 2 / 256, 8)
    crossed = Scoreboard(names, columns, {"training_lines": sizes, "bpe": tuple(f"{16 + 16 * i}k" for i in second)})
    found = beyond_known(crossed, units_of(crossed), ["training_lines"], Permuting())["MAP", "BLEU"]
    assert (found.tau, found.n_units) == (1.0, 2)
    assert np.isnan(found.p_value)
    with pytest.raises(UnknownName, match="lines"):
        beyond_known(alone, units_of(alone), ["lines"], Permuting())
