"""The memory of `clirbench ask`: `python -m benchmarks.memory RUN RUN ...` reads finished runs of WMT collections.

Writes clirbench/labs/collections/data/{collections,places,scales,taus}.tsv, which travel with the program, and
docs/data/memory.tsv: for each metric, language group and band of quality, what was predicted for collections that were
left out (with every collection of the same two languages) and what was seen. The measure is RBO(p=0.9) against the
ranking of the reference. Runs are of +experiment=wmt_part with default topics; where a collection has two references,
those count in which one is searched and the other scores, for a shared reference favours metrics that match words.
`--tested wmt24` predicts what begins so (a regular expression) from the other runs, prints the shares, writes nothing.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.tables import DOCS, write
from clirbench.files.tables import read_table
from clirbench.labs.collections.memory import BANDS, DATA, FEWEST, PRIMARY, SCALES, Told, group_of, learn
from clirbench.types import Doubles

METRICS = ("BLEU", "chrF1", "chrF2", "MacroF1")
PART = re.compile(r"(?P<year>wmt\d\d)/(?P<pair>[a-z]{2,3}-[a-z]{2,3})(?:/(?P<searched>\w+)-(?P<scores>\w+))?")
FEWEST_SYSTEMS = 3
"""Of one band of quality in a collection."""
BINS = (0.0, 0.65, 0.8, 0.92, 1.01)

SLOPES: Doubles = np.exp(np.linspace(np.log(1e-5), np.log(0.3), 56))
"""Measure a point of the metric."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems: `gap` of the metric > 0 in points; `gain`, the seen difference of the measure, of the same
    sign where they agree; `error`, its standard error over topics; `level`, the metric's mean of the two."""

    gap: Doubles
    gain: Doubles
    error: Doubles
    level: Doubles

    def chosen(self, which: Doubles) -> "Pairs":
        return Pairs(self.gap[which], self.gain[which], self.error[which], self.level[which])


def pairs_of(metric: Doubles, per_topic: Doubles) -> Pairs:
    """All pairs of systems with different scores; metric: (systems,), per_topic: (systems, topics)."""
    first, second = np.triu_indices(len(metric), 1)
    gap = metric[first] - metric[second]
    apart = per_topic[first] - per_topic[second]
    error = apart.std(axis=1, ddof=1) / np.sqrt(per_topic.shape[1])
    sign, level = np.sign(gap), (metric[first] + metric[second]) / 2
    return Pairs(gap * sign, apart.mean(axis=1) * sign, error, level).chosen((gap != 0) & (error > 0))


def likelihood(metric: Doubles, per_topic: Doubles) -> Doubles:
    """(SCALES, SLOPES): log-likelihood of a collection's systems: `metric` (systems,), `per_topic` (systems, topics).

    A system's mean over topics is level + b metric + u + error, u with variance (b a)^2 / 2, so that the difference of
    two systems has (b a)^2. The level is unknown and integrated out (flat prior); the topics' common part goes with it,
    so a system's error is that of its values less the topic's mean over systems.
    """
    n, topics = per_topic.shape
    own = per_topic - per_topic.mean(axis=0)
    error = own.var(axis=1, ddof=1) / topics * n / (n - 1)
    variance = (SLOPES[None, :] * SCALES[:, None])[..., None] ** 2 / 2 + error
    weight = 1 / variance
    total = weight.sum(axis=-1)
    residual = own.mean(axis=1) - SLOPES[:, None] * (metric - metric.mean())
    centre = (weight * residual).sum(axis=-1) / total
    misfit = (weight * (residual - centre[..., None]) ** 2).sum(axis=-1)
    return np.asarray(-0.5 * (np.log(variance).sum(axis=-1) + np.log(total) + misfit))


def told(cluster: str, metric: Doubles, per_topic: Doubles) -> Told:
    """What a collection tells; its slope is integrated out, any order of magnitude being equally likely before."""
    found = likelihood(metric, per_topic)
    raw = np.exp(found - found.max())
    profile = np.log(np.maximum(raw.sum(axis=1), 1e-300))
    slope = float(np.exp((raw.sum(axis=0) / raw.sum()) @ np.log(SLOPES)))
    apart = per_topic - per_topic.mean(axis=0)
    error = float(np.sqrt(2 * np.median(apart.var(axis=1, ddof=1)) * len(apart) / (len(apart) - 1)))
    return Told(cluster, profile - profile.max(), slope, error)


