"""`analysis=[pairs]`: how many pairs of systems are told apart, and what the choice of tests allows."""

import pytest

from clirbench.analyses.pairs import PairsAnalysis, pair_findings
from clirbench.errors import ConfigError, UnknownName
from tests.analyses.findings import result_of
from tests.statistics.worlds import world


def test_pairs_that_differ_are_counted_before_and_after_correction() -> None:
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


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="name two systems"):
        PairsAnalysis(pair=["a"])
    with pytest.raises(UnknownName, match="analyses.pairs.sampling"):
        PairsAnalysis(sampling="third")
    with pytest.raises(UnknownName, match="analyses.pairs.tests"):
        PairsAnalysis(tests=["t"])
