"""What is predicted of collections that nobody has read: `python -m benchmarks.predictions --plan FILE RUN RUN ...`.

Writes docs/data/predictions.tsv before WMT's collections of 2024 and later are read, under the sha256 of the plan of
the study. Two kinds of rows: `tau`, the Kendall tau of a metric with RBO(p=0.9) in a collection of this number of
systems and topics (median and the interval that holds 90 % of collections), and `better`, the share of pairs of systems
with this difference of the metric in which the better score retrieves truly better (mean and 95 % interval).

atanh(tau) of a collection is normal around the metric's mean in the language group, with a variance between collections
(DerSimonian and Laird 1986) and one of sampling, .437 / (n - 4) (Fieller, Hartley and Pearson 1957). The mean has an
error, so quantiles are Student's with one degree of freedom less than there are language pairs. `held`: how often the
interval holds a collection that is predicted from other language pairs.
"""

import argparse
import csv
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from benchmarks.memory import METRICS, ROOT, Run
from clirbench.files.tables import read_table
from clirbench.labs.memory.kept import BANDS, CHARACTERS, ENGLISH, OTHERS, group_of, memory
from clirbench.labs.memory.model import FEWEST, learn
from clirbench.types import Doubles

SYSTEMS, TOPICS = (8, 12, 16, 20), 150
GAPS = (0.5, 1.0, 2.0, 4.0)
LEVEL = 0.90


class Taus:
    """Taus of collections: `z` = atanh(tau) held within .995, `n` systems, `clusters` of language pairs."""

    def __init__(self, rows: Sequence[tuple[str, float, int]]) -> None:
        self.clusters = [cluster for cluster, _, _ in rows]
        self.z = np.arctanh(np.clip([tau for _, tau, _ in rows], -0.995, 0.995))
        self.n = np.array([n for _, _, n in rows])

    def without(self, cluster: str) -> "Taus":
        rows = zip(self.clusters, np.tanh(self.z), self.n, strict=True)
        return Taus([(name, float(tau), int(n)) for name, tau, n in rows if name != cluster])

    def predicted(self, n: int) -> Doubles:
        """(low, median, high) of the tau of another collection of n systems."""
        sampling = 0.437 / np.maximum(self.n - 4, 1)
        weight = 1 / sampling
        mean = weight @ self.z / weight.sum()
        excess = weight @ (self.z - mean) ** 2 - (len(self.z) - 1)
        between = max(0.0, excess / (weight.sum() - weight @ weight / weight.sum()))
        weight = 1 / (sampling + between)
        mean = weight @ self.z / weight.sum()
        error = between + 0.437 / max(n - 4, 1) + 1 / weight.sum()
        reach = stdtrit(len(set(self.clusters)) - 1, (1 + LEVEL) / 2) * error**0.5
        return np.tanh([mean - reach, mean, mean + reach])


def held(taus: Taus) -> float:
    """How often the interval made of other language pairs holds a collection's tau."""
    found = []
    for cluster in dict.fromkeys(taus.clusters):
        others = taus.without(cluster)
        for one, z, n in zip(taus.clusters, taus.z, taus.n, strict=True):
            if one == cluster:
                low, _, high = others.predicted(int(n))
                found.append(low <= np.tanh(z) <= high)
    return float(np.mean(found))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("runs", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    runs = {path: Run(path) for path in options.runs}
    crossed = {run.collection for run in runs.values() if run.crossed}
    runs = {path: run for path, run in runs.items() if run.crossed or run.collection not in crossed}
    rows: list[tuple[object, ...]] = []
    for metric in METRICS:
        for group in (ENGLISH, CHARACTERS, OTHERS):
            found = [
                (run.cluster, float(row["value"]), len(run.systems))
                for path, run in sorted(runs.items())
                if group_of(run.pair) == group
                for row in read_table(path / "correlations.tsv").records()
                if (row["measure"], row["metric"], row["coefficient"]) == ("RBO(p=0.9)", metric, "kendall")
                and row["value"]
            ]
            if len({cluster for cluster, _, _ in found}) < FEWEST:
                continue
            taus = Taus(found)
            share = held(taus)
            for n in SYSTEMS:
                low, middle, high = taus.predicted(n)
                rows.append(
                    ("tau", metric, group, "", n, TOPICS, "", *cells(middle, low, high), len(found), f"{share:.3f}")
                )
    kept = memory()
    for metric, group, band in kept.places:
        part = list(kept.of_group(metric, group, band).values())
        belief = learn(part, learn(kept.everything(metric)))
        for gap in GAPS:
            low, high = belief.interval(gap)
            middle = float(belief.probability(np.float64(gap)))
            rows.append(("better", metric, group, band, "", "", gap, *cells(middle, low, high), len(part), ""))
    assert {row[3] for row in rows} == {"", *BANDS}
    header = (
        "kind", "metric", "group", "band", "systems", "topics", "difference", "expected", "low", "high", "runs", "held",
    )  # fmt: skip
    with (ROOT / "docs" / "data" / "predictions.tsv").open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"# plan {hashlib.sha256(options.plan.read_bytes()).hexdigest()}\n")
        csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([header, *rows])
    return 0


def cells(*values: float) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
