"""The tables of a WMT metrics task (Stanojevic et al. 2015, Tables 3 to 6), made for any year and language pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.analyses.segment_level import human_path
from clirbench.corpora.base import Corpus, CorpusSource
from clirbench.errors import ConfigError
from clirbench.files.human_scores import HumanSegments, read_human
from clirbench.metrics.base import Metric
from clirbench.result import AnalysisTable
from clirbench.statistics.people import SystemLevel, against_people
from clirbench.statistics.segment_level import comparisons, matrix, segment_kendall, segment_scores
from clirbench.systems.files import FileSystems
from clirbench.types import Doubles

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics
    from clirbench.result import Result


@dataclass(frozen=True, eq=False)
class Direction:
    """What one language pair gives: system-level agreement and segment-level tau of every metric."""

    label: str
    systems: int
    system_level: Mapping[str, SystemLevel]
    tau: Mapping[str, float]
    tau_width: Mapping[str, float]


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

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """System level and segment level; rows by falling average."""
        labels = tuple(self.only) or tuple(self.texts)
        directions = [self.direction(label) for label in labels]
        return [self._system_table(directions), self._segment_table(directions)]

    def direction(self, label: str) -> Direction:
        """One language pair, from its texts and people's scores."""
        corpus = self.texts[label].read()
        translations = FileSystems().translations(corpus)
        statistics: dict[tuple[str, str], Statistics] = {}
        for translation in translations:
            assert translation.test is not None
            lines = translation.test.lines()
            for metric in self.metrics.values():
                statistics[metric.name, translation.system] = metric.statistics(lines, corpus.test)
        human = self._human(label, corpus, [t.system for t in translations])
        metrics = tuple(self.metrics.values())
        levels = against_people(metrics, statistics, human, samples=self.samples, seed=self.seed)
        taus = {metric.name: self._tau(metric, statistics, human) for metric in metrics}
        return Direction(
            label, len(human.systems), {level.metric: level for level in levels},
            {name: tau for name, (tau, _) in taus.items()}, {name: width for name, (_, width) in taus.items()},
        )  # fmt: skip

    def _human(self, label: str, corpus: Corpus, systems: Sequence[str]) -> HumanSegments:
        path = human_path(self.human.get(label), corpus)
        return read_human(path, systems, len(corpus.test))

    def _tau(
        self, metric: Metric, statistics: "Mapping[tuple[str, str], Statistics]", human: HumanSegments
    ) -> tuple[float, float]:
        """tau and half its interval: segments are drawn again, with all comparisons made on them."""
        sign = 1.0 if metric.higher_is_better else -1.0
        own = np.stack([sign * segment_scores(metric, statistics[metric.name, system]) for system in human.systems])
        form = matrix(self.matrix_name)
        tau = segment_kendall(*comparisons(human.scores, own), form).value
        above, below = counts_by_segment(human.scores, own, form.coefficients)
        drawn = np.random.default_rng([self.seed, 2]).integers(len(above), size=(self.samples, len(above)))
        with np.errstate(invalid="ignore"):
            values = above[drawn].sum(axis=1) / below[drawn].sum(axis=1)
        low, high = np.nanquantile(values, [0.025, 0.975]) if np.isfinite(values).any() else (nan, nan)
        return tau, float(high - low) / 2

    def _system_table(self, directions: Sequence[Direction]) -> AnalysisTable:
        header: list[str] = ["metric"]
        for direction in directions:
            header += [direction.label, f"{direction.label} interval"]
        rows: list[tuple[Any, ...]] = []
        for name in self._names():
            found = [direction.system_level[name] for direction in directions]
            cells = [x for level in found for x in (level.pearson, (level.ci_high - level.ci_low) / 2)]
            rows.append((name, *cells, mean([one.pearson for one in found]), mean([one.spearman for one in found])))
        rows.sort(key=lambda row: -row[-2] if not isnan(row[-2]) else 9.0)
        systems = ", ".join(f"{d.label} {d.systems}" for d in directions)
        text = (
            f"Pearson's r with people's system scores, half the width of its 95 % interval ({self.samples} draws of "
            f"people's judgments of segments, seed {self.seed}), the average over language pairs, and the average of "
            f"Spearman's rho. Systems: {systems}. People's scores of segments take the place of TrueSkill.",
        )
        return AnalysisTable(
            f"{self.name}_system", f"{self.title}: system level", (*header, "average", "average Spearman"),
            tuple(rows), text, said=len(rows),
        )  # fmt: skip

    def _segment_table(self, directions: Sequence[Direction]) -> AnalysisTable:
        header: list[str] = ["metric"]
        for direction in directions:
            header += [direction.label, f"{direction.label} interval"]
        rows: list[tuple[Any, ...]] = []
        for name in self._names():
            cells = [x for d in directions for x in (d.tau[name], d.tau_width[name])]
            rows.append((name, *cells, mean([d.tau[name] for d in directions])))
        rows.sort(key=lambda row: -row[-1] if not isnan(row[-1]) else 9.0)
        text = (f"Segment-level Kendall's tau, ties by the matrix {self.matrix_name}, and half its 95 % interval.",)
        return AnalysisTable(
            f"{self.name}_segment", f"{self.title}: segment level", (*header, "average"), tuple(rows), text,
            said=len(rows),
        )  # fmt: skip

    def _names(self) -> list[str]:
        return [metric.name for metric in self.metrics.values()]


def mean(values: Sequence[float]) -> float:
    """The mean of what is defined; NaN of nothing."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def counts_by_segment(gold: Doubles, own: Doubles, coefficients: Doubles) -> tuple[Doubles, Doubles]:
    """For every segment the sum of coefficients over its pairs of systems, and how many of them count."""
    a, b = np.triu_indices(len(gold), 1)
    human, metric = gold[a] - gold[b], own[a] - own[b]
    known = np.isfinite(human) & np.isfinite(metric)
    row = (1 - np.sign(np.where(known, human, 0))).astype(np.int64)
    column = (1 - np.sign(np.where(known, metric, 0))).astype(np.int64)
    cells = np.where(known, coefficients[row, column], np.nan)
    return np.nansum(cells, axis=0), np.isfinite(cells).sum(axis=0).astype(np.float64)
