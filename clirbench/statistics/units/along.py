"""Claims along training: from replicate runs alone.

Checkpoints of one run share its rise, so any two columns that training moves agree; from one run nothing separates
that from a metric that sees more. Replicate runs do: at the same step, does the run with the higher metric have the
higher measure? Only whole runs are exchanged, because what sets a run apart stays with it from step to step.
"""

from collections.abc import Sequence

import numpy as np

from clirbench.statistics.units.given import Beyond, within_strata
from clirbench.statistics.units.permutation import SAMPLES
from clirbench.types import Doubles, Ints


def at_same_step(
    x: Doubles,
    y: Doubles,
    run: Ints,
    steps: Doubles,
    *,
    alpha: float = 0.05,
    samples: int = SAMPLES,
    seed: int = 0,
    configuration: Sequence[str] = (),
) -> list[Beyond]:
    """Every metric's tau over pairs of runs at the same step (of one configuration), runs permuted as wholes.

    `x`: (metrics, n), `y`: (n,), `run`: (n,) 0, 1, ..., `steps`: (n,), all finite. With r runs of the same steps the
    smallest p is 2 / r!; 4 runs or fewer have none below .05. NaN with its reason where there is no test.
    **Source:** exact permutation of units, Good 2005; Korn 1984.
    """
    strata = list(zip(steps.tolist(), configuration or [""] * len(y), strict=True))
    if int(run.max()) == 0:
        one = "one training run: description only, replicate runs would be needed"
        return [
            Beyond(float("nan"), float("nan"), "strata", 0, len(y), 1, 1.0, one) for _ in range(len(np.atleast_2d(x)))
        ]
    return within_strata(x, y, run, strata, alpha=alpha, samples=samples, seed=seed)
