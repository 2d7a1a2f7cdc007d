"""Small evidence with known truth: metrics that are means of segment scores, measures that are means of topics."""

from dataclasses import dataclass

import numpy as np

from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.grades import Evidence
from tests.names import letter_names


@dataclass(frozen=True)
class Mean:
    """A metric (mean of segment scores) and a measure (mean over topics) in one."""

    name: str = "mean"
    higher_is_better: bool = True
    signature: str = "mean"

    def statistics(self, hypotheses: object, test: object) -> np.ndarray:
        raise NotImplementedError("statistics are given")

    def score(self, totals: np.ndarray) -> np.ndarray:
        return totals[..., 0] / np.maximum(totals[..., 1], 1)

    def per_topic(self, run: object, judged: object) -> np.ndarray:
        raise NotImplementedError("values are given")

    def aggregate(self, values: np.ndarray) -> np.ndarray:
        return values.mean(axis=-1)


def with_counts(scores: np.ndarray) -> np.ndarray:
    """(segments,) scores as the statistics (score, 1)."""
    return np.stack([scores, np.ones_like(scores)], axis=-1)


def world(
    n: int = 12,
    topics: int = 30,
    segments: int = 60,
    noise: tuple[float, ...] = (0.3, 1.0),
    seed: int = 0,
    measures: int = 1,
) -> Evidence:
    """n systems of graded quality; metric m sees it with `noise[m]` a system, measures with .3."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 2, n)
    systems = letter_names(n, width=2)
    columns, statistics, per_topic = [], {}, {}
    for m, spread in enumerate(noise):
        seen = quality + spread * rng.normal(size=n)
        for i, system in enumerate(systems):
            statistics[f"m{m}", system] = with_counts(seen[i] + rng.normal(size=segments))
        values = np.array([Mean().score(statistics[f"m{m}", system].sum(axis=0)) for system in systems])
        columns.append(Column(f"m{m}", "metric", values))
    for k in range(measures):
        seen = quality + 0.3 * rng.normal(size=n)
        per_topic[f"y{k}"] = seen[:, None] + rng.normal(size=(1, topics)) + rng.normal(size=(n, topics))
        columns.append(Column(f"y{k}", "measure", per_topic[f"y{k}"].mean(axis=-1)))
    return Evidence(
        Scoreboard(systems, tuple(columns)),
        statistics,
        {f"m{m}": Mean() for m in range(len(noise))},
        per_topic,
        {f"y{k}": Mean() for k in range(measures)},
    )


def scores_only(x: list[list[float]], y: list[list[float]]) -> Evidence:
    """Imported scores: metrics x0, x1, ... and measures y0, y1, ... without segments or topics."""
    n = len(y[0])
    columns = [Column(f"x{i}", "metric", np.array(values, dtype=float)) for i, values in enumerate(x)]
    columns += [Column(f"y{i}", "measure", np.array(values, dtype=float)) for i, values in enumerate(y)]
    return Evidence(Scoreboard(letter_names(n, width=2), tuple(columns)))
