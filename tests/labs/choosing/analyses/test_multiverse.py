"""Changing components by the command line's keys; the whole analysis runs over the demo in test_reports."""

from dataclasses import replace

import pytest

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.choosing.analyses.multiverse import MultiverseAnalysis, changed
from clirbench.measures.rbo import RBO
from clirbench.relevance.top_k import TopK
from clirbench.result import Experiment
from clirbench.retrieval.bm25 import BM25
from tests.report.analysed import result_of
from tests.statistics.worlds import world


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
