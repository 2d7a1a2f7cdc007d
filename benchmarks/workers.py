"""Workers beside serial work: `python -m benchmarks.workers FOLDER [--tree OTHER] [--workers 1 2] [--times 5]`.

Each run is one cold run of the whole program (BLEU, chrF2, MacroF1) with a store of its own. `--tree`: another
checkout with its own .venv; all kinds of runs take turns. Printed are medians: wall time, processor time of the program
itself, of its workers, and the critical path (the program's, and its workers' divided by their number), which a busy
machine changes less than wall time. Linux: the times are read from /proc when the program has ended.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
TICK = os.sysconf("SC_CLK_TCK")


def run(tree: Path, folder: Path, workers: int, extra: list[str]) -> tuple[float, float, float]:
    """Seconds of wall time, and of processor time of the program and of the processes that it has waited for."""
    with tempfile.TemporaryDirectory() as made:
        command = [
            *(str(tree / ".venv/bin/python"), "-m", "clirbench", "+experiment=folder", f"folder={folder}"),
            *("metric=[BLEU,chrF2,MacroF1]", f"engine.workers={workers}", f"paths.cache={made}/cache"),
            *(f"hydra.run.dir={made}/run", *extra),
        ]
        begun = time.monotonic()
        with subprocess.Popen(
            command, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            said = process.stderr.read()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            wall = time.monotonic() - begun
            fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            user, system, users, systems = (int(field) / TICK for field in fields[11:15])
        if process.returncode:
            raise SystemExit(f"the run failed: {' '.join(command)}\n{said}")
        return wall, user + system, users + systems


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("overrides", nargs="*", help="further key=value for the program")
    options = parser.parse_args()
    trees = [ROOT, *([options.tree.resolve()] if options.tree else [])]
    found = defaultdict(list)
    for number in range(options.times + 1):
        for tree in trees:
            for workers in options.workers:
                seconds = run(tree, options.folder.resolve(), workers, options.overrides)
                if number:  # the first of each may compile
                    found[tree, workers].append(seconds)
    print("tree workers   wall s  itself s  workers s  critical s")
    for (tree, workers), rows in found.items():
        wall, itself, others = (median(row[at] for row in rows) for at in range(3))
        critical = median(row[1] + row[2] / workers for row in rows)
        print(f"{tree.name:10s} {workers:3d} {wall:8.2f} {itself:9.2f} {others:10.2f} {critical:11.2f}")


if __name__ == "__main__":
    main()
