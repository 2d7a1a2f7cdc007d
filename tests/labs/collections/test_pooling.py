"""Pooled estimates of settings: strata, the same systems, what is left out."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.labs.collections.pooling import Setting, Stratum, pool_stratum, strata
from clirbench.labs.collections.reading import Collection
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of


def collection(at: int, *, names: str = "", judge: str = "pseudo-relevance", n: int = 12, **about: str) -> Collection:
    """12 systems; BLEU agrees well with MAP, chrF2 less."""
    rng = np.random.default_rng(at)
    y = rng.normal(size=n)
    columns = (
        Column("BLEU", "metric", y + 0.6 * rng.normal(size=n)),
        Column("TER", "metric", -y + 1.2 * rng.normal(size=n), higher_is_better=False),
        Column("MAP", "measure", y, declared={"judged_by": judge, "retriever": "bm25"}),
    )
    board = Scoreboard(tuple(f"{names or at}s{i}" for i in range(n)), columns)
    return Collection(f"c{at}", board, units_of(board), about)


def only(found: dict[Stratum, list[Setting]]) -> tuple[Stratum, list[Setting]]:
    (item,) = found.items()
    return item


def test_each_metric_and_pair_is_a_row_and_each_collection_a_point() -> None:
    stratum, settings = only(strata([collection(i) for i in range(6)])[0])
    rows, points = pool_stratum(stratum, settings)
    assert stratum == Stratum("pseudo-relevance", "MAP", "bm25")
    assert [(row.metric, row.other) for row in rows] == [("BLEU", ""), ("TER", ""), ("BLEU", "TER")]
    assert len(points) == 18
    differences = [p.value for p in points if (p.metric, p.other) == ("BLEU", "TER")]
    assert differences == [float(s.tau[0] - s.tau[1]) for s in settings]
    assert all(s.tau[1] > 0 for s in settings)  # TER is turned round: more is better
    assert rows[0].ci_low < rows[0].value < rows[0].ci_high
    assert rows[0].new_low < rows[0].ci_low


def test_judges_are_never_averaged() -> None:
    judges = ("pseudo-relevance", "people", "pseudo-relevance", "known_items", "unknown")
    found, _ = strata([collection(at, judge=judge) for at, judge in enumerate(judges)])
    assert {stratum.judge: len(settings) for stratum, settings in found.items()} == {
        "pseudo-relevance": 2, "people": 1, "known_items": 1, "unknown": 1
    }  # fmt: skip


def test_the_variance_does_not_come_from_a_collections_own_tau() -> None:
    perfect = collection(9)
    board = perfect.board
    same = tuple(
        replace(c, values=c.oriented * 0 + board["MAP"].values) if c.name == "BLEU" else c for c in board.columns
    )
    perfect = replace(perfect, board=replace(board, columns=same))
    stratum, settings = only(strata([perfect, collection(1), collection(2)])[0])
    _, points = pool_stratum(stratum, settings)
    first = [p for p in points if p.metric == "BLEU" and not p.other]
    assert first[0].value == 1
    assert first[0].error == pytest.approx(first[1].error)
    assert first[0].error > 0.05


def test_collections_with_the_same_systems_count_once() -> None:
    stratum, settings = only(strata([collection(i, names=str(i // 2)) for i in range(10)])[0])
    rows, points = pool_stratum(stratum, settings)
    assert (rows[0].collections, rows[0].settings) == (5, 10)
    assert points[0].collection == "c0+c1"


def test_groups_keep_collections_together_and_few_give_no_interval() -> None:
    stratum, settings = only(strata([collection(i, year=str(i // 3)) for i in range(9)])[0])
    row = pool_stratum(stratum, settings, ["year"])[0][0]
    assert np.isnan([row.ci_low, row.new_low, row.p_value]).all()
    assert "degrees of freedom" in row.note
    stratum, settings = only(strata([collection(i, year=str(i // 2)) for i in range(20)])[0])
    row = pool_stratum(stratum, settings, ["year"])[0][0]
    assert row.ci_low < row.value < row.ci_high
    assert (row.texts, row.interval) in ((10, "same year"), (10, "collections"))


def test_a_training_run_and_a_measure_without_systems_are_left_out_by_name() -> None:
    steps = collection(0)
    board = replace(steps.board, metadata={"step": tuple(map(str, range(12)))})
    found, notes = strata([replace(steps, board=board, units=units_of(board)), collection(1, n=3)])
    assert found == {}
    assert notes == [
        "c0: left out: checkpoints along training, whose tau proves nothing",
        "c1: MAP is left out: fewer than 4 independent systems that differ",
    ]
