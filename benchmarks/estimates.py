"""Do runs take what `check=true` estimates? `python benchmarks/estimates.py ../shared/data`, on a quiet machine.

Runs each of `RUNS` from an empty store with `engine=serial`; prints estimated and measured processor time and peak
memory. Exit status 1 where an estimate is more than `FACTOR` times too large or too small.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FACTOR = 3
RUNS = (
    ["systems.include=[030k-chars]"],
    ["systems.include=[030k*]", "topics.n=50"],
    [],
    ["metric=[BLEU]", "measures=[MAP]", "topics.n=20"],
    ["metric=[TER]", "measures=[MAP]", "topics.n=20"],
    ["systems.include=[030k*]", "retrieval=rank_bm25", "metric=[BLEU]"],
    ["analysis=[choice,differences,pairs,multiverse]"],
)
ESTIMATE = re.compile(r"about ([\d,]+) s of processor time and ([\d.]+) GB of memory")


def estimated(command: list[str]) -> tuple[float, float]:
    """Processor seconds and gigabytes that the check of a run names."""
    shown = subprocess.run([*command, "check=true"], capture_output=True, text=True, check=True).stdout
    found = ESTIMATE.search(" ".join(shown.split()))
    if not found:
        sys.exit(f"no estimate in what the check shows:\n{shown}")
    return float(found[1].replace(",", "")), float(found[2])


def measured(command: list[str]) -> tuple[float, float]:
    """Processor seconds and gigabytes that a run takes."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit status {process.returncode}: {' '.join(command)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    folder = parser.parse_args().data / "vocab-sweep" / "de-en" / "newstest2018"
    wrong = 0
    for options in RUNS:
        with tempfile.TemporaryDirectory() as home:
            keys = [f"folder={folder}", "engine=serial", f"paths.cache={home}", f"hydra.run.dir={home}/run", *options]
            command = [sys.executable, "-m", "clirbench", *keys]
            said, took = estimated(command), measured(command)
        far = any(not took[i] / FACTOR < said[i] < took[i] * FACTOR for i in range(2))
        print(
            f"{' '.join(options) or 'defaults'}: estimated {said[0]:.0f} s, {said[1]} GB; "
            f"took {took[0]:.1f} s, {took[1]:.2f} GB{' TOO FAR' if far else ''}",
            flush=True,
        )
        wrong += far
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
