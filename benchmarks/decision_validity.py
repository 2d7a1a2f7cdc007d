"""Do the numbers of decision.tsv and picks.tsv hold the truth? Draws of topics from populations that are known.

    python -m benchmarks.decision_validity --data DIR --write docs

The truth is the mean over a population of topics: the 1,000 keyterm topics of the Europarl ladder, the topics of WMT
folders, and simulated ones with noise that differs between systems and grows with the effect. Each repetition draws
topics with replacement, makes the tables of a run from them, and compares their cells with the population. `--data`
is the mirror; the rankings are made once and kept in `--keep`. Worlds, sizes and seeds are fixed below.

What is counted: `low, high` of each system's mean; `difference_low, difference_high` of each system but the recommended
one; whether `in_set` has the best system; `loss_low, loss_high` of a pick that the same topics made (a metric whose
order is that of the measure without its first system). Bound: .93, touched by the 99 % Monte Carlo interval.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.stats import beta, t

import clirbench as cb
from benchmarks.validity_page import write_rows
from clirbench.engines.local import Serial
from clirbench.measures.base import arithmetic
from clirbench.report.decision import decision_tables
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.grades import Evidence

Doubles = np.typing.NDArray[np.float64]
BOUND, REPETITIONS, SEED = 0.93, 200, 20261123
DATA = Path("data/validity-decision.tsv")
WMT = ("wmt21/de-en", "wmt21/zh-en", "wmt22/de-en", "wmt22/zh-en", "wmt23/zh-en")
MEASURES = ("MAP", "RBO(p=0.9)")
REAL_TOPICS, MADE_TOPICS = (20, 50, 150), (5, 10, 20, 50, 150)


@dataclass(frozen=True)
class Row:
    """One quantity in one world: share of truths that it held, its 99 % Monte Carlo interval, and the set's size.

    `verdict`: `holds`, or `below` where the interval ends below .93; `note` rows have no promise.
    """

    world: str
    systems: int
    population: int
    topics: int
    what: str
    rate: float
    low: float
    high: float
    repetitions: int
    verdict: str


@dataclass(frozen=True)
class Average:
    """A measure that is the mean of its topics."""

    name: str = "MAP"
    higher_is_better: bool = True
    signature: str = "mean"
    uses_qrels: bool = True
    needs_relevant: bool = True

    def per_topic(self, run: object, judged: object) -> Doubles:
        raise NotImplementedError("values are made")

    def aggregate(self, values: Doubles) -> Doubles:
        return arithmetic(values)


class Given(Result):
    """A run whose evidence is given."""

    given: Evidence

    @property
    def evidence(self) -> Evidence:  # type: ignore[override]
        return self.given


def tables_of(values: Doubles, seed: int) -> Mapping[str, list[dict[str, float | str]]]:
    """The rows of decision.tsv and picks.tsv for `values` (systems, topics), as they are printed."""
    names = tuple(f"s{i:02d}" for i in range(len(values)))
    measured = values.mean(axis=1)
    second = np.where(np.arange(len(values)) == measured.argmax(), measured.min() - 1, measured)
    columns = (Column("second", "metric", second), Column("MAP", "measure", measured))
    board = Scoreboard(names, columns)
    result = Given(Experiment("made", Serial(), seed=seed, units="none"), board, ())
    object.__setattr__(result, "given", Evidence(board, per_topic={"MAP": values}, measures={"MAP": Average()}))
    tables = {table.name: table for table in decision_tables(result)}
    return {name: [dict(zip(t.header, row, strict=True)) for row in t.rows] for name, t in tables.items()}


def seen(values: Doubles, truth: Doubles, seed: int) -> Iterator[tuple[str, float]]:
    """What one draw of topics gives: shares of truths that the printed intervals hold."""
    tables = tables_of(values, seed)
    if "decision" not in tables:
        return
    rows = tables["decision"]
    at = {row["system"]: int(str(row["system"])[1:]) for row in rows}
    true = [float(truth[at[row["system"]]]) for row in rows]
    slack = 1e-12

    def holds(row: Mapping[str, float | str], low: str, high: str, value: float) -> bool:
        return float(row[low]) - slack <= value <= float(row[high]) + slack

    yield "low, high", float(np.mean([holds(row, "low", "high", v) for row, v in zip(rows, true, strict=True)]))
    differences = [v - true[0] for v in true]
    inside = [
        holds(row, "difference_low", "difference_high", d) for row, d in zip(rows[1:], differences[1:], strict=True)
    ]
    yield "difference_low, difference_high", float(np.mean(inside))
    tied = [row["in_set"] == "true" for row in rows]
    yield "in_set", float(any(v == max(true) for v, kept in zip(true, tied, strict=True) if kept))
    yield "note size of the set", float(sum(tied))
    yield "note recommended is the best", float(true[0] == max(true))
    yield "note p_best of the recommended", float(rows[0]["p_best"])
    if truth.std():
        yield (
            "note expected_loss less the true loss, SD",
            (float(rows[0]["expected_loss"]) + differences[0]) / truth.std(),
        )
    (pick,) = tables["picks"]
    loss = true[0] - float(truth[at[pick["system"]]])
    yield "loss_low, loss_high of a pick by the same topics", float(holds(pick, "loss_low", "loss_high", loss))


@dataclass(frozen=True)
class Made:
    """Simulated topics: value = difficulty + effect (1 + s topic) + noise of a size that differs between systems.

    `spread`: SD of the effects, in SDs of the noise of one topic; `grows`: s. Noise is t with 4 degrees of freedom, or
    mostly 0 and skewed like average precision.
    """

    systems: int = 16
    spread: float = 0.15
    grows: float = 1.0
    sizes: tuple[float, float] = (0.5, 2.0)
    skewed: bool = False
    tied: int = 1

    def population(self, rng: np.random.Generator) -> tuple[Doubles, Callable[[int], Doubles]]:
        """(truth, draw of topics)."""
        truth = np.sort(rng.normal(size=self.systems)) * self.spread
        truth[-self.tied :] = truth[-self.tied]
        sizes = rng.permutation(np.geomspace(*self.sizes, self.systems))

        def draw(topics: int) -> Doubles:
            effect = 1 + self.grows * rng.normal(size=topics)
            noise = rng.standard_t(4, size=(self.systems, topics)) / math.sqrt(2)
            if self.skewed:
                noise = (rng.exponential(size=noise.shape) * (rng.uniform(size=noise.shape) < 0.5) - 0.5) / 0.87
            return np.asarray(truth[:, None] * effect + sizes[:, None] * noise + rng.normal(size=topics))

        return truth, draw


MADE: Mapping[str, Made] = {
    "noise differs, grows with the effect": Made(),
    "the same, wide effects": Made(spread=0.6, grows=2.0),
    "the same, skewed": Made(skewed=True),
    "5 systems": Made(systems=5),
    "40 systems": Made(systems=40),
    "all equal": Made(tied=16),
    "all equal, the same noise": Made(tied=16, sizes=(1.0, 1.0)),
    "two are best": Made(tied=2, spread=0.3),
}


@cache
def population(data: Path, keep: Path, name: str, measure: str) -> Doubles:
    """(systems, topics): the values of all topics of a real collection."""
    file = keep / f"{name}-{measure}.npy".replace("/", "-")
    if not file.exists():
        settings: dict[str, object] = {
            "measures": list(MEASURES),
            "metric": ["BLEU"],
            "paths__cache": str(keep / "store"),
        }
        settings |= {"relevance__k": 10, "relevance__force": True}
        if name == "ladder":
            home = data / "europarl" / "fr-en-ladder"
            settings |= {"folder": str(home / "collection"), "test_folder": str(home / "news")}
            settings |= {"topics": "keyterms", "topics__n": 1000}
        else:
            settings |= {"folder": str(data / name)}
        made = cb.run("folder", **settings)
        for one in MEASURES:
            rows = made.per_topic[made.per_topic.measure == one]
            values = rows.pivot(index="system", columns="topic_id", values="value").dropna(axis=1).to_numpy()
            np.save(keep / f"{name}-{one}.npy".replace("/", "-"), values)
    return np.asarray(np.load(file))


def real(values: Doubles, part: slice) -> tuple[Doubles, Callable[[np.random.Generator, int], Doubles]]:
    """Truth and draws of some systems, in order of their value."""
    kept = values[np.argsort(values.mean(axis=1))][part]
    return kept.mean(axis=1), lambda rng, topics: kept[:, rng.integers(kept.shape[1], size=topics)]


def worlds(data: Path, keep: Path) -> Iterator[tuple[str, int, int, int, Callable[[int], Iterator[tuple[str, float]]]]]:
    """(name, systems, topics of the population and of a draw, what the repetition of a number sees)."""
    for measure in MEASURES:
        for name, part in [
            ("ladder", slice(None)),
            ("ladder, the lower 8", slice(8)),
            *((w, slice(None)) for w in WMT),
        ]:
            values = population(data, keep, name.partition(",")[0], measure)
            truth, draw = real(values, part)
            for topics in REAL_TOPICS:
                see = partial(_real, truth, draw, topics)
                yield f"{name}, {measure}", len(truth), values.shape[1], topics, see
    for name, made in MADE.items():
        for topics in MADE_TOPICS:
            yield f"made: {name}", made.systems, 0, topics, partial(_made, made, topics)


def _real(truth: Doubles, draw: Callable[..., Doubles], topics: int, at: int) -> Iterator[tuple[str, float]]:
    return seen(draw(np.random.default_rng([SEED, topics, at]), topics), truth, at)


def _made(made: Made, topics: int, at: int) -> Iterator[tuple[str, float]]:
    truth, draw = made.population(np.random.default_rng([SEED, topics, at]))
    return seen(draw(topics), truth, at)


def row_of(world: str, systems: int, size: int, topics: int, what: str, values: Sequence[float]) -> Row:
    """The rate of a column of repetitions; a share of systems in each has Student's interval, a yes or no Clopper's."""
    column = np.array(values)[~np.isnan(values)]
    n = len(column)
    if what.startswith("note ") or not n:
        return Row(
            world, systems, size, topics, what, float(column.mean()) if n else math.nan, *[math.nan] * 2, n, "note"
        )
    rate, hits = float(column.mean()), float(column.sum())
    if np.isin(column, (0, 1)).all():
        low = float(beta.ppf(0.005, hits, n - hits + 1)) if hits else 0.0
        high = float(beta.ppf(0.995, hits + 1, n - hits)) if hits < n else 1.0
    else:
        half = float(t.ppf(0.995, n - 1) * column.std(ddof=1) / math.sqrt(n))
        low, high = rate - half, rate + half
    return Row(world, systems, size, topics, what, rate, low, high, n, "holds" if high >= BOUND else "below")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--keep", type=Path, default=Path("runs/validity-decision"))
    parser.add_argument("--write", type=Path)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args(arguments)
    options.keep.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for world, systems, size, topics, see in worlds(options.data, options.keep):
        columns: dict[str, list[float]] = {}
        for at in range(options.repetitions):
            for what, value in see(at):
                columns.setdefault(what, []).append(value)
        rows += [row_of(world, systems, size, topics, what, values) for what, values in columns.items()]
        print(world, topics, *(f"{row.what}: {row.rate:.3f}" for row in rows[-len(columns) :]), sep="  ", flush=True)
    promised = [row for row in rows if row.verdict != "note"]
    for what in dict.fromkeys(row.what for row in promised):
        own = [row for row in promised if row.what == what]
        least = min(own, key=lambda row: row.rate)
        print(
            f"{what}: {sum(row.verdict == 'holds' for row in own)} of {len(own)} hold, least {least.rate:.3f} ({least})"
        )
    if options.write:
        write_rows(options.write / DATA, rows)
    return int(any(row.verdict == "below" for row in promised))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
