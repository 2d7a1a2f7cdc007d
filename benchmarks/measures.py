"""How long the IR measures take: `python benchmarks/measures.py [SYSTEMS]`, one core.

Rankings are 1,000 deep, 150 topics, drawn from 20,000 documents with scores rounded so that a fifth are tied. What is
timed is a measure over whole runs, as an experiment calls it, ids looked up and all: seconds of processor time.
"""

# ruff: noqa: E402
import os
import sys
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
sys.path[0] = str(Path(__file__).resolve().parents[1])  # beside this file, statistics.py hides the standard library's

import numpy as np

from clirbench.configuration.laboratories import parse
from clirbench.measures.ir import score_run
from clirbench.relevance.top_k import TopK
from clirbench.types import DocumentMap, Documents, Doubles, Judged, Run, Topic, rank_order

DOCUMENTS, TOPICS, DEPTH = 20_000, 150, 1_000
ALONE = [f"RBO(ties={ties},variant={variant})" for ties in ("doc_id", "w", "a", "b") for variant in ("ext", "res")]
ALONE += ["AQWV", "MQWV", "OQWV", "RBP"]
TOGETHER = ["MAP", "GMAP", "P@10", "R@10", "nDCG", "nDCG@20", "RR", "Bpref"]


def run_of(scores: Doubles, noise: float, seed: int) -> Run:
    """The English scores with some noise, as a retriever's run."""
    random = np.random.default_rng(seed)
    ids = DocumentMap(tuple(f"d{i:05}" for i in range(DOCUMENTS)), np.ones(DOCUMENTS, dtype=np.int64))
    ranked = []
    for topic in range(TOPICS):
        noisy = np.round(scores[topic] + noise * random.normal(size=DOCUMENTS), 3).astype(np.float32)
        order = rank_order(noisy, ids.id_rank, DEPTH)
        ranked.append((str(topic), order, noisy[order]))
    return Run.build(ids, ranked)


def main() -> None:
    """Print seconds for 100 systems by measure."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    scores = np.random.default_rng(0).gamma(2.0, size=(TOPICS, DOCUMENTS))
    ideal, runs = run_of(scores, 0, 0), [run_of(scores, 0.5, 1 + i) for i in range(n)]
    tied = np.mean([np.diff(ideal.values(t, tied=True)) == 0 for t in ideal.topic_ids])
    qrels = TopK().judge(ideal, Documents.of([]), [Topic.of(t, "") for t in ideal.topic_ids])
    judged = Judged(qrels, ideal, DOCUMENTS)
    print(f"{n} systems x {TOPICS} topics x {DEPTH} documents, {tied:.0%} of the neighbours tied; s for 100 systems")
    for names in [[name] for name in ALONE] + [TOGETHER]:
        measures = [parse(name) for name in names]
        score_run(measures, runs[0], judged)
        start = time.process_time()
        for run in runs:
            score_run(measures, run, judged)
        print(f"{(time.process_time() - start) / n * 100:8.2f}  {' '.join(names)}")


if __name__ == "__main__":
    main()
