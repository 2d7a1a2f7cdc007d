"""The tables of a WMT metrics task, made for any year and language pairs.

**Source:** Stanojevic et al. 2015, Tables 2 to 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan

import numpy as np

from clirbench.corpora.base import CorpusSource
from clirbench.errors import ConfigError
from clirbench.labs.papers.people import HumanSegments, against_people, human_path, read_human
from clirbench.labs.papers.scoring import segment_scores
from clirbench.labs.papers.segment_level import compare_pairs, matrix
from clirbench.metrics.base import Metric, Statistics
from clirbench.pages.table import Table
from clirbench.result import Result
from clirbench.systems.files import FileSystems
from clirbench.types import Doubles

SYSTEM = (
    "Pearson's r with people's system scores, half the width of its 95 % interval (people's judgments of segments "
    "drawn again), the average over language pairs, and the average of Spearman's rho. People's scores of segments "
    "take the place of TrueSkill."
)
SEGMENT = "Segment-level Kendall's tau, ties by the matrix of `matrix_name`, and half its 95 % interval."


@dataclass(frozen=True)
class MetricsTask:
    """Metrics in rows, language pairs in columns: Pearson with its interval, averages, and segment-level tau.

    texts: language pair to corpus, in whose folder people's scores of segments (human-seg.tsv) lie; `only`: these
    pairs alone. `matrix_name`: how ties count in tau. Intervals are half the width of the 95 % percentile interval of
    `samples` draws of segments. Nothing is compared with print: the scores behind the tables of 2015 are not public.
    """

    name: str
    title: str
    texts: Mapping[str, CorpusSource]
    metrics: Mapping[str, Metric]
    only: Sequence[str] = ()
    matrix_name: str = "WMT14"
    samples: int = 1000
    seed: int = 0
    human: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        matrix(self.matrix_name)
        if unknown := [label for label in self.only if label not in self.texts]:
            raise ConfigError(f"paper.only={unknown}: choose from {', '.join(self.texts)}")

    def tables(self, result: Result) -> Sequence[Table]:
        """System level and segment level; rows by falling average."""
        labels = self.only or list(self.texts)
        found = np.stack([self.direction(label) for label in labels])
        rho = [mean(column.tolist()) for column in found[:, :, 2].T]
        return [
            self._table("system", labels, found[:, :, :2], SYSTEM, {"average Spearman": rho}),
            self._table("segment", labels, found[:, :, 3:], SEGMENT, {}),
        ]

    def direction(self, label: str) -> Doubles:
        """(metrics, 5) of one language pair: r, half its interval, rho; segment-level tau, half its interval."""
        corpus = self.texts[label].read()
        metrics = tuple(self.metrics.values())
        statistics: dict[tuple[str, str], Statistics] = {}
        translations = FileSystems().translations(corpus)
        for translation in translations:
            assert translation.test is not None
            lines = translation.test.lines()
            for metric in metrics:
                statistics[metric.name, translation.system] = metric.statistics(lines, corpus.test)
        path = human_path(self.human.get(label), corpus)
        human = read_human(path, [translation.system for translation in translations], len(corpus.test))
        found = against_people(metrics, statistics, human, samples=self.samples, seed=self.seed)
        return np.array(
            [
                (one.pearson, (one.ci_high - one.ci_low) / 2, one.spearman, *self._tau(metric, statistics, human))
                for metric, one in zip(metrics, found, strict=True)
            ]
        )

    def _tau(
        self, metric: Metric, statistics: Mapping[tuple[str, str], Statistics], human: HumanSegments
    ) -> tuple[float, float]:
        """Segment-level tau; for its interval segments are drawn again, with all comparisons made on them."""
        sign = 1.0 if metric.higher_is_better else -1.0
        own = np.stack([sign * segment_scores(metric, statistics[metric.name, system]) for system in human.systems])
        cells = compare_pairs(human.scores, own, matrix(self.matrix_name))
        above, below = np.nansum(cells, axis=0), np.isfinite(cells).sum(axis=0)
        tau = float(above.sum() / below.sum()) if below.any() else nan
        drawn = np.random.default_rng([self.seed, 2]).integers(len(above), size=(self.samples, len(above)))
        with np.errstate(invalid="ignore"):
            values = above[drawn].sum(axis=1) / below[drawn].sum(axis=1)
        low, high = np.nanquantile(values, [0.025, 0.975]) if np.isfinite(values).any() else (nan, nan)
        return tau, float(high - low) / 2

    def _table(
        self, level: str, labels: Sequence[str], found: Doubles, text: str, further: Mapping[str, Sequence[float]]
    ) -> Table:
        """A row for each metric: value and interval for each language pair, their average, and further columns."""
        names = [metric.name for metric in self.metrics.values()]
        averages = [mean(column.tolist()) for column in found[:, :, 0].T]
        order = sorted(range(len(names)), key=lambda at: (isnan(averages[at]), -averages[at]))
        rows = tuple(
            (names[at], *found[:, at].ravel().tolist(), averages[at], *(column[at] for column in further.values()))
            for at in order
        )
        pairs = [heading for label in labels for heading in (label, f"{label} interval")]
        header, title = ("metric", *pairs, "average", *further), f"{self.title}: {level} level"
        return Table(f"{self.name}_{level}", title, header, rows, (text,), said=len(rows))


def mean(values: Sequence[float]) -> float:
    """The mean of what is defined; NaN of nothing."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan
