"""What the terminal shows: progress, then the answer and the tau tables; plain text where output is piped."""

import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clirbench.columns import look_alikes
from clirbench.engines.local import Serial
from clirbench.errors import escape_unseen
from clirbench.experiment import looked_over, pass_over
from clirbench.files.run_files import RESULTS
from clirbench.inputs import adapt_to_inputs, distinct, expected_result, preflight, read_inputs
from clirbench.native.library import library
from clirbench.pages import Cell, Table, is_hole, value_of
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences
from clirbench.report.facts import agreement_lines, count_lines, first_coefficient, legend, set_up_lines, warnings
from clirbench.report.html.report import tau_tables
from clirbench.report.tables import systems_table
from clirbench.result import Experiment, Inputs, Result, Watch, no_watch
from clirbench.store.store import read_through_snapshot
from clirbench.systems.health import HEALTH, health
from clirbench.systems.likeness import Resemblances

if TYPE_CHECKING:
    from rich.text import Text

Value = TypeVar("Value")
FINDINGS = 3
"""Sentences of an analysis whose rows the terminal does not show."""
WIDEST = 48
BREAKS = re.compile(r"[\t\n]")


def show(result: Result, *, quiet: bool = False) -> None:
    """Print the answer and the decision; unless `quiet`, the tau tables, what analyses found, what must be known."""
    if not quiet:
        for line in (*set_up_lines(result), ""):
            tell(line)
    answer = answered(result).sentences if result.correlations else ()
    for sentences in filter(None, (answer, decision_sentences(result))):
        tell((" " if sys.stdout.isatty() else "\n").join(sentences), style="bold")
        say()
    if quiet:
        return
    for made in tau_tables(result, first_coefficient(result)) if result.correlations else ():
        show_analysis(made)
    if result.board.measures and not result.board.metrics:
        _print_rows(systems_table(result.board, result.baselines))
    for made in result.tables:
        if not made.aside and (made.said or (made.text and made.name != HEALTH)):
            show_analysis(made)
    for line in (*legend(result), *count_lines(result), *agreement_lines(result)):
        tell(line)
    for line in warnings(result, brief=True):
        tell(f"note: {line}")
    sys.stdout.flush()


def show_analysis(made: Table) -> None:
    """One table: its title, its first rows, what it says (briefly where it shows no row), and where the rest is."""
    made = made.compact()
    tell(made.title)
    if made.said:
        _print_rows(made, made.said)
    for sentence in [f"note: {text}" for text in made.text] if made.said else made.text[:FINDINGS]:
        tell(sentence)
    if len(made.rows) > made.said:
        say(f"{len(made.rows) - made.said} {'more ' if made.said else ''}rows: {made.name}.tsv")
    say()


def show_folder(folder: Path, *, as_json: bool = False, quiet: bool = False) -> None:
    """What to open, and the last line: where everything lies; `as_json`: results.json, and that line apart from it."""
    if as_json:
        print((folder / RESULTS).read_text(encoding="utf-8"), end="")
    elif not quiet:
        say("To look at: report.html (tables, plots, topics), paper.md (for a paper), with all files in this folder:")
    print(escape_unseen(str(folder)), file=sys.stderr if as_json else sys.stdout)


def say(text: str = "") -> None:
    """Print a line or several, through the gate: nothing in it can move the cursor or colour the terminal."""
    print(escape_unseen(text))


def tell(text: str, style: str = "") -> None:
    """Print a sentence or several; on a terminal no word is broken at its edge."""
    if sys.stdout.isatty():
        from rich.console import Console  # here, because a file or a pipe needs none of it

        Console(highlight=False).print(rich_text(text, style))
    else:
        say(text)


def rich_text(text: str, style: str = "") -> "Text":
    """Text for rich, through the gate; rich would read the brackets of `MAP[qrels]` in a string as a style."""
    from rich.text import Text

    return Text(escape_unseen(text), style=style)


