"""The tables of a WMT metrics task, made for any year and language pairs.

**Source:** Stanojevic et al. 2015, Tables 2 to 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from math import isnan, nan

import numpy as np

from clirbench.corpora.base import CorpusSource
from clirbench.errors import ConfigError
from clirbench.labs.papers.analyses.segment_level import human_path
from clirbench.labs.papers.human_scores import HumanSegments, read_human
from clirbench.labs.papers.statistics.people import against_people
from clirbench.labs.papers.statistics.segment_level import compare_pairs, matrix, segment_scores
from clirbench.metrics.base import Metric, Statistics
from clirbench.result import AnalysisTable, Result
from clirbench.systems.files import FileSystems


@dataclass(frozen=True)
class CoefficientInterval:
    """A coefficient, and half the width of its 95 % interval."""

    value: float
    half_width: float


@dataclass(frozen=True, eq=False)
class Direction:
    """What one language pair gives: system-level r and rho and segment-level tau of every metric."""

    label: str
    systems: int
    pearson: Mapping[str, CoefficientInterval]
    rho: Mapping[str, float]
    tau: Mapping[str, CoefficientInterval]


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

    def tables(self, result: Result) -> Sequence[AnalysisTable]:
        """System level and segment level; rows by falling average."""
        directions = [self.direction(label) for label in self.only or self.texts]
        systems = ", ".join(f"{direction.label} {direction.systems}" for direction in directions)
        rho = {m.name: mean([direction.rho[m.name] for direction in directions]) for m in self.metrics.values()}
        pearson_text = (
            f"Pearson's r with people's system scores, half the width of its 95 % interval ({self.samples} draws of "
            f"people's judgments of segments, seed {self.seed}), the average over language pairs, and the average of "
            f"Spearman's rho. Systems: {systems}. People's scores of segments take the place of TrueSkill."
        )
        tau_text = f"Segment-level Kendall's tau, ties by the matrix {self.matrix_name}, and half its 95 % interval."
        return [
            self._table("system", {d.label: d.pearson for d in directions}, pearson_text, {"average Spearman": rho}),
            self._table("segment", {d.label: d.tau for d in directions}, tau_text, {}),
        ]

    def direction(self, label: str) -> Direction:
        """One language pair, from its texts and people's scores."""
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
        rows = [level.row for level in found]
        return Direction(
            label,
            len(human.systems),
            pearson={row.metric: CoefficientInterval(row.pearson, (row.ci_high - row.ci_low) / 2) for row in rows},
            rho={row.metric: row.spearman for row in rows},
            tau={metric.name: self._tau(metric, statistics, human) for metric in metrics},
        )

    def _tau(
        self, metric: Metric, statistics: Mapping[tuple[str, str], Statistics], human: HumanSegments
    ) -> CoefficientInterval:
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
        return CoefficientInterval(tau, float(high - low) / 2)

    def _table(
        self,
        level: str,
        found: Mapping[str, Mapping[str, CoefficientInterval]],
        text: str,
        further: Mapping[str, Mapping[str, float]],
    ) -> AnalysisTable:
        """A row for each metric: its interval for each language pair, their average, and further columns."""
        header = [heading for label in found for heading in (label, f"{label} interval")]
        average = {
            m.name: mean([by_metric[m.name].value for by_metric in found.values()]) for m in self.metrics.values()
        }
        rows = []
        for name in sorted(average, key=lambda name: (isnan(average[name]), -average[name])):
            cells = [cell for by_metric in found.values() for cell in astuple(by_metric[name])]
            rows.append((name, *cells, average[name], *(column[name] for column in further.values())))
        return AnalysisTable(
            f"{self.name}_{level}",
            f"{self.title}: {level} level",
            ("metric", *header, "average", *further),
            tuple(rows),
            (text,),
            said=len(rows),
        )


def mean(values: Sequence[float]) -> float:
    """The mean of what is defined; NaN of nothing."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan
