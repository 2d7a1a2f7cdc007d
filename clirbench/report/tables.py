"""The tables of a run: their files are written from them, and a DataFrame equals its file."""

import dataclasses
import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.files.run_files import MANIFEST, path_inside, read_marker
from clirbench.files.tables import as_number
from clirbench.pages import Cell, Table, listed
from clirbench.report.decision import decision_tables
from clirbench.result import Result, with_marks
from clirbench.scoreboard import NO_ROWS, Column, Scoreboard
from clirbench.statistics.ceiling import TauGap, tau_gaps, twice_searched
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.given import Beyond
from clirbench.statistics.kinds import KindTau
from clirbench.statistics.pairs import SeparablePairs


def run_tables(result: Result) -> dict[str, Table]:
    """Every table of a run's folder, by the name of its file: `systems`, `correlations`, `per_topic`, ...

    A further table that every run has is a further entry here, and nothing else.
    """
    title, texts = "Agreement of metrics with measures", texts_of(Correlation)
    found = {
        "systems": systems_table(result.board, result.baselines),
        "correlations": Table.of("correlations", title, Correlation, result.correlations, texts=texts),
    }
    if result.retrieval:
        columns = ("system", "topic_id", "measure", "value")
        texts, stream = frozenset(columns[:3]), partial(_per_topic_rows, result)
        title = "Values of single topics"
        found["per_topic"] = Table("per_topic", title, columns, (), texts=texts, stream=stream)
    return found | {table.name: _for_a_file(table) for table in (*decision_tables(result), *all_tables(result))}


def texts_of(kind: type) -> frozenset[str]:
    """The fields of a dataclass of rows that hold no numbers."""
    return frozenset(field.name for field in dataclasses.fields(kind) if field.type not in (int, float))


def _for_a_file(table: Table) -> Table:
    """A column may be called like a system; polars leaves a quote doubled in a name. The scoreboard's have none."""
    return dataclasses.replace(table, header=tuple(name.replace('"', "'") for name in table.header))


def systems_table(board: Scoreboard, baselines: Scoreboard = NO_ROWS) -> Table:
    """Every system, then every baseline, with metadata, every metric, every measure; the best of each column marked."""
    printed = board.above(baselines)
    best = {column.name: best_value(column) for column in board.columns}
    columns = (*printed.metrics, *printed.measures)
    rows = []
    for i, system in enumerate(printed.systems):
        cells = (Cell(column.values[i], best=column.oriented[i] == best[column.name]) for column in columns)
        rows.append((system, *(texts[i] for texts in printed.metadata.values()), *cells))
    return Table(
        "systems",
        f"All {len(board.systems)} systems; bold: the best of its column",
        ("system", *printed.metadata, *(column.name for column in columns)),
        rows,
        about=column_meanings(columns),
        formats={c.name: "score" for c in columns if c.role == "metric" and best[c.name] > 1.5},
        texts=frozenset({"system", *(name for name, texts in board.metadata.items() if not _numbers(texts))}),
    )


def best_value(column: Column) -> float:
    """The best value of a column as `oriented` has it (the highest is the best); NaN where all are holes."""
    return float(np.nanmax(column.oriented)) if np.isfinite(column.values).any() else nan


def column_meanings(columns: Iterable[Column]) -> dict[str, str]:
    """column -> its signature and direction."""
    better = {True: "more is better", False: "less is better"}
    return {c.name: f"{c.signature or 'read from a table'}; {better[c.higher_is_better]}" for c in columns}


def _numbers(texts: Iterable[str]) -> bool:
    return all(not text.strip() or as_number(text) is not None for text in texts)


