"""Grades: the conditions of the contract by hand, and scipy's variances for the reliability."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np
import pytest

from clirbench.errors import AlignmentError
from clirbench.later import Shelf
from clirbench.statistics.grades import (
    CONTRADICTED,
    LITTLE,
    MODERATE,
    NOISY,
    OPEN,
    STRONG,
    WEAK,
    Evidence,
    gap,
    grade,
    panels,
    reliability,
    topics_to_add,
    unit_swaps,
)
from tests.statistics.worlds import scores_only, world


@pytest.mark.parametrize(
    ("low", "high", "known", "expected"),
    [
        (0.5, 0.9, nan, STRONG),
        (0.499, 0.9, nan, MODERATE),
        (0.25, 0.9, nan, MODERATE),
        (0.01, 0.9, 0.2, WEAK),
        (0.0, 0.9, nan, OPEN),
        (-0.2, 0.6, 0.59, NOISY),
        (-0.2, 0.6, 0.6, OPEN),
        (-0.2, 0.49, nan, LITTLE),
        (-0.8, -0.1, 0.2, CONTRADICTED),
        (nan, nan, nan, ""),
    ],
)
def test_each_grade_has_its_condition(low: float, high: float, known: float, expected: str) -> None:
    assert grade(low, high, known) == expected


def test_reliability_is_cronbachs_alpha() -> None:
    """Hoyt's ratio equals Cronbach's alpha: k / (k - 1) * (1 - sum of topics' variances / variance of sums)."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 1)) + 2 * rng.normal(size=(12, 30))
    k = values.shape[1]
    alpha = k / (k - 1) * (1 - values.var(axis=0, ddof=1).sum() / values.sum(axis=1).var(ddof=1))
    assert reliability(values) == pytest.approx(alpha)
    assert np.isnan(reliability(values[:1]))
    assert np.isnan(reliability(np.full((3, 4), np.nan)))


def test_topics_to_add_by_the_prophecy_formula() -> None:
    """Reliability .3 over 60 topics: k = .6 / .4 * .7 / .3 = 3.5 times as many, 150 more."""
    assert topics_to_add(0.3, 60) == 150
    assert topics_to_add(0.0, 60) is None
    assert topics_to_add(nan, 60) is None


def test_all_exchanges_of_few_units() -> None:
    assert unit_swaps(3).tolist() == [
        [0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]
    ]  # fmt: skip
    assert unit_swaps(20, samples=9).shape == (10, 20)


def test_few_units_are_not_tested() -> None:
    rng = np.random.default_rng(2)
    a, b, y = rng.normal(size=(3, 5))
    five = gap(a, b, y, np.arange(5))
    assert np.isnan(five.p_value)
    assert five.note == "too few independent systems (5): the smallest possible p is 0.062"
    families = gap(*(np.repeat(column, 4) for column in (a, b, y)), np.repeat(np.arange(5), 4))
    assert np.isnan(families.p_value)
    assert families.note == "too few independent systems (5)"
    exact = gap(np.repeat(np.arange(8.0), 2), rng.normal(size=16), np.arange(16.0), np.repeat(np.arange(8), 2))
    assert exact.note == "how sure tau is cannot be estimated from 8 independent systems"
    constant = gap(np.ones(8), *rng.normal(size=(2, 8)), np.arange(8))
    assert np.isnan(constant.p_value)
    assert "constant" in constant.note


HOLED = scores_only([[1, 2, 3, 4], [1, float("nan"), 3, 4]], [[4, 3, 2, 1]])


def test_panels() -> None:
    whole = list(panels(HOLED))
    assert [(part.metric_names, len(part.systems), note) for part, note in whole] == [(("x0",), 4, "")]
    complete = list(panels(HOLED, complete=True))[1:]
    assert [(part.metric_names, part.measure_names, part.systems) for part, _ in complete] == [
        (("x1",), ("y0",), ("a00", "c02", "d03"))
    ]
    assert complete[0][1] == "over 3 of 4 systems: x1 has no value for b01"


def test_a_segment_that_is_nan_is_refused_where_its_system_has_a_score() -> None:
    """Soft accuracy standardises over all segments: one NaN among them made it .5 for every metric and measure."""
    full = world(n=5)
    key = full.metric_names[0], full.systems[0]
    torn = np.array(full.statistics[key])
    torn[3, 0] = np.nan
    with pytest.raises(AlignmentError, match=f"{key[0]}: a segment of {key[1]} is NaN"):
        replace(full, statistics={**full.statistics, key: torn})


def test_only_keeps_items_aligned() -> None:
    full = world(n=5)
    part = full.only(np.array([True, False, True, True, False]))
    assert part.systems == ("a00", "c02", "d03")
    assert (part.per_topic["y0"] == full.per_topic["y0"][[0, 2, 3]]).all()
    assert part.segments("m0") == 60


def test_misaligned_items_are_refused() -> None:
    full = world(n=4)
    with pytest.raises(AlignmentError, match=r"y0: per-topic values \(3, 30\) for 4 systems"):
        Evidence(full.board, per_topic={"y0": full.per_topic["y0"][:3]})
    shorter = {**full.statistics, ("m0", "b01"): full.statistics["m0", "b01"][:-1]}
    with pytest.raises(AlignmentError, match=r"m0: systems have different numbers of segments: \[59, 60\]"):
        Evidence(full.board, shorter, full.metrics)


def test_statistics_are_read_once() -> None:
    full = world(n=3)
    reads: list[tuple[str, str]] = []

    @dataclass(frozen=True)
    class Stored:
        key: tuple[str, str]

        def load(self) -> np.ndarray:
            reads.append(self.key)
            return full.statistics[self.key]

    stored = {key: Stored(key) for key in full.statistics}
    evidence = Evidence(full.board, Shelf(stored), full.metrics, full.per_topic, full.measures)
    for part, _ in panels(evidence):
        for key in stored:
            assert part.statistics[key] is evidence.statistics[key]
    assert len(reads) == len(set(reads)) == 6
    assert ("m0", "b01") in evidence.statistics
    assert len(evidence.statistics) == len(list(evidence.statistics)) == 6


@pytest.mark.parametrize(
    ("systems", "segments", "bulky"),
    [(50, 5_000, False), (50, 5_001, True), (51, 60, True), (3, 83_333, False), (3, 83_334, True)],
)
def test_statistics_of_many_systems_or_segments_are_bulky(systems: int, segments: int, bulky: bool) -> None:
    assert world(n=systems, segments=segments, topics=3, noise=(0.3,)).bulky == bulky


def test_looking_up_how_many_segments_there_are_reads_the_store_once() -> None:
    full = world(n=51, noise=(0.3,))
    reads: list[tuple[str, str]] = []

    class Counting(dict[tuple[str, str], np.ndarray]):
        def __getitem__(self, key: tuple[str, str]) -> np.ndarray:
            reads.append(key)
            return super().__getitem__(key)

    evidence = Evidence(full.board, Counting(full.statistics), full.metrics)
    assert [evidence.segments("m0") for _ in range(5)] == [60] * 5
    assert reads == [("m0", "a00")]


def test_no_systems_are_no_mistake() -> None:
    full = world(n=3)
    nobody = full.only(np.zeros(3, dtype=bool))
    assert not nobody.bulky
    assert nobody.segments("m0") == 0
