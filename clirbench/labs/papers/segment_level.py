"""`analysis=[segment_level]`: does a metric agree with people on segments, or with retrieval on topics?

Does it order two systems' translations of one segment (or of one topic's documents) as the gold does?

The tables of a WMT metrics task, made for any year and language pairs.

**Source:** Stanojevic et al. 2015, Tables 2 to 5.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import zip_longest
from math import fsum, isnan, nan

import numpy as np

from clirbench.corpora.base import CorpusSource
from clirbench.errors import AlignmentError, ConfigError, UnknownName
from clirbench.files.tables import read_table
from clirbench.labs.papers.people import HumanSegments, SystemLevel, against_people, human_path, read_human
from clirbench.labs.papers.published import DATA, texts_of
from clirbench.labs.papers.rankings import group_scores, segment_scores
from clirbench.metrics.base import Metric, Statistics
from clirbench.pages import Table
from clirbench.result import Inputs, Result
from clirbench.statistics.coefficients import pearson
from clirbench.systems.files import FileSystems
from clirbench.types import DocumentMap, Doubles

PEOPLE = "human"
AGREEMENT = ("metric", "matrix", "coefficient", "value", "concordant", "discordant", "n")
AgreementRow = tuple[str, str, str, float, int | str, int | str, int]
BY_SEGMENT = (
    "Kendall's tau counts pairs of systems on one segment; n pairs counted. Pearson's r is over all judged segments of "
    "all systems, n of them. A segment's BLEU is smoothed and leaves out orders that it cannot have."
)
BY_SYSTEM = (
    "People's score of a system is the mean over its judged segments; the 95 % interval of Pearson's r draws those "
    "judgments again."
)
BY_TOPIC = (
    "Topics in the place of segments: the measure's value of each topic, and each metric's score of the segments in "
    "the topic's relevant documents. tau counts pairs of systems on one topic: does the metric see which of them lost "
    "more on it?"
)
MATRICES = DATA / "wmt_segment_kendall.tsv"
RELATIONS = ("<", "=", ">")


@dataclass(frozen=True)
class SegmentLevelAnalysis:
    """Does a metric agree with people about two translations of one segment, or with retrieval about one topic?

    `gold`: `human`, or a measure of the run (MAP): then the items are topics, and a metric's score is that of the
    segments in the topic's relevant documents. `human`: a table of segment scores (default: human-seg.tsv of the test
    set), `score` its column. `matrices`: how ties count (WMT12, WMT13, WMT14, WMT15). `samples`: for the interval of
    system-level Pearson.
    """

    gold: str = PEOPLE
    human: str | None = None
    score: str | None = None
    matrices: Sequence[str] = ("WMT14",)
    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.matrices:
            matrix(name)
        if self.samples < 1:
            raise ConfigError(f"analyses.segment_level.samples={self.samples}: at least 1")

    def check(self, result: Result) -> tuple[Inputs, HumanSegments | None]:
        """The texts and people's scores, None where topics are the gold; raises `ConfigError`, `InputError`."""
        inputs = result.texts("segment_level")
        if not result.experiment.metrics:
            raise ConfigError("analysis segment_level needs a metric with statistics, such as metric=[BLEU]")
        if self.gold == PEOPLE:
            path, systems = human_path(self.human, inputs.corpus), [*texts_of(inputs.translations)]
            return inputs, read_human(path, systems, len(inputs.corpus.test), self.score)
        result.topic_values(self.gold)
        english, reference = inputs.corpus.english, inputs.corpus.test.references[0]
        if any(a != b for a, b in zip_longest(english.lines(), reference)):
            raise ConfigError(
                f"analyses.segment_level.gold={self.gold} compares topics of the searched collection "
                f"({english.map.n_lines} lines) with segments of the test set "
                f"({len(reference)} lines): they must be the same text"
            )
        return inputs, None

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, human = self.check(result)
        if human is None:
            return [self._by_topic(result, inputs)]
        return [self._by_segment(result, human), self._systems(result, human)]

    def _by_segment(self, result: Result, human: HumanSegments) -> Table:
        rows = self._agreements(result, human.systems, human.scores, segment_scores)
        unknown = (f"Scores of {', '.join(human.unknown)} were left out: no such system.",) if human.unknown else ()
        title = "Metrics against people, segment by segment"
        return Table("segment_level", title, AGREEMENT, rows, (BY_SEGMENT, *unknown))

    def _agreements(
        self, result: Result, systems: Sequence[str], gold: Doubles, scores: Callable[[Metric, Statistics], Doubles]
    ) -> tuple[AgreementRow, ...]:
        """The rows of every metric over the systems that it scored; gold: (systems, items), as `scores` gives them."""
        rows = list[AgreementRow]()
        for metric in result.metrics_of_segments:
            kept = [i for i, system in enumerate(systems) if (metric.name, system) in result.statistics]
            own = np.stack([scores(metric, result.statistics[metric.name, systems[i]]) for i in kept])
            rows += agreements(metric, gold[kept], own, self.matrices)
        return tuple(rows)

    def _systems(self, result: Result, human: HumanSegments) -> Table:
        metrics = result.metrics_of_segments
        rows = against_people(metrics, result.statistics, human, samples=self.samples, seed=self.seed)
        return Table.of("system_level", "Metrics against people, system by system", SystemLevel, rows, (BY_SYSTEM,))

    def _by_topic(self, result: Result, inputs: Inputs) -> Table:
        label, relevance, values = result.topic_values(self.gold)
        retrieval = result.retrieval[label]
        judged = retrieval.judged[relevance].with_relevant
        columns = [i for i, t in enumerate(retrieval.topics(relevance, self.gold)) if t in judged.qrels.grades]
        membership = topic_segments(judged.qrels.grades, inputs.corpus.english.map)
        scores = partial(group_scores, membership=membership)
        rows = self._agreements(result, list(retrieval.runs), values[:, columns], scores)
        title = f"Metrics against {self.gold}, topic by topic"
        return Table("segment_level", title, AGREEMENT, rows, (BY_TOPIC,))


