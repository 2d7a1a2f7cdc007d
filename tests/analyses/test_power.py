"""`analysis=[power]`: how many systems it would take, in words."""

from clirbench.analyses.power import PowerAnalysis
from tests.analyses.findings import text_of
from tests.statistics.worlds import scores_only, world


def test_what_it_takes_and_the_power_now() -> None:
    text = text_of(PowerAnalysis(differences=[0.2], simulations=50), world(n=10))
    assert "to see that m0 agrees better than m1 by 0.2" in text
    assert "10 systems, 30 topics, 60 segments; 50 samples, seed 0." in text
    assert "Not simulated" in text_of(PowerAnalysis(), scores_only([[1, 2]], [[1, 2]]))
