"""Which measure is least noisy as the primary one: reliability over topics, and agreement of two halves of the topics.

    python -m benchmarks.primary FOLDER ... > docs/data/primary.tsv

Each folder of MT outputs is searched with 150 topics made from the reference. `split`: Kendall's tau between the orders
of the systems by two random halves of the topics, mean of 100 divisions with a fixed seed; `reliability`: Hoyt 1941.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

import clirbench as cb
from clirbench.statistics.grades import reliability
from clirbench.types import Doubles

MEASURES = ("RBO(p=0.9)", "RBO(p=0.95)", "RBO", "MAP", "nDCG", "P@10")
DIVISIONS, SEED = 100, 20261122


def split(values: Doubles) -> float:
    """Mean tau between the means over two halves of the topics. `values`: (systems, topics)."""
    rng, taus = np.random.default_rng(SEED), []
    for _ in range(DIVISIONS):
        order = rng.permutation(values.shape[1])
        half = len(order) // 2
        taus.append(kendalltau(values[:, order[:half]].mean(axis=1), values[:, order[half:]].mean(axis=1)).statistic)
    return float(np.nanmean(taus))


def main(folders: list[str]) -> None:
    print("collection", "systems", "k", "measure", "split", "reliability", sep="\t")
    for folder in folders:
        for k in (100, 10):
            run = cb.run(
                "folder", folder=folder, topics="keyterms", metric=["BLEU"], measures=list(MEASURES), relevance__k=k
            )
            for name in MEASURES:
                rows = run.per_topic[run.per_topic.measure == name]
                table = rows.pivot(index="system", columns="topic_id", values="value").dropna().to_numpy()
                where = "/".join(Path(folder).parts[-2:])
                figures = f"{split(table):.3f}", f"{reliability(table):.3f}"
                print(where, len(table), k, name, *figures, sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
