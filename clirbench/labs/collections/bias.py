"""What pseudo-relevance adds to a metric's agreement, where the same queries also have one known document each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan, sqrt
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from clirbench.errors import InputError
from clirbench.files.run_files import read_run_table
from clirbench.files.tables import read_table
from clirbench.labs.collections.pooling import collection_of
from clirbench.labs.collections.statistics.settings import Collection
from clirbench.pages.table import Table
from clirbench.types import Doubles, Ints

TABLE, TITLE = "pseudo_relevance", "Pseudo-relevance and known items"
REAL, DAMAGED = "real engines", "damaged versions"
KNOWN, PSEUDO = "known_items", "pseudo-relevance"
DRAWS, LEVEL = 2000, 0.95


@dataclass(frozen=True)
class JudgmentBias:
    """How a metric agrees with retrieval by known items and by pseudo-relevance, over the same pairs of systems.

    `known`, `pseudo`: Kendall's tau over `pairs` pairs of systems, each of one collection; `bias`: pseudo less known;
    `ci_low`, `ci_high`: the wider of two 95 % intervals, over topics and over collections; NaN where none can be made.
    """

    systems: str
    metric: str
    known_measure: str
    pseudo_measure: str
    pairs: int
    collections: int
    known: float
    pseudo: float
    bias: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, eq=False)
class _Side:
    """One collection: `values` (measures, systems, topics) of two measures, `metrics` (names -> (systems,))."""

    collection: Collection
    values: Doubles

    def pairs(self, kind: str) -> Ints:
        """(n, 2): pairs of real systems, or of systems of one family of which at least one is damaged."""
        family, damaged = (self.collection.board.metadata[name] for name in ("family", "damaged"))
        found = [
            (i, j)
            for i, j in combinations(range(len(family)), 2)
            if (damaged[i] == damaged[j] == "no" if kind == REAL else family[i] == family[j])
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 2)


def bias_rows(folders: Sequence[Path], *, seed: int = 0) -> tuple[JudgmentBias, ...]:
    """The rows of all metrics, over runs of the same topics; none where these runs cannot tell.

    Needed: at least two runs with columns `family` and `damaged`, a measure by known items and one by
    pseudo-relevance, whose values of single topics are kept. The interval over topics resamples the topics, the same
    for all collections, since they share them; that over collections is delete-one-collection's, with Student's t.
    Raises `InputError` where the topics of two runs differ.
    """
    collections = [collection_of(folder) for folder in folders]
    measures = _measures(collections)
    if len(collections) < 2 or measures is None:
        return ()
    topics = _topics(folders[0])
    sides = [
        _Side(collection, _values(folder, collection.board.systems, topics, measures))
        for folder, collection in zip(folders, collections, strict=True)
    ]
    names = dict.fromkeys(column.name for column in collections[0].board.metrics)
    shared = [name for name in names if all(name in c.board.by_name for c in collections)]
    draws = np.random.default_rng(seed).multinomial(len(topics), np.full(len(topics), 1 / len(topics)), size=DRAWS)
    return tuple(row for kind in (REAL, DAMAGED) for row in _rows(kind, sides, shared, measures, draws))


def read(path: str | None) -> tuple[JudgmentBias, ...]:
    """The rows of a table that `write` wrote, none where none is named; raises `InputError`."""
    if not path:
        return ()
    table = read_table(Path(path))
    kinds: dict[str, Callable[[str], Any]] = get_type_hints(JudgmentBias)
    if list(table.header) != list(kinds):
        raise InputError(f"{path}: the columns {', '.join(kinds)} were expected; +experiment=help writes them")
    try:
        return tuple(
            JudgmentBias(**{name: kind(row[name] or ("nan" if kind is float else "")) for name, kind in kinds.items()})
            for row in table.records()
        )
    except ValueError as error:
        raise InputError(f"{path}: {error}; +experiment=help writes the table") from None


def write(folder: Path, rows: Sequence[JudgmentBias]) -> Path:
    """pseudo_relevance.tsv."""
    Table.of(TABLE, TITLE, JudgmentBias, rows).write(folder)
    return folder / f"{TABLE}.tsv"


def _rows(
    kind: str, sides: Sequence[_Side], metrics: Sequence[str], measures: tuple[str, str], draws: Ints
) -> Iterator[JudgmentBias]:
    pairs = [side.pairs(kind) for side in sides]
    counts = np.array([len(own) for own in pairs])
    sides, pairs = (
        [side for side, n in zip(sides, counts, strict=True) if n],
        [own for own in pairs if len(own)],
    )
    counts = counts[counts > 0]
    if not len(counts):
        return
    # (collections, 2 measures, 1 + draws, pairs of it): what each pair's order by a measure is
    weights = np.vstack([np.ones(draws.shape[1]), draws])
    orders = [_orders(weights @ side.values.transpose(0, 2, 1), own) for side, own in zip(sides, pairs, strict=True)]
    for metric in metrics:
        agreeing = np.stack(
            [
                (order * _orders(side.collection.board[metric].oriented, own)).sum(axis=-1)
                for side, own, order in zip(sides, pairs, orders, strict=True)
            ]
        )  # (collections, 2, 1 + draws): pairs in one order less pairs in the other
        taus = agreeing.sum(axis=0) / counts.sum()
        known, pseudo = (float(value) for value in taus[:, 0])
        low, high = interval(agreeing[:, 1, :] - agreeing[:, 0, :], counts)
        yield JudgmentBias(
            kind, metric, *measures, int(counts.sum()), len(counts), known, pseudo, pseudo - known, low, high
        )  # fmt: skip


def interval(differences: Doubles, counts: Ints) -> tuple[float, float]:
    """The wider interval of the sum of `differences` over that of `counts`; NaN with fewer than 3 collections.

    differences: (collections, 1 + draws), of all topics first, then of resampled ones; counts: (collections,).
    """
    from scipy.stats import t

    number = len(counts)
    if number < 3:
        return nan, nan
    value = differences[:, 0].sum() / counts.sum()
    resampled = differences[:, 1:].sum(axis=0) / counts.sum()
    low, high = np.quantile(resampled - resampled.mean(), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    without = (differences[:, 0].sum() - differences[:, 0]) / (counts.sum() - counts)
    error = sqrt((number - 1) / number * ((without - without.mean()) ** 2).sum())
    half = float(t.ppf((1 + LEVEL) / 2, number - 1)) * error
    if high - low > 2 * half:
        return float(value + low), float(value + high)
    return float(value - half), float(value + half)


def _orders(values: Doubles, pairs: Ints) -> Doubles:
    """The sign of each pair's difference; `values`: (..., systems)."""
    return np.sign(values[..., pairs[:, 0]] - values[..., pairs[:, 1]])


