"""Holes, panels and alignment of what the statistics start from."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.errors import AlignmentError
from clirbench.statistics.grades import Evidence, panels
from tests.statistics.worlds import scores_only, world

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

    class Counting(dict[tuple[str, str], np.ndarray]):
        def __getitem__(self, key: tuple[str, str]) -> np.ndarray:
            reads.append(key)
            return super().__getitem__(key)

    evidence = Evidence(full.board, Counting(full.statistics), full.metrics, full.per_topic, full.measures)
    for part, _ in panels(evidence):
        assert part.statistics["m0", "b01"] is evidence.statistics["m0", "b01"]
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
