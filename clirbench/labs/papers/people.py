"""People's scores of single segments: read, resampled into means of systems, and metrics against them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.errors import InputError, MissingData, UnknownName
from clirbench.files.tables import LARGEST, as_number, read_table
from clirbench.labs.papers.rankings import corpus_score
from clirbench.metrics.base import Metric, Statistics
from clirbench.statistics.coefficients import pearson, pearson_grid, spearman
from clirbench.statistics.resampling import Draws, percentile
from clirbench.types import Doubles

FILE = "human-seg.tsv"


@dataclass(frozen=True, eq=False)
class HumanSegments:
    """Scores (systems, segments), more is better, NaN where a segment was not judged; systems that have any score."""

    systems: tuple[str, ...]
    scores: Doubles
    column: str
    unknown: tuple[str, ...] = ()

    @property
    def means(self) -> Doubles:
        """(systems,): the mean over the judged segments of each system."""
        return np.asarray(np.nanmean(self.scores, axis=1))

    def resampled(self, weights: Doubles) -> Doubles:
        """(samples, systems): means under every row of segment weights; NaN where a sample holds no judged segment."""
        known = np.isfinite(self.scores)
        sums = weights @ np.where(known, self.scores, 0.0).T
        counts = weights @ known.T.astype(np.float64)
        means: Doubles = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return means


def read_human(path: Path, systems: Sequence[str], n_segments: int, column: str | None = None) -> HumanSegments:
    """Segment scores of the given systems: columns `system`, `line` (from 1) and a score (`column`: the third).

    Several scores of one segment are averaged. Systems that are not among `systems` are left out and named. Raises
    `InputError` for lines outside the test set (the first ten are listed) or cells that are no numbers, `UnknownName`
    for a column that is not there.
    """
    file = read_table(path)
    for name in ("system", "line"):
        if name not in file.header:
            raise InputError(f"{path}: no column `{name}`; columns: {', '.join(file.header)}")
    others = [name for name in file.header if name not in ("system", "line")]
    if not others:
        raise InputError(f"{path}: no column of scores beside `system` and `line`")
    chosen = column or others[0]
    if chosen not in others:
        raise UnknownName(f"column of {path}", chosen, others)
    place = {name: i for i, name in enumerate(systems)}
    sums, counts = np.zeros((len(systems), n_segments)), np.zeros((len(systems), n_segments))
    outside: list[str] = []
    unknown: dict[str, None] = {}
    for row, record in zip(file.numbers, file.records(), strict=True):
        place_in_text, score = as_number(record["line"]), as_number(record[chosen])
        if place_in_text is None or score is None or not abs(score) <= LARGEST or not place_in_text.is_integer():
            raise InputError(f"{path}: line {row}: line and {chosen} must be numbers, a line a whole one")
        line = int(place_in_text)
        if not 1 <= line <= n_segments:
            outside.append(f"{record['system']} {line}")
        elif record["system"] not in place:
            unknown[record["system"]] = None
        else:
            sums[place[record["system"]], line - 1] += score
            counts[place[record["system"]], line - 1] += 1
    if outside:
        more = f" and {len(outside) - 10} more" if len(outside) > 10 else ""
        raise InputError(
            f"{path}: scores of segments that the test set of {n_segments} lines does not have: "
            f"{', '.join(outside[:10])}{more}"
        )
    kept = np.flatnonzero(counts.any(axis=1)).tolist()
    if not kept:
        raise InputError(f"{path}: scores none of the systems of this run; it has {', '.join(list(unknown)[:10])}")
    scores = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return HumanSegments(tuple(systems[i] for i in kept), scores[kept], chosen, tuple(unknown))


@dataclass(frozen=True)
class SystemLevel:
    """How far one metric's scores of systems agree with people's."""

    metric: str
    pearson: float
    ci_low: float
    ci_high: float
    spearman: float
    n_systems: int
    n_segments: int
    samples: int


def against_people(
    metrics: Sequence[Metric],
    statistics: Mapping[tuple[str, str], Statistics],
    human: HumanSegments,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> list[SystemLevel]:
    """Pearson's r and Spearman's rho of every metric with people's mean scores, over the systems that both have.

    The interval is that of the standard: people's judgments of segments are drawn again, n of n with replacement, and
    r is taken with the metric's own scores; percentiles. A metric where less is better is turned round. NaN for fewer
    than two systems. **Source:** Stanojevic et al. 2015, section 3 and appendix A.
    """
    n_segments = human.scores.shape[1]
    means, resampled = human.means, human.resampled(Draws(samples, seed).weights("segments", n_segments))
    found = []
    for metric in metrics:
        kept = [i for i, system in enumerate(human.systems) if (metric.name, system) in statistics]
        scores = np.array([corpus_score(metric, statistics[metric.name, human.systems[i]]) for i in kept])
        x, gold, gold_samples = scores * (1 if metric.higher_is_better else -1), means[kept], resampled[:, kept]
        r, rho = (c(x, gold, p_value="scipy").value if len(x) > 1 else nan for c in (pearson, spearman))
        values = pearson_grid(x[None, None], gold_samples[None])[0, 0] if len(x) > 1 else np.empty(0)
        values = values[np.isfinite(values)]
        low, high = percentile(values) if len(values) else (nan, nan)
        found.append(SystemLevel(metric.name, r, low, high, rho, len(x), n_segments, samples))
    return found


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
    return layout.locate(names)[names[0]]
