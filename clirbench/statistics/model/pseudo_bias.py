"""How much better does a metric look by pseudo-relevance than by human judgments?"""

from clirbench.statistics.model.jackknife import Interval, jackknifed, taus
from clirbench.types import Doubles, Ints


def pseudo_bias(x: Doubles, pseudo: Doubles, judged: Doubles, unit: Ints) -> Interval:
    """tau(metric, pseudo) - tau(metric, judged) over the same systems of different units, paired; 0 is no bias.

    `x`, `pseudo`, `judged`: (n,) finite, more is better; in [-2, 2]. Interval: delete-one-unit jackknife of the
    difference. **Source:** Miller 1974.
    """
    found = taus(x, pseudo, unit) - taus(x, judged, unit)
    return jackknifed(float(found[0]), found[1:].tolist())
