"""What the terminal shows: progress, then the answer and the tau tables; plain text where output is piped."""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from clirbench.columns import look_alikes
from clirbench.engines.local import Serial
from clirbench.errors import escape_unseen
from clirbench.experiment import count, english_run, looked_over, pass_over
from clirbench.files.run_files import RESULTS
from clirbench.inputs import adapt_to_inputs, distinct, expected_result, preflight, read_inputs
from clirbench.pages import Cell, Table, is_hole, value_of
from clirbench.relevance.base import fitted, from_english_side
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences
from clirbench.report.facts import (
    agreement_lines,
    coefficient_name,
    coefficient_of,
    count_lines,
    first_coefficient,
    lowered_k,
    marks,
    set_up_lines,
    table_notes,
    tau_tables,
    warnings,
)
from clirbench.report.tables import systems_table
from clirbench.result import Experiment, Inputs, Result, Watch, no_watch
from clirbench.retrieval.base import Search
from clirbench.retrieval.bm25 import BM25
from clirbench.store.store import read_through_snapshot
from clirbench.systems.health import HEALTH, health, health_table
from clirbench.systems.likeness import NOTHING_ALIKE
from clirbench.types import Judged

Value = TypeVar("Value")
QUICK_TO_SEARCH = 20_000
"""Documents: the English side of so small a collection is searched in a second or two."""
FINDINGS = 3
"""Sentences of an analysis that the terminal shows."""


def say(text: str = "") -> None:
    """Print a line or several, through the gate: nothing in it can move the cursor or colour the terminal."""
    print(escape_unseen(text))


def tell(text: str) -> None:
    """Print a sentence or several; on a terminal no word is broken at its edge."""
    if not sys.stdout.isatty():
        say(text)
        return
    lines = wrap(escape_unseen(text), Console().width, break_long_words=False, break_on_hyphens=False)
    say("\n".join(lines))


def rich_text(text: str, style: str = "") -> Text:
    """Text for rich, through the gate; rich would read the brackets of `MAP[qrels]` in a string as a style."""
    return Text(escape_unseen(text), style=style)


@contextmanager
def progress() -> Iterator[Watch]:
    """Progress bars on a terminal and in a notebook (with ipywidgets), nothing where the output is piped."""
    console = Console(stderr=True)
    in_notebook = console.is_jupyter and find_spec("ipywidgets") is not None
    if not (in_notebook or (console.is_terminal and sys.stdout.isatty())):
        yield no_watch
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    first: list[RenderableType] = []

    class Bars(Progress):
        """The first answer stands above the bars until everything is known. They are drawn here, ten times a second at
        most, and by no thread: workers are forked."""

        drawn = 0.0

        def refresh(self) -> None:
            if (now := time.monotonic()) - self.drawn > 0.1:
                self.drawn = now
                super().refresh()

        def get_renderables(self) -> Iterable[RenderableType]:
            return (*first, *super().get_renderables())

    with Bars(*columns, console=console, transient=True, auto_refresh=False) as bars:

        def watch(
            title: str, values: Iterable[Value], total: int, so_far: Callable[[], Result] | None = None
        ) -> Iterator[Value]:
            if so_far is not None:
                first[:] = first_answer(so_far())
                bars.drawn = 0.0
            yield from bars.track(values, total=total, description=title)

        yield watch


def first_answer(result: Result) -> Iterator[RenderableType]:
    """The tau tables as soon as there are any, before they are tested."""
    for table in tau_tables(result.board, result.correlations, "kendall"):
        yield rich_text(_heading(table, result.units.said), "bold")
        yield from _grids(table)


