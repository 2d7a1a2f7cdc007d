"""`analysis=[segment_level]`: does a metric agree with people on segments, or with retrieval on topics?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np

from clirbench.computed import Inputs
from clirbench.corpora.base import Corpus
from clirbench.errors import ConfigError, MissingData
from clirbench.labs.papers.analyses.two_systems import searches_test_set, with_test_text
from clirbench.labs.papers.human_scores import FILE, HumanSegments, read_human
from clirbench.labs.papers.statistics.people import SystemCorrelation, SystemLevel, against_people
from clirbench.labs.papers.statistics.segment_level import (
    SegmentAgreement,
    TrueSkillRating,
    agreements,
    group_scores,
    judged_pairs,
    matrix,
    rate,
    segment_scores,
    topic_segments,
)
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.statistics.coefficients import pearson
from clirbench.types import Doubles

PEOPLE = "human"


@dataclass(frozen=True)
class SegmentLevelAnalysis:
    """Does a metric agree with people about two translations of one segment, or with retrieval about one topic?

    `gold`: `human`, or a measure of the run (MAP): then the items are topics, and a metric's score is that of the
    segments in the topic's relevant documents. `human`: a table of segment scores (default: human-seg.tsv of the test
    set), `score` its column. `matrices`: how ties count (WMT12, WMT13, WMT14, WMT15, ...). `ratings`: games of each of
    five runs of TrueSkill over people's rankings; 0: none. `samples`: for the interval of system-level Pearson.
    """

    gold: str = PEOPLE
    human: str | None = None
    score: str | None = None
    matrices: Sequence[str] = ("WMT14",)
    ratings: int = 0
    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.matrices:
            matrix(name)
        if self.samples < 1 or self.ratings < 0:
            raise ConfigError("analyses.segment_level: samples is at least 1, ratings at least 0")

    def check(self, result: Result) -> tuple[Inputs, HumanSegments | None]:
        """The texts and people's scores, None where topics are the gold; raises `ConfigError`, `InputError`."""
        inputs = result.texts("segment_level")
        if not result.experiment.metrics:
            raise ConfigError("analysis segment_level needs a metric with statistics, such as metric=[BLEU]")
        if self.gold == PEOPLE:
            path, systems = human_path(self.human, inputs.corpus), with_test_text(inputs)
            return inputs, read_human(path, systems, len(inputs.corpus.test), self.score)
        result.topic_values(self.gold)
        if not searches_test_set(inputs):
            raise ConfigError(
                f"analyses.segment_level.gold={self.gold} compares topics of the searched collection "
                f"({inputs.corpus.english.map.n_lines} lines) with segments of the test set "
                f"({len(inputs.corpus.test)} lines): they must be the same text"
            )
        return inputs, None

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, human = self.check(result)
        if human is None:
            return [self._by_topic(result, inputs)]
        found = [self._by_segment(result, human), self._systems(result, human)]
        if self.ratings:
            found.append(rating_table(human, self.ratings, self.seed))
        return found

    def _by_segment(self, result: Result, human: HumanSegments) -> Table:
        rows: list[SegmentAgreement] = []
        for metric in result.metrics_of_segments:
            kept = [i for i, system in enumerate(human.systems) if (metric.name, system) in result.statistics]
            scores = {human.systems[i]: result.statistics[metric.name, human.systems[i]] for i in kept}
            own = np.stack([segment_scores(metric, scores[human.systems[i]]) for i in kept])
            rows += agreements(metric, human.scores[kept], own, self.matrices)
        unknown = f" Scores of {', '.join(human.unknown)} were left out: no such system." if human.unknown else ""
        text = (
            f"People's scores: column {human.column}, {len(human.systems)} systems. Kendall's tau counts pairs of "
            "systems on one segment; n pairs counted. Pearson's r is over all judged segments of all systems, n of "
            f"them. A segment's BLEU is smoothed and leaves out orders that it cannot have.{unknown}",
        )
        title = "Metrics against people, segment by segment"
        return Table.of("segment_level", title, SegmentAgreement, rows, text)

    def _systems(self, result: Result, human: HumanSegments) -> Table:
        metrics = result.metrics_of_segments
        found = against_people(metrics, result.statistics, human, samples=self.samples, seed=self.seed)
        text = (
            f"System level: people's score of a system is the mean of {human.column} over its judged segments; the "
            f"95 % interval of Pearson's r draws those judgments again ({self.samples} samples, seed {self.seed}). "
            "Ellipses in the figure are as wide and high as the 95 % intervals of both scores; their tilt is how both "
            "vary together over the same draws of segments.",
        )
        return Table.of(
            "system_level",
            "Metrics against people, system by system",
            SystemCorrelation,
            [one.row for one in found],
            text,
            figure=lambda: figure(found),
        )

    def _by_topic(self, result: Result, inputs: Inputs) -> Table:
        label, relevance, values = result.topic_values(self.gold)
        retrieval = result.retrieval[label]
        english = inputs.corpus.english
        judged = retrieval.judged[relevance].with_relevant
        columns = [i for i, t in enumerate(retrieval.topics(relevance, self.gold)) if t in judged.qrels.grades]
        membership = topic_segments(judged.qrels.grades, english.map)
        rows: list[SegmentAgreement] = []
        for metric in result.metrics_of_segments:
            kept = [i for i, system in enumerate(retrieval.runs) if (metric.name, system) in result.statistics]
            systems = [list(retrieval.runs)[i] for i in kept]
            own = np.stack([group_scores(metric, result.statistics[metric.name, s], membership) for s in systems])
            rows += agreements(metric, values[np.ix_(kept, columns)], own, self.matrices)
        text = (
            f"Topics in the place of segments: {self.gold} of each topic, and each metric's score of the segments in "
            "the topic's relevant documents. tau counts pairs of systems on one topic: does the metric see which of "
            "them lost more on it?",
        )
        title = f"Metrics against {self.gold}, topic by topic"
        return Table.of("segment_level", title, SegmentAgreement, rows, text)


