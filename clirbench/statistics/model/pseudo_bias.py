"""How much better does a metric look by pseudo-relevance than by human judgments?"""

import numpy as np

from clirbench.statistics.model.jackknife import Interval, between_weights, leave_one_out, weighted_tau
from clirbench.types import Doubles, Ints


def pseudo_bias(x: Doubles, pseudo: Doubles, judged: Doubles, unit: Ints) -> Interval:
    """tau(metric, pseudo) - tau(metric, judged) over the same systems of different units, paired; 0 is no bias.

    `x`, `pseudo`, `judged`: (n,) finite, more is better; in [-2, 2]. Interval: delete-one-unit jackknife of the
    difference. **Source:** Miller 1974.
    """

    def value(kept: "np.typing.NDArray[np.bool_]") -> float:
        weights = between_weights(np.unique(unit[kept], return_inverse=True)[1].reshape(-1))
        return weighted_tau(x[kept], pseudo[kept], weights) - weighted_tau(x[kept], judged[kept], weights)

    return leave_one_out(value, unit)
