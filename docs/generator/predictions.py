"""`python docs/generator/predictions.py RUN RUN ... [--check]` makes docs/data/predictions.tsv by memory-plan.yaml.

Runs are those of `benchmarks.memory`. The tau of a metric over n systems, of which the median pair differs by s points
of chrF2, has atanh(tau) = a(language group) + b (ln s - 1) + u(collection) + sampling, with variance .437 / (n - 4).
The intervals are of 90 %, with the largest of three variances of u: of all collections and of the halves that the plan
makes. Rows `better` are what `ask` says. `--check` writes nothing: it fails where a cell is not as committed.
"""

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.special import stdtrit
from scipy.stats import kendalltau

from benchmarks.memory import Run
from clirbench.labs.collections.memory import BANDS, ENGLISH, OTHERS, Question, memory, outlook
from clirbench.types import Doubles

DATA = Path(__file__).resolve().parents[1] / "data"
COLUMNS = ("kind", "metric", "group", "band", "retriever", "topics", "systems", "spread", "difference", "expected",
           "low", "high", "collections")  # fmt: skip
METRICS = ("BLEU", "chrF1", "chrF2", "MacroF1", "COMET")
FACTS = {
    "BLEU": ((0.73, 0.69), (0.67, 0.69)),
    "chrF2": ((0.74, 0.68), (0.70, 0.67)),
    "COMET": ((0.63, 0.74), (0.60, 0.73)),
}
"""Mean taus by BM25 and by MiniLM of 12 folders: segments, documents. Their shift is added to BM25's atanh(tau)."""
SHIFT_ERROR = 0.1
HIGHEST = 0.995
"""Of |tau|, whose atanh would be infinite."""


def atanh(tau: Doubles | float) -> Doubles:
    return np.asarray(np.arctanh(np.clip(tau, -HIGHEST, HIGHEST)))


@dataclass(frozen=True)
class Seen:
    """What a collection told of a metric: `tau` over `n` systems, of near-copies the first, and the `spread`."""

    year: str
    pair: str
    tau: float
    n: int
    spread: float

    @property
    def cluster(self) -> str:
        return "-".join(sorted(self.pair.split("-")))

    @property
    def row(self) -> list[float]:
        """Of the design."""
        return design(ENGLISH if self.pair.endswith("-en") else OTHERS, self.spread)


def design(group: str, spread: float) -> list[float]:
    """Chinese and Japanese are among other languages."""
    return [float(group == ENGLISH), float(group == OTHERS), np.log(spread) - 1]


def seen(folder: Path, topics: int) -> Iterator[tuple[str, Seen]]:
    """(metric, what a run says), by as many topics evenly spaced (0: all)."""
    run = Run(folder)
    table = run.per_topic
    if topics and table.shape[1] > topics:
        table = table[:, np.unique(np.linspace(0, table.shape[1] - 1, topics).round().astype(int))]
    scores = {
        re.sub(r"^COMET.*", "COMET", head): np.array([float(run.rows[name][head] or "nan") for name in run.systems])
        for head in reversed(list(run.rows[run.systems[0]]))
        if head in METRICS or head.startswith("COMET")
    }
    first, second = np.triu_indices(len(run.systems), 1)
    spread = float(np.median(abs(scores["chrF2"][first] - scores["chrF2"][second])))
    for metric, score in scores.items():
        known = np.isfinite(score)
        if known.sum() >= 6:
            tau = float(kendalltau(score[known], table.mean(axis=1)[known]).statistic)
            yield metric, Seen(run.name.split("/")[0], run.pair, tau, int(known.sum()), spread)


def told(folders: Sequence[Path], topics: int) -> dict[str, list[Seen]]:
    """By metric, one estimate of each collection: the mean of both directions of crossed references."""
    found: dict[str, dict[tuple[str, str], list[Seen]]] = {}
    for folder in folders:
        for metric, one in seen(folder, topics):
            found.setdefault(metric, {}).setdefault((one.year, one.pair), []).append(one)
    return {
        metric: [
            replace(both[0], tau=float(np.tanh(atanh(np.array([one.tau for one in both])).mean())),
                    spread=float(np.mean([one.spread for one in both])))
            for both in by.values()
        ]
        for metric, by in found.items()
    }  # fmt: skip


