"""Baselines on cases worked by hand."""

import numpy as np
import pytest

from clirbench.errors import AlignmentError, InputError
from clirbench.labs.papers.metrics.baselines import CopyRate, LengthRatio, RandomMetric, TypeCount
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score

HYPOTHESES = ("Das Haus is red .", "Berlin , Berlin", "")
TEST = TestSet((("The house is red .", "Berlin ,", "x"),), ("Das Haus ist rot .", "Berlin , 1990 Berlin Berlin", "ein"))


def test_length_ratio() -> None:
    assert corpus_score(LengthRatio(), HYPOTHESES, TEST) == pytest.approx(100 * 8 / 8)
    assert LengthRatio().statistics(HYPOTHESES, TEST).tolist() == [[5, 5], [3, 2], [0, 1]]
    assert corpus_score(LengthRatio(), ["a"], TestSet((("",),))) == 0


def test_type_count() -> None:
    statistics = TypeCount().statistics(HYPOTHESES, TEST)
    assert corpus_score(TypeCount(), HYPOTHESES, TEST) == 7  # Das Haus is red . Berlin ,
    assert TypeCount().score(statistics).tolist() == [5, 2, 0]
    assert TypeCount().score(statistics.toarray()).tolist() == [5, 2, 0]


def test_copy_rate() -> None:
    # Source words with a letter: Das Haus ist rot; Berlin x 3; ein. Copied: Das Haus; Berlin x 2; none.
    assert CopyRate().statistics(HYPOTHESES, TEST).tolist() == [[2, 4], [2, 3], [0, 1]]
    assert corpus_score(CopyRate(), HYPOTHESES, TEST) == pytest.approx(100 * 4 / 8)
    assert not CopyRate().higher_is_better


def test_copy_rate_needs_the_source() -> None:
    with pytest.raises(InputError, match=r"CopyRate needs the source of the test set: put source.txt"):
        CopyRate().statistics(["a"], TestSet((("a",),)))


def test_random_metric_is_a_function_of_seed_line_and_text() -> None:
    lines = [f"text {i}" for i in range(2000)]
    test = TestSet((tuple(lines),))
    first = RandomMetric(seed=1).statistics(lines, test)
    np.testing.assert_array_equal(first, RandomMetric(seed=1).statistics(lines, test))
    assert not np.array_equal(first, RandomMetric(seed=2).statistics(lines, test))
    assert first[:, 0].min() >= 0
    assert first[:, 0].max() < 100
    # Uniform: mean 50 and standard deviation 100 / sqrt(12), each within four standard errors.
    assert abs(first[:, 0].mean() - 50) < 4 * 28.87 / 2000**0.5
    assert abs(first[:, 0].std() - 28.87) < 4 * 28.87 / 4000**0.5


@pytest.mark.parametrize("metric", [LengthRatio(), TypeCount(), CopyRate(), RandomMetric()])
def test_unequal_line_counts_are_an_error(metric: LengthRatio) -> None:
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 3 lines"):
        metric.statistics(["a"], TEST)
