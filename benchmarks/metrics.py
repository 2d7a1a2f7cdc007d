"""Speed of MT metrics against sacreBLEU's API and command line, on the same files in one run.

    python benchmarks/metrics.py [FOLDER]

FOLDER holds reference.txt[.gz] and systems/ (default: ../shared/data/vocab-sweep/de-en/newstest2018, 38 systems of
2,998 segments). One thread; seconds are processor time (children included), which other work on the machine disturbs
least, and the load is printed. Compilation is done before the clock starts and reported apart. What is repeated
counts with its fastest run.
"""

# ruff: noqa: E402
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
sys.path[0] = str(Path(__file__).resolve().parents[1])  # beside this file, statistics.py hides the standard library's

import numpy as np

from clirbench.labs.papers.error_rates import TER
from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU, reference_ngrams
from clirbench.metrics.chrf import ChrF, _counts, _reference_ngrams
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.metrics.tokens import hypothesis_tokens, reference_tokens
from clirbench.text import TextFile
from clirbench.types import TestSet

DEFAULT = Path(__file__).resolve().parents[2] / "shared/data/vocab-sweep/de-en/newstest2018"
FOUR: tuple[Metric, ...] = (BLEU(), ChrF(beta=2), MacroF(), MicroF())
REPEATS = 3


def forget() -> None:
    """Empty every cache, so that the analysis of the references is part of each timing."""
    caches: tuple[Any, ...] = (reference_tokens, hypothesis_tokens, reference_ngrams, _counts, _reference_ngrams)
    for cached in caches:
        cached.cache_clear()


def clock() -> float:
    """Processor seconds of this process and its children so far."""
    return sum(os.times()[:4])


def fastest(work: Callable[[], object], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        forget()
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def ours(metrics: Sequence[Metric], systems: Sequence[tuple[str, ...]], test: TestSet) -> list[float]:
    return [
        float(metric.score(np.asarray(metric.statistics(lines, test).sum(axis=0)).reshape(-1)))
        for lines in systems
        for metric in metrics
    ]


def sacrebleu_cached(systems: Sequence[tuple[str, ...]], reference: Sequence[str]) -> list[float]:
    """BLEU and chrF2 with references analysed once: the fastest way of its API."""
    from sacrebleu.metrics import BLEU as SacreBLEU
    from sacrebleu.metrics import CHRF

    metrics = [SacreBLEU(references=[list(reference)]), CHRF(references=[list(reference)])]
    return [metric.corpus_score(list(lines), None).score for lines in systems for metric in metrics]


def sacrebleu_usual(systems: Sequence[tuple[str, ...]], reference: Sequence[str]) -> list[float]:
    """BLEU and chrF2 with references given at every call: the usual way of its API."""
    from sacrebleu.metrics import BLEU as SacreBLEU
    from sacrebleu.metrics import CHRF

    metrics = [SacreBLEU(), CHRF()]
    return [metric.corpus_score(list(lines), [list(reference)]).score for lines in systems for metric in metrics]


def sacrebleu_command(systems: Sequence[tuple[str, ...]], reference: Sequence[str]) -> None:
    """BLEU and chrF2 of all systems by one call of its command line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, lines in enumerate([reference, *systems]):
            path = Path(folder) / f"{number:03d}.txt"
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="")
            paths.append(str(path))
        command = [sys.executable, "-m", "sacrebleu", paths[0], "-m", "bleu", "chrf", "-i", *paths[1:]]
        subprocess.run(command, check=True, capture_output=True)


def sacrebleu_ter(lines: Sequence[str], reference: Sequence[str]) -> float:
    from sacrebleu.metrics import TER as SacreTER

    return float(SacreTER(references=[list(reference)]).corpus_score(list(lines), None).score)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    reference = TextFile(next(iter(sorted(folder.glob("reference*"))))).lines()
    systems = [TextFile(path).lines() for path in sorted((folder / "systems").iterdir())]
    test = TestSet((reference,))
    print(f"{len(systems)} systems x {len(reference)} segments; load of the machine {os.getloadavg()[0]:.1f}")

    start = clock()
    ours((*FOUR, TER()), [systems[0][:5]], TestSet((reference[:5],)))
    print(f"compiling, or loading what was compiled: {clock() - start:.1f} s")

    four = fastest(lambda: ours(FOUR, systems, test))
    print(f"BLEU chrF2 MacroF1 MicroF1, ours:            {four:8.2f} s")
    for named, way, repeats in (
        ("BLEU chrF2, sacreBLEU, cached references:", sacrebleu_cached, REPEATS),
        ("BLEU chrF2, sacreBLEU, its usual way:    ", sacrebleu_usual, 1),
        ("BLEU chrF2, sacreBLEU, command line:     ", sacrebleu_command, 1),
    ):
        theirs = fastest(lambda way=way: way(systems, reference), repeats)  # type: ignore[misc]
        print(f"{named}    {theirs:8.2f} s   {theirs / four:5.1f} times ours")

    ter = fastest(lambda: ours([TER()], systems[:5], test)) / min(5, len(systems))
    theirs = fastest(lambda: sacrebleu_ter(systems[0], reference), 1)
    print(f"TER a system, ours {ter:.3f} s, sacreBLEU {theirs:.2f} s: {theirs / ter:.0f} times ours")

    print(f"load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
