"""The keys of a run: the table names them all, and each has its kind."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from clirbench.configuration.keys import BY_NAME, KEYS, NODES, problems, unknown

CONFIG = yaml.safe_load((Path(__file__).parents[2] / "conf" / "config.yaml").read_text(encoding="utf-8"))


def test_the_table_has_the_keys_of_the_configuration() -> None:
    top = {name for name in CONFIG if name not in ("defaults", *NODES)}
    assert {name.partition(".")[0] for name in BY_NAME} == top
    for section in ("documents", "correlation", "scores", "paths", "output"):
        assert {f"{section}.{name}" for name in CONFIG[section]} == {n for n in BY_NAME if n.startswith(f"{section}.")}
    assert len(BY_NAME) == len(KEYS)


def test_the_defaults_are_of_their_kind() -> None:
    assert list(problems(CONFIG)) == []


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
    (error,) = unknown([override])
    assert said in str(error)


def test_keys_that_it_has() -> None:
    overrides = ["+experiment=demo", "seed=1", "++scores.rename.a=b", "+metric.BLEU.x=1", "relevance@also=qrels"]
    assert list(unknown([*overrides, "correlation.intervals.level=.9", "hydra.run.dir=x", "~topics"])) == []
