"""Agreement about single items: WMT's segment-level Kendall, and TrueSkill ratings from pairs of systems.

Does a metric order two systems' translations of one segment (or of one topic's documents) as the gold does?
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import nan
from pathlib import Path

import numpy as np

from clirbench.errors import AlignmentError, ConfigError, ResourceError, UnknownName
from clirbench.files.tables import read_table
from clirbench.metrics.base import Metric, Statistics
from clirbench.statistics.coefficients import pearson
from clirbench.types import DocumentMap, Doubles, Ints

MATRICES = Path(__file__).parents[1] / "data" / "wmt_segment_kendall.tsv"
RELATIONS = ("<", "=", ">")


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


@dataclass(frozen=True)
class SegmentAgreement:
    """One row of segment_level.tsv: tau by one matrix over `n` comparisons, or Pearson's r over `n` scores.

    `concordant`, `discordant`: comparisons with coefficient 1 and -1; Pearson's r has neither, and no matrix. `value`
    in [-1, 1], NaN where nothing is counted.
    """

    metric: str
    matrix: str
    coefficient: str
    value: float
    concordant: int | None
    discordant: int | None
    n: int


def agreements(metric: Metric, gold: Doubles, own: Doubles, names: Sequence[str]) -> list[SegmentAgreement]:
    """tau with each matrix of these names, and Pearson's r over all items of all systems.

    gold, own: (systems, items), NaN where unknown; a metric where less is better is turned round.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    rows = []
    for name in names:
        cells = compare_pairs(gold, sign * own, matrix(name))
        taken = cells[np.isfinite(cells)]
        tau = float(taken.sum() / len(taken)) if len(taken) else nan
        right, wrong = int((taken == 1).sum()), int((taken == -1).sum())
        rows.append(SegmentAgreement(metric.name, name, "kendall", tau, right, wrong, len(taken)))
    known = np.isfinite(gold) & np.isfinite(own)
    n = int(known.sum())
    r = pearson(sign * own[known], gold[known], p_value="scipy").value if n > 1 else nan
    return [*rows, SegmentAgreement(metric.name, "", "pearson", r, concordant=None, discordant=None, n=n)]


def segment_scores(metric: Metric, statistics: Statistics) -> Doubles:
    """(segments,): the metric of every segment alone; BLEU with effective order, as one wants for sentences."""
    if any(field.name == "effective_order" for field in fields(metric)):  # type: ignore[arg-type]
        metric = replace(metric, effective_order=True)  # type: ignore[type-var]
    if isinstance(statistics, np.ndarray):
        return np.asarray(metric.score(statistics))
    rows = range(0, statistics.shape[0], 64)
    return np.concatenate([metric.score(np.asarray(statistics[at : at + 64].toarray())) for at in rows])


def group_scores(metric: Metric, statistics: Statistics, membership: Doubles) -> Doubles:
    """(groups,): the metric of groups of segments, from their summed statistics; NaN for a group of none."""
    parts = [
        metric.score(np.asarray(membership[at : at + 64] @ statistics, dtype=np.float64))
        for at in range(0, len(membership), 64)
    ]
    empty = membership.sum(axis=1) == 0
    return np.where(empty, nan, np.concatenate(parts))


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


@dataclass(frozen=True)
class TrueSkillRating:
    """One row of trueskill.tsv: a system's rating (means of TrueSkill's mu and sigma) beside its mean score."""

    system: str
    rating: float
    sigma: float
    mean_score: float
    comparisons: int


def judged_pairs(scores: Doubles) -> Ints:
    """(comparisons, 3): indices of two systems and the sign of first minus second, for all that were judged together.

    scores: (systems, segments), NaN is not judged.
    """
    first, second = np.triu_indices(len(scores), 1)
    difference = scores[first] - scores[second]
    pair, segment = np.nonzero(np.isfinite(difference))
    return np.stack([first[pair], second[pair], np.sign(difference[pair, segment])], axis=1).astype(np.int64)


def rate(
    systems: Sequence[str], means: Sequence[float], pairs: Ints, *, games: int = 2000, runs: int = 5, seed: int = 0
) -> list[TrueSkillRating]:
    """TrueSkill ratings, best first, from `runs` times `games` of the `judged_pairs`, drawn with replacement.

    mu starts at 25; a tie is a draw, whose probability is the share of ties. The order of games matters to TrueSkill,
    so mu and sigma are means over the runs, reproducible from `seed`. Raises `ResourceError` without the library,
    `ConfigError` where there is nothing to compare.
    **Source:** Herbrich, Minka and Graepel 2006; for MT systems Sakaguchi, Post and Van Durme 2014.
    """
    try:
        import trueskill
    except ImportError:
        raise ResourceError("ratings need a package: pip install '.[trueskill]'") from None
    if not len(pairs):
        raise ConfigError("no two systems were judged on the same segment: there is nothing to rate from")
    ties = float((pairs[:, 2] == 0).mean())
    world = trueskill.TrueSkill(draw_probability=min(max(ties, 1e-6), 0.999))
    found = np.zeros((runs, len(systems), 2))
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        ratings = [world.create_rating() for _ in systems]
        for a, b, sign in pairs[rng.integers(len(pairs), size=games)].tolist():
            a, b = (b, a) if sign < 0 else (a, b)
            ratings[a], ratings[b] = trueskill.rate_1vs1(ratings[a], ratings[b], drawn=sign == 0, env=world)
        found[run] = [(rating.mu, rating.sigma) for rating in ratings]
    taken = np.bincount(pairs[:, :2].ravel(), minlength=len(systems)).tolist()
    rated = [
        TrueSkillRating(system, mu, sigma, mean, n)
        for system, (mu, sigma), mean, n in zip(systems, found.mean(axis=0).tolist(), means, taken, strict=True)
    ]
    return sorted(rated, key=lambda row: (-row.rating, row.system))
