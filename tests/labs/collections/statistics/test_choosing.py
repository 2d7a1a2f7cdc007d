"""What the first system of a metric lost: by hand."""

import numpy as np

from clirbench.labs.collections.statistics.choosing import choosing_losses
from clirbench.labs.collections.statistics.settings import Collection, strata
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import units_of


def collection(name: str, m: list[float], y: list[float]) -> Collection:
    columns = (Column("M", "metric", np.array(m)), Column("MAP", "measure", np.array(y)))
    board = Scoreboard(tuple(f"{name}{i}" for i in range(len(y))), columns)
    return Collection(name, board, units_of(board))


def test_losses_are_means_over_collections_and_ties_take_the_worst() -> None:
    one = collection("a", [1, 2, 3, 4], [0.1, 0.4, 0.2, 0.3])  # picks .3, the best is .4, the mean .25
    two = collection("b", [5, 5, 1, 0], [0.9, 0.5, 0.2, 0.0])  # two tie: .5 is taken, the best is .9, the mean .4
    ((stratum, settings),) = strata([one, two])[0].items()
    (row,) = choosing_losses(stratum, settings)
    assert (row.metric, row.collections, row.worst) == ("M", 2, "b")
    assert np.allclose([row.lost, row.at_random, row.most], [(0.1 + 0.4) / 2, (0.15 + 0.5) / 2, 0.4])


def test_collections_of_the_same_systems_count_once() -> None:
    first = collection("a", [1, 2, 3, 4], [0.1, 0.4, 0.2, 0.3])
    other = collection("b", [5, 4, 1, 0], [0.9, 0.5, 0.2, 0])
    columns = (*first.board.metrics, *other.board.measures)
    same = Collection("copy", Scoreboard(first.board.systems, columns), first.units)
    ((stratum, settings),) = strata([first, same, other])[0].items()
    (row,) = choosing_losses(stratum, settings)
    assert row.collections == 2
    assert np.isclose(row.lost, ((0.1 + 0.9) / 2 + 0) / 2)  # in the copy the pick is the worst system: .9 - 0
    assert row.worst == "a+copy"


def test_one_collection_is_no_mean() -> None:
    ((stratum, settings),) = strata([collection("a", [1, 2, 3, 4], [0.1, 0.4, 0.2, 0.3])])[0].items()
    assert choosing_losses(stratum, settings) == []