@lru_cache(maxsize=1)
def matrices() -> dict[str, Doubles]:
    """All members of the family by name, from the table that is shipped; WMT15 is the same matrix as WMT14.

    (3, 3) coefficients: rows the gold's relation, columns the metric's, in `<=>` (`<`: the first is better); NaN leaves
    the comparison out.
    """
    found: dict[str, Doubles] = {}
    for record in read_table(MATRICES).records():
        held = found.setdefault(record["name"], np.full((3, 3), nan))
        for at, relation in enumerate(RELATIONS):
            cell = record[relation]
            held[RELATIONS.index(record["people"]), at] = nan if cell == "X" else float(cell)
    return {**found, "WMT15": found["WMT14"]}


def matrix(name: str) -> Doubles:
    """The member of that name; an unknown one raises `UnknownName` with the choices."""
    if name not in matrices():
        raise UnknownName("segment-level matrix", name, matrices())
    return matrices()[name]


def compare_pairs(gold: Doubles, own: Doubles, form: Doubles) -> Doubles:
    """(pairs of systems, items): 1 concordant, -1 discordant, 0 neither, by a matrix; NaN what is left out.

    The mean of the others is tau = sum of C |S| / sum of |S| over the cells of C that are not X, S the comparisons
    that fall into a cell. `gold`, `own`: (systems, items) of the same items (segments, documents or topics), more is
    better, NaN where unknown. Raises `AlignmentError`.
    **Source:** Machacek and Bojar 2014, section 4.2; Stanojevic et al. 2015, section 4.
    """
    if gold.shape != own.shape:
        raise AlignmentError(f"gold values {gold.shape} and metric scores {own.shape}: systems x the same items")
    first, second = np.triu_indices(len(gold), 1)
    sides = gold[first] - gold[second], own[first] - own[second]
    known = np.isfinite(sides[0]) & np.isfinite(sides[1])
    better = [np.asarray(1 - np.sign(np.where(known, side, 0)), dtype=np.int64) for side in sides]
    return np.where(known, form[better[0], better[1]], nan)


def agreements(metric: Metric, gold: Doubles, own: Doubles, names: Sequence[str]) -> list[AgreementRow]:
    """The columns of `AGREEMENT`: tau with each matrix of these names, and Pearson's r over all items of all systems.

    gold, own: (systems, items), NaN where unknown; a metric where less is better is turned round. n: comparisons, of
    which the coefficient is 1 (concordant) or -1 (discordant); or scores. NaN where nothing is counted.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    rows = list[AgreementRow]()
    for name in names:
        cells = compare_pairs(gold, sign * own, matrix(name))
        taken = cells[np.isfinite(cells)]
        tau = float(taken.sum() / len(taken)) if len(taken) else nan
        rows.append((metric.name, name, "kendall", tau, int((taken == 1).sum()), int((taken == -1).sum()), len(taken)))
    known = np.isfinite(gold) & np.isfinite(own)
    n = int(known.sum())
    r = pearson(sign * own[known], gold[known], p_value="scipy").value if n > 1 else nan
    return [*rows, (metric.name, "", "pearson", r, "", "", n)]


def topic_segments(grades: Mapping[str, Mapping[str, int]], document_map: DocumentMap) -> Doubles:
    """(topics, lines): 1 where a line belongs to a document that is relevant to the topic."""
    place = {doc_id: i for i, doc_id in enumerate(document_map.doc_ids)}
    starts = document_map.starts.tolist()
    membership = np.zeros((len(grades), document_map.n_lines))
    for row, by_document in enumerate(grades.values()):
        for doc_id, grade in by_document.items():
            if grade > 0 and doc_id in place:
                membership[row, starts[place[doc_id]] : starts[place[doc_id] + 1]] = 1
    return membership


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
        outputs = {system: text.lines() for system, text in texts_of(FileSystems().translations(corpus)).items()}
        statistics = {
            (metric.name, system): metric.statistics(lines, corpus.test)
            for system, lines in outputs.items()
            for metric in metrics
        }
        human = read_human(human_path(self.human.get(label), corpus), [*outputs], len(corpus.test))
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
    return fsum(known) / len(known) if known else nan
