"""Spreads against the formula of the standard error: a mean of n values moves by SD / sqrt(n)."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from clirbench.engines.local import Serial
from clirbench.measures.parsing import parse
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.macrof import MacroF
from clirbench.report.html.page import SAMPLES, spreads
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.grades import Evidence
from clirbench.statistics.resampling import Draws
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.text import TextLines
from clirbench.types import TestSet


def test_a_mean_over_topics_moves_by_its_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.report.html.page.SAMPLES", 4000)
    values = np.random.default_rng(1).random((3, 200))
    made = Scoreboard(("a", "b", "c"), (Column("MAP", "measure", values.mean(axis=1)),))
    evidence = Evidence(made, per_topic={"MAP": values}, measures={"MAP": parse("MAP")})
    expected = values.std(axis=1) / np.sqrt(200)
    assert spreads(evidence, {}, Serial())["MAP"] == pytest.approx(expected, rel=0.06)


def test_sparse_statistics_give_the_same_compiled_or_not() -> None:
    references = tuple(f"word{i} and thing{i % 3} here" for i in range(12))
    test = TestSet((references,))
    metric = MacroF()
    held = {
        ("MacroF1", name): metric.statistics([line.replace(gone, "x") for line in references], test)
        for name, gone in (("a", "thing"), ("b", "and"))
    }
    assert all(sparse.issparse(one) for one in held.values())
    made = Scoreboard(("a", "b"), (Column("MacroF1", "metric", np.array([1.0, 2.0])),))
    evidence = Evidence(made, held, {"MacroF1": metric})
    weighting = Draws(SAMPLES).weights("segments", len(references))
    plain = [metric.score(weighting @ one).std() for one in held.values()]
    assert min(plain) > 0
    assert spreads(evidence, {}, Serial())["MacroF1"] == pytest.approx(plain, rel=1e-9)


def test_a_column_without_items_has_no_ellipse() -> None:
    made = Scoreboard(("a",), (Column("BLEU", "metric", np.ones(1)),))
    assert spreads(Evidence(made, metrics={"BLEU": BLEU()}), {}, Serial()) == {}


def test_with_one_system_more_the_others_are_not_drawn_again(tmp_path: Path) -> None:
    values, found = np.random.default_rng(1).random((3, 20)), []
    texts = {name: TextLines([name]) for name in "abc"}
    for n in (2, 3):
        made = Scoreboard(tuple("abc")[:n], (Column("MAP", "measure", values[:n].mean(axis=1)),))
        evidence = Evidence(made, per_topic={"MAP": values[:n]}, measures={"MAP": parse("MAP")})
        found.append(spreads(evidence, texts, Cached(Serial(), Store(tmp_path)))["MAP"])
        assert len(list(tmp_path.rglob("*.part"))) == n
    assert found[1][:2].tolist() == found[0].tolist()
    assert found[1].tolist() == spreads(evidence, {}, Serial())["MAP"].tolist()