def lines_of(made: Table, most: int | None = None) -> list[list[str]]:
    """The header and the first rows as text, long texts cut short."""
    cells = ([BREAKS.sub(" ", text) for text in row] for row in made.cells(made.rows[:most]))
    rows = ([text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…" for text in row] for row in cells)
    return [[made.corner, *(BREAKS.sub(" ", name) for name in made.header[1:])], *rows]


def show_rows(made: Table, most: int) -> None:
    """The first rows of a table, and how to see the rest."""
    _print_rows(made, most)
    if len(made.rows) > most:
        say(f"{len(made.rows) - most} more rows: --rows {len(made.rows)}")


def _print_rows(made: Table, most: int | None = None) -> None:
    """In grids for eyes; tab-separated, cell for cell, where a program reads them."""
    lines = lines_of(made, most)
    if not sys.stdout.isatty():
        say("\n".join(map("\t".join, lines)))
        return
    from rich.console import Console
    from rich.table import Table as Grid

    widths = [max(map(len, column)) + 3 for column in zip(*lines, strict=True)]
    parts, room = [[0]], Console().width - 1
    for at, width in enumerate(widths[1:], start=1):
        if len(parts[-1]) > 1 and sum(widths[i] for i in parts[-1]) + width > room:
            parts.append([0])
        parts[-1].append(at)
    for part in parts:
        grid = Grid()
        for at in part:
            side = "right" if at and made.columns[at].kind == "number" else "left"
            grid.add_column(rich_text(lines[0][at]), justify=side, no_wrap=at > 0)  # type: ignore[arg-type]
        for row, cells in zip(lines[1:], made.rows, strict=False):
            grid.add_row(*(rich_text(row[at], _style(cells[at])) for at in part))
        Console().print(grid)


def _style(cell: Any) -> str:
    """The best of a row is green and bold, what is not significant dim."""
    if is_hole(value_of(cell)):
        return "dim italic"
    return ("bold green" if cell.best else "dim" if cell.mark else "") if isinstance(cell, Cell) else ""


@contextmanager
def progress() -> Iterator[Watch]:
    """Progress bars on a terminal, nothing where the output is piped."""
    if not sys.stdout.isatty():
        yield no_watch
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield no_watch
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bars:

        def watch(title: str, values: Iterable[Value], total: int) -> Iterator[Value]:
            """Drawn here, ten times a second at most, and by no thread: workers are forked."""
            task, drawn = bars.add_task(title, total=total), 0.0
            for value in values:
                yield value
                bars.advance(task)
                if (now := time.monotonic()) - drawn > 0.1:
                    drawn = now
                    bars.refresh()

        yield watch


def checked(experiment: Experiment) -> Iterator[str]:
    """check=true: what was read and aligned, what would be computed, and notes on it."""
    with read_through_snapshot():
        experiment, inputs = adapt_to_inputs(experiment, read_inputs(experiment))
        notes = preflight(experiment, inputs)
        alike, healthy = Resemblances(), dict[tuple[str, str], Any]()
        if inputs is not None:
            ready = replace(inputs, translations=tuple(t for t in inputs.translations if t.maker is None))
            asked = replace(experiment, engine=Serial(), metrics=())
            healthy, alike = looked_over(asked, ready, pass_over(asked, ready, {}, no_watch))
            inputs, copies = distinct(experiment, inputs, alike)
            notes += copies
        yield from set_up_lines(replace(expected_result(experiment, inputs), resemblances=alike))
        lines = {**(_read(experiment, inputs, healthy) if inputs is not None else {}), **_asked(experiment)}
        lines["note"] = [*(inputs.corpus.notes if inputs is not None else ()), *experiment.remarks, *notes]
        yield from (f"{name}: {value}" for name, values in lines.items() for value in values)
        yield "check: everything could be read and aligned; nothing was run"


def _read(experiment: Experiment, inputs: Inputs, healthy: Mapping[tuple[str, str], Any]) -> dict[str, Sequence[str]]:
    corpus, names = inputs.corpus, [translation.system for translation in inputs.translations]
    _, strange = health(corpus, inputs.translations, healthy)
    return {
        "systems": [f"{len(names)}: {', '.join(names)}"],
        "test set": [f"{len(corpus.test)} segments, {len(corpus.test.references)} reference(s)"] if corpus.test else [],
        "collection": [f"{len(corpus.english)} documents, {corpus.document_map.n_lines} lines"],
        "topics": [f"{len(of)}  {experiment.topics[label].signature}" for label, of in inputs.topics.items()],
        "pending": [f"{system} ({why})" for system, why in inputs.pending.items()],
        "health": [*strange, *look_alikes(names)] or ["nothing strange about the systems' files"],
    }


def _asked(experiment: Experiment) -> dict[str, Sequence[str]]:
    board = experiment.tables.read() if experiment.tables is not None and experiment.tables.tables else None
    retrievers, rules = filter(None, experiment.retrievers.values()), experiment.relevance.values()
    found = {
        "imported": [f"{column.role} {column.name}" for column in board.columns] if board else [],
        "metrics": [metric.name for metric in experiment.metrics],
        "measures": [measure.name for measure in experiment.measures],
        "retrieval": [retriever.signature for retriever in retrievers],
        "relevance": [rule.signature for rule in rules],
        "loops": ["compiled" if library() else "numpy's, slower (install where there is a C compiler)"],
    }
    return {name: [", ".join(values)] for name, values in found.items() if values}
