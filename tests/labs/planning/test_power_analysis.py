"""`analysis=[power]`: how many systems it would take, in words."""

from clirbench.labs.planning.power_analysis import PowerAnalysis
from tests.report.analysed import text_of
from tests.statistics.worlds import scores_only, world


def test_what_it_takes_and_the_power_now() -> None:
    text = text_of(
        PowerAnalysis(differences=[0.3], simulations=20), world(n=12, noise=(0.5, 0.7), topics=80, segments=200)
    )
    assert "y0: power for a difference of 0.3 is" in text
    assert "y0, 12 systems: the smallest difference in tau that would be found with probability 0.8 is" in text
    assert "12 systems, 80 topics, 200 segments; 20 samples, seed 0." in text
    assert "Not simulated" in text_of(PowerAnalysis(), scores_only([[1, 2]], [[1, 2]]))
