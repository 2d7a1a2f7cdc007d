"""Which re-assignments of the measure to systems are equally likely if the metric is unrelated, and their p-values.

What is exchangeable are whole units. Two units may change places if they have the same systems as far as strata tell:
as many of them in every stratum (a step, a training size; without strata: as many systems). Their systems are matched
by stratum, then by the order of the board. So one rule covers systems by themselves (all orders), families of equal
size (orders of blocks), strata (orders within each), and replicate runs (runs change places at all steps at once).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from math import factorial, inf, prod

import numpy as np

from clirbench.pages.wording import fixed
from clirbench.statistics.units.concordance import pair_weights, signs
from clirbench.types import Doubles, Ints

ENUMERATED = 5040
FEW = 60
"""Systems of which going through all pairs is the fastest."""
SAMPLES = 9999


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Orders of `n` systems in which the units of each of `classes` change places; drawn when they are asked for.

    `exact`: whether they are all there are; `number`: how many there are; `smallest_p`: the smallest two-sided
    p-value that they can give, 2 / number.
    """

    n: int
    classes: tuple[Ints, ...]
    samples: int
    seed: int

    @cached_property
    def number(self) -> float:
        return prod((factorial(len(rows)) if len(rows) < 170 else inf for rows in self.classes), start=1.0)

    @property
    def exact(self) -> bool:
        return self.number <= ENUMERATED

    @property
    def smallest_p(self) -> float:
        return min(1.0, 2 / self.number)

    @cached_property
    def orders(self) -> Ints:
        """(samples, n), the first of them is the board's own."""
        count = int(self.number) if self.exact else self.samples + 1
        orders = np.tile(np.arange(self.n), (count, 1))
        sizes = [factorial(len(rows)) for rows in self.classes]
        at = np.unravel_index(np.arange(count), sizes) if self.exact and sizes else ()
        rng = np.random.default_rng([self.seed, self.n])
        for c, rows in enumerate(self.classes):
            own = np.arange(len(rows))
            if self.exact:
                chosen = np.array(list(permutations(own.tolist())))[at[c]]
            else:
                chosen = np.concatenate([own[None], rng.permuted(np.tile(own, (self.samples, 1)), axis=1)])
            orders[:, rows.ravel()] = rows[chosen].reshape(count, -1)
        return orders


def exchanges(
    unit: Ints, strata: Sequence[object] | None = None, *, samples: int = SAMPLES, seed: int = 0
) -> Exchanges:
    """All exchanges of units where there are at most 5,040, else the identity and `samples` random ones.

    `unit`: (n,) 0, 1, ...; `strata`: (n,) or None. Units with a profile that no other has stay where they are.
    **Source:** Good 2005, "Permutation, Parametric and Bootstrap Tests", 3; Winkler et al. 2015 (blocks).
    """
    return _kept(tuple(unit.tolist()), None if strata is None else tuple(map(str, strata)), samples, seed)


@lru_cache(maxsize=4)
def _kept(unit: tuple[int, ...], strata: tuple[str, ...] | None, samples: int, seed: int) -> Exchanges:
    """The same for all metrics and measures of a run."""
    return Exchanges(len(unit), tuple(_classes(np.array(unit), strata)), samples, seed)


def _classes(unit: Ints, strata: Sequence[object] | None) -> list[Ints]:
    """Exchangeable units, each class as (units, systems of a unit), systems matched by stratum."""
    held: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
    for number in range(int(unit.max()) + 1):
        rows = np.flatnonzero(unit == number).tolist()
        labels = {row: "" if strata is None else str(strata[row]) for row in rows}
        rows.sort(key=lambda row: labels[row])
        held[tuple(labels[row] for row in rows)].append(rows)
    return [np.array(rows, dtype=np.int64) for rows in held.values() if len(rows) > 1]


def refused(found: Exchanges, alpha: float, units: int) -> str:
    """Why a test of these exchanges is not run; nothing where it is."""
    if found.smallest_p < alpha:
        return ""
    if units <= 170 and factorial(units) > found.number and 2 / factorial(units) < alpha:
        return (
            f"too few of the {units} units can change places: the smallest possible p is {fixed(found.smallest_p, 3)}"
        )
    return f"too few independent systems ({units}): the smallest possible p is {fixed(min(1.0, found.smallest_p), 3)}"


def statistics(x: Doubles, y: Doubles, unit: Ints, orders: Ints) -> Doubles:
    """(samples, metrics): sum of w_ij s_ij(x) s_ij(y) over pairs of different units, y re-assigned by every order.

    `x`: (metrics, n), `y`: (n,), w as in `concordance`. Divided by what no exchange changes, this is tau between units.
    """
    from clirbench.statistics.units.loops import balances, kendall_balances

    if len(y) > FEW and int(unit.max()) + 1 == len(y):
        by_x, ranked = np.argsort(x, axis=1, kind="stable"), np.unique(y, return_inverse=True)[1] + 1
        return np.asarray(kendall_balances(by_x, np.ascontiguousarray(x), ranked, orders))
    left = np.ascontiguousarray(np.moveaxis(signs(x) * pair_weights(unit), 0, -1))
    return np.asarray(balances(left, np.ascontiguousarray(y[None], dtype=np.float64), orders)[:, 0])


def shares(values: Doubles) -> Doubles:
    """(samples, metrics): for every sample, the share of samples whose |value| reaches its own."""
    size = np.abs(values)
    size = np.round(size / np.maximum(1e-300, size.max(axis=0)), 9)
    ranked = np.sort(size, axis=0)
    below = np.stack([np.searchsorted(ranked[:, m], size[:, m], side="left") for m in range(size.shape[1])], axis=1)
    return np.asarray((len(size) - below) / len(size))
