"""Do grades, and the recommended system, hold where a second reference is asked?

    python -m benchmarks.references [PART OF A CELL'S NAME ...]     # cells that are done are kept in runs/worlds

Worlds, marks and what follows where one is missed were written down before the first result: benchmarks/RESULTS.md.
"""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.folders import KEEP, METRICS, label, wmt
from benchmarks.validity_intervals import standard, true_taus
from clirbench.columns import SEARCHED
from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.configuration.laboratories import parse
from clirbench.engines.local import Serial
from clirbench.experiment import regraded, run
from clirbench.result import Experiment, Result, Retrieval
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics import kinds
from clirbench.statistics.correlation import correlate, reliabilities
from clirbench.statistics.grades import GRADES, MODERATE, STRONG, grade
from clirbench.topics.base import BY_REFERENCE
from clirbench.types import Doubles

SEED, DRAWS, TOPICS, ALIKE = 20261128, 400, 100, np.sin(np.pi * 0.67 / 2)
TAUS, LEANS = (0.24, 0.49, 0.75), ((0.0, 0.0), (0.0, 0.6), (0.3, 0.6), (0.6, 0.6), (0.6, 0.9))
NOISES = {"empty": (0.0, 0.3), "foreign": (0.3, 0.55), "foreign, surely": (0.3, 0.85)}
World = tuple[Doubles, Doubles, Doubles, Doubles, Doubles]
"""x (metrics, n), true taus (metrics,), and (n, TOPICS) by A, by B and by q."""


class Cell(NamedTuple):
    family: str
    n: int
    rho: float
    lean: float
    tau: float
    noise: str = ""


@cache
def real() -> list[Doubles]:
    """x (metrics, systems), and (systems, TOPICS) by A and by B, of all folders together."""
    parts: list[list[Doubles]] = [[], [], []]
    for folder in (folder for folder in wmt(8) if len([*folder.glob("reference*")]) > 1):
        file = KEEP / f"references-{label(folder).replace('/', '-')}.npz"
        if not file.exists():
            keys = [f'folder="{folder}"', f"metric=[{','.join(METRICS)}]", 'measures=["RBO(p=0.9)"]', "engine=serial"]
            made = run(build(compose_configuration(["+experiment=folder", *keys])))
            (a,), b = (
                made.evidence.per_topic.values(),
                next(v for k, v in made._second_values.items() if BY_REFERENCE in k),
            )
            KEEP.mkdir(parents=True, exist_ok=True)
            np.savez(file, x=np.stack([made.board[name].oriented for name in METRICS]), a=a, b=b)
        with np.load(file) as kept:
            tables = (kinds.spaced(kept[by], TOPICS) - kinds.spaced(kept[by], TOPICS).mean(axis=0) for by in "ab")
            own = [standard(kept["x"]), *(table / table.mean(axis=1).std() for table in tables)]
        parts = [[*part, one] for part, one in zip(parts, own, strict=True)]
    return [np.concatenate(part, axis=int(at == 0)) for at, part in enumerate(parts)]


@cache
def population(cell: Cell) -> World:
    """All real systems with a q; without sampling of systems or topics."""
    (x, a, b), rng = real(), np.random.default_rng(SEED)
    ya, yb = a.mean(axis=1), b.mean(axis=1)
    middle, common = (ya + yb) / 2, np.var((ya - yb) / 2) * (1 + cell.rho) / (1 - cell.rho)
    share = common / np.var(middle)  # of what both see that is no need of people
    lexical = standard(x.mean(axis=0) - np.polyval(np.polyfit(middle, x.mean(axis=0), 1), middle))
    aside = cell.lean * lexical + np.sqrt(1 - cell.lean**2) * rng.normal(size=len(ya))
    q = middle - share * middle - np.sqrt(max(0.0, common - share * common)) * aside
    noise, low, high = rng.normal(size=x.shape), np.zeros((len(x), 1)), np.full((len(x), 1), 9.0)
    for _ in range(20):
        above = true_taus(x + (low + high) / 2 * noise, q) > cell.tau
        low, high = (np.where(above[:, None] == up, (low + high) / 2, end) for up, end in ((True, low), (False, high)))
    x = x + high * noise
    return x, true_taus(x, q), a, b, q[:, None] + a - ya[:, None]


def sampled(cell: Cell, rng: np.random.Generator) -> World:
    """n systems, by topics that are drawn again."""
    x, taus, *tables = population(cell)
    rows = rng.choice(x.shape[1], cell.n, replace=False)
    return x[:, rows], taus, *(table[rows][:, rng.integers(TOPICS, size=TOPICS)] for table in tables)


def drawn(cell: Cell, rng: np.random.Generator) -> World:
    """A world of normal variables, or of t."""
    n, r, g = cell.n, np.sin(np.pi * cell.tau / 2), np.sqrt((ALIKE - cell.rho) / (1 - cell.rho))
    stretch = np.sqrt(1 / rng.chisquare(3, size=n)) if cell.family == "t" else 1.0
    q, both, a, b, error, *own = rng.normal(size=(5 + len(METRICS), n)) * stretch
    e, f = (np.sqrt(cell.rho) * both + np.sqrt(1 - cell.rho) * one for one in (a, b))
    errors = cell.lean * e + np.sqrt(1 - cell.lean**2) * (error + np.stack(own)) / np.sqrt(2)
    signal, other = NOISES.get(cell.noise, (0.0, 0.9))
    by_b = signal * q + np.sqrt(1 - signal**2) * b if cell.noise else g * q + np.sqrt(1 - g**2) * f
    tables = [
        y[:, None] + np.sqrt(TOPICS * (1 / known - 1)) * rng.normal(size=(n, TOPICS))
        for y, known in ((g * q + np.sqrt(1 - g**2) * e, 0.9), (by_b, other), (q, 0.9))
    ]
    return r * q + np.sqrt(1 - r**2) * errors, np.full(len(METRICS), cell.tau), *tables


