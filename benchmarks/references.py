"""Do grades and the recommended system hold by two references? `python -m benchmarks.references [PART OF A CELL ...]`

Worlds, marks, what follows where one is missed (written before the first result), and figures: benchmarks/RESULTS.md.
"""

import sys
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np

from benchmarks.folders import KEEP, by_two_references, wmt
from benchmarks.validity_intervals import standard, true_taus
from clirbench.columns import regraded
from clirbench.configuration.laboratories import parse
from clirbench.engines.local import Serial
from clirbench.result import Experiment, Result, Retrieval
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import correlate
from clirbench.statistics.grades import GRADES, MODERATE, STRONG, grade, reliability
from clirbench.topics.base import BY_REFERENCE

SEED, DRAWS, TOPICS, ALIKE, BOTH = 20261128, 400, 100, np.sin(np.pi * 0.67 / 2), ("normal", "real")
TAUS, SIZES, LEANS = (0.24, 0.49, 0.75), (8, 12, 20), ((0.0, 0.6), (0.3, 0.6), (0.6, 0.6))
NOISES = {"empty": (0.0, 0.3), "foreign": (0.3, 0.55), "foreign, surely": (0.3, 0.85)}
Cell = namedtuple("Cell", "family n rho lean tau noise", defaults=[""])
CELLS = [Cell(family, n, *lean, tau) for n, lean, family, tau in product(SIZES, LEANS, BOTH, TAUS)]
CELLS += [Cell("normal", n, 0.0, 0.6, TAUS[1], noise) for noise, n in product(NOISES, SIZES)]
CELLS += [Cell(family, 20, *lean, tau) for lean, family, tau in product(((0.0, 0.0), (0.6, 0.9)), BOTH, TAUS)]
CELLS += [Cell("t", n, *lean, tau) for lean, n, tau in product(LEANS, SIZES, TAUS)]


@cache
def real(cell: Cell) -> list[np.ndarray]:
    """x (metrics, systems), and (systems, TOPICS) by A, by B and by a q, of all folders together."""
    parts = zip(*filter(None, map(by_two_references, wmt(8))), strict=True)
    (x, a, b), rng = (np.concatenate(part) for part in parts), np.random.default_rng(SEED)
    x, middle, lexical = x.T.copy(), (a.mean(axis=1) + b.mean(axis=1)) / 2, x.mean(axis=1)
    share = (common := np.var(a.mean(axis=1) - middle) * (1 + cell.rho) / (1 - cell.rho)) / np.var(middle)
    lexical = standard(lexical - np.polyval(np.polyfit(middle, lexical, 1), middle))
    aside = cell.lean * lexical + np.sqrt(1 - cell.lean**2) * rng.normal(size=len(a))
    q = middle - share * middle - np.sqrt(max(0.0, common - share * common)) * aside
    noise, low, high = rng.normal(size=x.shape), np.zeros((len(x), 1)), np.full((len(x), 1), 9.0)
    for _ in range(20):
        above = true_taus(x + (low + high) / 2 * noise, q)[:, None] > cell.tau
        low, high = np.where(above, (low + high) / 2, low), np.where(above, high, (low + high) / 2)
    return [x + high * noise, a, b, q[:, None] + a - a.mean(axis=1, keepdims=True)]


