"""People's scores of single segments: read, and resampled into intervals of system scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clirbench.analyses.two_systems import read, searches_test_set, with_test_text
from clirbench.corpora.base import Corpus
from clirbench.errors import ConfigError, MissingData, UnknownName
from clirbench.files.human_scores import HumanSegments, read_human
from clirbench.metrics.base import Metric
from clirbench.result import AnalysisTable
from clirbench.statistics.coefficients import pearson
from clirbench.statistics.people import HEADER as SYSTEM_HEADER
from clirbench.statistics.people import against_people, figure
from clirbench.statistics.segment_level import comparisons, comparisons_of, matrix, rate, segment_kendall
from clirbench.types import Doubles

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics
    from clirbench.result import Inputs, Result
from clirbench.files.human_scores import FILE


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


HEADER = ("metric", "matrix", "coefficient", "value", "concordant", "discordant", "n")
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

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        inputs = read(result, "segment_level")
        if not result.experiment.metrics:
            raise ConfigError("analysis segment_level needs a metric with statistics, such as metric=[BLEU]")
        if self.gold != PEOPLE:
            return [self._by_topic(result, inputs)]
        systems = with_test_text(inputs)
        human = read_human(human_path(self.human, inputs.corpus), systems, len(inputs.corpus.test), self.score)
        found = [self._by_segment(result, human), self._systems(result, human)]
        if self.ratings:
            found.append(rating_table(human, self.ratings, self.seed))
        return found

    def _by_segment(self, result: "Result", human: HumanSegments) -> AnalysisTable:
        rows: list[tuple[Any, ...]] = []
        for metric in result.experiment.metrics:
            kept = [i for i, system in enumerate(human.systems) if (metric.name, system) in result.statistics]
            scores = {human.systems[i]: result.statistics[metric.name, human.systems[i]] for i in kept}
            own = np.stack([segment_scores(metric, scores[human.systems[i]]) for i in kept])
            rows += agreement_rows(metric, human.scores[kept], own, self.matrices)
        unknown = f" Scores of {', '.join(human.unknown)} were left out: no such system." if human.unknown else ""
        text = (
            f"People's scores: column {human.column}, {len(human.systems)} systems. Kendall's tau counts pairs of "
            "systems on one segment; n pairs counted. Pearson's r is over all judged segments of all systems, n of "
            f"them. A segment's BLEU is smoothed and leaves out orders that it cannot have.{unknown}",
        )
        return AnalysisTable("segment_level", "Metrics against people, segment by segment", HEADER, tuple(rows), text)

    def _systems(self, result: "Result", human: HumanSegments) -> AnalysisTable:
        metrics = result.experiment.metrics
        found = against_people(metrics, result.statistics, human, samples=self.samples, seed=self.seed)
        text = (
            f"System level: people's score of a system is the mean of {human.column} over its judged segments; the "
            f"95 % interval of Pearson's r draws those judgments again ({self.samples} samples, seed {self.seed}). "
            "Ellipses in the figure are as wide and high as the 95 % intervals of both scores; their tilt is how both "
            "vary together over the same draws of segments.",
        )
        return AnalysisTable(
            "system_level", "Metrics against people, system by system", SYSTEM_HEADER,
            tuple(one.row() for one in found), text, figure=lambda: figure(found),
        )  # fmt: skip

    def _by_topic(self, result: "Result", inputs: "Inputs") -> AnalysisTable:
        label, relevance, values = topic_values(result, self.gold)
        retrieval = result.retrieval[label]
        english = inputs.corpus.english
        if not searches_test_set(inputs):
            raise ConfigError(
                f"analyses.segment_level.gold={self.gold} compares topics of the searched collection "
                f"({english.map.n_lines} lines) with segments of the test set ({len(inputs.corpus.test)} lines): they "
                "must be the same text"
            )
        membership = topic_segments(retrieval.judged[relevance].qrels.grades, english.map)
        rows: list[tuple[Any, ...]] = []
        for metric in result.experiment.metrics:
            kept = [i for i, system in enumerate(retrieval.runs) if (metric.name, system) in result.statistics]
            systems = [list(retrieval.runs)[i] for i in kept]
            own = np.stack([group_scores(metric, result.statistics[metric.name, s], membership) for s in systems])
            rows += agreement_rows(metric, values[kept], own, self.matrices)
        text = (
            f"Topics in the place of segments: {self.gold} of each topic, and each metric's score of the segments in "
            "the topic's relevant documents. tau counts pairs of systems on one topic: does the metric see which of "
            "them lost more on it?",
        )
        return AnalysisTable("segment_level", f"Metrics against {self.gold}, topic by topic", HEADER, tuple(rows), text)


def agreement_rows(metric: Metric, gold: Doubles, own: Doubles, matrices: Sequence[str]) -> list[tuple[Any, ...]]:
    """tau with each matrix, and Pearson's r over all items of all systems: (systems, items) each."""
    sign = 1.0 if metric.higher_is_better else -1.0
    pairs = comparisons(gold, sign * own)
    rows: list[tuple[Any, ...]] = []
    for name in matrices:
        tau = segment_kendall(*pairs, matrix(name))
        counted = tau.concordant + tau.discordant + tau.neutral
        rows.append((metric.name, name, "kendall", tau.value, tau.concordant, tau.discordant, counted))
    known = np.isfinite(gold) & np.isfinite(own)
    n = int(known.sum())
    value = float(pearson(sign * own[known], gold[known], p_value="scipy").value) if n > 1 else nan
    rows.append((metric.name, "", "pearson", value, "", "", n))
    return rows


