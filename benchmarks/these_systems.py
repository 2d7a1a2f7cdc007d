"""Do the statements about these systems hold: pairs that differ significantly, and the decision?

    python -m benchmarks.these_systems --part pairs decision --draws 20    # prints cells, then the marks

Real family: every third WMT folder with at least 12 systems, in order of name; all its topics of key terms (up to 150)
are the population; a world draws systems without and topics with replacement. RBO(p=0.9) and MAP. Made family: a value
is difficulty + quality (1 + topic) + noise, whose size differs between systems (.5 to 2, t with 4 degrees of freedom,
over sqrt 2); quality is normal with SD .3 (`graded`), the same but for .02 (`near-equal`), or `graded` with two equal
ones at the top (`two best`); metrics are quality + normal noise of its SD.

Decision: 12 systems, 50 or 150 topics. What is asked (`MARKS`) was written down before the first result: RESULTS.md.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from benchmarks.folders import measured, wmt
from clirbench.configuration.laboratories import parse
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import units_of
from clirbench.statistics.decision import decided
from clirbench.statistics.grades import Evidence
from clirbench.types import Doubles

SEED = 20_261_125
MEASURES = ("RBO(p=0.9)", "MAP")
SYSTEMS, TOPICS = (5, 8, 10, 20), (20, 50, 100, 200)
MADE = ("graded", "near-equal", "two best")
MARKS: Mapping[str, tuple[float, float]] = {
    "wrong among told": (0.0, 0.02),
    "share right less that of the population": (-0.01, 0.01),
    "useless, first of 1": (0.0, 0.05),
    "useless, first of 5": (0.0, 0.05),
    "difference held": (0.93, 0.97),
    "best in set": (0.95, 1.0),
}


@dataclass
class Counts:
    """Sums of what was counted, and how many times it could be counted, by cell."""

    sums: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))

    def add(self, what: str, cell: str, value: float, times: float = 1) -> None:
        self.sums[what, cell][0] += value
        self.sums[what, cell][1] += times

    def print(self) -> None:
        for (what, cell), (value, times) in self.sums.items():
            if times:
                print(f"{what}\t{cell}\t{value / times:.4f}\t{times:.0f}")
        print("mark\tfamily\tfigure\tworst cell")
        for what, family in dict.fromkeys((what, cell.split(",")[0].split(":")[0]) for what, cell in self.sums):
            own = {c: v for (w, c), v in self.sums.items() if w == what and c.startswith(family) and v[1]}
            if not own:
                continue
            figure = sum(v for v, _ in own.values()) / sum(n for _, n in own.values())
            low, high = MARKS.get(what, (-np.inf, np.inf))
            worst = max(own, key=lambda c: max(own[c][0] / own[c][1] - high, low - own[c][0] / own[c][1]))
            met = "" if what not in MARKS else "met" if low <= figure <= high else "MISSED"
            print(f"{what}\t{family}\t{figure:.4f}\t{worst}: {own[worst][0] / own[worst][1]:.4f}\t{met}")


def made(kind: str, n: int, topics: int, rng: np.random.Generator) -> tuple[Doubles, Doubles, Doubles]:
    """True values (n,), metrics (5, n), values (n, topics)."""
    truth = rng.normal(size=n) * (0.02 if kind == "near-equal" else 0.3)
    if kind == "two best":
        truth[np.argsort(truth)[-2:]] = truth.max()
    sizes = rng.permutation(np.geomspace(0.5, 2, n))[:, None]
    noise = sizes * rng.standard_t(4, size=(n, topics)) / np.sqrt(2)
    values = rng.normal(size=topics) + truth[:, None] * (1 + rng.normal(size=topics)) + noise
    return truth, truth + truth.std() * rng.normal(size=(5, n)), values


def worlds(
    sizes: tuple[int, ...], topics: tuple[int, ...], draws: int
) -> Iterator[tuple[str, int, tuple[Doubles, ...]]]:
    """(cell, seed, (true values, metrics, values)): real ones first; `draws` of each folder and measure."""
    for (at, folder), measure, n, t in product(enumerate(wmt(12)[::3]), MEASURES, sizes, topics):
        population = measured(folder, "keyterms")
        x, values = population["x"], population[measure]
        for draw in range(draws if n <= len(values) else 0):
            rng = np.random.default_rng([SEED, at, MEASURES.index(measure), n, t, draw])
            rows = rng.choice(len(values), n, replace=False)
            kept = values[rows]
            world = (kept.mean(axis=1), x[:, rows], kept[:, rng.integers(kept.shape[1], size=t)])
            yield f"real, {n} systems, {t} topics", draw, world
    for (at, kind), n, t in product(enumerate(MADE), sizes, topics):
        for draw in range(13 * draws):
            rng = np.random.default_rng([SEED, 1000 + at, n, t, draw])
            yield f"made: {kind}, {n} systems, {t} topics", draw, made(kind, n, t, rng)


def evidence_of(x: Doubles, values: Doubles) -> Evidence:
    names = tuple(f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(len(values)))
    columns = [Column(f"m{i}", "metric", row) for i, row in enumerate(x)]
    board = Scoreboard(names, (*columns, Column("MAP", "measure", values.mean(axis=1))))
    return Evidence(board, per_topic={"MAP": values}, measures={"MAP": parse("MAP")})


def tau(x: Doubles, y: Doubles) -> float:
    return float((np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).sum())


def pairs(draws: int, counts: Counts) -> None:
    from clirbench.statistics.pairs import separable_order, separable_pairs

    for number, (cell, seed, (truth, x, values)) in enumerate(worlds(SYSTEMS, TOPICS, draws)):
        told = separable_order(values)  # (n, n): +1 where the row is better, -1 where it is worse, 0 not told
        true = np.sign(truth[:, None] - truth)
        n_told = np.abs(told).sum() / 2
        counts.add("note told", cell, n_told, len(truth) * (len(truth) - 1) / 2)
        counts.add("wrong among told", cell, ((told != 0) & (told == -true)).sum() / 2, n_told)
        counts.add("note any wrong", cell, ((told != 0) & (told == -true)).any())
        if n_told:
            orders = np.sign(x[:, :, None] - x[:, None, :]) * np.abs(told)
            off = ((orders == told) & (told != 0)).sum() - ((orders == true) & (told != 0)).sum()
            counts.add("share right less that of the population", cell, off / (len(x) * 2 * n_told))
        evidence = evidence_of(x, values)
        units = units_of(evidence.board, "none")
        for row in separable_pairs(evidence, "MAP", units, seed=seed)[:1]:
            counts.add("note given for the first metric", cell, row.separable >= 10 and row.p_value <= 0.05)
            counts.add("note right among told", cell, row.right, row.separable)
            counts.add("note right among the others", cell, row.others_right, row.others)
        rng = np.random.default_rng([SEED, number, 7])
        y = values.mean(axis=1)
        for useless in (x[:1, rng.permutation(len(y))], np.array([rng.permutation(row) for row in x])):
            rows = separable_pairs(evidence_of(useless, values), "MAP", units, seed=seed)
            first = max(rows, key=lambda row: tau(useless[int(row.metric[1:])], y), default=None)
            given = first is not None and first.separable >= 10 and first.p_value <= 0.05
            counts.add(f"useless, first of {len(useless)}", cell, given)


def decision(draws: int, counts: Counts) -> None:
    for cell, seed, (truth, x, values) in worlds((12,), (50, 150), draws):
        evidence = evidence_of(x, values)
        found = decided(evidence, units_of(evidence.board, "none"), "MAP", seed=seed)
        true = dict(zip(evidence.systems, truth.tolist(), strict=True))
        first, *others = found.standings
        off = [true[row.system] - true[first.system] for row in others]
        held = [row.difference_low <= d <= row.difference_high for row, d in zip(others, off, strict=True)]
        counts.add("difference held", cell, float(np.mean(held)))
        counts.add(
            "note mean held", cell, float(np.mean([row.low <= true[row.system] <= row.high for row in found.standings]))
        )
        in_set = [true[row.system] for row in found.standings if row.in_set]
        counts.add("best in set", cell, max(in_set) == truth.max())
        counts.add("note size of the set", cell, len(in_set))
        if np.isfinite(first.p_best):
            counts.add("note p_best of the first less whether it is the best", cell,
                       first.p_best - (true[first.system] == truth.max()))  # fmt: skip
            off_loss = first.expected_loss - (truth.max() - true[first.system])
            counts.add("note expected loss less the true one, SD of systems", cell, off_loss / truth.std())


PARTS = {"pairs": pairs, "decision": decision}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--draws", type=int, default=20)
    asked, counted = parser.parse_args(), Counts()
    for part in asked.part:
        PARTS[part](asked.draws, counted)
    counted.print()
