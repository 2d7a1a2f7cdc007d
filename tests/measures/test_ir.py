"""All measures at once: the zero rules, one pass over the run; rank-biased precision by hand."""

import numpy as np
import pytest

from clirbench.errors import ConfigError
from clirbench.measures.base import arithmetic, geometric
from clirbench.measures.ir import score_run
from clirbench.measures.parsing import parse
from clirbench.measures.rbp import RBP
from clirbench.types import Judged, Qrels, Run

IDEAL = Run.of({"1": {"a": 3, "b": 2, "c": 2, "d": 1}, "2": {"x": 1}, "t3": {"a": 1, "b": 0.5}})
QRELS = Qrels({"2": {"x": 1}, "t3": {"a": 2, "b": 1}, "1": {"a": 1, "b": 1}})
NAMES = ["RBO", "MAP", "GMAP", "P@10", "R@10", "nDCG", "nDCG@20", "RBO(p=0.9)", "RR", "Bpref", "ERR@20"]


def test_a_topic_the_system_does_not_match_scores_0_in_every_measure() -> None:
    run = Run.of({"1": {"b": 9, "a": 8}, "2": {}, "other": {"x": 1}})
    judged = Judged(QRELS, IDEAL)
    for name, values in score_run([parse(name) for name in NAMES], run, judged).items():
        assert values.shape == (3,), name
        assert values[0] == values[1] == 0, name
        assert values[2] > 0, name


def test_no_scored_topic_gives_no_value_and_an_undefined_mean() -> None:
    measures = [parse(name) for name in NAMES]
    for measure in measures:
        values = score_run([measure], IDEAL, Judged(Qrels({}), IDEAL))[measure.name]
        assert values.shape == (0,)
        assert np.isnan(measure.aggregate(values))


def test_together_as_alone_and_in_the_order_asked() -> None:
    run = Run.of({"1": {"b": 9, "a": 8, "z": 8}, "t3": {"b": 1, "a": 1}})
    judged = Judged(QRELS, IDEAL)
    measures = [parse(name) for name in [*NAMES, "AP"]]
    together = score_run(measures, run, judged)
    assert list(together) == [*NAMES, "AP"]
    for measure in measures:
        np.testing.assert_array_equal(together[measure.name], measure.per_topic(run, judged))
    np.testing.assert_array_equal(together["AP"], together["MAP"])


def test_means_over_the_last_axis() -> None:
    values = np.array([[0.5, 0.125], [1, 0], [0, 0]])
    np.testing.assert_allclose(arithmetic(values), [0.3125, 0.5, 0])
    # Geometric means by hand, 0 counting as 1e-5 (trec_eval's MIN_GEO_MEAN).
    np.testing.assert_allclose(geometric(values), [0.25, 1e-5**0.5, 1e-5])


def test_undefined_values_are_left_out_and_none_at_all_is_undefined() -> None:
    np.testing.assert_allclose(arithmetic(np.array([[1, np.nan], [np.nan, np.nan]])), [1, np.nan])
    np.testing.assert_allclose(geometric(np.array([[0.5, np.nan], [np.nan, np.nan]])), [0.5, np.nan])
    assert np.isnan(arithmetic(np.empty(0)))


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
