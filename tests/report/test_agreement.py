"""Agreement of two sets of judgments, by hand."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.report.agreement import agreement, system_agreement
from clirbench.types import Qrels

FIRST = Qrels({"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1}, "3": {"a": 0}, "mine": {"a": 1}})
SECOND = Qrels({"3": {"a": 1}, "2": {"b": 1}, "1": {"b": 1, "c": 1, "d": 3}, "theirs": {"a": 1}})


def test_relevant_sets_by_hand() -> None:
    """Topic 1: a b against b c d, one shared of four; topic 2: a against b; topic 3: none against a."""
    found = agreement(FIRST, SECOND)
    assert found.topic_ids == ("1", "2", "3")
    np.testing.assert_allclose(found.overlap, [1 / 4, 0, 0])
    np.testing.assert_allclose(found.found, [1 / 3, 0, 0])
    np.testing.assert_allclose(found.right, [1 / 2, 0, np.nan])
    assert (found.only_first, found.only_second) == (("mine",), ("theirs",))
    assert found.mean() == pytest.approx(1 / 12)
    assert found.mean("right") == pytest.approx(1 / 4)


def test_no_shared_topic_is_undefined() -> None:
    assert np.isnan(agreement(Qrels({}), SECOND).mean())


def test_a_source_agrees_with_itself() -> None:
    only = FIRST.only(["1", "2"])
    assert agreement(only, only).mean() == agreement(only, only).mean("found") == 1


def test_systems_are_compared_by_tau_b() -> None:
    first, second = np.array([0.1, 0.3, 0.2, 0.3]), np.array([1.0, 3.0, 4.0, 2.0])
    assert system_agreement(first, second).value == pytest.approx(kendalltau(first, second).statistic)
    assert not system_agreement(first, np.ones(4)).defined