def result_of(x: Doubles, own: Doubles, other: Doubles | None = None) -> Result:
    """The run of A, with another reference or without, its grades as the program leaves them."""
    names = tuple(f"s{i:02}" for i in range(x.shape[1]))
    values, found = {"": own} | ({} if other is None else {f"{BY_REFERENCE}B": other}), dict[str, Retrieval]()
    nothing: Any = SimpleNamespace(corpus=SimpleNamespace(collection="", references={"A": 0, "B": 1}))
    for name, of in values.items():
        runs: Any = dict.fromkeys(names)
        found[name] = Retrieval(nothing, {}, {}, runs, {("", "MAP"): of})
    metrics = [Column(f"m{i}", "metric", row, declared={"scored_against": SEARCHED}) for i, row in enumerate(x)]
    declared = {"judged_by": "pseudo-relevance", "made_from": SEARCHED}
    board = Scoreboard(names, (*metrics, Column("MAP", "measure", own.mean(axis=1), declared=declared)))
    experiment = Experiment("world", Serial(), measures=(parse("MAP"),), topics={"": nothing}, units="none")
    made = Result(experiment, board, inputs=nothing, retrieval={"": found.pop("")}, second=found)
    rows = correlate(board, ("kendall",), units=made.units, reliabilities=reliabilities(made.evidence))
    return regraded(replace(made, correlations=tuple(rows))) if rows else made


def uncapped(result: Result) -> list[str]:
    return [STRONG if "reference" in row.lowered.split() else row.grade for row in result.correlations]


def seen(cell: Cell, draw: int) -> Iterator[tuple[str, float]]:
    """What one run says falsely, or rightly."""
    rng = np.random.default_rng([SEED, CELLS.index(cell), draw])
    x, taus, a, b, q = sampled(cell, rng) if cell.family == "real" else drawn(cell, rng)
    one, two, true = result_of(x, a), result_of(x, a, b), [GRADES.index(grade(tau, tau)) for tau in taus.tolist()]
    own, by_b = uncapped(one), [one.grade for one in two.by_reference.get("B", ())]
    capped = [row.grade for row in one.correlations]
    always = (
        [max(pair, key=GRADES.index) if "" not in pair else pair[0] for pair in zip(own, by_b, strict=True)]
        if by_b
        else capped
    )
    ways = {"one": own, "one, cap": capped, "two": uncapped(two), "rule": [row.grade for row in two.correlations]}
    for way, grades in (ways | {"always": always}).items():
        places = [GRADES.index(one or GRADES[-1]) for one in grades]
        for name in (STRONG, MODERATE):
            at = GRADES.index(name)
            yield f"{name}: {way}", any(place <= at < least for place, least in zip(places, true, strict=True))
        yield f"right: {way}", min(places) == min(true)
    yield "votes", bool(by_b)
    if cell.tau != TAUS[1] or (cell.rho, cell.lean) not in COMMON:
        return
    two, truth = result_of(x[:0], a, b), result_of(x[:0], q)
    first, chosen, best = {*two.decision.recommended}, {*two.recommended}, {*truth.agreed}
    either = chosen & ({of.recommended[0] for of in two.decisions.values()} or chosen)
    yield "outside: one", not first <= best
    yield "outside: rule", not chosen <= best
    yield "outside: first by either", not either <= best
    yield "none: rule", not chosen
    yield "none: first by either", not either


kinds.halves_of = lambda *of: float("nan")  # two fifths of the time, and in no grade
SIZES, (PLAIN, *COMMON, STRESS) = (8, 12, 20), LEANS
CELLS = [Cell(family, n, *lean, tau) for n, lean, family, tau in product(SIZES, COMMON, ("normal", "real"), TAUS)]
CELLS += [Cell("normal", n, 0.0, 0.6, TAUS[1], noise) for noise, n in product(NOISES, SIZES)]
CELLS += [Cell(family, 20, *lean, tau) for lean, family, tau in product((PLAIN, STRESS), ("normal", "real"), TAUS)]
CELLS += [Cell("t", n, *lean, tau) for lean, n, tau in product(COMMON, SIZES, TAUS)]


def main(parts: list[str]) -> None:
    KEEP.mkdir(parents=True, exist_ok=True)
    for cell in CELLS:
        file = KEEP / f"references {cell}.json"
        if not file.exists() and all(part in str(cell) for part in parts):
            runs = [dict(seen(cell, draw)) for draw in range(DRAWS)]
            file.write_text(json.dumps({name: float(np.mean([one[name] for one in runs])) for name in runs[0]}))
        if file.exists():
            print(
                *cell,
                *(f"{name} {value:.3f}" for name, value in json.loads(file.read_text()).items()),
                sep="\t",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