def segment_scores(metric: Metric, statistics: "Statistics") -> Doubles:
    """(segments,): the metric of every segment alone; BLEU with effective order, as one wants for sentences."""
    if any(field.name == "effective_order" for field in fields(metric)):  # type: ignore[arg-type]
        metric = replace(metric, effective_order=True)  # type: ignore[type-var]
    if isinstance(statistics, np.ndarray):
        return np.asarray(metric.score(statistics))
    rows = range(0, statistics.shape[0], 64)
    return np.concatenate([metric.score(np.asarray(statistics[at : at + 64].toarray())) for at in rows])


def group_scores(metric: Metric, statistics: "Statistics", membership: Doubles) -> Doubles:
    """(groups,): the metric of groups of segments, from their summed statistics; NaN for a group of none."""
    parts = [
        metric.score(np.asarray(membership[at : at + 64] @ statistics, dtype=np.float64))
        for at in range(0, len(membership), 64)
    ]
    empty = membership.sum(axis=1) == 0
    return np.where(empty, nan, np.concatenate(parts))


def topic_segments(grades: Mapping[str, Mapping[str, int]], document_map: Any) -> Doubles:
    """(topics, lines): 1 where a line belongs to a document that is relevant to the topic."""
    place = {doc_id: i for i, doc_id in enumerate(document_map.doc_ids)}
    starts = document_map.starts.tolist()
    membership = np.zeros((len(grades), document_map.n_lines))
    for row, by_document in enumerate(grades.values()):
        for doc_id, grade in by_document.items():
            if grade > 0 and doc_id in place:
                membership[row, starts[place[doc_id]] : starts[place[doc_id] + 1]] = 1
    return membership


def topic_values(result: "Result", measure: str) -> tuple[str, str, Doubles]:
    """Labels of topics and judgments, and (systems, topics) values of a measure; raises `UnknownName`."""
    for label, retrieval in result.retrieval.items():
        for (relevance, name), values in retrieval.per_topic.items():
            if name == measure:
                return label, relevance, values
    names = [name for retrieval in result.retrieval.values() for _, name in retrieval.per_topic]
    raise UnknownName("analyses.segment_level.gold", measure, [PEOPLE, *names])


def rating_table(human: HumanSegments, games: int, seed: int) -> AnalysisTable:
    """TrueSkill ratings from people's relative rankings: every pair of systems judged on one segment."""
    found = comparisons_of(human.scores)
    rated = rate(human.systems, found, games=games, seed=seed)
    means = dict(zip(human.systems, human.means.tolist(), strict=True))
    rows = tuple((r.system, r.mu, r.sigma, means[r.system], r.comparisons) for r in rated)
    agreement = pearson(np.array([row[1] for row in rows]), np.array([row[3] for row in rows]), p_value="scipy").value
    text = (
        f"TrueSkill over relative rankings made from people's segment scores: five runs of {games} comparisons drawn "
        f"from {len(found)}, seed {seed}. Pearson's r of rating and mean score: {agreement:.3f}.",
    )
    header = ("system", "rating", "sigma", "mean_score", "comparisons")
    return AnalysisTable("trueskill", "TrueSkill ratings", header, rows, text)
