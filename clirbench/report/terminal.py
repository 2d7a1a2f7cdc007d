"""What the terminal shows: progress, then the answer and the tau tables; plain text where output is piped."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clirbench.columns import look_alikes
from clirbench.engines.local import Serial
from clirbench.errors import shown
from clirbench.experiment import health_table
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences
from clirbench.report.facts import (
    TauTable,
    agreement_lines,
    coefficient_name,
    count_lines,
    first_coefficient,
    highest,
    mark,
    marks,
    table_notes,
    tau_cell,
    tau_tables,
    warnings,
)
from clirbench.report.results_json import RESULTS
from clirbench.result import AnalysisTable, Experiment, Inputs, Result, Watch, unwatched
from clirbench.statistics.correlation import Correlation
from clirbench.steps.examine import health

Value = TypeVar("Value")


def say(text: str = "") -> None:
    """Print a line or several, through the gate: nothing in it can move the cursor or colour the terminal."""
    print(shown(text))


def painted(text: str, style: str = "") -> Text:
    """Text for rich, through the gate; rich would read the brackets of `MAP[qrels]` in a string as a style."""
    return Text(shown(text), style=style)


@contextmanager
def progress() -> Iterator[Watch]:
    """Progress bars on a terminal and in a notebook (with ipywidgets), nothing where the output is piped."""
    console = Console(stderr=True)
    in_notebook = console.is_jupyter and find_spec("ipywidgets") is not None
    if not (in_notebook or (console.is_terminal and sys.stdout.isatty())):
        yield unwatched
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:

        def watch(title: str, values: Iterable[Value], total: int) -> Iterator[Value]:
            yield from bars.track(values, total=total, description=title)

        yield watch


def show(result: Result) -> None:
    """Print the answer, the decision, the tau tables and what must be known about them."""
    answer = answered(result).sentences if result.correlations else ()
    for sentences in filter(None, (answer, decision_sentences(result))):
        if sys.stdout.isatty():
            Console(highlight=False).print(painted(" ".join(sentences), style="bold"), end="\n\n")
        else:
            say("\n".join((*sentences, "")))
    rows = result.correlations
    for table in tau_tables(result.board, rows, first_coefficient(result)) if rows else ():
        show_table(table, result.units.said, table_notes(result, table.title))
    for made in result.tables:
        if made.said:
            show_analysis(made)
    for line in (*count_lines(result), *agreement_lines(result)):
        say(line)
    for line in warnings(result):
        say(f"note: {line}")
    sys.stdout.flush()


def show_analysis(made: AnalysisTable) -> None:
    """One table of an analysis, long texts cut short, and what it says."""
    say(made.title)
    cells = [[_short(value) for value in row] for row in made.rows[: made.said]]
    _print_rows([list(made.header), *cells])
    if len(made.rows) > made.said:
        say(f"{len(made.rows) - made.said} more rows: {made.name}.tsv")
    for sentence in made.text:
        say(f"note: {sentence}")
    say()


def _short(value: object) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.4f}"
    text = str(value).replace("\n", " ")
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def show_folder(folder: Path, *, as_json: bool = False) -> None:
    """The last line: where everything lies; `as_json`: results.json, and that line apart from it."""
    if as_json:
        print((folder / RESULTS).read_text(encoding="utf-8"), end="")
    print(shown(str(folder)), file=sys.stderr if as_json else sys.stdout)


def show_table(table: TauTable, systems: str, notes: list[str]) -> None:
    """One tau table."""
    title = f"{table.title}: " if table.title else ""
    heading = f"{title}{coefficient_name(table.coefficient)} over {systems} ({marks(table)})"
    if sys.stdout.isatty():
        _rich(table, heading)
    else:
        say(heading)
        _print_rows([["", *table.metrics], *([name, *cells] for name, cells in table.rows)])
    for note in notes:
        say(f"note: {note}")
    say()


WIDEST = 48
BREAKS = re.compile(r"[\t\n]")


def _print_rows(rows: list[list[str]]) -> None:
    """Aligned for eyes; tab-separated, cell for cell, where a program reads them."""
    lines = aligned(rows) if sys.stdout.isatty() else ["\t".join(BREAKS.sub(" ", cell) for cell in row) for row in rows]
    say("\n".join(lines))


def _rich(table: TauTable, heading: str) -> None:
    """A coloured table: the highest of a row green and bold, what is not significant dim; wide ones in parts."""
    console = Console()
    console.print(painted(heading, "bold"))
    name_width = max(map(len, table.measures))
    cell_width = max(len(text) for text in (*table.metrics, *(c for _, cells in table.rows for c in cells)))
    fitting = max(1, (console.width - name_width - 4) // (cell_width + 3))
    for start in range(0, len(table.metrics), fitting):
        part = Table()
        part.add_column("")
        for metric in table.metrics[start : start + fitting]:
            part.add_column(painted(metric), justify="right", no_wrap=True)
        for name, taus in zip(table.measures, table.taus, strict=True):
            part.add_row(painted(name), *(_cell(tau, taus) for tau in taus[start : start + fitting]))
        console.print(part)


def _cell(tau: Correlation, row: Sequence[Correlation]) -> Text:
    """The cell of one coefficient in its row of the table."""
    if isnan(tau.value):
        style = "dim italic"
    elif highest(tau, row):
        style = "bold green"
    else:
        style = "dim" if mark(tau) else ""
    return painted(tau_cell(tau), style)


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows of cells as lines of text: the first column to the left, numbers to the right with their marks after."""
    padded = [[row[0], *(c if c.endswith((" x", " ?")) or not row[0] else f"{c}  " for c in row[1:])] for row in rows]
    padded = [[row[0], *(c if row[0] else f"{c}  " for c in row[1:])] for row in padded]
    widths = [max(len(row[i]) for row in padded) for i in range(len(padded[0]))]
    return [
        "  ".join(
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in padded
    ]


def show_inputs(experiment: Experiment, inputs: Inputs | None) -> None:
    """check=true: what was read and aligned, and what would be computed."""
    for name, value in _summary(experiment, inputs):
        say(f"{name}: {value}")


def _summary(experiment: Experiment, inputs: Inputs | None) -> Iterator[tuple[str, Any]]:
    if inputs is not None:
        corpus = inputs.corpus
        yield "systems", f"{len(inputs.translations)}: {', '.join(t.system for t in inputs.translations)}"
        yield "test set", f"{len(corpus.test)} segments, {len(corpus.test.references)} reference(s)"
        yield "collection", f"{len(corpus.english)} documents, {corpus.document_map.n_lines} lines"
        for label, topics in inputs.topics.items():
            yield "topics", f"{len(topics)}  {experiment.topics[label].signature}"
        for note in corpus.notes:
            yield "note", note
        rows, strange = health(corpus, inputs.translations, Serial().pmap)
        notes = [*strange, *look_alikes([t.system for t in inputs.translations])]
        for note in notes or ["nothing strange about the systems' files"]:
            yield "health", note
        made = health_table(rows)
        if made.shown:
            show_analysis(replace(made, rows=made.rows[: made.shown], said=made.shown, text=()))
    if experiment.tables is not None:
        board = experiment.tables.read()
        yield "imported metrics", ", ".join(column.name for column in board.metrics)
        yield "imported measures", ", ".join(column.name for column in board.measures)
    for metric in experiment.metrics:
        yield "metric", f"{metric.name}  {metric.signature}"
    for measure in experiment.measures:
        yield "measure", f"{measure.name}  {measure.signature}"
    for retriever in filter(None, experiment.retrievers.values()):
        yield "retrieval", retriever.signature
    for label, rule in experiment.relevance.items():
        yield "relevance", f"{label or '(first)'}  {rule.signature}"
    if experiment.paper is not None:
        yield "published table", f"{getattr(experiment.paper, 'title', '')}; its data are read when the table is made"
    yield "check", "everything could be read and aligned; nothing was run"
