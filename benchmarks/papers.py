"""How fast the analyses of two systems and of word types are, on a test set of 3,000 segments made from the demo.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/papers.py [REFERENCE SYSTEM_A SYSTEM_B]

With three files of a real test set these are used, repeated or cut to 3,000 (favoritism) and 2,000 segments (type
weights). Prints seconds, without the loading of compiled code.
"""

# ruff: noqa: E402
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # else this file's folder hides modules of the standard library

import time
from collections.abc import Callable, Sequence

import numpy as np

from clirbench.labs.papers.favoritism import favoritism
from clirbench.labs.papers.type_weights import type_weights, vocabulary
from clirbench.labs.papers.types import type_report
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.text import TextFile
from clirbench.types import TestSet


def timed(what: str, work: Callable[[int], object], n: int, target: str) -> None:
    """Run on the first 50 segments to load compiled code, then on n: caches of texts hold nothing of it."""
    work(50)
    start = time.perf_counter()
    work(n)
    print(f"{what:<78} {time.perf_counter() - start:7.2f} s   target {target}", flush=True)


def sized(lines: Sequence[str], n: int) -> tuple[str, ...]:
    """n lines: the first, over again where there are fewer."""
    return tuple(lines[i % len(lines)] for i in range(n))


def demo() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Varied lines from the demo's reference: words are marked with a number by chance, so that types are many."""
    lines = TextFile(ROOT / "clirbench" / "data" / "demo" / "reference.txt").lines()
    rng = np.random.default_rng(0)

    def varied(line: str, share: float) -> str:
        return " ".join(f"{w}{rng.integers(30)}" if rng.random() < share else w for w in line.split())

    reference = tuple(varied(line, 0.3) for line in sized(lines, 3000))
    dropped = tuple(" ".join(w for i, w in enumerate(line.split()) if i % 7) for line in reference)
    shuffled = tuple(" ".join(rng.permutation(line.split())) for line in reference)
    return reference, dropped, shuffled


def main() -> None:
    files = [TextFile(Path(name)).lines() for name in sys.argv[1:4]]
    reference, ours, theirs = (sized(lines, 3000) for lines in files) if len(files) == 3 else demo()
    count = min(2000, len(files[0]) if files else 2000)
    kinds = len(vocabulary(reference[:count]).types)

    def favored(n: int) -> None:
        test = TestSet((reference[:n],))
        for metric in (BLEU(), ChrF(beta=2), MacroF()):
            favoritism(metric, metric.statistics(ours[:n], test), metric.statistics(theirs[:n], test))

    def weighed(n: int) -> None:
        words = vocabulary(reference[:n])
        for metric in (BLEU(), ChrF(beta=1)):
            type_weights(metric, words)

    def reported(n: int) -> None:
        type_report("s", theirs[:n], TestSet((reference[:n],)))

    timed("favoritism with statistics, 3,000 segments, BLEU, chrF2, MacroF1, a pair", favored, 3000, "2 s")
    timed(f"type weights, {count:,} segments, {kinds:,} types, BLEU and chrF1", weighed, count, "60 s (7,000 types)")
    timed("report of every word type, 3,000 segments", reported, 3000, "")


if __name__ == "__main__":
    main()
