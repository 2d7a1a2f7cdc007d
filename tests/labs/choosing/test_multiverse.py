"""The grid of choices and its summary, by hand; the whole analysis runs over the demo in the net."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.choosing.multiverse import SUMMARY, MultiverseAnalysis, changed, summaries, universe_taus, universes
from clirbench.measures.rbo import RBO
from clirbench.relevance.top_k import TopK
from clirbench.result import Experiment
from clirbench.retrieval.bm25 import BM25
from tests.report.analysed import result_of
from tests.statistics.worlds import scores_only, world


def test_grid() -> None:
    grid = universes({"relevance.k": [10, 100], "retrieval.k1": [0.9, 1.2]})
    assert len(grid) == 4
    assert grid[1] == (("relevance.k", 10), ("retrieval.k1", 1.2))
    with pytest.raises(ConfigError, match="no values for a"):
        universes({"a": []})


def test_summary_by_hand() -> None:
    good, bad, other = [1.0, 2, 3, 4], [1.0, 3, 2, 4], [2.0, 1, 3, 4]
    y = [1.0, 2, 3, 4]
    boards = {
        (("k", "1"),): scores_only([good, bad], [y]).board,
        (("k", "2"),): scores_only([bad, good], [y]).board,
        (("k", "3"),): scores_only([bad, other], [y]).board,  # both 2/3: the win is shared
        (("k", "4"),): scores_only([good, bad], [[0.0] * 4]).board,  # undefined
    }
    rows = universe_taus(boards)
    assert [row.choices for row in rows[::2]] == ["k=1", "k=2", "k=3", "k=4"]
    assert [row.best for row in rows] == [True, False, False, True, True, True, False, False]
    first, second = (dict(zip(SUMMARY, row, strict=True)) for row in summaries(rows))
    assert (first["metric"], first["wins"], first["universes"]) == ("x0", 1.5, 3)
    assert first["share"] == second["share"] == 0.5
    assert (first["lowest"], first["median"], first["highest"]) == pytest.approx((2 / 3, 2 / 3, 1))
    assert (second["quarter"], second["three_quarters"]) == pytest.approx((2 / 3, 5 / 6))


def test_nothing_defined() -> None:
    (found,) = summaries(universe_taus({(("k", "1"),): scores_only([[1.0, 1, 1]], [[1, 2, 3]]).board}))
    row = dict(zip(SUMMARY, found, strict=True))
    assert np.isnan(row["median"])
    assert row["universes"] == 0


def experiment() -> Experiment:
    made = result_of(world()).experiment
    return replace(made, retriever=BM25(), relevance={"": TopK(), "other": TopK(5)}, measures=(RBO(),))


def test_every_kind_of_key() -> None:
    universe = (("retrieval.b", 0.7), ("retrieval.analyzer.stem", False), ("relevance.k", 7), ("measures.RBO.p", 0.9))
    after = changed(experiment(), universe)
    assert after.retriever == replace(BM25(), b=0.7, analyzer=replace(BM25().analyzer, stem=False))
    assert after.relevance == {"": TopK(7), "other": TopK(5)}
    assert after.measures == (RBO(p=0.9),)


def test_errors() -> None:
    with pytest.raises(UnknownName, match="analyses.multiverse.choices 'metric.beta'.*relevance"):
        MultiverseAnalysis({"metric.beta": [1]})
    with pytest.raises(UnknownName, match="field of retrieval.k3 'k3'.*k1"):
        changed(experiment(), (("retrieval.k3", 1),))
    with pytest.raises(UnknownName, match="measure of measures.MAP.p 'MAP'.*RBO"):
        changed(experiment(), (("measures.MAP.p", 1),))
    with pytest.raises(ConfigError, match="k"):
        changed(experiment(), (("relevance.k", 0),))
    with pytest.raises(ConfigError, match="not scores alone"):
        MultiverseAnalysis({"relevance.k": [1]}).tables(result_of(world()))
