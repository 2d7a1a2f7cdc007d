"""What is not given is what the command line takes."""

from dataclasses import replace
from pathlib import Path

import pytest

import clirbench as cb
from clirbench.api.components import experiment_of, is_plain
from clirbench.config import build, composed


@pytest.mark.parametrize("seed", [0, 7])
def test_the_defaults_are_those_of_the_configuration(seed: int) -> None:
    ours = experiment_of({"corpus": cb.corpora.Folder("texts"), "seed": seed, "name": "folder"})
    theirs = build(composed(["+experiment=folder", "folder=texts", f"seed={seed}"]))
    assert theirs.systems == cb.systems.Files(include=["*"], exclude=[])
    assert ours == replace(theirs, systems=cb.systems.Files())


def test_what_may_stand_in_a_configuration() -> None:
    assert all(map(is_plain, (None, True, 1, 0.5, "x", Path("x"), ["a", ("b",)], {"a": {"b": [1]}})))
    assert not any(map(is_plain, (cb.metrics.BLEU(), [cb.metrics.BLEU()], {"a": cb.metrics.BLEU()}, {1, 2})))


def test_labelled_judgments_and_single_parts() -> None:
    made = experiment_of(
        {
            "corpus": cb.corpora.Demo(),
            "relevance": {"": cb.relevance.TopK(k=3), "share": cb.relevance.ScoreShare()},
            "metrics": cb.metrics.BLEU(),
            "measures": ["MAP", cb.measures.parse("RBO(p=0.9)")],
            "intervals": None,
            "given": "step",
        }
    )
    assert list(made.relevance) == ["", "share"]
    assert [metric.name for metric in made.metrics] == ["BLEU"]
    assert [measure.name for measure in made.measures] == ["MAP", "RBO(p=0.9)"]
    assert (made.intervals, made.given) == (None, ("step",))
