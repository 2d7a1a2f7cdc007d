"""`analysis=[score_intervals]`: how far every metric's score of every system may lie from itself on other segments."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from clirbench.errors import ConfigError
from clirbench.labs.papers.statistics.jackknife import drawn_blocks
from clirbench.metrics.base import Metric
from clirbench.pages.table import Table
from clirbench.result import Result
from clirbench.statistics.resampling import SAMPLING, weighted_scores, weights


@dataclass(frozen=True)
class ScoreInterval:
    """The middle 95 % of one metric's score of one system on resampled segments, on the metric's own scale."""

    metric: str
    system: str
    score: float
    ci_low: float
    ci_high: float
    n_segments: int
    samples: int
    sampling: str
    seed: int
    note: str = ""


@dataclass(frozen=True)
class ScoreIntervals:
    """The standard bootstrap of every metric and system: segments are drawn again, the middle 95 % of scores is kept.

    `sampling`: `replacement` draws n of n (Koehn 2004, sacreBLEU), `half` n // 2 without (the chapter's algorithm 4).
    Sorted scores b are cut at b[0.025 M] and b[0.975 M]. An interval that does not hold the score is noted: a
    resample has fewer word types, which biases MacroF and MicroF. Raises `ConfigError` without metrics or texts.
    **Source:** Koehn 2004; Neubig 2017, algorithm 4.
    """

    samples: int = 1000
    sampling: str = "replacement"
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.sampling not in SAMPLING:
            raise ConfigError(f"analyses.score_intervals.sampling={self.sampling}: choose from {', '.join(SAMPLING)}")
        if self.samples < 1:
            raise ConfigError(f"analyses.score_intervals.samples={self.samples}: at least 1")

    def check(self, result: Result) -> None:
        """Raise `ConfigError` where no metric has segments."""
        if result.inputs is None or not result.experiment.metrics:
            raise ConfigError("analysis score_intervals needs texts and a metric with statistics: metric=[BLEU]")

    def tables(self, result: Result) -> Sequence[Table]:
        self.check(result)
        rows = [
            self._interval(result, metric, system)
            for metric in result.experiment.metrics
            for system in result.board.systems
            if (metric.name, system) in result.statistics
        ]
        text = (
            f"{self.samples} samples of segments, {self.sampling}, seed {self.seed}; the middle 95 % of their scores. "
            "Two intervals that overlap do not say that two systems are equal: analysis=[pairs] compares them on the "
            "same samples.",
        )
        return (Table.of("score_intervals", "Intervals of the scores", ScoreInterval, rows, text),)

    def _interval(self, result: Result, metric: Metric, system: str) -> ScoreInterval:
        statistics = result.statistics[metric.name, system]
        n = int(statistics.shape[0])
        blocks = drawn_blocks(n, self.samples, self.sampling, self.seed)
        drawn = np.concatenate([weights(items, n) for items in blocks])
        scores = np.sort(weighted_scores(metric, statistics, drawn))
        low, high = (float(scores[min(len(scores) - 1, int(share * len(scores)))]) for share in (0.025, 0.975))
        score = float(result.board[metric.name].values[result.board.systems.index(system)]) if n else nan
        return ScoreInterval(
            metric=metric.name,
            system=system,
            score=score,
            ci_low=low,
            ci_high=high,
            n_segments=n,
            samples=self.samples,
            sampling=self.sampling,
            seed=self.seed,
            note="" if low <= score <= high else "the interval does not contain the score: resampling is biased",
        )
