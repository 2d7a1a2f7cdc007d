"""`analysis=[score_intervals]`: how far every metric's score of every system may lie from itself on other segments."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.errors import ConfigError
from clirbench.result import AnalysisTable
from clirbench.statistics.pairs import drawn_items
from clirbench.statistics.resampling import SAMPLING, weighted_scores, weights

if TYPE_CHECKING:
    from clirbench.result import Result

HEADER = ("metric", "system", "score", "ci_low", "ci_high", "n_segments", "samples", "sampling", "seed", "note")


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

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        rows: list[tuple[Any, ...]] = []
        for metric in result.experiment.metrics:
            for system in result.board.systems:
                if (metric.name, system) in result.statistics:
                    rows.append(self._row(result, metric, system))
        if not rows:
            raise ConfigError("analysis score_intervals needs texts and a metric with statistics: metric=[BLEU]")
        text = (
            f"{self.samples} samples of segments, {self.sampling}, seed {self.seed}; the middle 95 % of their scores. "
            "Two intervals that overlap do not say that two systems are equal: analysis=[pairs] compares them on the "
            "same samples.",
        )
        return (AnalysisTable("score_intervals", "Intervals of the scores", HEADER, tuple(rows), text),)

    def _row(self, result: "Result", metric: Any, system: str) -> tuple[Any, ...]:
        statistics = result.statistics[metric.name, system]
        n = int(statistics.shape[0])
        drawn = weights(drawn_items(n, self.samples, self.sampling, self.seed), n)
        scores = np.sort(weighted_scores(metric, statistics, drawn))
        low, high = (float(scores[min(len(scores) - 1, int(share * len(scores)))]) for share in (0.025, 0.975))
        found = result.board[metric.name].values[result.board.systems.index(system)] if n else nan
        outside = "" if low <= found <= high else "the interval does not contain the score: resampling is biased"
        return (metric.name, system, float(found), low, high, n, self.samples, self.sampling, self.seed, outside)
