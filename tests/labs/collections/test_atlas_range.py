"""Tau in the better half of the systems: averaged over the runs of a collection, then over collections."""

from math import asin, nan, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from clirbench.labs.collections.atlas_range import RangeOfTau, ranges
from clirbench.labs.collections.statistics.settings import Collection
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import units_of

SYSTEMS = tuple("abcdefgh")
HEADER = "measure\tmetric\tcoefficient\tvalue\tbetter_half\treliability\n"


def collection(name: str) -> Collection:
    """Eight systems, RBO .1 to .8, the better half .5 to .8."""
    values = np.arange(1, 9) / 10
    board = Scoreboard(SYSTEMS, (Column("RBO", "measure", values), Column("BLEU", "metric", values)))
    return Collection(name, board, units_of(board))


def run(folder: Path, *rows: tuple[str, str, float, float, float]) -> Path:
    folder.mkdir()
    lines = ("\t".join(map(str, [of, metric, "kendall", *values])).replace("nan", "") for of, metric, *values in rows)
    (folder / "correlations.tsv").write_text(HEADER + "".join(f"{line}\n" for line in lines))
    return folder


def test_both_ways_of_a_collection_count_once(tmp_path: Path) -> None:
    """By hand: (.4 + .6) / 2 and .8 give .65; (.2 + .4) / 2 and .5 give .4; sqrt(.75) gives a ceiling of 2 / 3.

    Of the half: variances between systems are those of 1..8 and 5..8, 6 and 5 / 3 (of .1 squared), so the reliability
    there is .75 (5 / 3) / (.75 (5 / 3) + .25 * 6) = 1.25 / 2.75.
    """
    first = run(tmp_path / "1", ("RBO", "BLEU", 0.4, 0.2, 0.75), ("MAP", "BLEU", 0.9, 0.9, 0.9))
    second = run(tmp_path / "2", ("RBO", "BLEU", 0.6, 0.4, 0.75))
    other = run(tmp_path / "3", ("RBO", "BLEU", 0.8, 0.5, 0.75), ("RBO", "chrF1", 0.9, nan, 0.75))
    runs = [("x", collection("x/A-B"), first), ("x", collection("x/B-A"), second), ("y", collection("y"), other)]
    (row,) = ranges(runs, "RBO")
    assert (row.metric, row.collections) == ("BLEU", 2)
    assert isinstance(row, RangeOfTau)
    expected = (0.65, 2 / 3, 0.4, 2 / pi * asin(sqrt(1.25 / 2.75)))
    assert (row.tau, row.ceiling, row.better_half, row.better_half_ceiling) == pytest.approx(expected)
