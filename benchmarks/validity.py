"""Do the statistics keep what they promise? Every test, interval, set and sentence, in worlds whose truth is known.

    python -m benchmarks.validity --jobs 2 --write docs

A cell is one world and what is said there (validity_intervals.py, validity_cells.py, validity_collections.py). It
yields names and values; the first word of a name is its kind: `cover`, `predicted` (1 where an interval holds the truth
or a new collection), `error` (1 where something false is said), `power`, `note`; `width NAME` and `oracle NAME` belong
to an interval. NaN: nothing was said. What a cell saw is kept in `KEEP`. `--write DIR` writes DIR/data/validity.tsv
(claims of cells not asked for stay; `--cells nothing` asks for none) and from it DIR/explanation/validity.md; else the
page is printed. Cells that need ../shared/data are left out without it.
"""

import argparse
import math
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.stats import binomtest, t

from benchmarks.folders import KEEP, MIRROR
from benchmarks.tables import read_rows, write_rows
from benchmarks.validity_cells import SYSTEMS, Cell
from benchmarks.validity_collections import COLLECTIONS
from benchmarks.validity_intervals import INTERVALS
from benchmarks.validity_page import DATA, PAGE, Row, page

Seen = dict[str, np.ndarray]
"""What the repetitions of a cell saw, by name; NaN where nothing was said."""
CELLS: Mapping[str, Cell] = {**INTERVALS, **SYSTEMS, **COLLECTIONS}
LEVELS = {"cover": 0.94, "predicted": 0.92}
"""What the 99 % Monte Carlo interval of a rate must touch."""
ALPHA, WIDER, OFTEN, MANY = 0.06, 1.25, 0.95, 16


def repetitions(name: str, number: int, seed: int) -> Seen:
    """What a cell saw in `number` repetitions; each has a seed of its own."""
    seen = defaultdict(list)
    for at in range(number):
        for what, value in dict(CELLS[name].see(np.random.default_rng([seed, at]), at)).items():
            seen[what].append(value)
    return {what: np.array(column) for what, column in seen.items()}


def kept(number: int, seed: int, folder: Path, name: str) -> Seen:
    """What a cell saw, less often where it costs more, from the file where it is once it was seen."""
    path = folder / f"{name.replace('/', ' of ')} - seed {seed}, {number}.npz"
    if not path.exists():
        seen = repetitions(name, math.ceil(number * CELLS[name].share), seed)
        np.savez(path.with_suffix(".part.npz"), allow_pickle=False, **seen)
        path.with_suffix(".part.npz").rename(path)
        print(name, file=sys.stderr, flush=True)
    with np.load(path) as found:
        return dict(found)


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
    exact = binomtest(round(rate * len(values)), len(values)).proportion_ci(0.99)  # Clopper and Pearson 1934
    low, high = float(exact.low), float(exact.high)
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


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs="*", default=[""], help="cells whose name contains one of these")
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20_261_122)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    names = [name for name, cell in CELLS.items() if any(part in name for part in options.cells)]
    names = [name for name in names if MIRROR.exists() or not CELLS[name].data]
    KEEP.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.jobs) as pool:
        see = partial(kept, options.repetitions, options.seed, KEEP)
        seen = dict(zip(names, pool.map(see, names), strict=True))
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
