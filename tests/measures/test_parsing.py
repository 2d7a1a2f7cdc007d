"""Names of measures: what they mean, and what a wrong one is told."""

import pytest

from clirbench.errors import ConfigError, UnknownName
from clirbench.measures.base import Measure
from clirbench.measures.ir import IrMeasure
from clirbench.measures.parsing import parse
from clirbench.measures.rbo import RBO
from clirbench.measures.rbp import RBP

NAMES = ["MAP", "GMAP", "RBO", "RBO(p=0.9)", "P@10", "R@10", "nDCG", "AP(rel=2)", "RR", "ERR@20", "RBP(p=0.8)"]
NAMES += ["RBP@9", "IPrec@0.2"]


@pytest.mark.parametrize("name", NAMES)
def test_the_column_is_called_as_the_user_wrote_it(name: str) -> None:
    measure = parse(name)
    assert isinstance(measure, Measure)
    assert measure.name == name
    assert measure.signature.startswith(name + "|")
    assert measure.higher_is_better


def test_map_is_average_precision_of_ir_measures() -> None:
    assert parse("MAP") == IrMeasure("MAP", "MAP")
    assert parse("GMAP") == IrMeasure("GMAP", "AP", geometric=True)
    assert parse("GMAP(rel=2)@100") == IrMeasure("GMAP(rel=2)@100", "AP(rel=2)@100", geometric=True)


def test_parameters_of_our_own_measures() -> None:
    assert parse("RBO(p=0.9, depth=100)") == RBO(p=0.9, depth=100, name="RBO(p=0.9, depth=100)")
    assert parse("RBO(ties='a',variant=ext)") == RBO(ties="a", name="RBO(ties='a',variant=ext)")
    assert parse("RBP(rel=2)@7") == RBP(rel=2, k=7, name="RBP(rel=2)@7")


def test_an_unknown_name_is_told_its_closest_match_and_the_choices() -> None:
    with pytest.raises(UnknownName, match=r"'GMAPP'\. Did you mean 'GMAP'\? Choices: GMAP, MAP, .* others$"):
        parse("GMAPP")
    with pytest.raises(UnknownName, match=r"Did you mean 'nDCG'"):
        parse("nDGC")


def test_names_of_trec_eval_and_ranx() -> None:
    """Columns are called as the user wrote them; values are those of trec_eval's own names (test_trec_eval.py)."""
    for theirs, spec in (("map@100", "AP@100"), ("ndcg@10", "nDCG@10"), ("mrr", "RR"), ("precision@5", "P@5")):
        assert parse(theirs) == IrMeasure(theirs, spec)
    assert parse("gm_map") == IrMeasure("gm_map", "AP", geometric=True)


def test_an_unknown_parameter_is_told_the_choices() -> None:
    with pytest.raises(UnknownName, match="unknown parameter of measure RBO 'q'.*depth.*p"):
        parse("RBO(q=1)")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a b", "cannot be read; write NAME, NAME@k or NAME"),
        ("RBO(p)", "'p' is no parameter; write key=value"),
        ("RBO(p=0.9,p=0.8)", "p is given twice"),
        ("RBO(p=1.0)", "a number above 0 and below 1"),
        ("P@0", "must be above 0"),
        ("P", "ir-measures cannot read 'P'"),
        ("nDCG(dcg=", "cannot be read"),
        ("INST(max_rel=2)", "install its provider: pip install ir-measures"),
    ],
)
def test_a_wrong_parameter_is_a_config_error(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse(name)