def fitted(held: Sequence[Seen], between: float | None = None) -> tuple[Doubles, Doubles, float]:
    """(coefficients, their covariance, variance between collections by Paule and Mandel unless it is given)."""
    y, a = atanh(np.array([one.tau for one in held])), np.array([one.row for one in held])
    sampling = 0.437 / np.maximum(np.array([one.n for one in held]) - 4, 1)
    variance = between or 0.0
    for _ in range(300):
        weight = 1 / (sampling + variance)
        covariance = np.linalg.inv(a.T @ (weight[:, None] * a))
        found = covariance @ (a.T @ (weight * y))
        squares = (y - a @ found) ** 2
        step = ((weight * squares).sum() - (len(y) - a.shape[1])) / max(1e-12, float((weight**2 * squares).sum()))
        if between is not None or abs(step) < 1e-10:
            break
        variance = max(0.0, variance + step)
    return found, covariance, variance


def of_tau(folders: Sequence[Path], topics: int) -> Iterator[list[str]]:
    """Rows of tau; `topics`: 150, or 500, which are all."""
    every = told(folders, topics if topics < 500 else 0)
    before = [one for one in every["chrF2"] if one.year != "wmt24"]
    clusters = sorted({one.cluster for one in before}, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    first = set(clusters[: (len(clusters) + 1) // 2])
    for metric in METRICS:
        held = every[metric]
        halves = [[one for one in held if one.year != "wmt24" and (one.cluster in first) == which] for which in (0, 1)]
        between = max(fitted(part)[2] for part in (held, *halves))
        found, covariance, _ = fitted(held, between)
        quantile = stdtrit(len({one.cluster for one in held}) - 2, 0.95)
        for retriever in ("BM25", "MiniLM") if topics == 500 and metric in FACTS else ("BM25",):
            neural = retriever == "MiniLM"
            shift = float(np.mean([atanh(b) - atanh(a) for a, b in FACTS[metric]])) if neural else 0.0
            for group in (ENGLISH,) if neural else (ENGLISH, OTHERS):
                for n in (5, 8, 12, 16, 20):
                    for spread in (1, 2, 4, 8):
                        at = np.array(design(group, spread))
                        error = between + at @ covariance @ at + 0.437 / max(1, n - 4) + neural * SHIFT_ERROR**2
                        middle, half = at @ found + shift, quantile * np.sqrt(error)
                        cells = (f"{x:.3f}" for x in np.tanh([middle, middle - half, middle + half]))
                        where = ("tau", metric, group, "", retriever, topics, n, spread, "")
                        yield [*map(str, where), *cells, str(len(held))]


def of_better(topics: int) -> Iterator[list[str]]:
    """Rows of `ask`, in the middle of each band that it answers for."""
    for (metric, group, band), place in memory().places.items():
        low, high = (place.lowest, place.level) if band == BANDS[0] else (place.level, place.highest)
        for gap in (0.5, 1, 2, 4):
            middle = (low + high) / 2
            asked = Question(metric, gap, middle - gap / 2, middle + gap / 2)
            said = outlook(memory(), asked, "de-en" if group == ENGLISH else "en-de", topics=topics)
            if place.calibrated and said.lowest is not None:
                where = ("better", metric, group, band, "BM25", topics, "", "", gap)
                cells = (f"{x:.3f}" for x in (said.lowest, said.low, said.high))
                yield [*map(str, where), *cells, str(said.collections)]


def main(arguments: Sequence[str]) -> str | None:
    """Write the table, or say which rows are others than those that were committed."""
    folders, target = sorted(Path(name) for name in arguments if name != "--check"), DATA / "predictions.tsv"
    plan = hashlib.sha256((DATA / "memory-plan.yaml").read_bytes()).hexdigest()
    rows = [COLUMNS, *(row for topics in (150, 500) for row in of_tau(folders, topics))]
    rows += [row for topics in (150, 500) for row in of_better(topics)]
    text = "".join(f"{line}\n" for line in (f"# plan {plan}", *map("\t".join, rows)))
    if "--check" not in arguments:
        target.write_text(text, encoding="utf-8")
        return None
    now, then = text.splitlines(), target.read_text(encoding="utf-8").splitlines()
    others = [f"committed {b}\nnow       {a}" for a, b in zip(now, then, strict=False) if a != b]
    return "\n".join([*others, f"{len(now)} lines for {len(then)}"]) if now != then else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
