"""How fast the statistics of a run are: `python -m benchmarks.inference FOLDER [--systems 38]`, one core.

The run of the folder (BLEU, chrF2, MacroF1, MicroF1; five measures) is made first; then the tau table with tests, the
decision and all differences of metrics are timed alone: seconds of processor time of a second call
(compiled code is cached on disk, its loading is the first call's). Beside them a loop of scipy's kendalltau.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.stats

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.experiment import run
from clirbench.labs.papers.favoritism import differences
from clirbench.statistics.agreement import taus
from clirbench.statistics.correlation import correlate
from clirbench.statistics.decision import decided


def timed(what: str, work: Callable[[], object]) -> float:
    """Seconds of processor time of the second call; prints a line."""
    work()
    start = time.process_time()
    work()
    print(f"{what:<50} {(seconds := time.process_time() - start):8.2f} s", flush=True)
    return seconds


def scipys(x: np.ndarray, y: np.ndarray) -> None:
    for column in x:
        for row in y:
            scipy.stats.kendalltau(column, row)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    keys = [f"folder={parser.parse_args().folder}", "metric=[BLEU,chrF2,MacroF1,MicroF1]"]
    result = run(build(compose_configuration(["+experiment=folder", *keys])))
    evidence, units = result.evidence, result.units
    timed("tau, tests and bounds", lambda: correlate(evidence.board, ["kendall"], units=units))
    timed("the decision", lambda: decided(evidence, units, evidence.measure_names[0]))
    timed("exchanges of systems, all pairs of metrics", lambda: differences(evidence))
    x, y = (np.stack([column.values for column in side]) for side in (evidence.board.metrics, evidence.board.measures))
    ours = timed("1,000 times all taus", lambda: [taus(x, row, units.index) for _ in range(1000) for row in y])
    theirs = timed("20 times all taus by scipy.stats.kendalltau", lambda: [scipys(x, y) for _ in range(20)])
    print(f"scipy takes {50 * theirs / ours:.0f} times as long")


if __name__ == "__main__":
    main()
