"""What may be decided from the posterior: which system to ship, what else might be the best, what a pick costs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.types import Doubles

HELD = 0.95
CAREFUL = 0.975
"""P that the set holds the best: as promised; and with fewer than 20 topics, along training or in units of unequal
sizes, where sets at .95 held the best in .83 to .94 of some worlds of benchmarks/validity_decision.py."""
CENTRAL = 0.97
"""The share of the posterior in an interval that covers the truth in .95: what the prior leaves open is learned from
few systems, and central .95 intervals covered .91 to .94 in benchmarks/validity_decision.py."""


@dataclass(frozen=True)
class Standing:
    """One system: posterior mean and .95 interval, P(it is the best), what shipping it is expected to lose.

    `expected_loss` >= 0 in units of the measure: E(true best - true value). `in_set`: it belongs to the smallest set
    that holds the true best with probability >= .95 (.975 with few topics or along training): it
    is statistically tied with the best. No interval (NaN) where systems form units, unless these are runs of training.
    """

    system: str
    mean: float
    low: float
    high: float
    p_best: float
    expected_loss: float
    in_set: bool


@dataclass(frozen=True)
class Regret:
    """What shipping a metric's pick loses: expectation >= 0 and the central .95 interval, in units of the measure."""

    metric: str
    pick: str
    expected: float
    low: float
    high: float
    p_best: float


def standings(systems: Sequence[str], draws: Doubles, held: float = HELD) -> list[Standing]:
    """A row for each system, least expected loss first. `draws`: (samples, systems) of true values, more is better."""
    losses = draws.max(axis=1, keepdims=True) - draws
    p_best, expected = p_of_best(draws), losses.mean(axis=0)
    low, high = np.quantile(draws, [(1 - CENTRAL) / 2, (1 + CENTRAL) / 2], axis=0)
    within = best_set(p_best, held)
    order = np.argsort(expected, kind="stable")
    return [
        Standing(
            systems[i], float(draws[:, i].mean()), float(low[i]), float(high[i]), float(p_best[i]), float(expected[i]),
            bool(within[i]),
        )
        for i in order.tolist()
    ]  # fmt: skip


def p_of_best(draws: Doubles) -> Doubles:
    """(systems,): how often each is the best of a draw."""
    return np.asarray(np.bincount(draws.argmax(axis=1), minlength=draws.shape[1]) / len(draws))


def best_set(p_best: Doubles, held: float = HELD) -> "np.typing.NDArray[np.bool_]":
    """(systems,): the fewest systems whose P(best) add up to `held`; what ties with the last of them is in too."""
    order = np.argsort(-p_best, kind="stable")
    reached = np.cumsum(p_best[order])
    last = p_best[order[min(int((reached < held - 1e-12).sum()), len(order) - 1)]]
    return np.asarray(p_best >= last)


def regret(metric: str, systems: Sequence[str], scores: Doubles, draws: Doubles) -> Regret:
    """What the first system by `scores` (systems,), more is better, loses; ties for first are shipped by lot."""
    first = np.flatnonzero(scores == scores.max())
    lost = draws.max(axis=1, keepdims=True) - draws[:, first]
    low, high = np.quantile(lost, [0.025, 0.975])
    p_best = float(p_of_best(draws)[first].mean())
    return Regret(
        metric, ", ".join(systems[i] for i in first.tolist()), float(lost.mean()), float(low), float(high), p_best
    )
