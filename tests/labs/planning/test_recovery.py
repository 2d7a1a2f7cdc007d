"""Runs and judgments cut by hand; worlds in which the documents left say everything, or nothing."""

import numpy as np
import pytest

from clirbench.labs.planning.recovery import (
    Recovery,
    judged_among,
    pool_documents,
    recovery,
    restrict_run,
    values_among,
)
from clirbench.measures.ir import IrMeasure
from clirbench.types import Doubles, Judged, Qrels, Run
from tests.statistics.worlds import Mean

MAP = IrMeasure("MAP", "AP")
IDEAL = Run.of({"t": {"a": 3, "b": 2, "c": 1}, "u": {"c": 2, "d": 1}})


def test_a_run_cut_to_some_documents() -> None:
    left = restrict_run(IDEAL, {"a", "c"})
    assert (left.ranking("t"), left.ranking("u")) == (("a", "c"), ("c",))
    assert left.values("t").tolist() == [3, 1]
    assert left.n_matched.tolist() == [2, 1]
    assert pool_documents(IDEAL, 1) == {"a", "c"}
    assert restrict_run(IDEAL, ()).ranking("t") == ()


def test_values_by_hand_and_a_topic_that_nothing_is_left_of() -> None:
    judged = Judged(Qrels({"t": {"b": 1, "c": 1}, "u": {"d": 1}}), IDEAL, 4)
    runs = {"x": Run.of({"t": {"a": 3, "b": 2, "c": 1}, "u": {"d": 1}}), "y": Run.of({"t": {"c": 3, "a": 2}})}
    here = judged_among(judged, restrict_run(IDEAL, {"a", "c"}), {"a", "c"})
    assert here.n_documents == 2
    found = values_among(
        MAP, ("x", "y", "z"), {s: restrict_run(run, {"a", "c"}) for s, run in runs.items()}, here, ("t", "u")
    )
    assert found[:2, 0].tolist() == [0.5, 1.0]  # x: a, c; y: c, a
    assert np.isnan(found[:, 1]).all(), "no relevant document of u is left"
    assert np.isnan(found[2]).all(), "z has no run"


def recovered(whole: Doubles, parts: list[Doubles]) -> Recovery:
    halves = [np.arange(10), np.arange(10, 20)]
    return recovery(
        Mean(), whole, parts, way="sample", size=0.5, documents=5, of=10, among=halves, sure=0.95
    )  # fmt: skip


def test_what_a_part_tells() -> None:
    rng = np.random.default_rng(0)
    whole = np.arange(6.0)[:, None] + 0.1 * rng.normal(size=(6, 20))
    same = recovered(whole, [whole + 0.25])
    assert (same.tau, same.tau_low, same.same_choice, same.loss) == (1, 1, 1, 0)
    assert (same.bias, same.bias_low, same.bias_high) == pytest.approx((0.25, 0.25, 0.25))
    assert (same.fraction, same.samples, same.n_systems, same.n_topics) == (0.5, 1, 6, 20)
    turned = recovered(whole, [whole, -whole])
    assert (turned.tau, turned.tau_low, turned.same_choice) == (0, -1, 0.5)
    assert turned.loss == pytest.approx((whole.mean(axis=1).max() - whole.mean(axis=1).min()) / 2)
    assert recovered(whole, [np.zeros((6, 20))]).tau_low == 0, "no order is no agreement"
