"""Scores without each segment against scoring the rest from scratch; pseudo-values by definition."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from clirbench.labs.papers.statistics.jackknife import left_out_scores, pseudo_values
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from clirbench.text import TextFile
from clirbench.types import TestSet
from tests.statistics.worlds import Mean, with_counts, world

REFERENCE = ("the cat sat on the mat", "a dog barked", "the the end", "it rains", "a cat and a dog sat")
HYPOTHESES = ("the cat sat on a mat", "the dog barked loud", "the end", "it snows", "cat and dog sat")
METRICS = [MacroF(), MicroF(), MacroF(beta=3), MicroF(beta=0.5, k=2), BLEU()]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_left_out_scores_equal_scoring_the_rest(metric: MacroF) -> None:
    got = left_out_scores(metric, metric.statistics(HYPOTHESES, TestSet((REFERENCE,))))
    for left, score in enumerate(got):
        lines = HYPOTHESES[:left] + HYPOTHESES[left + 1 :]
        statistics = metric.statistics(lines, TestSet((REFERENCE[:left] + REFERENCE[left + 1 :],)))
        expected = metric.score(np.asarray(statistics.sum(axis=0)).reshape(-1))
        assert score == pytest.approx(float(expected), abs=1e-10)


def test_a_mean_gives_its_segment_scores_standardised() -> None:
    evidence = world(n=4)
    own = np.stack([evidence.statistics["m0", system][:, 0] for system in evidence.systems])
    expected = (own - own.mean()) / own.std()
    assert pseudo_values(evidence, "m0") == pytest.approx(expected)


def test_less_is_better_is_turned_round() -> None:
    evidence = world(n=4)
    columns = tuple(replace(c, higher_is_better=c.name != "m0") for c in evidence.board.columns)
    turned = replace(evidence, board=replace(evidence.board, columns=columns))
    assert pseudo_values(turned, "m0") == pytest.approx(-pseudo_values(evidence, "m0"))


def test_bleu_by_definition() -> None:
    reference = ("the cat sat on the mat", "a dog barked at the tree", "it rains in the night")
    systems = {"a": ("the cat sat on a mat", "the dog barked at a tree", "it rains at night"), "b": reference}
    metric, test = BLEU(), TestSet((reference,))
    statistics = {("BLEU", name): metric.statistics(lines, test) for name, lines in systems.items()}
    scores = np.array([float(metric.score(statistics["BLEU", name].sum(axis=0))) for name in systems])
    evidence = Evidence(Scoreboard(("a", "b"), (Column("BLEU", "metric", scores),)), statistics, {"BLEU": metric})
    raw = []
    for name, whole in zip(systems, scores, strict=True):
        rest = [metric.score(np.delete(statistics["BLEU", name], i, axis=0).sum(axis=0)) for i in range(3)]
        raw.append([3 * whole - 2 * float(score) for score in rest])
    expected = (np.array(raw) - np.mean(raw)) / np.std(raw)
    assert pseudo_values(evidence, "BLEU") == pytest.approx(expected)


def test_sparse_statistics_of_any_metric() -> None:
    dense = with_counts(np.arange(130.0))
    assert left_out_scores(Mean(), csr_array(dense)) == pytest.approx(left_out_scores(Mean(), dense))


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS[:2], ids=lambda metric: metric.name)
def test_compiled_loops_on_real_output(metric: MacroF, shared_data: Path) -> None:
    """A real system on newstest2018 (2,998 segments), against the metric's own score of summed statistics."""
    folder = shared_data / "vocab-sweep" / "de-en" / "newstest2018"
    reference = TextFile(folder / "reference.txt.gz").lines()
    hypotheses = TextFile(min((folder / "systems").iterdir())).lines()
    statistics = metric.statistics(hypotheses, TestSet((tuple(reference),)))
    totals = np.asarray(statistics.sum(axis=0)).reshape(-1)
    some = [0, 1, 1500, 2997]
    rest = np.array([metric.score(totals - statistics[[i]].toarray()[0]) for i in some])
    assert left_out_scores(metric, statistics)[some] == pytest.approx(rest)
