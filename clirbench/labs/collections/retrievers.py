"""What pooling found about retrievers that searched the same collections, in sentences and two tables."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import isnan, nan

from clirbench.labs.collections.findings import ALPHA, FEW, JUDGES, TRIVIAL, p_text
from clirbench.labs.collections.pooling import Pooling
from clirbench.labs.collections.statistics.random_effects import FEWEST_TO_PREDICT
from clirbench.labs.collections.statistics.retrievers import Beside
from clirbench.labs.collections.statistics.settings import Stratum
from clirbench.pages.table import Table
from clirbench.pages.wording import listed, many, number

HOW = (
    "Kendall's tau of each metric with a measure, by several retrievers, over the same systems. Under pseudo-relevance "
    "each retriever is judged by its own ranking of the reference side, all by one rule. Differences are means over "
    "collections, with 95 % intervals by Student's t: the collection is the unit. p-values are corrected by Holm, for "
    "the metrics, or the pairs of them, of a measure and a retriever. "
    "pooled_retrievers.tsv has every row."
)


def tables(pooling: Pooling) -> Iterator[Table]:
    """The mean taus by each retriever with their findings, then those of each collection; none for one retriever."""
    if any(not row.collection for row in pooling.beside):
        yield Table("retrievers", "Another retriever", *_means(pooling), (HOW, *sentences(pooling)))
        yield Table("retrievers_by_collection", *_by_collection(pooling))


def abstract(pooling: Pooling) -> Iterator[str]:
    """By how many measures retrievers differ, in a sentence for each of them."""
    for second in dict.fromkeys(row.second for row in _of_all(pooling)):
        rows = [row for row in _of_all(pooling) if row.second == second]
        measures = list(dict.fromkeys(row.measure for row in rows))
        changed, apart = (
            list(dict.fromkeys(row.measure for row in rows if _sure(row) and bool(row.other) == pairs))
            for pairs in (True, False)
        )
        most = max(row.collections for row in rows)
        yield (
            f"With {second} beside {rows[0].first}, over {many(most, 'collection')}, the order of metrics is shown to "
            f"change by {len(changed)} of {many(len(measures), 'measure')}, the tau of a metric by {len(apart)}"
            f"{f': {listed(apart)}' if apart else ''}."
        )


def sentences(pooling: Pooling) -> Iterator[str]:
    """For each measure and each two retrievers: the order of metrics, and what differs beyond luck."""
    for pair in dict.fromkeys((row.first, row.second, row.judge, row.measure) for row in pooling.beside):
        rows = [row for row in _of_all(pooling) if (row.first, row.second, row.judge, row.measure) == pair]
        if rows:
            noise = [_ceiling(pooling, Stratum(rows[0].judge, rows[0].measure, name)) for name in pair[:2]]
            yield " ".join((*_said(rows), *_noise(pair[:2], noise)))


def _of_all(pooling: Pooling) -> list[Beside]:
    """Means over collections, of metrics that judge translations."""
    return [row for row in pooling.beside if not row.collection and not {row.metric, row.other} & {*TRIVIAL}]


def _said(rows: Sequence[Beside]) -> Iterator[str]:
    one, most = rows[0], max(row.collections for row in rows)
    full = [row for row in rows if row.collections == most]
    single, pairs = [row for row in full if not row.other], [row for row in full if row.other]
    order = listed([row.metric for row in sorted(single, key=lambda row: -row.by_first)], 20)
    with_second = listed([row.metric for row in sorted(single, key=lambda row: -row.by_second)], 20)
    yield (
        f"{one.measure} ({JUDGES[one.judge]}), over {many(most, 'collection')}: by mean tau the order of metrics is "
        f"{order} with {one.first}, {'the same' if with_second == order else with_second} with {one.second}."
    )
    for kind, found, nothing in (
        (pairs, "How far a metric is ahead of another differs", "this order changes"),
        (single, "The tau of a metric differs", "a metric's tau differs"),
    ):
        if sure := [row for row in kind if _sure(row)]:
            yield f"{found}: {'; '.join(map(_row, sure))}."
        elif kind:
            few = FEW if most < FEWEST_TO_PREDICT else ""
            widest = max(kind, key=lambda row: abs(row.value))
            yield f"It is not shown that {nothing}{few}; the largest difference: {_row(widest)}."


def _sure(row: Beside) -> bool:
    return row.p_holm < ALPHA and row.collections >= FEWEST_TO_PREDICT


def _ceiling(pooling: Pooling, stratum: Stratum) -> float:
    known = [value for value in pooling.ceilings.get(stratum, {}).values() if not isnan(value)]
    return sum(known) / len(known) if known else nan


def _noise(names: Sequence[str], ceilings: Sequence[float]) -> Iterator[str]:
    """A tau is lower where its measure is noisier, whatever the metric."""
    if not isnan(sum(ceilings)):
        each = [f"{number(value, 2)} with {name}" for name, value in zip(names, ceilings, strict=True)]
        yield f"Noise of the topics: a perfect metric is estimated to reach {listed(each)}."


def _row(row: Beside) -> str:
    name = f"{row.metric} - {row.other}" if row.other else row.metric
    by = f"{number(row.by_first)} with {row.first}, {number(row.by_second)} with {row.second}"
    return f"{name} {_gap(row)} ({by}; p {p_text(row.p_holm)})"


def _gap(row: Beside) -> str:
    interval = "" if isnan(row.ci_low) else f" [{number(row.ci_low, 2)}, {number(row.ci_high, 2)}]"
    return f"{'+' if row.value > 0 else ''}{number(row.value)}{interval}"


def _means(pooling: Pooling) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Header and rows: a measure and a metric, its mean tau by each retriever, and by how much the first is higher."""
    rows = [row for row in pooling.beside if not row.other and not row.collection]
    seconds = dict.fromkeys(row.second for row in rows)
    several = len({row.judge for row in rows}) > 1
    cells: dict[tuple[str, str, str, str], dict[str, tuple[str, ...]]] = {}
    for row in rows:
        measure = f"{row.measure} ({JUDGES[row.judge]})" if several else row.measure
        of = (measure, row.metric, row.first, number(row.by_first))
        cells.setdefault(of, {})[row.second] = (number(row.by_second), _gap(row), p_text(row.p_holm))
    header = [
        ("measure", "metric", "first", "tau"),
        *((f"tau by {name}", "difference", "p (Holm)") for name in seconds),
    ]
    return tuple(chain(*header)), tuple(
        tuple(chain(of, *(by.get(name, ("", "", "")) for name in seconds))) for of, by in cells.items()
    )


def _by_collection(pooling: Pooling) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Title, header and rows of the first measure: a collection and a metric, its tau by each retriever."""
    rows = [row for row in pooling.beside if not row.other and row.collection]
    rows = [row for row in rows if (row.judge, row.measure) == (rows[0].judge, rows[0].measure)]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    places = list(dict.fromkeys(row.collection for row in rows))
    for row in sorted(rows, key=lambda row: places.index(row.collection)):
        by = cells.setdefault((row.collection, row.metric), {row.first: number(row.by_first)})
        by[row.second] = number(row.by_second)
    retrievers = tuple(dict.fromkeys(name for by in cells.values() for name in by))
    return (
        f"Another retriever: {rows[0].measure} in each collection",
        ("collection", "metric", *retrievers),
        tuple((*of, *(by.get(name, "") for name in retrievers)) for of, by in cells.items()),
    )