def human_path(given: str | None, corpus: Corpus) -> Path:
    """The file that is named, else `human-seg.tsv` of the test set's folder; raises `MissingData`."""
    if given:
        path = Path(given).expanduser()
        if not path.is_file():
            raise MissingData(f"{path}: no such file of segment scores (analyses.segment_level.human=FILE)")
        return path
    layout = corpus.test_layout
    names = [] if layout is None else [name for name in layout.ignored if name.removesuffix(".gz") == FILE]
    if layout is None or not names:
        raise MissingData(
            f"people's segment scores are not there: put {FILE} (columns system, line, a score) into the folder of the "
            "test set or name a file with analyses.segment_level.human=FILE; or take retrieval as the standard: "
            "analyses.segment_level.gold=MAP"
        )
    return layout.files.locate(names)[names[0]]


def rating_table(human: HumanSegments, games: int, seed: int) -> Table:
    """TrueSkill ratings from people's relative rankings: every pair of systems judged on one segment."""
    pairs = judged_pairs(human.scores)
    rows = rate(human.systems, human.means.tolist(), pairs, games=games, seed=seed)
    ratings, scores = np.array([row.rating for row in rows]), np.array([row.mean_score for row in rows])
    agreement = pearson(ratings, scores, p_value="scipy").value
    text = (
        f"TrueSkill over relative rankings made from people's segment scores: five runs of {games} comparisons drawn "
        f"from {len(pairs)}, seed {seed}. Pearson's r of rating and mean score: {fixed(agreement, 3)}.",
    )
    return Table.of("trueskill", "TrueSkill ratings", TrueSkillRating, rows, text)


def ellipse(x: Doubles, y: Doubles, points: int = 60) -> tuple[Doubles, Doubles]:
    """The outline of an ellipse around 0 whose bounding box is the two percentile intervals, tilted as x and y covary.

    x, y: (samples,) resampled scores of one system. Width and height are the 95 % intervals; the tilt is the
    correlation of the two sides over the same draws of segments.
    """
    width, height = ((np.nanquantile(v, 0.975) - np.nanquantile(v, 0.025)) / 2 for v in (x, y))
    both = np.isfinite(x) & np.isfinite(y)
    r = float(np.corrcoef(x[both], y[both])[0, 1]) if np.ptp(x[both]) and np.ptp(y[both]) else 0.0
    r = 0.0 if isnan(r) else r
    angle = np.linspace(0, 2 * np.pi, points)
    return width * np.cos(angle), height * (r * np.cos(angle) + np.sqrt(max(1 - r * r, 0.0)) * np.sin(angle))


def figure(found: Sequence[SystemLevel]) -> Drawing:
    """A scatter plot for each metric with an ellipse for each system."""
    plots = []
    for one in found:
        systems = list(zip(one.scores.tolist(), one.human_scores.tolist(), strict=True))
        outlines = []
        for at, (x, y) in enumerate(systems):
            across, along = ellipse(one.samples[:, at], one.human_samples[:, at])
            outlines.append(list(zip((x + across).tolist(), (y + along).tolist(), strict=True)))
        plots.append(Panel(one.row.metric, "people", {}, {"": systems}, outlines, f"r {fixed(one.row.pearson, 3)}"))
    return panels(plots)
