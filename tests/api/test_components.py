"""What is not given is what the command line takes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import clirbench as cb
from clirbench.api.components import experiment_of, is_plain, parts
from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.errors import ConfigError


@pytest.mark.parametrize("seed", [0, 7])
def test_the_defaults_are_those_of_the_configuration(seed: int) -> None:
    ours = experiment_of({"corpus": cb.corpora.Folder("texts"), "seed": seed, "name": "folder"})
    theirs = build(compose_configuration(["+experiment=folder", "folder=texts", f"seed={seed}"]))
    assert theirs.systems == cb.systems.Files(include=["*"], exclude=[])
    assert ours == replace(theirs, systems=cb.systems.Files())


def test_what_may_stand_in_a_configuration() -> None:
    assert all(map(is_plain, (None, True, 1, 0.5, np.int64(1), "x", Path("x"), ["a", ("b",)], {"a": {"b": [1]}})))
    assert not any(map(is_plain, (cb.metrics.BLEU(), [cb.metrics.BLEU()], {"a": cb.metrics.BLEU()}, {1, 2})))


def test_labelled_judgments_and_single_parts() -> None:
    made = experiment_of(
        {
            "corpus": cb.corpora.Demo(),
            "relevance": {"": cb.relevance.TopK(k=3), "share": cb.relevance.ScoreShare()},
            "metric": cb.metrics.BLEU(),
            "measures": ["MAP", cb.measures.parse("RBO(p=0.9)")],
            "intervals": None,
            "given": "step",
        }
    )
    assert list(made.relevance) == ["", "share"]
    assert [metric.name for metric in made.metrics] == ["BLEU"]
    assert [measure.name for measure in made.measures] == ["MAP", "RBO(p=0.9)"]
    assert (made.intervals, made.given) == (None, ("step",))


def test_a_second_retriever_is_labelled_as_topics_are() -> None:
    dense, bm25s = cb.retrieval.Dense(), cb.retrieval.BM25S()
    made = experiment_of({"corpus": cb.corpora.Demo(), "retrieval": {"dense": dense, "": bm25s}})
    assert made.retrievers == {"": replace(bm25s, analyzer=cb.retrieval.English()), "dense": dense}
    assert parts({"retrieval": bm25s}) == {"retriever": bm25s}, "what a named experiment has beside it stays"
    with pytest.raises(ConfigError, match="none of dense is the first"):
        parts({"retrieval": {"dense": dense}})


def test_two_retrievers_are_those_of_the_command_line(small_texts: Path) -> None:
    settings = {"measures": ["MAP"]}
    theirs = cb.run("folder", **{"folder": small_texts, "retrieval@also": "bm25s", "relevance__k": 2, **settings})
    two = {"": cb.retrieval.BM25(), "bm25s": cb.retrieval.BM25S()}
    corpus, relevance = cb.corpora.Folder(str(small_texts)), cb.relevance.TopK(k=2)
    ours = cb.run(corpus=corpus, retrieval=two, relevance=relevance, **settings)
    assert {"MAP", "MAP[bm25s]"} <= set(ours.systems.columns)
    pd.testing.assert_frame_equal(ours.systems, theirs.systems, check_exact=True)
    pd.testing.assert_frame_equal(ours.correlations, theirs.correlations, check_exact=True)
    assert ours.tables["retrievers"].equals(theirs.tables["retrievers"])