def all_tables(result: Result) -> tuple[Table, ...]:
    """What metrics add to `given`, separable pairs, retrievers, kinds of topics, where they are; then the analyses."""
    experiment, made = result.experiment, list[Table]()
    if found := result.beyond_given:
        known = listed(list(experiment.given))
        told = f"tau is that of pairs of systems with the same {known} (strata), or of what is left when its effect is "
        told += "taken out (residuals); p_value: units change places, for each row alone."
        header = ("measure", "metric", *(field.name for field in dataclasses.fields(Beyond)))
        rows = [(*pair, *dataclasses.astuple(row)) for pair, row in found.items()]
        made.append(Table("given", f"What do metrics add to {known}?", header, rows, (told,)))
    if counted := result.separable:
        told = "separable: pairs of these systems (one of each group) that differ significantly by paired topics "
        told += "(Benjamini and Hochberg, .05); they are the easy pairs and share systems, so p exceeds "
        told += "that of coin flips."
        about = {"p_value": "of as many right pairs by luck: metrics' values change systems, for all metrics together"}
        title = "Do metrics order the pairs of systems that differ significantly?"
        made.append(Table.of("separable_pairs", title, SeparablePairs, counted, (told,), about=about))
    if experiment.also_retriever:
        made += retriever_tables(result)
    return (*made, *kinds_table(result), *result.tables)


def _per_topic_rows(result: Result) -> Iterator[list[Any]]:
    collection = "" if result.inputs is None else result.inputs.corpus.collection
    for topics, retrieval in result.retrieval.items():
        for (relevance, measure), values in retrieval.per_topic.items():
            name = with_marks(measure, collection, topics, relevance)
            topic_ids = retrieval.topics(relevance, measure)
            for system, row in zip(retrieval.runs, values.tolist(), strict=True):
                for topic_id, value in zip(topic_ids, row, strict=True):
                    yield [system, topic_id, name, value]


def retriever_tables(result: Result) -> list[Table]:
    """Table `retrievers`, where a second retriever searched: does a metric predict one better than the other?"""
    rows = tau_gaps(result.board, result.units, twice_searched(result.board))
    said = "gap: tau with the measure by the first retriever less tau with the same measure by the second, over the "
    said += "same systems; above 0 the metric predicts the first better. Under pseudo-relevance each retriever is "
    said += "judged by its own ranking of the reference side. The intervals are not corrected for their number."
    text = [said]
    two = ((a, b) for a, b in combinations(rows, 2) if (a.first, a.second) == (b.first, b.second))
    turned = ((a, b) for a, b in two if (a.tau_first - b.tau_first) * (a.tau_second - b.tau_second) < 0)
    if pairs := [*dict.fromkeys(f"{a.metric}/{b.metric}" for a, b in turned)]:
        said = "Which of two metrics has the higher tau depends on the retriever for these pairs"
        text.append(f"{said}: {listed(pairs, len(pairs))}.")
    title = "Does a metric predict one retriever better than the other?"
    return [Table.of("retrievers", title, TauGap, rows, text, said=10)] if rows else []


def kinds_table(result: Result) -> list[Table]:
    """Table `topic_kinds`: the first measure by a second kind of topics, and by further references, a row for each
    metric; none without one."""
    column, every = result.board.first_measure, result.kinds.values()
    if column is None or not every:
        return []
    text = tuple(
        f"{column.name} by {found.topics} topics of each kind. tau, low, high, grade: by {found.kind}; differs: the "
        f"difference of taus is more than noise over topics. orders: tau between the orders of the systems by the two "
        f"kinds; halves: the 2 % point of tau between random halves of the first kind."
        for found in every
    )
    header = ("measure", *OF_KINDS, *(field.name for field in dataclasses.fields(KindTau)))
    each = [([getattr(found, name) for name in OF_KINDS], row) for found in every for row in found.metrics]
    rows = [(column.name, *of, *dataclasses.astuple(row)) for of, row in each]
    title = f"Is it the same by another kind of topics{', or by another reference' if result.by_reference else ''}?"
    return [Table("topic_kinds", title, header, rows, text)]


OF_KINDS = ("kind", "topics", "reliability", "orders", "halves")


def copy_run(earlier: Path, unfinished: Path) -> None:
    """Copy the files that the marker of a run's folder names, but for the seal, which is made for the new folder."""
    for name in (name for name in read_marker(earlier) if name != MANIFEST):
        path = path_inside(earlier, name)
        if path.is_dir():
            shutil.copytree(path, unfinished / name)
        else:
            shutil.copy2(path, unfinished / name)
