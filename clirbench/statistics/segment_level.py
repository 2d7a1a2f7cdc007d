"""Agreement about single items: WMT's segment-level Kendall, and TrueSkill ratings from pairs of systems.

Does a metric order two systems' translations of one segment (or of one topic's documents) as the gold does?
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import isnan, nan
from pathlib import Path

import numpy as np

from clirbench.errors import AlignmentError, ConfigError, ResourceError, UnknownName
from clirbench.files.tables import read_table
from clirbench.metrics.base import Metric, Statistics
from clirbench.statistics.coefficients import pearson
from clirbench.types import DocumentMap, Doubles, Ints

MATRICES = Path(__file__).parents[1] / "data" / "wmt_segment_kendall.tsv"
RELATIONS = ("<", "=", ">")


@dataclass(frozen=True, eq=False)
class Matrix:
    """One member of the family: (3, 3) coefficients, rows the gold's relation, columns the metric's, in `<=>`.

    `<`: the first is better. NaN leaves the comparison out.
    """

    name: str
    coefficients: Doubles


@dataclass(frozen=True)
class SegmentKendall:
    """tau of one metric: concordant less discordant over the comparisons that count.

    `concordant`, `discordant`: comparisons with coefficient 1 and -1; `neutral`: with 0; `left_out`: with X.
    """

    matrix: str
    value: float
    concordant: int
    discordant: int
    neutral: int
    left_out: int
    note: str = ""


@lru_cache(maxsize=1)
def matrices() -> dict[str, Matrix]:
    """All members by name, from the table that is shipped; WMT15 is the same matrix as WMT14."""
    found: dict[str, Doubles] = {}
    for record in read_table(MATRICES).records():
        held = found.setdefault(record["name"], np.full((3, 3), nan))
        for at, relation in enumerate(RELATIONS):
            cell = record[relation]
            held[RELATIONS.index(record["people"]), at] = nan if cell == "X" else float(cell)
    found["WMT15"] = found["WMT14"]
    return {name: Matrix(name, held) for name, held in found.items()}


def matrix(name: str) -> Matrix:
    """The member of that name; an unknown one raises `UnknownName` with the choices."""
    if name not in matrices():
        raise UnknownName("segment-level matrix", name, matrices())
    return matrices()[name]


def segment_kendall(gold: Doubles, metric: Doubles, form: Matrix) -> SegmentKendall:
    """tau = sum of C |S| / sum of |S| over the cells of C that are not X, S the comparisons that fall into a cell.

    `gold`, `metric`: (comparisons,) differences first - second, more is better; only their signs count. NaN
    comparisons are left out. Returns [-1, 1]; undefined without a comparison that counts. Raises `AlignmentError`.
    **Source:** Machacek and Bojar 2014, section 4.2; Stanojevic et al. 2015, section 4.
    """
    if gold.shape != metric.shape:
        raise AlignmentError(f"{len(gold)} gold comparisons for {len(metric)} of the metric")
    known = ~(np.isnan(gold) | np.isnan(metric))
    cells = form.coefficients[_relation(gold[known]), _relation(metric[known])]
    counted = cells[~np.isnan(cells)]
    value = float(counted.sum() / len(counted)) if len(counted) else nan
    return SegmentKendall(
        matrix=form.name,
        value=value,
        concordant=int((counted == 1).sum()),
        discordant=int((counted == -1).sum()),
        neutral=int((counted == 0).sum()),
        left_out=len(gold) - len(counted),
        note="no comparison counts" if isnan(value) else "",
    )


def comparisons(gold: Doubles, metric: Doubles) -> tuple[Doubles, Doubles]:
    """Every pair of systems on every item: (pairs * items,) differences of both sides.

    `gold`, `metric`: (systems, items) of the same items (segments, documents or topics).
    """
    if gold.shape != metric.shape:
        raise AlignmentError(f"gold values {gold.shape} and metric scores {metric.shape}: systems x the same items")
    first, second = np.triu_indices(len(gold), 1)
    return (gold[first] - gold[second]).reshape(-1), (metric[first] - metric[second]).reshape(-1)


def _relation(differences: Doubles) -> Ints:
    """0 where the first is better, 1 where tied, 2 where the second is."""
    return np.asarray(1 - np.sign(differences), dtype=np.int64)


@dataclass(frozen=True)
class SegmentAgreement:
    """One row of segment_level.tsv: tau by one matrix over `n` comparisons, or Pearson's r over `n` scores.

    `concordant`, `discordant`: as in `SegmentKendall`; Pearson's r has neither, and no matrix.
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
    pairs = comparisons(gold, sign * own)
    rows = []
    for tau in (segment_kendall(*pairs, matrix(name)) for name in names):
        row = SegmentAgreement(
            metric=metric.name,
            matrix=tau.matrix,
            coefficient="kendall",
            value=tau.value,
            concordant=tau.concordant,
            discordant=tau.discordant,
            n=tau.concordant + tau.discordant + tau.neutral,
        )
        rows.append(row)
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
class Rating:
    """A system's rating: mean over the runs of TrueSkill's mu and sigma; more is better."""

    system: str
    mu: float
    sigma: float
    comparisons: int


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Which of two systems was better, many times: indices of the two, and the sign of first minus second (0: tie)."""

    first: Ints
    second: Ints
    sign: Ints

    def __len__(self) -> int:
        return len(self.sign)


def comparisons_of(scores: Doubles) -> Comparisons:
    """Every pair of systems on every segment that both were judged on: (systems, segments), NaN is not judged."""
    a, b = np.triu_indices(len(scores), 1)
    difference = scores[a] - scores[b]
    pair, segment = np.nonzero(np.isfinite(difference))
    signs = np.sign(difference[pair, segment]).astype(np.int64)
    return Comparisons(a[pair].astype(np.int64), b[pair].astype(np.int64), signs)


def rate(
    systems: Sequence[str], comparisons: Comparisons, *, games: int = 2000, runs: int = 5, seed: int = 0
) -> list[Rating]:
    """TrueSkill ratings, best first: `runs` times `games` comparisons drawn with replacement, in random order.

    mu starts at 25; a tie is a draw, whose probability is the share of ties. The order of games matters to TrueSkill,
    so mu and sigma are means over the runs, reproducible from `seed`. Raises `ResourceError` without the library,
    `ConfigError` where there is nothing to compare.
    **Source:** Herbrich, Minka and Graepel 2006; for MT systems Sakaguchi, Post and Van Durme 2014.
    """
    try:
        import trueskill
    except ImportError:
        raise ResourceError("ratings need a package: pip install 'clirbench[trueskill]'") from None
    if not len(comparisons):
        raise ConfigError("no two systems were judged on the same segment: there is nothing to rate from")
    ties = float((comparisons.sign == 0).mean())
    world = trueskill.TrueSkill(draw_probability=min(max(ties, 1e-6), 0.999))
    found = np.zeros((runs, len(systems), 2))
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        ratings = [world.create_rating() for _ in systems]
        for game in rng.integers(len(comparisons), size=games).tolist():
            a, b = int(comparisons.first[game]), int(comparisons.second[game])
            sign = int(comparisons.sign[game])
            if sign < 0:
                a, b = b, a
            ratings[a], ratings[b] = trueskill.rate_1vs1(ratings[a], ratings[b], drawn=sign == 0, env=world)
        found[run] = [(rating.mu, rating.sigma) for rating in ratings]
    means = found.mean(axis=0)
    taken = np.bincount(np.concatenate([comparisons.first, comparisons.second]), minlength=len(systems))
    rated = [
        Rating(system, float(mu), float(sigma), int(n))
        for system, (mu, sigma), n in zip(systems, means, taken, strict=True)
    ]
    return sorted(rated, key=lambda rating: (-rating.mu, rating.system))
