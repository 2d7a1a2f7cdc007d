"""System level: scipy's coefficients, an interval that covers, ellipses as wide and high as the intervals."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from clirbench.files.human_scores import HumanSegments
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.ter import TER
from clirbench.statistics.people import Resampled, against_people, ellipse, figure, half_widths
from clirbench.types import TestSet

WORDS = ["the", "old", "town", "lies", "by", "a", "river", "and", "its", "market", "opens", "early", "in", "the", "day"]


def world() -> tuple[dict[tuple[str, str], np.ndarray], HumanSegments]:
    """Five systems that lose every k-th word, and people who see it with noise."""
    rng = np.random.default_rng(1)
    reference = tuple(" ".join(rng.permutation(WORDS)) for _ in range(40))
    test = TestSet((reference,))
    statistics = {}
    for k in range(2, 7):
        lines = tuple(" ".join(w for i, w in enumerate(line.split()) if i % k) for line in reference)
        for metric in (BLEU(), TER()):
            statistics[metric.name, f"s{k}"] = metric.statistics(lines, test)
    scores = np.arange(2.0, 7)[:, None] + rng.normal(size=(5, 40))
    return statistics, HumanSegments(tuple(f"s{k}" for k in range(2, 7)), scores, "z")


def test_coefficients_are_scipys_and_less_is_turned_round() -> None:
    statistics, human = world()
    bleu, ter = against_people([BLEU(), TER()], statistics, human, samples=200)
    assert bleu.pearson == pytest.approx(pearsonr(bleu.own.scores, human.means).statistic)
    assert bleu.spearman == pytest.approx(spearmanr(bleu.own.scores, human.means).statistic)
    assert ter.pearson == pytest.approx(-pearsonr(ter.own.scores, human.means).statistic)
    assert bleu.ci_low <= bleu.pearson <= bleu.ci_high
    assert bleu.row()[-3:] == (5, 40, 200)


def test_the_interval_is_of_peoples_judgments_drawn_again() -> None:
    statistics, human = world()
    (found,) = against_people([BLEU()], statistics, human, samples=300, seed=7)
    values = [pearsonr(found.own.scores, row).statistic for row in found.human.samples]
    assert found.ci_low == pytest.approx(np.quantile(values, 0.025))
    assert found.ci_high == pytest.approx(np.quantile(values, 0.975))


def test_ellipses_are_as_wide_and_high_as_the_intervals() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(30, 2, 4000)
    y = 0.5 * (x - 30) + rng.normal(0, 1, 4000)
    dx, dy = ellipse(x, y, 400)
    width, height = half_widths(Resampled(np.zeros(2), np.stack([x, y], axis=1)))
    assert dx.max() == pytest.approx(width, rel=0.01)
    assert dy.max() == pytest.approx(height, rel=0.01)
    assert np.corrcoef(dx, dy)[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.02)


def test_the_figure_has_a_plot_for_each_metric() -> None:
    statistics, human = world()
    drawn = figure(against_people([BLEU(), TER()], statistics, human, samples=20))
    assert [axis.get_xlabel() for axis in drawn.axes if axis.get_visible()] == ["BLEU", "TER"]
