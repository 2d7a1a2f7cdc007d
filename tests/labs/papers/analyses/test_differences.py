"""`analysis=[differences]`: the sentences follow the tests."""

import pytest

from clirbench.errors import UnknownName
from clirbench.labs.papers.analyses.differences import DifferencesAnalysis
from tests.report.analysed import text_of
from tests.statistics.worlds import scores_only, world


def test_the_best_metric_is_named_and_what_it_is_better_than() -> None:
    evidence = world(n=16, noise=(0.02, 3.0), topics=400)
    text = text_of(DifferencesAnalysis(samples=200), evidence)
    assert "With 16 systems and no ties, the smallest tau that differs from 0 at .05 is .383." in text
    assert "y0: m0 agrees best" in text
    assert "significantly better than m1 (perm-systems" in text
    assert "16 systems, 400 topics, 60 segments; 200 samples, seed 0." in text
    alike = text_of(DifferencesAnalysis(tests=["perm-systems"], samples=100), world(n=10, noise=(0.3, 0.31)))
    assert "no two metrics differ significantly" in alike
    assert "perm-both" not in alike
    nan = float("nan")
    assert "x1 has no value for b01" in text_of(
        DifferencesAnalysis(tests=["perm-systems"]), scores_only([[1, 2, 3], [1, nan, 3], [3, 1, 2]], [[1, 2, 3]])
    )


def test_an_unknown_test_is_refused_and_one_metric_is_not_compared() -> None:
    with pytest.raises(UnknownName, match="analyses.differences.tests 'perm'"):
        DifferencesAnalysis(tests=["perm"])
    assert "Nothing to compare" in text_of(DifferencesAnalysis(), scores_only([[1, 2, 3]], [[1, 2, 3]]))
