"""Makes clirbench/data/kendall_t4.npz: the distribution of Kendall's tau under a t copula, by simulation.

    python -m benchmarks.kendall_table

For n pairs from a bivariate t with 4 degrees of freedom, whose true tau is theta: P(T > t) + P(T = t) / 2, as normal
quantiles in thousandths. Every theta uses the same random numbers, so that the table is smooth in theta. About two
minutes of processor time.
"""

from pathlib import Path

import numpy as np
from numba import njit
from scipy.special import ndtri

SEED = 20260301
FREEDOM = 4
SIZES = (*range(3, 21), 22, 24, 27, 30, 34, 38, 43, 50, 60, 75, 100)
THETAS = np.sin(np.linspace(0, np.pi / 2, 33))
TAUS = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 65))
MOST, PAIRS = 200_000, 1.2e8
FILE = Path(__file__).parents[1] / "clirbench/data/kendall_t4.npz"


@njit(nogil=True)
def concordant_less_discordant(x, y):  # type: ignore[no-untyped-def]
    """(samples,): sums of the signs of all pairs of columns of `x` and `y` (samples, n)."""
    sums = np.empty(len(x), np.int32)
    for k in range(len(x)):
        total = 0
        for i in range(x.shape[1]):
            for j in range(i):
                total += 1 if (x[k, i] > x[k, j]) == (y[k, i] > y[k, j]) else -1
        sums[k] = total
    return sums


def tail(n: int) -> "np.typing.NDArray[np.int16]":
    """(thetas, taus): normal quantiles of the mid-p in thousandths."""
    rng, pairs = np.random.default_rng([SEED, n]), n * (n - 1) // 2
    draws = int(min(MOST, PAIRS / pairs))
    x, other = rng.standard_normal((2, draws, n))
    scale = np.sqrt(rng.chisquare(FREEDOM, (draws, n)) / FREEDOM)
    lattice = np.arange(-pairs, pairs + 1, 2)
    rows = []
    for theta in THETAS:
        rho = np.sin(np.pi / 2 * theta)
        sums = concordant_less_discordant(x / scale, (rho * x + np.sqrt(1 - rho**2) * other) / scale)
        counts = np.bincount((sums + pairs) // 2, minlength=len(lattice))
        above = counts[::-1].cumsum()[::-1] - counts / 2
        z = ndtri((above + 0.25) / (draws + 0.5))
        rows.append(np.round(1000 * np.interp(TAUS, lattice / pairs, z)))
    return np.array(rows, dtype=np.int16)


if __name__ == "__main__":
    table = np.stack([tail(n) for n in SIZES])
    np.savez_compressed(FILE, sizes=np.array(SIZES), quantiles=table)
    print(f"{FILE.name}: {table.shape} (sizes, thetas, taus), {FILE.stat().st_size} bytes, seed {SEED}")
