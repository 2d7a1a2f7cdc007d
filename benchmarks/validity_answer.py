"""Does the answer, as printed, keep its error rates? Fixed worlds whose truth is known; the sentences are read.

    python -m benchmarks.validity_answer --draws 60 --write docs/data/validity-answer.tsv

The worlds are a fraction of a grid over the number of systems, true tau, number of metrics, structure and shape, chosen
by a fixed seed; they and the seeds of the draws were committed before the first result. A rate passes where its 99 %
Monte-Carlo interval (Clopper and Pearson) touches its bound.
"""

import argparse
import itertools
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import beta, kendalltau

from clirbench.engines.local import Serial
from clirbench.report.answer import answered
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import correlate
from clirbench.types import Doubles

WORLDS, SEED, DRAWS_SEED = 96, 20261122, 7_320_010
SYSTEMS = (5, 6, 9, 12, 16, 30, 60)
TAUS = (0.0, 0.0, 0.2, 0.45, 0.6, 0.9, 1.0)
METRICS = (1, 3, 10)
STRUCTURES = ("independent", "independent", "declared groups", "undeclared near-copies")
SHAPES = ("normal", "t copula", "Clayton", "ties", "one outlier")
SHOWN = re.compile(r"strong evidence|moderate evidence|better than chance")


@dataclass(frozen=True)
class World:
    """Systems, the true tau of every metric, how many metrics, which systems depend on each other, the copula."""

    systems: int
    tau: float
    metrics: int
    structure: str
    shape: str


def worlds() -> list[World]:
    """The committed list."""
    grid = [World(*each) for each in dict.fromkeys(itertools.product(SYSTEMS, TAUS, METRICS, STRUCTURES, SHAPES))]
    chosen = np.random.default_rng(SEED).choice(len(grid), WORLDS, replace=False)
    return [grid[i] for i in sorted(chosen.tolist())]


def columns(world: World, n: int, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
    """(metrics, n) and (n,): a sample of n independent systems."""
    if world.shape == "Clayton" and 0 < world.tau < 1:
        theta = 2 * world.tau / (1 - world.tau)
        y, w = rng.uniform(size=n), rng.uniform(size=(world.metrics, n))
        return ((w ** (-theta / (1 + theta)) - 1) * y**-theta + 1) ** (-1 / theta), y
    rho = np.sin(np.pi / 2 * world.tau)
    y = rng.normal(size=n)
    rest = np.sqrt(0.7) * rng.normal(size=n) + np.sqrt(0.3) * rng.normal(size=(world.metrics, n))
    x = rho * y + np.sqrt(1 - rho**2) * rest
    if world.shape == "t copula":
        stretch = np.sqrt(rng.chisquare(3, n) / 3)
        return x / stretch, y / stretch
    if world.shape == "ties":
        return np.round(1.5 * x), np.round(4 * y)
    return x, y


def draw(world: World, rng: np.random.Generator) -> Scoreboard:
    """One board of that world."""
    n, metadata = world.systems, {}
    if world.structure == "independent":
        x, y = columns(world, n, rng)
    else:
        own = max(3, (n + 1) // 2)
        unit = np.arange(n) % own
        x, y = (side[..., unit] for side in columns(world, own, rng))
        x, y = x + 1e-3 * rng.normal(size=x.shape), y + 1e-3 * rng.normal(size=n)
        if world.structure == "declared groups":
            metadata = {"family": tuple(f"f{i}" for i in unit)}
    if world.shape == "one outlier":
        x[:, 0], y[0] = -9.0, -9.0
    made = [Column(f"m{i}", "metric", row) for i, row in enumerate(x)]
    measure = Column("MAP", "measure", y, declared={"judged_by": "people"})
    names = tuple(f"{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(n))
    return Scoreboard(names, (*made, measure), metadata)


def truth(world: World) -> float:
    """The tau that intervals should hold: tau-b of the rounded columns where there are ties."""
    if world.shape != "ties":
        return world.tau
    x, y = columns(world, 4000, np.random.default_rng([SEED, 1]))
    return float(kendalltau(x[0], y).statistic)


def seen(world: World, number: int, draws: int) -> dict[str, object]:
    """A row of the table: how often what was printed."""
    rng, true = np.random.default_rng([DRAWS_SEED, number]), truth(world)
    grades: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for _ in range(draws):
        board = draw(world, rng)
        answer = answered(Result(Experiment("world", Serial()), board, tuple(correlate(board, ["kendall"]))))
        counts["shown"] += bool(SHOWN.search(answer.sentences[0]))
        counts["long"] += len(str(answer).split()) > 60
        counts["strong"] += answer.grades["m0"] == "strong"
        counts["moderate"] += answer.grades["m0"] in ("strong", "moderate")
        found = next(one for one in answer.findings if one.kind == "agreement" and one["metric"] == "m0")
        counts["covered"] += found["low"] - 1e-9 <= true <= found["high"] + 1e-9
        grades[answer.grades["m0"]] += 1
    row: dict[str, object] = {**asdict(world), "true_tau": f"{true:.3f}", "draws": draws}
    row |= {key: counts[key] for key in ("shown", "moderate", "strong", "covered", "long")}
    row["grades"] = "; ".join(f"{name} {count}" for name, count in grades.most_common())
    row["misses"] = "; ".join(misses(world, true, counts, draws))
    return row


def misses(world: World, true: float, counts: Counter[str], draws: int) -> list[str]:
    """The promises whose 99 % interval does not touch the bound."""
    wrong = []
    if world.tau == 0 and world.shape != "one outlier":
        wrong += ["shown where tau is 0"] if lowest(counts["shown"], draws) > 0.06 else []
    if true < 0.25:
        wrong += ["moderate below .25"] if lowest(counts["moderate"], draws) > 0.06 else []
    if true < 0.5:
        wrong += ["strong below .5"] if lowest(counts["strong"], draws) > 0.06 else []
    if world.shape != "one outlier" and lowest(draws - counts["covered"], draws) > 0.07:
        wrong.append("interval")
    return wrong


def lowest(events: int, draws: int) -> float:
    """The lower end of the 99 % interval of a rate."""
    return float(beta.ppf(0.005, events, draws - events + 1)) if events else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    rows = []
    for number, world in enumerate(worlds()):
        rows.append(seen(world, number, options.draws))
        print(*rows[-1].values(), sep="\t", file=sys.stderr, flush=True)
    lines = ["\t".join(map(str, row.values())) for row in rows]
    text = "\n".join(["\t".join(rows[0]), *lines]) + "\n"
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    failed = [row for row in rows if row["misses"]]
    print(f"{len(rows)} worlds, {options.draws} draws each; {len(failed)} with a miss")


if __name__ == "__main__":
    main()
