"""How fast the statistics are: 38 systems, 8 metrics, 6 measures, 3,000 segments, 150 topics, one core.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/statistics.py

Prints seconds of processor time (second call: compiled code is cached on disk, its loading is the first call's) and
peak memory.
"""

# ruff: noqa: E402
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # else this file hides the standard library's statistics

import resource
import time
from collections.abc import Callable

import numpy as np
import scipy.stats

from benchmarks.made_evidence import made
from clirbench.labs.papers.differences import differences
from clirbench.statistics.bootstrap import Bootstrap, intervals
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.decision import decide
from clirbench.statistics.resampling import Draws
from clirbench.statistics.units.belonging import units_of
from clirbench.statistics.vectorised import kendall_grid
from clirbench.steps.correlations import Correlations


def timed(what: str, work: Callable[[], object], target: str) -> float:
    """Run once to load compiled code, once for the clock; print a line of the table."""
    work()
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    print(f"{what:<64} {seconds:8.2f} s   target {target}", flush=True)
    return seconds


def against_scipy() -> None:
    """tau-b of 48 pairs of 38 systems in many resamples, compiled and with scipy one by one."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1000, 8, 38)), rng.normal(size=(1000, 6, 38))
    kendall_grid(x[:2], y[:2])
    start = time.perf_counter()
    kendall_grid(x, y)
    ours = (time.perf_counter() - start) / x.shape[0]
    start = time.perf_counter()
    for sample in range(5):
        for column in x[sample]:
            for row in y[sample]:
                scipy.stats.kendalltau(column, row)
    theirs = (time.perf_counter() - start) / 5
    print(f"{'tau-b, compiled, against a loop of scipy.stats.kendalltau':<64} {theirs / ours:8.0f} x   target 50")


def without(evidence: Evidence, *names: str) -> Evidence:
    kept = {column.name for column in evidence.board.columns} - set(names)
    return evidence.columns(kept)


def everything(evidence: Evidence, how: Bootstrap) -> None:
    """The tau table with tests, intervals and corrections, the decision, all differences of metrics."""
    units = units_of(evidence.board)
    Correlations(("kendall", "spearman", "pearson"), 0.05, "exact", False, 0, how, False)((evidence, units))
    differences(evidence)
    decide(evidence, evidence.measure_names[0], unit=units.index)


def main() -> None:
    dense, mixed = made(sparse=False), made()
    how = Bootstrap(Draws(samples=1000))
    timed("everything, 8 dense metrics", lambda: everything(dense, how), "< 10 beyond the bootstrap")
    timed("everything, MacroF1 and MicroF1 among the 8", lambda: everything(mixed, how), "< 10 beyond the bootstrap")
    timed("three-level bootstrap, 1,000 samples, 8 dense metrics", lambda: intervals(dense, ["kendall"], how), "< 3")
    both = timed(
        "three-level bootstrap, 1,000 samples, with MacroF1, MicroF1",
        lambda: intervals(mixed, ["kendall"], how),
        "< 22",
    )
    six = without(mixed, "MacroF1", "MicroF1")
    rest = timed(
        "three-level bootstrap, 1,000 samples, the 6 dense of them", lambda: intervals(six, ["kendall"], how), "< 3"
    )
    print(f"{'MacroF1 and MicroF1 add, for each system':<64} {(both - rest) / 38:8.3f} s   target <= .5")
    against_scipy()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{'peak memory, two made data sets included':<64} {peak:8.2f} GB  target < 1")


if __name__ == "__main__":
    main()
