"""System level: scipy's coefficients, and an interval of people's judgments drawn again."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from clirbench.labs.papers.human_scores import HumanSegments
from clirbench.labs.papers.metrics.ter import TER
from clirbench.labs.papers.statistics.people import SystemCorrelation, against_people
from clirbench.metrics.bleu import BLEU
from clirbench.types import TestSet

WORDS = ["the", "old", "town", "lies", "by", "a", "river", "and", "its", "market", "opens", "early", "in", "the", "day"]


def judged_systems() -> tuple[dict[tuple[str, str], np.ndarray], HumanSegments]:
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
    statistics, human = judged_systems()
    first, second = against_people([BLEU(), TER()], statistics, human, samples=200)
    bleu, ter = first.row, second.row
    assert bleu.pearson == pytest.approx(pearsonr(first.scores, human.means).statistic)
    assert bleu.spearman == pytest.approx(spearmanr(first.scores, human.means).statistic)
    assert ter.pearson == pytest.approx(-pearsonr(second.scores, human.means).statistic)
    assert bleu.ci_low <= bleu.pearson <= bleu.ci_high
    assert bleu == SystemCorrelation(
        metric="BLEU",
        pearson=bleu.pearson,
        ci_low=bleu.ci_low,
        ci_high=bleu.ci_high,
        spearman=bleu.spearman,
        n_systems=5,
        n_segments=40,
        samples=200,
    )


def test_the_interval_is_of_peoples_judgments_drawn_again() -> None:
    statistics, human = judged_systems()
    (found,) = against_people([BLEU()], statistics, human, samples=300, seed=7)
    values = [pearsonr(found.scores, row).statistic for row in found.human_samples]
    assert found.row.ci_low == pytest.approx(np.quantile(values, 0.025))
    assert found.row.ci_high == pytest.approx(np.quantile(values, 0.975))