def _measures(collections: Sequence[Collection]) -> tuple[str, str] | None:
    """The first measure by known items, and the first by pseudo-relevance, that all collections have."""
    for collection in collections:
        if not {"family", "damaged"} <= {*collection.board.metadata}:
            return None
    chosen = []
    for judge in (KNOWN, PSEUDO):
        names = [
            column.name
            for column in collections[0].board.measures
            if all(column.name in c.board.by_name and c.board[column.name].judged_by == judge for c in collections)
        ]
        if not names:
            return None
        chosen.append(names[0])
    return chosen[0], chosen[1]


def _topics(folder: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(read_run_table(folder, "per_topic", ("topic_id",)).column("topic_id")))


def _values(folder: Path, systems: Sequence[str], topics: Sequence[str], measures: tuple[str, str]) -> Doubles:
    """(2 measures, systems, topics)."""
    table = read_run_table(folder, "per_topic", ("system", "topic_id", "measure", "value"))
    places = [{name: i for i, name in enumerate(names)} for names in (measures, systems, topics)]
    values = np.full((2, len(systems), len(topics)), nan)
    cells = (table.column(name) for name in ("measure", "system", "topic_id", "value"))
    for measure, system, topic, value in zip(*cells, strict=True):
        if measure in places[0] and system in places[1]:
            if topic not in places[2]:
                raise InputError(
                    f"{table.where}: topic {topic} is not in the other runs; their topics must be the same"
                )
            values[places[0][measure], places[1][system], places[2][topic]] = float(value)
    if np.isnan(values).any():
        raise InputError(f"{table.where}: some topics of the other runs have no value; their topics must be the same")
    return values
