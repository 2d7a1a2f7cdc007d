"""Several experiments in one table, by hand and with the published exclusion rule."""

import numpy as np
import pytest

from clirbench.scoreboard import Scoreboard
from clirbench.statistics.correlation import Correlation, aggregate, correlate
from tests.statistics.worlds import scores_only


def rows(values: dict[str, float], significant: str = "true") -> list[Correlation]:
    (template, *_) = correlate(scores_only([[1, 2, 3]], [[1, 2, 3]]).board, ["kendall"])
    return [
        Correlation("MAP", metric, "kendall", value, 0.01, template.n_systems, significant)  # type: ignore[arg-type]
        for metric, value in values.items()
    ]


def test_by_hand() -> None:
    table = {
        "de": rows({"A": 0.5, "B": 0.7}),
        "fr": rows({"A": 0.6, "B": 0.6}),
        "cs": rows({"A": 0.9, "B": 0.1}, "false"),
    }
    a, b = aggregate(table)
    assert (a.mean, a.median, a.wins, a.experiments) == (pytest.approx(2 / 3), 0.6, 1, 3)
    assert b.sd == pytest.approx(np.std([0.7, 0.6, 0.1], ddof=1))
    assert b.wins == 2  # the tie counts for both, the row that is not significant for none


def test_undefined_is_noted() -> None:
    a, _ = aggregate({"de": rows({"A": float("nan"), "B": 0.4}, "undefined"), "fr": rows({"A": 0.2, "B": 0.3})})
    assert (a.mean, a.experiments, a.note) == (0.2, 1, "undefined in de")
    assert aggregate({}) == []
    assert isinstance(scores_only([[1]], [[1]]).board, Scoreboard)