def show(result: Result, *, quiet: bool = False) -> None:
    """Print the answer and the decision; unless `quiet`, the tau tables, what analyses found, what must be known."""
    if not quiet:
        for line in set_up_lines(result):
            tell(line)
        say()
    answer = answered(result).sentences if result.correlations else ()
    for sentences in filter(None, (answer, decision_sentences(result))):
        if sys.stdout.isatty():
            Console(highlight=False).print(rich_text(" ".join(sentences), style="bold"), end="\n\n")
        else:
            say("\n".join((*sentences, "")))
    if quiet:
        return
    rows = result.correlations
    for table in tau_tables(result.board, rows, first_coefficient(result)) if rows else ():
        show_table(table, result.units.said, table_notes(result, table.title))
    if result.board.measures and not result.board.metrics:
        _print_rows(systems_table(result.board, result.baselines))
    for made in result.tables:
        if made.aside:
            continue
        if made.said:
            show_analysis(made)
        elif made.text and made.name != HEALTH:
            show_findings(made)
    for line in (*count_lines(result), *agreement_lines(result)):
        tell(line)
    for line in warnings(result, brief=True):
        tell(f"note: {line}")
    sys.stdout.flush()


def show_analysis(made: Table) -> None:
    """One table of an analysis, long texts cut short, and what it says."""
    made = made.compact()
    say(made.title)
    show_rows(made, made.said)
    for sentence in made.text:
        tell(f"note: {sentence}")
    say()


def show_rows(made: Table, most: int) -> None:
    """The first rows of a table, and where the rest is; `!` before what should be equal and is not."""
    _print_rows(made, most)
    if len(made.rows) > most:
        say(f"{len(made.rows) - most} more rows: {made.name}.tsv")


def show_findings(made: Table) -> None:
    """What a table of an analysis says first; where the rest lies."""
    say(made.title)
    for sentence in made.text[:FINDINGS]:
        tell(sentence)
    say(f"({len(made.rows)} rows: {made.name}.tsv)\n" if made.rows else "")


def lines_of(made: Table, most: int | None = None) -> list[list[str]]:
    """The header and the first rows as text, long texts cut short."""
    cells = made.cells(made.rows[:most])
    rows = [[t if len(t) <= WIDEST else t[: WIDEST - 1] + "…" for t in map(_one_line, row)] for row in cells]
    return [[made.corner, *made.header[1:]], *rows]


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


def show_folder(folder: Path, *, as_json: bool = False, quiet: bool = False) -> None:
    """What to open, and the last line: where everything lies; `as_json`: results.json, and that line apart from it."""
    if as_json:
        print((folder / RESULTS).read_text(encoding="utf-8"), end="")
    elif not quiet:
        say("To look at: report.html (tables, plots, topics), paper.md (for a paper), with all files in this folder:")
    print(escape_unseen(str(folder)), file=sys.stderr if as_json else sys.stdout)


def show_table(table: Table, systems: str, notes: list[str]) -> None:
    """One tau table."""
    tell(_heading(table, systems))
    _print_rows(table)
    for note in notes:
        tell(f"note: {note}")
    say()


def _heading(table: Table, systems: str) -> str:
    title = f"{table.title}: " if table.title else ""
    return f"{title}{coefficient_name(coefficient_of(table))} over {systems} ({marks(table)})"


WIDEST = 48
BREAKS = re.compile(r"[\t\n]")


def _print_rows(made: Table, most: int | None = None) -> None:
    """In grids for eyes; tab-separated, cell for cell, where a program reads them."""
    if sys.stdout.isatty():
        for grid in _grids(made, most):
            Console().print(grid)
    else:
        say("\n".join("\t".join(BREAKS.sub(" ", cell) for cell in row) for row in lines_of(made, most)))


def _grids(made: Table, most: int | None = None) -> Iterator[Grid]:
    """The table, wide ones in parts: the best of a row green and bold, what is not significant dim."""
    header, *texts = lines_of(made, most)
    widths = [max(map(len, column)) + 3 for column in zip(header, *texts, strict=True)]
    parts, room = [[0]], Console().width - 1
    texts_at = {0, *(at for at, column in enumerate(made.columns) if column.kind == "text")}
    for at, width in enumerate(widths[1:], start=1):
        if len(parts[-1]) > 1 and sum(widths[i] for i in parts[-1]) + width > room:
            parts.append([0])
        parts[-1].append(at)
    for part in parts:
        grid = Grid()
        for at in part:
            grid.add_column(rich_text(header[at]), justify="left" if at in texts_at else "right", no_wrap=at > 0)
        for row, cells in zip(texts, made.rows, strict=False):
            grid.add_row(*(rich_text(row[at], _style(cells[at])) for at in part))
        yield grid


