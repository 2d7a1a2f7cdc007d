"""Resampled scores against scoring the drawn lines from scratch."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from clirbench.errors import ConfigError
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.statistics import resampling
from clirbench.statistics.resampling import LEVELS, Draws, metric_scores, weighted_scores, weights
from clirbench.types import TestSet
from tests.statistics.worlds import Mean, with_counts, world

REFERENCE = ("the cat sat on the mat", "a dog barked", "the the end", "it rains", "a cat and a dog sat")
HYPOTHESES = ("the cat sat on a mat", "the dog barked loud", "the end", "it snows", "cat and dog sat")
METRICS = [MacroF(), MicroF(), MacroF(beta=3), MicroF(beta=0.5, k=2), BLEU()]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_weighted_scores_equal_scoring_the_drawn_lines(metric: MacroF) -> None:
    test = TestSet((REFERENCE,))
    items = Draws(samples=20, seed=4).items("segments", 5)
    got = weighted_scores(metric, metric.statistics(HYPOTHESES, test), weights(items, 5))
    for score, drawn in zip(got, items, strict=True):
        lines, references = tuple(HYPOTHESES[i] for i in drawn), tuple(REFERENCE[i] for i in drawn)
        statistics = metric.statistics(lines, TestSet((references,)))
        expected = metric.score(np.asarray(statistics.sum(axis=0)).reshape(-1))
        assert score == pytest.approx(float(expected), abs=1e-10)


def test_sparse_statistics_of_any_metric() -> None:
    dense = with_counts(np.arange(130.0))
    weighting = weights(Draws(samples=150).items("segments", 130), 130)
    assert weighted_scores(Mean(), csr_array(dense), weighting) == pytest.approx(
        weighted_scores(Mean(), dense, weighting)
    )


def test_draws() -> None:
    full = Draws(samples=500, seed=1)
    assert full.items("topics", 7).shape == (500, 7)
    assert (weights(full.items("topics", 7), 7).sum(axis=1) == 7).all()
    assert (full.items("topics", 7) == Draws(samples=500, seed=1).items("topics", 7)).all()
    assert (full.items("topics", 7) != full.items("segments", 7)).any()


def test_draw_errors() -> None:
    with pytest.raises(ConfigError, match="samples=0"):
        Draws(samples=0)


def test_columns_resample_together() -> None:
    evidence = world(n=4)
    draws = Draws(samples=70, seed=2)
    items = draws.items("segments", 60)
    segment_scores = np.stack([evidence.statistics["m1", system][:, 0] for system in evidence.systems])
    assert metric_scores(evidence, "m1", weights(items, 60)) == pytest.approx(segment_scores[:, items].mean(-1).T)


def test_draws_are_the_same_however_they_are_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draw of all samples at once, by numpy, is what blocks of them must add up to."""
    draws, level = Draws(150, seed=3), "segments"
    whole = np.random.default_rng([3, LEVELS.index(level), 33]).integers(33, size=(150, 33))
    for block in (1, 7, 64, 1000):
        monkeypatch.setattr(resampling, "BLOCK", block)
        assert (draws.items(level, 33) == whole).all()
        assert (draws.weights(level, 33) == weights(whole, 33)).all()
