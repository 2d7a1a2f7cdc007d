"""`analysis=[favoritism]`: the segments on which a metric favours one of two systems, by exact leave-one-out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clirbench.computed import Inputs
from clirbench.errors import ConfigError
from clirbench.labs.papers.analyses.two_systems import TwoSystems, chosen_pair, test_lines, with_test_text
from clirbench.labs.papers.statistics.jackknife import corpus_score, left_out_scores
from clirbench.labs.papers.statistics.segment_level import segment_scores
from clirbench.metrics.base import Metric, Statistics
from clirbench.pages.table import Table
from clirbench.result import Result
from clirbench.types import Doubles, Ints

WINS = ("metric", "segment", "score_a", "score_b", "better")
COLUMNS = ("metric", "rank", "segment", "delta", "favours", "reference")


@dataclass(frozen=True)
class FavoritismAnalysis:
    """Every segment by its sentence scores, and by how much each metric of the run favours one of two systems there.

    `pair`: the systems, as `pair=[A,B]`; needless where only two take part. `top`: how many segments of each metric
    the report shows; `favoritism.tsv` has all. Raises `ConfigError` for a run without texts, metrics or a pair.
    """

    pair: Sequence[str] | None = None
    top: int = 10

    def __post_init__(self) -> None:
        if self.top < 1:
            raise ConfigError(f"analyses.favoritism.top={self.top}: at least 1")

    def check(self, result: Result) -> tuple[Inputs, TwoSystems]:
        """The texts and the pair; raises `ConfigError` where they are not to be had."""
        inputs = result.texts("favoritism")
        pair = chosen_pair(self.pair, with_test_text(inputs), "favoritism")
        if not result.experiment.metrics:
            raise ConfigError("analysis favoritism needs a metric with statistics, such as metric=[BLEU]")
        return inputs, pair

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, pair = self.check(result)
        header, texts = side_by_side(inputs, pair)
        rows: list[tuple[Any, ...]] = []
        shown: list[tuple[Any, ...]] = []
        wins: list[tuple[Any, ...]] = []
        won: list[str] = []
        said: list[str] = []
        for metric in result.experiment.metrics:
            if any((metric.name, system) not in result.statistics for system in pair):
                continue
            delta = favoritism(metric, *(result.statistics[metric.name, system] for system in pair))
            found = list(_rows(metric.name, delta, pair, texts))
            rows += found
            shown += found[: self.top]
            said.append(favoritism_findings(metric.name, delta, pair))
            scores = np.stack([segment_scores(metric, result.statistics[metric.name, system]) for system in pair])
            better = np.sign(scores[0] - scores[1]) * (1 if metric.higher_is_better else -1)
            won.append(wins_findings(metric.name, better, pair))
            for i in range(len(better)):
                wins.append(
                    (metric.name, i + 1, float(scores[0, i]), float(scores[1, i]), favoured_system(better[i], pair))
                )
        text = (*won, reading_notes(pair), *said)
        title = f"Favoritism: {pair.a} against {pair.b}"
        return (
            Table("favoritism_top", title, header, tuple(shown), text),
            Table("favoritism", f"{title}, every segment", header, tuple(rows)),
            Table("segment_wins", f"Sentence by sentence: {pair.a} against {pair.b}", WINS, tuple(wins)),
        )


def favoritism(metric: Metric, ours: Statistics, theirs: Statistics) -> Doubles:
    """delta_i = (M(A) - M(A without i)) - (M(B) - M(B without i)) for every segment i: (segments,).

    Exact: the segment's statistics are subtracted from the sums and the score is computed again, so that word types
    which only that segment has leave the vocabulary of MacroF. On the metric's own scale; positive favours A, also
    where less is better. 0 for a segment that both translate alike, if the rest is alike.
    **Source:** Gowda et al. 2021, section 4.1, equation 1.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    return sign * (benefit(metric, ours) - benefit(metric, theirs))


def benefit(metric: Metric, statistics: Statistics) -> Doubles:
    """delta_i = M - M without segment i: (segments,), on the metric's own scale. **Source:** as `favoritism`."""
    return np.asarray(corpus_score(metric, statistics) - left_out_scores(metric, statistics))


def rank_segments(delta: Doubles) -> Ints:
    """Segments (0-based) by falling |delta|, in order of the text where equal."""
    return np.asarray(np.argsort(-np.abs(delta), kind="stable"), dtype=np.int64)


def side_by_side(inputs: Inputs, pair: TwoSystems) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header of favoritism.tsv, and the texts of every segment: reference, both outputs, source where known."""
    test = inputs.corpus.test
    names = [name if name not in (*COLUMNS, "source") else f"system {name}" for name in pair]
    columns = [test.references[0], *(test_lines(inputs, system) for system in pair)]
    if test.source is not None:
        columns.append(test.source)
    header = (*COLUMNS, *names, *(("source",) if test.source is not None else ()))
    return header, list(zip(*columns, strict=True))


def _rows(metric: str, delta: Doubles, pair: TwoSystems, texts: list[tuple[str, ...]]) -> Iterator[tuple[Any, ...]]:
    for rank, segment in enumerate(rank_segments(delta).tolist(), start=1):
        value = float(delta[segment])
        yield (metric, rank, segment + 1, value, favoured_system(value, pair), *texts[segment])


def favoured_system(delta: float, pair: TwoSystems) -> str:
    """The system that a delta speaks for; nobody at 0."""
    if delta > 0:
        return pair.a
    return pair.b if delta < 0 else ""


def reading_notes(pair: TwoSystems) -> str:
    """What a reader must know of the numbers."""
    return (
        f"Corpus influence (leave-one-out): delta is how much the corpus score of {pair.a} changes by having the "
        f"segment, less the same for {pair.b}, "
        f"on the metric's own scale; above 0 the metric favours {pair.a} there. Segments with a large delta show what "
        "a metric rewards; the deltas of all segments do not sum to the difference of the scores."
    )


def wins_findings(metric: str, better: Doubles, pair: TwoSystems) -> str:
    """Plain wins, ties and losses; `better` (segments,): 1 where the first system's sentence is better, 0 a tie."""
    better = better[np.isfinite(better)]  # of segments that have a score
    a, b = int((better > 0).sum()), int((better < 0).sum())
    return (
        f"{metric}, sentence by sentence: {pair.a} is better in {a} of {len(better)} segments, {pair.b} in {b}, "
        f"{len(better) - a - b} are equal."
    )


def favoritism_findings(metric: str, delta: Doubles, pair: TwoSystems) -> str:
    """How many segments favour either, and how far the ten strongest agree."""
    first = delta[rank_segments(delta)[:10]]
    return (
        f"{metric}, corpus influence: {int((delta > 0).sum())} segments favour {pair.a}, "
        f"{int((delta < 0).sum())} favour {pair.b}, "
        f"{int((delta == 0).sum())} neither; of the {len(first)} strongest, {int((first > 0).sum())} favour {pair.a}."
    )