def _style(cell: Any) -> str:
    if is_hole(value_of(cell)):
        return "dim italic"
    return ("bold green" if cell.best else "dim" if cell.mark else "") if isinstance(cell, Cell) else ""


def checked(experiment: Experiment) -> Iterator[tuple[Callable[[str], None], str]]:
    """check=true: what was read and aligned, what would be computed, and notes on it; how each line is shown."""
    with read_through_snapshot():
        experiment, inputs = adapt_to_inputs(experiment, read_inputs(experiment))
        yield from _checked(experiment, inputs)


def _checked(experiment: Experiment, inputs: Inputs | None) -> Iterator[tuple[Callable[[str], None], str]]:
    foretold = preflight(experiment, inputs)
    alike, copies, healthy = NOTHING_ALIKE, list[str](), dict[tuple[str, str], Any]()
    if inputs is not None:
        ready = replace(inputs, translations=tuple(t for t in inputs.translations if t.maker is None))
        asked = replace(experiment, engine=Serial(), metrics=())
        healthy, alike = looked_over(asked, ready, pass_over(asked, ready, {}, no_watch))
        inputs, copies = distinct(experiment, inputs, alike)
    for line in set_up_lines(replace(expected_result(experiment, inputs), resemblances=alike)):
        yield tell, line
    for name, value in _summary(experiment, inputs, [*foretold, *copies], healthy):
        yield tell if name in ("note", "health") else say, f"{name}: {value}"
    yield say, "check: everything could be read and aligned; nothing was run"


def _without_order(experiment: Experiment, inputs: Inputs) -> Iterator[tuple[str, str]]:
    """Whether pseudo-relevance leaves something to order, from a search of the English side where that is quick."""
    english, engine = inputs.corpus.english, experiment.retriever
    if not isinstance(engine, BM25) or len(english) > QUICK_TO_SEARCH:
        return
    for topics in inputs.topics.values() if experiment.runs is None else ():
        ideal = english_run(engine, Search(topics, english.map, Serial().pmap, no_watch), english.text)
        for rule in experiment.relevance.values():
            if not from_english_side(rule):
                continue
            asked, rule = rule, fitted(rule, ideal, topics)
            yield from (("note", line) for line in lowered_k(asked, rule, ""))
            found = count(english.map.doc_ids, topics, Judged(rule.judge(ideal, english, topics), ideal, len(english)))
            if found.unordered:
                about = "MAP and P@k say little about order"
                yield "warning", f"more than half of what matches is relevant by {rule.signature}: {about}"


def _summary(
    experiment: Experiment, inputs: Inputs | None, foretold: Sequence[str], healthy: Mapping[tuple[str, str], Any]
) -> Iterator[tuple[str, Any]]:
    if inputs is not None:
        corpus = inputs.corpus
        yield "systems", f"{len(inputs.translations)}: {', '.join(t.system for t in inputs.translations)}"
        if corpus.test:
            yield "test set", f"{len(corpus.test)} segments, {len(corpus.test.references)} reference(s)"
        yield "collection", f"{len(corpus.english)} documents, {corpus.document_map.n_lines} lines"
        for label, topics in inputs.topics.items():
            yield "topics", f"{len(topics)}  {experiment.topics[label].signature}"
        for system, why in inputs.pending.items():
            yield "pending", f"{system} ({why})"
        for note in corpus.notes:
            yield "note", note
        rows, strange = health(corpus, inputs.translations, healthy)
        notes = [*strange, *look_alikes([t.system for t in inputs.translations])]
        for note in notes or ["nothing strange about the systems' files"]:
            yield "health", note
        made = health_table(rows)
        if made.shown:
            show_analysis(replace(made, rows=made.rows[: made.shown], said=made.shown, text=()))
    if experiment.tables is not None and experiment.tables.tables:
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
    for remark in experiment.remarks:
        yield "note", remark
    if inputs is not None:
        yield from _without_order(experiment, inputs)
    if experiment.paper is not None:
        yield "published table", f"{getattr(experiment.paper, 'title', '')}; its data are read when the table is made"
    for note in foretold:
        yield "note", note
