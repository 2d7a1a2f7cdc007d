import numpy as np
import pytest

from clirbench.errors import ConfigError, UnknownName
from clirbench.scoreboard import Column, Scoreboard, aligned


def board() -> Scoreboard:
    return Scoreboard(
        ("a", "b"),
        (
            Column("BLEU", "metric", np.array([10.0, 20.0])),
            Column("TER", "metric", np.array([80.0, np.nan]), higher_is_better=False),
            Column("MAP", "measure", np.array([0.1, 0.2]), table="one"),
            Column("RBO", "measure", np.array([0.3, 0.2]), table="two"),
        ),
    )


def test_less_is_better_is_turned_round_once() -> None:
    assert board()["TER"].oriented[0] == -80.0
    assert board()["BLEU"].oriented[0] == 10.0


def test_roles_tables_and_holes() -> None:
    assert [column.name for column in board().metrics] == ["BLEU", "TER"]
    assert board().tables == ("one", "two")
    assert board().holes() == ["TER: no value for b"]


def test_columns_that_miss_the_same_systems_share_a_note_and_an_explained_system_needs_none() -> None:
    values = np.array([1.0, np.nan, np.nan])
    columns = tuple(Column(name, "metric", values) for name in ("BLEU", "TER"))
    part = Column("MAP", "measure", np.array([0.1, np.nan, 0.3]))
    held = Scoreboard(("a", "lost", "c"), (*columns, part))
    assert held.holes() == ["BLEU, TER: no value for lost, c", "MAP: no value for lost"]
    assert held.holes(["lost"]) == ["BLEU, TER: no value for c"]
    assert held.holes(["lost", "c"]) == ["BLEU, TER: no value for c"]  # c has a value by MAP
    assert Scoreboard((), ()).holes(["lost"]) == []


def test_an_unknown_column_has_a_closest_match() -> None:
    with pytest.raises(UnknownName, match="unknown column 'BLUE'. Did you mean 'BLEU'"):
        board()["BLUE"]


def test_a_column_that_stands_twice_is_refused() -> None:
    column = Column("BLEU", "metric", np.array([1.0]))
    with pytest.raises(ConfigError, match=r"both computed and imported.*BLEU.*scores\.rename"):
        Scoreboard(("a",), (column, column))


def test_a_missing_value_is_a_hole_not_a_zero() -> None:
    assert np.isnan(aligned({"a": 1.0}, ["a", "b"])[1])
