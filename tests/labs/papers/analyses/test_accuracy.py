"""`analysis=[accuracy]`: the table says what chance gives."""

from clirbench.labs.papers.analyses.accuracy import AccuracyAnalysis
from tests.report.analysed import text_of
from tests.statistics.worlds import world


def test_the_meaning_of_the_numbers_is_said() -> None:
    assert "chance .5" in text_of(AccuracyAnalysis(samples=20), world(n=4))