def reliability(
    stratum: Sequence[tuple[Told, Pairs]], everything: Sequence[Told] = (), known: Sequence[Told] = ()
) -> tuple[Doubles, Doubles, Doubles]:
    """(predicted, seen, weight) of each pair: P(seen better) from the collections of other clusters, whether it was.

    known: what they are predicted from, if not the stratum itself; everything: all collections of the metric. The error
    of topics is turned into points by the median slope of the others. A pair weighs 1 / (pairs of its collection).
    """
    predicted, seen, weight = [], [], []
    for one, pairs in stratum:
        others = [other for other in known or [told for told, _ in stratum] if other.cluster != one.cluster]
        if not len(pairs.gap) or not others:
            continue
        slope = float(np.median([other.slope for other in others]))
        prior = learn([other for other in everything if other.cluster != one.cluster]) if everything else None
        predicted.append(learn(others, prior).probability(pairs.gap, pairs.error / slope))
        seen.append((pairs.gain > 0).astype(float))
        weight.append(np.full(len(pairs.gap), 1 / len(pairs.gap)))
    return np.hstack([*predicted, ()]), np.hstack([*seen, ()]), np.hstack([*weight, ()])


class Run:
    """A finished run: its `systems`, of near-copies the first; `values[metric]`, and `per_topic` (systems, topics)."""

    def __init__(self, folder: Path) -> None:
        provenance = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        self.name = provenance["configuration"]["corpus"]["part"]
        found = PART.fullmatch(self.name)
        assert found, f"{folder}: {self.name} is not YEAR/SOURCE-TARGET"
        self.pair, self.collection = found["pair"], f"{found['year']}/{found['pair']}"
        self.crossed = found["searched"] != found["scores"]
        copies = {name for group in provenance["near_copies"] for name in group[1:]}
        self.rows = {row["system"]: row for row in read_table(folder / "systems.tsv").records()}
        values: dict[str, dict[str, float]] = {}
        for row in read_table(folder / "per_topic.tsv").records():
            if row["measure"] == PRIMARY:
                values.setdefault(row["system"], {})[row["topic_id"]] = float(row["value"])
        self.systems = [name for name in self.rows if name in values and name not in copies]
        self.per_topic = np.array([list(values[name].values()) for name in self.systems])
        of = {metric: [float(self.rows[name][metric]) for name in self.systems] for metric in METRICS}
        self.values = {metric: np.array(values) for metric, values in of.items()}
        self.signatures = {one["name"]: one["signature"] for one in results["columns"]}
        self.lines = int(results["inputs"]["test_segments"])
        self.references = results["inputs"]["texts"]["references"]
        self.taus = {
            row["metric"]: float(row["value"])
            for row in read_table(folder / "correlations.tsv").records()
            if row["measure"] == PRIMARY and row["coefficient"] == "kendall" and row["value"]
        }

    @property
    def cluster(self) -> str:
        return "-".join(sorted(self.pair.split("-")))

    def told(self, metric: str, which: Doubles, times: int) -> Told:
        """What some of its systems tell, as it is read back; a collection that is searched several `times` tells it
        once."""
        one = told(self.cluster, self.values[metric][which], self.per_topic[which])
        kept = np.array([float(cell) for cell in cells(one.profile / times).split()])
        return Told(one.cluster, kept, one.slope, one.error)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--tested", type=re.compile)
    asked = parser.parse_args(arguments)
    runs, tested = sorted((Run(path) for path in asked.runs), key=lambda run: run.name), asked.tested
    crossed = {run.collection for run in runs if run.crossed}
    runs = [run for run in runs if run.crossed or run.collection not in crossed]
    known = [run for run in runs if tested is None or not tested.match(run.name)]
    times = Counter(run.collection for run in runs)
    print(f"{len(runs)} runs of {len({run.collection for run in runs})} collections", file=sys.stderr)
    places, scales, calibration = [], [], []
    for metric in METRICS:
        levels = {
            group: float(np.median(np.hstack([run.values[metric] for run in known if group_of(run.pair) == group])))
            for group in dict.fromkeys(group_of(run.pair) for run in known)
        }
        parts: dict[tuple[str, str], list[tuple[Run, Told, Pairs]]] = {}
        for run in (run for run in runs if group_of(run.pair) in levels):
            group, every = group_of(run.pair), pairs_of(run.values[metric], run.per_topic)
            for band, upper in zip(BANDS, (False, True), strict=True):
                which = (run.values[metric] >= levels[group]) == upper
                if which.sum() >= FEWEST_SYSTEMS:
                    one = run.told(metric, which, times[run.collection])
                    which = (every.level >= levels[group]) == upper
                    parts.setdefault((group, band), []).append((run, one, every.chosen(which)))
                    scales.append((run.name, metric, band, f"{one.slope:.6f}", f"{one.error:.4f}", cells(one.profile)))
        everything = [one for part in parts.values() for run, one, _ in part if run in known]
        for (group, band), part in parts.items():
            fitted = [one for run, one, _ in part if run in known]
            stratum = [(one, pairs) for run, one, pairs in part if tested is None or run not in known]
            if not stratum or len({one.cluster for one in fitted}) < FEWEST:
                continue
            predicted, seen, weight = reliability(stratum, everything, fitted)
            level, gap = (np.concatenate([getattr(pairs, name) for _, pairs in stratum]) for name in ("level", "gap"))
            lines = [run.lines for run, _, _ in part]
            signatures = {run.signatures[metric] for run, _, _ in part}
            expected, found = (float(np.average(values, weights=weight)) for values in (predicted, seen))
            low, high = np.quantile(level, [0.025, 0.975])
            low, high = (levels[group], high) if band == BANDS[1] else (low, levels[group])
            places.append((
                metric, group, band, " ".join(sorted(signatures)), f"{levels[group]:.3f}", f"{low:.3f}",
                f"{high:.3f}", f"{np.quantile(gap, 0.95):.3f}", min(lines) // 2, max(lines) * 2,
                f"{expected:.4f}", f"{found:.4f}",
            ))  # fmt: skip
            belief = learn(fitted, learn(everything))
            for first, last in pairwise(BINS):
                inside = (predicted >= first) & (predicted < last)
                if inside.any():
                    shares = (np.average(values[inside], weights=weight[inside]) for values in (predicted, seen))
                    calibration.append((
                        metric, group, band, len(part), len({run.cluster for run, _, _ in part}), int(inside.sum()),
                        f"{first:.2f}", *(f"{share:.3f}" for share in shares), f"{np.exp(belief.centre):.3f}",
                    ))  # fmt: skip
            print(metric, group, band, len(stratum), f"{expected:.3f} {found:.3f}", file=sys.stderr)
    if tested is not None:
        return 0
    DATA.mkdir(exist_ok=True)
    write(DATA / "collections.tsv", ("collection", "pair", "systems", "lines", "topics", "references"), (
        (run.name, run.pair, len(run.systems), run.lines, run.per_topic.shape[1], " ".join(run.references))
        for run in runs
    ))  # fmt: skip
    write(DATA / "taus.tsv", ("collection", "metric", "tau"), (
        (run.name, metric, f"{tau:.4f}") for run in runs for metric, tau in run.taus.items() if metric in METRICS
    ))  # fmt: skip
    write(DATA / "places.tsv", (
        "metric", "group", "band", "signature", "level", "lowest", "highest", "widest", "shortest", "longest",
        "predicted", "seen",
    ), places)  # fmt: skip
    write(DATA / "scales.tsv", ("collection", "metric", "band", "slope", "error", "profile"), scales)
    write(DOCS / "data" / "memory.tsv", (
        "metric", "group", "band", "collections", "language_pairs", "pairs_of_systems", "from", "predicted", "seen",
        "points_for_84_percent",
    ), calibration)  # fmt: skip
    return 0


def cells(profile: Iterable[float]) -> str:
    return " ".join(f"{max(value, -20):.2f}" for value in profile)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
