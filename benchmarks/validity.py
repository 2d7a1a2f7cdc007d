"""Do the statistics keep what they promise? Every test, interval, set and sentence, in worlds whose truth is known.

    python -m benchmarks.validity --minutes 60 --jobs 2 --data ../shared/data --write docs

A cell is one world and what is said there (validity_intervals.py, validity_cells.py, validity_collections.py). It
yields names and values; the first word of a name is its kind: `cover`, `printed`, `predicted` (1 where an interval or
a set holds the truth; `printed` as a table has it, `predicted` for a new collection), `error` (1 where something false
is said), `power`, `note`; `width NAME` and `oracle NAME` belong to an interval. NaN: nothing was said. What each cell
saw is kept in `--keep`, round by round: a stopped run goes on, and the page is written from what there is. `--write
DIR` writes every claim to DIR/data/validity.tsv (those of cells not asked for stay) and the page made from that file to
DIR/explanation/validity.md; without it the page is printed. Without `--data` cells that need real data are left out.
"""

import argparse
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.stats import beta, t

from benchmarks import validity_cells
from benchmarks.tables import read_rows, write_rows
from benchmarks.validity_cells import SYSTEMS, Cell
from benchmarks.validity_collections import COLLECTIONS
from benchmarks.validity_intervals import INTERVALS
from benchmarks.validity_page import DATA, PAGE, Row, page

Seen = dict[str, np.ndarray]
"""What the repetitions of a cell saw, by name; NaN where nothing was said."""
CELLS: Mapping[str, Cell] = {**INTERVALS, **SYSTEMS, **COLLECTIONS}
ROUND = 100
LEVELS = {"cover": 0.94, "printed": 0.93, "predicted": 0.92}
"""What the 99 % Monte Carlo interval of a rate must touch."""
ALPHA, WIDER, OFTEN, MANY = 0.06, 1.25, 0.95, 16


def repetitions(name: str, first: int, number: int, seed: int) -> dict[str, list[float]]:
    """What a cell saw in repetitions `first` to `first + number`; each has a seed of its own."""
    cell, seen = CELLS[name], defaultdict(list)
    for at in range(first, first + number):
        one: dict[str, float] = dict(cell.see(np.random.default_rng([seed, at]), at))
        for what, value in one.items():
            seen[what].append(value)
    return seen


def rounds(name: str, number: int) -> Iterator[tuple[int, int]]:
    """(first, number of repetitions) until `number`, less for cells that cost more."""
    share = CELLS[name].share
    for at in range(0, number, ROUND):
        yield math.ceil(at * share), math.ceil(min(number, at + ROUND) * share) - math.ceil(at * share)


def path(folder: Path, name: str, first: int, number: int, seed: int) -> Path:
    return folder / f"{name.replace('/', ' of ')} - seed {seed}, {first} + {number}.npz"


def run(names: Sequence[str], number: int, seed: int, jobs: int, folder: Path, minutes: float) -> None:
    """Everything not yet kept, one round of all cells after the other, until it is done or time is over."""
    end = time.monotonic() + 60 * minutes
    todo = [(at, name, part) for name in names for at, part in enumerate(rounds(name, number)) if part[1]]
    todo = [job for job in sorted(todo, key=lambda job: job[0]) if not path(folder, job[1], *job[2], seed).exists()]
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(_kept, folder, name, *part, seed, end): name for _, name, part in todo}
        for count, done in enumerate(as_completed(waiting), 1):
            took = done.result()
            if took > 0.1:
                print(f"{count}/{len(todo)}  {took:6.1f} s  {waiting[done]}", file=sys.stderr, flush=True)


def _kept(folder: Path, name: str, first: int, number: int, seed: int, end: float) -> float:
    start, cpu = time.monotonic(), time.process_time()
    if start < end:
        seen = repetitions(name, first, number, seed)
        part = path(folder, name, first, number, seed)
        took = np.array([time.process_time() - cpu])
        np.savez(part.with_suffix(".part.npz"), seconds=took, **{what: np.array(c) for what, c in seen.items()})
        part.with_suffix(".part.npz").rename(part)
    return time.monotonic() - start


def kept(folder: Path, name: str, number: int, seed: int) -> Seen:
    """All rounds of a cell that are there, one after the other."""
    seen: dict[str, list[np.ndarray]] = defaultdict(list)
    for part in rounds(name, number):
        if path(folder, name, *part, seed).exists():
            with np.load(path(folder, name, *part, seed)) as found:
                for what in found.files:
                    seen[what].append(found[what])
    return {what: np.concatenate(columns) for what, columns in seen.items()}


def rows(seen: Mapping[str, Seen]) -> list[Row]:
    """Every line of every cell, in the order of the cells."""
    found = []
    for world, told in seen.items():
        for name in told:
            kind, _, what = name.partition(" ")
            if kind in (*LEVELS, "error", "power", "note"):
                found.append(_row(world, kind, what, told))
    return found


def _row(world: str, kind: str, what: str, told: Seen) -> Row:
    column = told[f"{kind} {what}"]
    values = column[~np.isnan(column)]
    said = len(values) / len(column)
    if not len(values):
        return Row(world, kind, what, *[math.nan] * 3, 0.0, *[math.nan] * 2, len(column), "not said")
    rate = float(values.mean())
    low, high = exact(rate, len(values))
    if not np.isin(values, (0, 1)).all():
        half = float(t.ppf(0.995, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
        low, high = rate - half, rate + half
    width, oracle = (middle(told.get(f"{of} {what}", np.empty(0))) for of in ("width", "oracle"))
    verdict = _verdict(kind, low, high, width, oracle)
    if verdict == "holds" and kind != "power" and said < OFTEN and CELLS[world].units >= MANY:
        verdict = "quiet"
    return Row(world, kind, what, rate, low, high, said, width, oracle, len(column), verdict)


def _verdict(kind: str, low: float, high: float, width: float, oracle: float) -> str:
    if kind in LEVELS:
        return "below" if high < LEVELS[kind] else "wide" if width > WIDER * oracle else "holds"
    if kind == "error":
        return "above" if low > ALPHA else "holds"
    return kind


def middle(values: np.ndarray) -> float:
    return float(np.median(values[~np.isnan(values)])) if (~np.isnan(values)).any() else math.nan


def exact(rate: float, n: int) -> tuple[float, float]:
    """99 % interval of a share (Clopper and Pearson 1934)."""
    hits = round(rate * n)
    low = float(beta.ppf(0.005, hits, n - hits + 1)) if hits else 0.0
    return low, float(beta.ppf(0.995, hits + 1, n - hits)) if hits < n else 1.0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs="*", default=[""], help="cells whose name contains one of these")
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=60, help="no round is begun after so long")
    parser.add_argument("--seed", type=int, default=20_261_122)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=validity_cells.KEEP)
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    validity_cells.KEEP, validity_cells.MIRROR = options.keep, options.data
    names = [name for name, cell in CELLS.items() if any(part in name for part in options.cells)]
    names = [name for name in names if options.data or not CELLS[name].data]
    run(names, options.repetitions, options.seed, options.jobs, options.keep, options.minutes)
    seen = {name: kept(options.keep, name, options.repetitions, options.seed) for name in names}
    found = rows(seen)
    if options.write:
        before = [row for row in read_rows(options.write / DATA, Row) if row.world in CELLS and row.world not in seen]
        write_rows(options.write / DATA, Row, [*found, *before], ".6g")
        (options.write / PAGE).write_text(page(read_rows(options.write / DATA, Row)), encoding="utf-8")
    else:
        print(page(found))
    return int(any(row.verdict in ("below", "above") for row in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
