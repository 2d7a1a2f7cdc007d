"""Are rare terms a better default than key terms? The confirmation whose rule is fixed in docs/decisions.md.

    python -m benchmarks.rareterms FOLDER ... > rareterms.tsv

Every folder of MT outputs is run by default settings with each kind. `split`: Kendall's tau between the orders of the
systems by RBO(p=0.9) over two random halves of the topics, mean of 200 divisions with a fixed seed;
`split_150`: the same of 150 of the topics, evenly spaced (for information); `nothing`: the share of topics of which the
English side matches at most ten documents, so that all that matches is relevant and nothing is to be ranked.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.experiment import run
from clirbench.topics.made import evenly_spaced
from clirbench.types import Doubles

DIVISIONS, SEED, FEW, MATCHED = 200, 20261125, 150, 10


def split(values: Doubles) -> float:
    """Mean tau between the means over two halves of the topics. `values`: (systems, topics)."""
    rng, taus = np.random.default_rng(SEED), []
    for _ in range(DIVISIONS):
        order = rng.permutation(values.shape[1])
        half = len(order) // 2
        taus.append(kendalltau(values[:, order[:half]].mean(axis=1), values[:, order[half:]].mean(axis=1)).statistic)
    return float(np.nanmean(taus))


def main(folders: list[str]) -> None:
    print("collection", "systems", "documents", "kind", "topics", "split", "split_150", "nothing", sep="\t")
    for folder in folders:
        for kind in ("keyterms", "rareterms"):
            words = [f'folder="{folder}"', f"topics={kind}", "metric=[BLEU]", 'measures=["RBO(p=0.9)"]']
            result = run(build(compose_configuration(["+experiment=folder", *words])))
            found = result.retrieval[""]
            (values,) = found.per_topic.values()
            few = values[:, evenly_spaced(values.shape[1], FEW)]
            nothing = float(np.mean(np.asarray(found.ideal.n_matched) <= MATCHED))
            where = "/".join(Path(folder).parts[-2:])
            figures = (f"{one:.3f}" for one in (split(values), split(few), nothing))
            counts = len(values), found.judged[""].n_documents, kind, values.shape[1]
            print(where, *counts, *figures, sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
