"""The keys of a run: each has its kind, and what is no key is named."""

from typing import Any

import pytest

from clirbench.configuration.advice import unknown_keys
from clirbench.configuration.building import build, limits_of
from clirbench.configuration.composing import compose_configuration
from clirbench.keys import defaults, problems
from clirbench.result import Experiment
from clirbench.text import Limits


def test_defaults_are_of_their_kind_and_those_of_an_experiment_and_of_the_limits() -> None:
    assert list(problems(defaults())) == []
    cfg = compose_configuration(["+experiment=folder", "folder=x"])
    made = build(cfg)
    assert limits_of(cfg) == Limits()
    parts = {
        name: getattr(made, name)
        for name in ("corpus", "systems", "topics", "retriever", "relevance", "metrics", "measures")
    }
    assert made == Experiment("folder", made.engine, **parts, analyses=made.analyses, languages=made.languages)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("measures", 5, "measures=5 must be a list of names, [A,B]: IR measures"),
        ("measures", [True], "measures="),
        ("analysis", 3, "analysis=3 must be a list of names"),
        ("seed", "x", "seed='x' must be a whole number of at least 0"),
        ("seed", True, "seed=True"),
        ("check", "yes", "check='yes' must be true or false"),
        ("documents", 3, "documents=3 must be a mapping: its keys are documents.size"),
        ("scores", {"rename": ["a"]}, "scores.rename="),
        ("folder", True, "folder=True must be a text"),
    ],
)
def test_values_of_another_kind(name: str, value: Any, said: str) -> None:
    (error,) = problems({name: value})
    assert str(error).startswith(said)


def test_one_name_is_a_list_of_one_and_null_is_nothing() -> None:
    assert list(problems({"analysis": "choice", "measures": None, "title": 2024, "pair": ["a", 7]})) == []


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("+foo=1", "there is no key 'foo'"),
        ("+seeed=1", "Type seed=1"),
        ("++documents.siz=4", "Did you mean 'documents.size'? Keys there: documents.size"),
        ("+relevnce.k=10", "Type relevance.k=10"),
        ("+topic.n=10", "Type topics.n=10"),
        ("+retreival.k1=1.2", "Type retrieval.k1=1.2"),
        ("+corelation.alpha=.1", "Type correlation.alpha=.1"),
        ("+scores.measure=[MAP]", "Did you mean 'scores.measures'?"),
    ],
)
def test_keys_that_a_run_does_not_have(override: str, said: str) -> None:
    (error,) = unknown_keys([override])
    assert said in str(error)


def test_keys_that_it_has() -> None:
    overrides = ["+experiment=demo", "seed=1", "++scores.rename.a=b", "+metric.BLEU.x=1", "relevance@also=qrels"]
    assert list(unknown_keys([*overrides, "hydra.run.dir=x", "~topics"])) == []
