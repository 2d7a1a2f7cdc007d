"""How often do two kinds of topics differ falsely, and how often in fact? The rule is in docs/decisions.md.

    python -m benchmarks.kinds FOLDER ... > kinds.tsv

`halves`: 40 times the rare terms of a folder are cut into two random halves as the two kinds: the truth is the same, so
a metric's taus may differ in at most .05 of the cells of all folders, and the orders of systems in .05 of the halves.
`kinds`: rare terms beside key terms, as a run compares them. A line for each folder; the last has the shares over all.
"""

import sys
from dataclasses import replace

import numpy as np

from benchmarks.folders import label
from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.experiment import run
from clirbench.result import Result
from clirbench.statistics.kinds import Kinds, compared_kinds

PAIRS, SEED, PASS = 40, 20261125, 0.05


def halves(result: Result) -> list[Kinds]:
    """`PAIRS` comparisons of two random halves of the topics of the first measure."""
    measure, rng, found = result.board.first_measure, np.random.default_rng(SEED), []
    assert measure is not None
    values = result.evidence.per_topic[measure.name]
    for seed in range(PAIRS):
        order = rng.permutation(values.shape[1])
        first, second = (values[:, part] for part in np.array_split(order, 2))
        evidence = replace(result.evidence, per_topic={measure.name: first})
        kinds = compared_kinds(evidence, result.units, measure.name, second, ("", "half"), 0.05, seed)
        found += [] if kinds is None else [kinds]
    return found


def main(folders: list[str]) -> None:
    print("collection", "metrics_differ", "cells", "orders_differ", "halves", "kinds", sep="\t")
    metrics: list[bool] = []
    orders: list[bool] = []
    for folder in folders:
        result = run(build(compose_configuration(["+experiment=folder", f'folder="{folder}"', "topics=rareterms"])))
        drawn, kinds = halves(result), result.kinds
        cells = [one.differs for two in drawn for one in two.metrics]
        different = [two.differs for two in drawn]
        metrics += cells
        orders += different
        said = "none"
        if kinds is not None:
            grades = {row.metric: row for row in result.correlations if row.measure == "RBO(p=0.9)" and row.grade}
            said = f"topics {kinds.topics}, reliability {kinds.reliability:.2f}, orders {kinds.orders:.2f}"
            said += f" (halves {kinds.halves:.2f}{', differs' if kinds.differs else ''}): "
            said += ", ".join(
                f"{one.metric} {one.first_tau:.2f} {one.tau:.2f}{'*' if one.differs else ''}"
                f" {grades[one.metric].grade}/{one.grade}{' lowered' if grades[one.metric].lowered else ''}"
                for one in kinds.metrics
            )
        print(label(folder), sum(cells), len(cells), sum(different), len(different), said, sep="\t", flush=True)
    shares = [sum(differ) / max(1, len(differ)) for differ in (metrics, orders)]
    passed = all(share <= PASS for share in shares)
    print(f"all: metrics {shares[0]:.3f}, orders {shares[1]:.3f}: {'passed' if passed else 'failed'}")


if __name__ == "__main__":
    main(sys.argv[1:])