def drawn(cell: Cell, rng: np.random.Generator) -> list[np.ndarray]:
    """x (metrics, n), true taus (metrics,), and (n, TOPICS) by A, by B and by q."""
    if cell.family == "real":
        x, *tables = real(cell)
        rows, taus = rng.choice(x.shape[1], cell.n, replace=False), true_taus(x, tables[2].mean(axis=1))
        return [x[:, rows], taus, *(table[rows][:, rng.integers(TOPICS, size=TOPICS)] for table in tables)]
    n, r, g = cell.n, np.sin(np.pi * cell.tau / 2), np.sqrt((ALIKE - cell.rho) / (1 - cell.rho))
    q, both, a, b, error, *own = (rng.chisquare(3, n) ** -0.5 if cell.family == "t" else 1) * rng.normal(size=(10, n))
    e, f = (np.sqrt(cell.rho) * both + np.sqrt(1 - cell.rho) * one for one in (a, b))
    errors = cell.lean * e + np.sqrt(1 - cell.lean**2) * (error + np.stack(own)) / np.sqrt(2)
    h, other, f = (*NOISES[cell.noise], b) if cell.noise else (g, 0.9, f)
    each = ((g * q + np.sqrt(1 - g**2) * e, 0.9), (h * q + np.sqrt(1 - h**2) * f, other), (q, 0.9))
    tables = [y[:, None] + np.sqrt(TOPICS * (1 / known - 1)) * rng.normal(size=(n, TOPICS)) for y, known in each]
    return [r * q + np.sqrt(1 - r**2) * errors, np.full(5, cell.tau), *tables]


def result_of(x: np.ndarray, *values: np.ndarray) -> Result:
    """The run of A, or of A and B, its grades as the program leaves them; `values`: (n, TOPICS) by each."""
    names = tuple("abcdefghijklmnopqrst"[: x.shape[1]])
    inputs = SimpleNamespace(corpus=SimpleNamespace(collection="", references="AB"))
    each = [Retrieval(inputs, {}, {}, dict.fromkeys(names, inputs), {("", "MAP"): of}) for of in values]
    metrics = [Column(str(i), "metric", row, declared={"scored_against": "searched"}) for i, row in enumerate(x)]
    declared = {"judged_by": "pseudo-relevance", "made_from": "searched"}
    board = Scoreboard(names, (*metrics, Column("MAP", "measure", values[0].mean(axis=1), declared=declared)))
    rows = tuple(correlate(board, ("kendall",), reliabilities={"MAP": reliability(values[0])}))
    made = Experiment("world", Serial(), measures=(parse("MAP"),), topics={"": inputs})
    found = Result(made, board, rows, inputs, {"": each[0]}, second={f"{BY_REFERENCE}B": of for of in each[1:]})
    return replace(found, correlations=tuple(regraded(found, rows, found.units)))


def seen(cell: Cell, draw: int) -> Iterator[tuple[str, float]]:
    """What one run says falsely, or rightly."""
    x, taus, a, b, q = drawn(cell, np.random.default_rng([SEED, CELLS.index(cell), draw]))
    true, decided = [GRADES.index(grade(tau, tau)) for tau in taus.tolist()], cell.tau == TAUS[1]
    best = {*result_of(x[:0], q).agreed} if decided else set()
    for way, values in (("one", (a,)), ("two", (a, b))):
        rows = result_of(x, *values).correlations
        for how in ("", " without cap"):
            grades = [STRONG if how and "reference" in row.lowered.split() else row.grade for row in rows]
            pairs = [([*GRADES, ""].index(one), place) for one, place in zip(grades, true, strict=True)]
            for at, name in enumerate((STRONG, MODERATE)):
                yield f"{name} by {way}{how}", any(printed <= at < place for printed, place in pairs)
            yield f"right by {way}{how}", min(pairs)[0] == min(true)
        if decided:
            systems = {*result_of(x[:0], *values).recommended}
            yield f"outside by {way}", not systems <= best
            yield f"none by {way}", not systems


if __name__ == "__main__":
    KEEP.mkdir(parents=True, exist_ok=True)
    for cell in (cell for cell in CELLS if all(part in str(cell) for part in sys.argv[1:])):
        file = KEEP / f"references {cell}.tsv"
        if not file.exists():
            runs = [dict(seen(cell, draw)) for draw in range(DRAWS)]
            rates = (f"{what} {np.mean([one[what] for one in runs]):.3f}" for what in runs[0])
            file.write_text("\t".join([*map(str, cell), *rates]))
        print(file.read_text(), flush=True)
