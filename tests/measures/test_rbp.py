"""Rank-biased precision by hand."""

import pytest

from clirbench.errors import ConfigError
from clirbench.measures.rbp import RBP
from clirbench.types import Judged, Qrels, Run

JUDGED = Judged(Qrels({"1": {"a": 1, "b": 2}, "2": {"a": 1}}), Run.of({}))
RUN = Run.of({"1": {"a": 3, "x": 2, "b": 1}})


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (RBP(p=0.5), 0.5 * (1 + 0.25)),
        (RBP(), 0.2 * (1 + 0.64)),
        (RBP(p=0.5, rel=2), 0.5 * 0.25),
        (RBP(p=0.5, k=2), 0.5),
    ],
)
def test_hand_worked_values(measure: RBP, expected: float) -> None:
    """(1 - p)(1 + p^2) for relevant documents at ranks 1 and 3; topic 2 retrieved nothing."""
    assert measure.per_topic(RUN, JUDGED).tolist() == pytest.approx([expected, 0])


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ConfigError, match="p=1 must be a number above 0 and below 1"):
        RBP(p=1)
    with pytest.raises(ConfigError, match="rel=0 must be a whole number of at least 1"):
        RBP(rel=0)
