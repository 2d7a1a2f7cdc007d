"""Tables as tab-separated text: numbers are written so that they read back exactly, holes as empty cells."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.analyses.wording import listed
from clirbench.errors import shown
from clirbench.result import AnalysisTable, Result, marked
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.units.claims import beyond_known
from clirbench.statistics.units.given import Beyond

BLANKS = str.maketrans("\t\n\r", "   ")


def cell(value: Any) -> str:
    """One cell: `repr` of a number (the shortest text that reads back exactly), nothing for a hole."""
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else repr(float(value))
    return str(value)


def write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a header and rows, so that csv, pandas, polars and R read the same cells (`one_cell`)."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in (header, *rows):
            stream.write("\t".join(one_cell(cell(value)) for value in row) + "\n")


def one_cell(text: str) -> str:
    """Text as it stands between tabs: those inside it and ends of lines become spaces, quotes are quoted."""
    if '"' in text:
        text = '"' + text.replace('"', '""') + '"'
    return text if text.isalnum() else shown(text.translate(BLANKS))


def systems_table(board: Scoreboard) -> tuple[list[str], list[list[Any]]]:
    """systems.tsv: `system`, metadata, every metric, every measure."""
    columns = (*board.metrics, *board.measures)
    header = ["system", *board.metadata, *(column.name for column in columns)]
    rows = [
        [system, *(texts[i] for texts in board.metadata.values()), *(column.values[i] for column in columns)]
        for i, system in enumerate(board.systems)
    ]
    return header, rows


def all_tables(result: Result) -> tuple[AnalysisTable, ...]:
    """What metrics add to `given`, where that was asked for, and the tables of the analyses."""
    experiment = result.experiment
    if not experiment.given:
        return result.tables
    found = beyond_known(result.board, result.units, experiment.given, alpha=experiment.alpha, seed=experiment.seed)
    header = ("measure", "metric", *(field.name for field in dataclasses.fields(Beyond)))
    rows = tuple((*pair, *dataclasses.astuple(row)) for pair, row in found.items())
    known = listed(list(experiment.given))
    told = (
        f"tau is that of pairs of systems with the same {known} (strata), or of what is left when its effect is taken "
        "out (residuals); p_value: units change places, for each row alone."
    )
    return (AnalysisTable("given", f"What do metrics add to {known}?", header, rows, (told,)), *result.tables)


def correlations_table(rows: Sequence[Correlation]) -> tuple[list[str], list[list[Any]]]:
    """correlations.tsv: one row for each measure, metric and coefficient."""
    header = [field.name for field in dataclasses.fields(Correlation)]
    return header, [[getattr(row, name) for name in header] for row in rows]


def per_topic_table(result: Result) -> tuple[list[str], Iterable[list[Any]]]:
    """per_topic.tsv: system, topic_id, measure, value."""
    return ["system", "topic_id", "measure", "value"], _per_topic_rows(result)


def _per_topic_rows(result: Result) -> Iterable[list[Any]]:
    collection = "" if result.inputs is None else result.inputs.corpus.collection
    for topics, retrieval in result.retrieval.items():
        for (relevance, measure), values in retrieval.per_topic.items():
            name = marked(measure, collection, topics, relevance)
            topic_ids = retrieval.topics(relevance, measure)
            for system, row in zip(retrieval.runs, values.tolist(), strict=True):
                for topic_id, value in zip(topic_ids, row, strict=True):
                    yield [system, topic_id, name, value]
