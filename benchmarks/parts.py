"""How fast the parts are, beside what one would use today: `python -m benchmarks.parts FOLDER [--only metrics search]`.

FOLDER holds reference.txt[.gz] and systems/. Each line is seconds of processor time of a second call on one thread, for
all systems of the folder: compiled code is loaded, caches of texts are emptied. `benchmarks/whole.py` compares runs.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
import scipy.stats

from benchmarks.whole import DEPTH, TOPICS, by_bm25s, by_lucene, files, read
from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.configuration.laboratories import parse
from clirbench.experiment import run
from clirbench.labs.papers.favoritism import differences
from clirbench.measures.ir import score_run
from clirbench.metrics import bleu, chrf, tokens
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.relevance.top_k import TopK
from clirbench.retrieval.bm25 import BM25
from clirbench.statistics.agreement import taus
from clirbench.statistics.correlation import correlate
from clirbench.statistics.decision import decided
from clirbench.types import Document, Documents, Judged, Run, TestSet, Topic

Work = Iterator[tuple[str, Callable[[], object]]]
MEASURES = ("MAP", "nDCG", "P@10", "RBO", "RBO(ties=a)", "AQWV", "RBP", "Bpref")
CACHES: tuple[Any, ...] = (
    tokens.reference_tokens, tokens.hypothesis_tokens, bleu.reference_ngrams, chrf._counts, chrf._reference_ngrams
)  # fmt: skip


def metrics(folder: Path) -> Work:
    import sacrebleu.metrics as peers

    reference, *systems = texts(folder)
    test = TestSet((tuple(reference),))

    def ours(*wanted: Any) -> list[float]:
        return [
            one.score(np.asarray(one.statistics(tuple(s), test).sum(axis=0)).ravel()) for one in wanted for s in systems
        ]

    def theirs(*wanted: Any) -> list[float]:
        return [one(references=[reference]).corpus_score(s, None).score for one in wanted for s in systems]

    yield "BLEU, chrF2", lambda: ours(bleu.BLEU(), chrf.ChrF(beta=2))
    yield "BLEU, chrF2 by sacreBLEU", lambda: theirs(peers.BLEU, peers.CHRF)
    yield "MacroF1, MicroF1", lambda: ours(MacroF(), MicroF())


def search(folder: Path) -> Work:
    reference, *systems = texts(folder)
    queries = [" ".join(sorted(set(line.split()), key=len)[-3:]) for line in reference[:TOPICS]]
    asked, one = [Topic.of(str(i), query) for i, query in enumerate(queries)], BM25()
    every = [documents(lines) for lines in systems]
    yield "BM25", lambda: [one.rank(lines, asked) for lines in every]
    yield "BM25 by bm25s", lambda: [by_bm25s(queries, lines, DEPTH) for lines in systems]
    yield "BM25 by Lucene", lambda: [by_lucene(queries, lines, DEPTH) for lines in systems]


def measures(folder: Path) -> Work:
    reference, *systems = texts(folder)
    topics, one = [Topic.of(str(i), line) for i, line in enumerate(reference[:TOPICS])], BM25()
    ideal, *runs = (one.rank(documents(lines), topics) for lines in (reference, *systems))
    judged = Judged(TopK().judge(ideal, documents(reference), topics), ideal, len(reference))
    for name in MEASURES:
        yield name, partial(scored, [parse(name)], runs, judged)


def scored(measures: list[Any], runs: list[Run], judged: Judged) -> None:
    for one in runs:
        score_run(measures, one, judged)


def statistics(folder: Path) -> Work:
    keys = [f"folder={folder}", "metric=[BLEU,chrF2,MacroF1,MicroF1]"]
    result = run(build(compose_configuration(["+experiment=folder", *keys])))
    evidence, units = result.evidence, result.units
    yield "tau, tests and bounds", lambda: correlate(evidence.board, ["kendall"], units=units)
    yield "the decision", lambda: decided(evidence, units, evidence.measure_names[0])
    yield "exchanges of systems, all pairs of metrics", lambda: differences(evidence)
    x, y = (np.stack([one.values for one in side]) for side in (evidence.board.metrics, evidence.board.measures))
    yield "20 times all taus", lambda: [taus(x, row, units.index) for _ in range(20) for row in y]
    kendall = scipy.stats.kendalltau
    yield "20 times all taus by scipy", lambda: [kendall(a, b) for _ in range(20) for a in x for b in y]


PARTS = {one.__name__: one for one in (metrics, search, measures, statistics)}


def texts(folder: Path) -> Iterator[list[str]]:
    return map(read, (next(folder.glob("reference.txt*")), *files(folder, 1000)))


def documents(lines: list[str]) -> Documents:
    return Documents.of([Document(str(i), line) for i, line in enumerate(lines)])


def seconds(work: Callable[[], object]) -> float:
    """Of the second call."""
    for _ in range(2):
        for cached in CACHES:
            cached.cache_clear()
        start = time.process_time()
        work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    print("| part | what | processor s |\n| --- | --- | ---: |")
    for part in options.only:
        for what, work in PARTS[part](options.folder.resolve()):
            try:
                print(f"| {part} | {what} | {seconds(work):.2f} |", flush=True)
            except ImportError as error:
                print(f"| {part} | {what} | {error} |", flush=True)


if __name__ == "__main__":
    main()
