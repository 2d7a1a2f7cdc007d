"""Jackknife pseudo-values: a mean's are its own segment scores; less-is-better is turned round."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.analysis.evidence import Evidence
from clirbench.analysis.pseudo_values import pseudo_values
from clirbench.metrics.bleu import BLEU
from clirbench.scoreboard import Column, Scoreboard
from clirbench.types import TestSet
from tests.analysis.worlds import world


def test_a_mean_gives_its_segment_scores_standardised() -> None:
    evidence = world(n=4)
    own = np.stack([evidence.statistics["m0", system][:, 0] for system in evidence.systems])
    expected = (own - own.mean()) / own.std()
    assert pseudo_values(evidence, "m0").values == pytest.approx(expected)
    assert pseudo_values(evidence, "m0").means == pytest.approx(expected.mean(axis=1))


def test_less_is_better_is_turned_round() -> None:
    evidence = world(n=4)
    columns = tuple(replace(c, higher_is_better=c.name != "m0") for c in evidence.board.columns)
    turned = replace(evidence, board=replace(evidence.board, columns=columns))
    assert pseudo_values(turned, "m0").values == pytest.approx(-pseudo_values(evidence, "m0").values)


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
    assert pseudo_values(evidence, "BLEU").values == pytest.approx(expected)
