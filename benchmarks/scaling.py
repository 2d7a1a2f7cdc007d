"""How a checkpoint sweep grows: `python benchmarks/scaling.py [--systems 10 100] [--workers 1 2] [--segments 3000]`.

    python benchmarks/scaling.py --engines processes dask ray --systems 1000 --workers 2 --segments 200

Simulated checkpoints: a reference of Zipf-distributed words, each system with more of its words replaced than the one
before. Each line is one run of the whole program with a store of its own: wall time, processor time of the program
and its workers, the highest resident memory of the program itself, the size of the store; then the same run again
(everything is in the store), and again with one checkpoint more.

`--engines`: the same sweep by each engine instead, as a ratio of the first one's wall time, and what the driver sends
and gets back for each item of work: bytes of the pickled tasks and results, weighed while they are done one by one.
"""

import argparse
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.engines.base import Task, dispatch

ROOT = Path(__file__).resolve().parents[1]
WORDS = [f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}ing" for i in range(15_000)]
WEIGHTS = [1 / (rank + 3) for rank in range(len(WORDS))]


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds, seconds of processor time, bytes of memory of the parent."""

    wall: float
    processor: float
    memory: int


def make_reference(folder: Path, segments: int) -> list[list[str]]:
    (folder / "systems").mkdir(parents=True)
    chosen = random.Random(0)
    reference = [chosen.choices(WORDS, WEIGHTS, k=chosen.randint(8, 32)) for _ in range(segments)]
    write(folder / "reference.txt", reference)
    return reference


def make_system(folder: Path, reference: list[list[str]], number: int, of: int) -> None:
    """The reference with some of its words replaced by lot: the more, the higher the number."""
    chosen = np.random.default_rng(number + 1)
    words = np.array([word for line in reference for word in line], dtype=object)
    replaced = np.flatnonzero(chosen.random(len(words)) <= 0.05 + 0.5 * number / of)
    words[replaced] = np.array(WORDS, dtype=object)[chosen.integers(len(WORDS), size=len(replaced))]
    ends = np.cumsum([len(line) for line in reference]).tolist()
    texts = words.tolist()
    lines = [texts[begin:end] for begin, end in pairwise([0, *ends])]
    write(folder / "systems" / f"step_{number:05d}.txt", lines)


def write(path: Path, lines: list[list[str]]) -> None:
    path.write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")


def run(place: Path, name: str, arguments: list[str]) -> Cost:
    """One run of the program; its own highest memory is read from /proc until it ends."""
    start = time.monotonic()
    command = [sys.executable, "-m", "clirbench", f"hydra.run.dir={place / name}", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        memory = 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                break
            memory = max(memory, peak(process.pid))
            time.sleep(0.05)
    if process.returncode:
        sys.exit(f"the run failed: {' '.join(command)}")
    return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime, memory)


def peak(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").split("\n")
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def measure(systems: int, workers: int, segments: int, extra: list[str]) -> None:
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        folder = place / "folder"
        reference = make_reference(folder, segments)
        for number in range(systems):
            make_system(folder, reference, number, systems)
        arguments = [
            f"folder={folder}",
            f"paths.cache={place / 'cache'}",
            f"engine.workers={workers}",
            "topics.n=50",
            *extra,
        ]
        first = run(place, "first", arguments)
        stored = sum(path.stat().st_size for path in (place / "cache").rglob("*") if path.is_file())
        again = run(place, "again", arguments)
        make_system(folder, reference, systems, systems)
        more = run(place, "more", arguments)
        print(
            f"{systems:7d} {workers:7d} {first.wall:8.1f} {first.processor:9.1f} {first.memory / 1e6:9.0f} "
            f"{stored / 1e6:8.1f} {again.wall:8.1f} {more.wall:8.1f}",
            flush=True,
        )


@dataclass(frozen=True)
class Weighing:
    """Does the tasks of `workers` workers here, each pickled on its way there and back; notes bytes and items."""

    log: str
    workers: int = 2

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        if items:
            yield from dispatch(step, items, self.carried)

    def carried(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        for task in tasks:
            sent = pickle.dumps(task)
            got = pickle.dumps(pickle.loads(sent)())  # noqa: S301 (made in the line above)
            with Path(self.log).open("a", encoding="utf-8") as log:
                log.write(f"1\t{len(sent)}\t{len(got)}\n")
            yield pickle.loads(got)  # noqa: S301


def compare_engines(engines: Sequence[str], systems: int, workers: int, segments: int, extra: list[str]) -> None:
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        reference = make_reference(place / "folder", segments)
        for number in range(systems):
            make_system(place / "folder", reference, number, systems)
        shared = [f"folder={place / 'folder'}", "topics.n=50", *extra]
        walls: list[float] = []
        print("engine     wall s  of the first  CPU s")
        for engine in engines:
            chosen = [f"engine={engine}", f"engine.workers={workers}", f"paths.cache={place / engine}"]
            cost = run(place, f"run-{engine}", [*shared, *chosen])
            walls.append(cost.wall)
            print(f"{engine:10s} {cost.wall:6.1f} {cost.wall / walls[0]:13.2f} {cost.processor:6.1f}", flush=True)
        log = place / "weighed"
        weighing = ["engine._target_=benchmarks.scaling.Weighing", f"+engine.log={log}"]
        run(place, "weighed-run", [*shared, *weighing, "engine.workers=2", f"paths.cache={place / 'weighing'}"])
        rows = [tuple(map(int, line.split())) for line in log.read_text(encoding="utf-8").splitlines()]
        items = sum(row[0] for row in rows)
        print(
            f"{items} items of work in {len(rows)} tasks: {sum(r[1] for r in rows) / items:.0f} bytes sent, "
            f"{sum(r[2] for r in rows) / items:.0f} bytes back, for each item"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--systems", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--segments", type=int, default=3000)
    parser.add_argument("--engines", nargs="+")
    parser.add_argument("overrides", nargs="*", help="further key=value for the program")
    options = parser.parse_args()
    if options.engines:
        compare_engines(options.engines, options.systems[0], options.workers[-1], options.segments, options.overrides)
        return
    print("systems workers   wall s     CPU s parent MB store MB  again s one more s")
    for systems in options.systems:
        for workers in options.workers:
            measure(systems, workers, options.segments, options.overrides)


if __name__ == "__main__":
    main()
