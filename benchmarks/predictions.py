"""What is predicted of collections that nobody has read: `python -m benchmarks.predictions --plan FILE`.

Writes docs/data/predictions.tsv before WMT's collections of 2024 and later are read, under the sha256 of the plan of
the study. Two kinds of rows: `tau`, the Kendall tau of a metric with RBO(p=0.9) in a collection of this number of
systems and topics (median and the interval that holds 90 % of collections), and `better`, the share of pairs of systems
with this difference of the metric in which the better score retrieves truly better (mean and 95 % interval).

Both come from the memory of `clirbench ask`; `labs/collections/memory.py` says how (the kept file was
made with the variance between collections of DerSimonian and Laird). `held`: how often the interval holds the tau of a
collection that is predicted from other language pairs.
"""

import argparse
import csv
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clirbench.labs.collections.memory import (
    BANDS,
    CHARACTERS,
    ENGLISH,
    FEWEST,
    OTHERS,
    Observed,
    another,
    clusters,
    learn,
    memory,
)

SYSTEMS, TOPICS = (8, 12, 16, 20), 150
GAPS = (0.5, 1.0, 2.0, 4.0)
LEVEL = 0.90


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", type=Path, required=True)
    options = parser.parse_args(arguments)
    kept = memory()
    rows: list[tuple[object, ...]] = []
    for metric, observed in kept.taus.items():
        for group in (ENGLISH, CHARACTERS, OTHERS):
            taus = tuple(kept.of_group(observed, group).values())
            if clusters(taus) >= FEWEST:
                share = f"{held(taus):.3f}"
                for n in SYSTEMS:
                    low, middle, high = another(taus, n, LEVEL)
                    found = cells(middle, low, high)
                    rows.append(("tau", metric, group, "", n, TOPICS, "", *found, len(taus), share))
    for metric, group, band in kept.places:
        part = list(kept.of_group(kept.told[metric, band], group).values())
        belief = learn(part, learn(kept.everything(metric)))
        for gap in GAPS:
            low, high = belief.interval(gap)
            middle = float(belief.probability(np.float64(gap)))
            rows.append(("better", metric, group, band, "", "", gap, *cells(middle, low, high), len(part), ""))
    assert {row[3] for row in rows} == {"", *BANDS}
    header = (
        "kind", "metric", "group", "band", "systems", "topics", "difference", "expected", "low", "high", "runs", "held",
    )  # fmt: skip
    with (Path(__file__).resolve().parents[1] / "docs" / "data" / "predictions.tsv").open(
        "w", encoding="utf-8", newline=""
    ) as stream:
        stream.write(f"# plan {hashlib.sha256(options.plan.read_bytes()).hexdigest()}\n")
        csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([header, *rows])
    return 0


def held(taus: Sequence[Observed]) -> float:
    """How often the interval of 90 % that other clusters give holds a collection's tau."""
    found = []
    for one in taus:
        others = [other for other in taus if other.cluster != one.cluster]
        low, _, high = another(others, one.systems)
        found.append(low <= one.tau <= high)
    return float(np.mean(found))


def cells(*values: float) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
