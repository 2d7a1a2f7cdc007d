"""Tables as tab-separated text: numbers are written so that they read back exactly, holes as empty cells.

`run_tables` are all tables of a run. Their files are written from them, and a DataFrame equals its file.
"""

import dataclasses
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from clirbench.analyses.retrievers import retriever_tables
from clirbench.analyses.wording import join_names
from clirbench.errors import escape_unseen
from clirbench.files.tables import number
from clirbench.report.decision import decision_tables
from clirbench.result import AnalysisTable, Result, with_marks
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.units.claims import beyond_known
from clirbench.statistics.units.given import Beyond, Permuting

if TYPE_CHECKING:
    import pandas as pd

BLANKS = str.maketrans("\t\n\r", "   ")


@dataclass(frozen=True)
class RunTable:
    """One table of a run's folder; `text` are the columns that hold text, all others hold numbers."""

    header: tuple[str, ...]
    text: frozenset[str]
    rows: Callable[[], Iterable[Sequence[Any]]]

    def load(self) -> "pd.DataFrame":
        """The table as a DataFrame: as its file reads."""
        stream = io.StringIO()
        write_rows(stream, self.header, self.rows())
        stream.seek(0)
        return frame(stream, self.text)


def run_tables(result: Result) -> dict[str, RunTable]:
    """Every table of a run's folder, by the name of its file: `systems`, `correlations`, `per_topic`, ...

    A further table that every run has is a further entry here, and nothing else.
    """
    header, rows = systems_table(result.printed)
    described = {name for name, texts in result.board.metadata.items() if not _numbers(texts)}
    found = {"systems": RunTable(tuple(header), frozenset({"system", *described}), lambda: rows)}
    names = tuple(field.name for field in dataclasses.fields(Correlation))
    taus = [[getattr(row, name) for name in names] for row in result.correlations]
    found["correlations"] = RunTable(names, texts_of(Correlation), lambda: taus)
    if result.retrieval:
        columns = ("system", "topic_id", "measure", "value")
        found["per_topic"] = RunTable(columns, frozenset(columns[:3]), lambda: _per_topic_rows(result))
    return found | {table.name: _of_analysis(table) for table in (*decision_tables(result), *all_tables(result))}


def texts_of(kind: type) -> frozenset[str]:
    """The fields of a dataclass of rows that hold no numbers."""
    return frozenset(field.name for field in dataclasses.fields(kind) if field.type not in (int, float))


def _of_analysis(table: AnalysisTable) -> RunTable:
    numeric = (int, float, np.integer, np.floating)
    texts = {
        name
        for at, name in enumerate(table.header)
        if any(
            isinstance(row[at], bool) or not (row[at] in ("", None) or isinstance(row[at], numeric))
            for row in table.rows
        )
    }
    # A column may be called like a system; polars leaves a quote doubled in a name. The scoreboard's columns have none.
    names = {name: name.replace('"', "'") for name in table.header}
    return RunTable(tuple(names.values()), frozenset(names[name] for name in texts), lambda: table.rows)


def _numbers(texts: Iterable[str]) -> bool:
    return all(not text.strip() or number(text) is not None for text in texts)


def frame(stream: TextIO, text: Collection[str]) -> "pd.DataFrame":
    """A table read as a DataFrame: whole numbers, floats with NaN for an empty cell, and `text` as it stands.

    Numbers are those that were written, to the last bit.
    """
    import pandas as pd

    cells = pd.read_csv(stream, sep="\t", dtype=str, keep_default_na=False, na_filter=False)
    return cells.assign(**{name: _as_numbers(cells[name].tolist()) for name in cells.columns if name not in text})


def _as_numbers(cells: list[str]) -> Any:
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array([float(cell) if cell.strip() else np.nan for cell in cells])


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
        write_rows(stream, header, rows)


def write_rows(stream: TextIO, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = cache(one_cell)  # names occur in many rows
    for row in chain([header], rows):
        cells = [repr(v) if type(v) is float and v == v else text(v if type(v) is str else cell(v)) for v in row]
        stream.write("\t".join(cells) + "\n")


def one_cell(text: str) -> str:
    """Text as it stands between tabs: those inside it and ends of lines become spaces, quotes are quoted."""
    if '"' in text:
        text = '"' + text.replace('"', '""') + '"'
    return text if text.isalnum() else escape_unseen(text.translate(BLANKS))


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
    """What metrics add to `given` and retrievers side by side, where asked for, and the tables of the analyses."""
    experiment, searched = result.experiment, retriever_tables(result)
    if not experiment.given:
        return (*searched, *result.tables)
    found = beyond_known(
        result.board, result.units, experiment.given, Permuting(experiment.alpha, seed=experiment.seed)
    )
    header = ("measure", "metric", *(field.name for field in dataclasses.fields(Beyond)))
    rows = tuple((*pair, *dataclasses.astuple(row)) for pair, row in found.items())
    known = join_names(list(experiment.given))
    told = (
        f"tau is that of pairs of systems with the same {known} (strata), or of what is left when its effect is taken "
        "out (residuals); p_value: units change places, for each row alone."
    )
    title = f"What do metrics add to {known}?"
    return (AnalysisTable("given", title, header, rows, (told,)), *searched, *result.tables)


def _per_topic_rows(result: Result) -> Iterator[list[Any]]:
    collection = "" if result.inputs is None else result.inputs.corpus.collection
    for topics, retrieval in result.retrieval.items():
        for (relevance, measure), values in retrieval.per_topic.items():
            name = with_marks(measure, collection, topics, relevance)
            topic_ids = retrieval.topics(relevance, measure)
            for system, row in zip(retrieval.runs, values.tolist(), strict=True):
                for topic_id, value in zip(topic_ids, row, strict=True):
                    yield [system, topic_id, name, value]
