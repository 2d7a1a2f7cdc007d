"""The components behind `analysis=[...]`: their tables, and that their words follow the numbers."""

from dataclasses import replace
from typing import Any

import pytest

from clirbench.analyses.accuracy import AccuracyAnalysis
from clirbench.analyses.choice import ChoiceAnalysis
from clirbench.analyses.differences import DifferencesAnalysis
from clirbench.analyses.pairs import PairsAnalysis, pair_findings
from clirbench.analyses.power import PowerAnalysis
from clirbench.analyses.robustness import RobustnessAnalysis, grouping
from clirbench.analyses.wording import listed, number, sizes
from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, UnknownName
from clirbench.result import Experiment, Result
from clirbench.statistics.evidence import Evidence
from tests.statistics.test_training import checkpoints
from tests.statistics.worlds import scores_only, world


def result_of(evidence: Evidence) -> Result:
    """A result whose evidence is given."""

    class Given(Result):
        @property
        def evidence(self) -> Evidence:
            return evidence

    return Given(Experiment("test", Serial()), evidence.board, ())


def text_of(analysis: Any, evidence: Evidence) -> str:
    return "\n".join(sentence for table in analysis.tables(result_of(evidence)) for sentence in table.text)


def test_differences_in_words() -> None:
    evidence = world(n=16, noise=(0.02, 3.0), topics=400)
    text = text_of(DifferencesAnalysis(samples=200), evidence)
    assert "With 16 systems and no ties, the smallest tau that differs from 0 at .05 is .383." in text
    assert "y0: m0 agrees best" in text
    assert "significantly better than m1 (perm-systems" in text
    assert "16 systems, 400 topics, 60 segments; 200 samples, seed 0." in text
    alike = text_of(DifferencesAnalysis(tests=["perm-systems"], samples=100), world(n=10, noise=(0.3, 0.31)))
    assert "no two metrics differ significantly" in alike
    assert "perm-both" not in alike
    nan = float("nan")
    assert "x1 has no value for s01" in text_of(
        DifferencesAnalysis(tests=["perm-systems"]), scores_only([[1, 2, 3], [1, nan, 3], [3, 1, 2]], [[1, 2, 3]])
    )


def test_differences_errors() -> None:
    with pytest.raises(UnknownName, match="analyses.differences.tests 'perm'"):
        DifferencesAnalysis(tests=["perm"])
    assert "Nothing to compare" in text_of(DifferencesAnalysis(), scores_only([[1, 2, 3]], [[1, 2, 3]]))


def test_pairs_in_words() -> None:
    (table,) = PairsAnalysis(samples=400).tables(result_of(world(n=4)))
    assert table.name == "pairs"
    assert len(table.rows) == 3 * 6
    assert sum("after Holm's correction" in sentence for sentence in table.text) == 3
    assert "one-sided" in table.text[-2]
    (one,) = PairsAnalysis(pair=["s00", "s03"], samples=100, tests=["bootstrap", "randomisation"]).tables(
        result_of(world(n=4))
    )
    assert len(one.rows) == 3 * 2
    (many,) = PairsAnalysis(samples=50).tables(result_of(world(n=8)))
    assert sum("cannot be met with fewer than 560 samples" in sentence for sentence in many.text) == 3
    assert "no two systems can be compared" in next(pair_findings([], 0.05))
    with pytest.raises(ConfigError, match="name two systems"):
        PairsAnalysis(pair=["a"])
    with pytest.raises(UnknownName, match="analyses.pairs.sampling"):
        PairsAnalysis(sampling="third")
    with pytest.raises(UnknownName, match="analyses.pairs.tests"):
        PairsAnalysis(tests=["t"])


def test_choice_in_words() -> None:
    evidence = scores_only([[10, 30, 20, 5]], [[0.3, 0.2, 0.4, 0.5]])
    text = text_of(ChoiceAnalysis(samples=20), evidence)
    assert "y0: the best system is s03 (.500); shipped and lost: x0 s01 (.300)." in text
    assert "random halves" not in text
    assert "random halves" in text_of(ChoiceAnalysis(splits=10, samples=20), world(n=5))
    names = [table.name for table in ChoiceAnalysis(samples=20).tables(result_of(evidence))]
    assert names == ["choice", "improvement"]
    along = checkpoints(["1", "2", "3", "4"], x=[1, 3, 2, 2])
    tables = ChoiceAnalysis(samples=20).tables(result_of(along))
    assert [table.name for table in tables] == ["choice", "improvement", "early_stopping"]
    assert "y lost when training stops at patience 1, mean of 1 run(s): x 2.000." in tables[-1].text


def test_robustness_in_words() -> None:
    evidence = scores_only([[1, 2, 3, 4, 5, 6]], [[2, 1, 3, 4, 6, 5]])
    grouped = replace(
        evidence, board=replace(evidence.board, metadata={"size": tuple("aaabbb"), "id": tuple("123456")})
    )
    assert grouping(grouped) == ("size",)
    text = text_of(RobustnessAnalysis(), grouped)
    assert "x0 with y0: .733 over all" in text
    assert ".333 to .333 within groups of size" in text
    along = text_of(
        RobustnessAnalysis(samples=50), checkpoints(["1", "2", "3", "4", "5", "6", "7"], x=[1, 3, 2, 4, 6, 5, 7])
    )
    assert "not called significant" in along
    assert "x with y: .810 over all checkpoints" in along


def test_power_and_accuracy_in_words() -> None:
    text = text_of(PowerAnalysis(differences=[0.2], simulations=50), world(n=10))
    assert "to see that m0 agrees better than m1 by 0.2" in text
    assert "10 systems, 30 topics, 60 segments; 50 samples, seed 0." in text
    assert "Not simulated" in text_of(PowerAnalysis(), scores_only([[1, 2]], [[1, 2]]))
    assert "chance .5" in text_of(AccuracyAnalysis(samples=20), world(n=4))


def test_words() -> None:
    assert (number(-0.25), number(1.2), number(float("nan")), number(float("inf"))) == (
        "-.250",
        "1.200",
        "undefined",
        "more than was tried",
    )
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh"), 2) == "a, b and 6 more"
    assert sizes(world(n=3), 7, 1) == "3 systems, 30 topics, 60 segments; 7 samples, seed 1."
    assert sizes(scores_only([[1]], [[1]])) == "1 systems, scores only."
