"""What differs between two runs, on the terminal and as a page; `comparison.py` finds it."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from clirbench.pages.page import Alarm, Aside, Page, Section
from clirbench.pages.table import Cell, Table
from clirbench.report.compared.answer import answer_change
from clirbench.report.compared.comparison import Change, Part, RunFiles, verdict
from clirbench.report.html.page import write_page
from clirbench.report.terminal import say, show_grid, tell

MOST_ROWS = 500  # of each table of the page
MARK = "!"
"""Before a number that should be equal and is not."""


def show(a: RunFiles, b: RunFiles, parts: Sequence[Part], rows: int) -> None:
    """Tables on a terminal; tab-separated text where the output is piped."""
    for sentence in (*answer_change(a, b, parts), verdict(parts)):
        tell(sentence)
    comment = "" if sys.stdout.isatty() else "# "
    for part in parts:
        if part.changes:
            marked = [(MARK if change.unequal else "", *_cells(part, change)) for change in part.changes[:rows]]
            made = replace(_table(part), header=("", *part.header), rows=marked)
            show_grid(made, comment, [change.unequal for change in part.changes[:rows]])
            if len(part.changes) > rows:
                say(f"{comment}{len(part.changes) - rows} more; --rows N or --html FILE shows them")
        elif part.same:
            say(f"{part.title}: no difference ({part.same} compared)")


def write_html(path: Path, a: RunFiles, b: RunFiles, parts: Sequence[Part]) -> None:
    """The comparison as one self-contained page."""
    write_page(path, page(a, b, parts))


def page(a: RunFiles, b: RunFiles, parts: Sequence[Part]) -> Page:
    """What changes, then a table for each part."""
    names = [run.path.name or str(run.path) for run in (a, b)]
    alarm = any(change.unequal for part in parts for change in part.changes)
    made = [f"{run.path}, made {run.provenance.get('made', '')}" for run in (a, b)]
    said = (
        *answer_change(a, b, parts),
        Alarm(verdict(parts)) if alarm else verdict(parts),
        Aside(f"first: {made[0]}; second: {made[1]}. Equal means equal up to one part in 10^9."),
    )
    sections = (Section(part.name, part.title, tuple(_blocks(part))) for part in parts)
    return Page(" and ".join(names), (Section("answer", "", said), *sections))


def _blocks(part: Part) -> Iterator[str | Table]:
    if part.changes:
        yield _table(part)
        if len(part.changes) > MOST_ROWS:
            yield f"{len(part.changes) - MOST_ROWS} more are not shown."
    else:
        yield f"No difference ({part.same} compared)." if part.same else "Nothing to compare."


def _table(part: Part) -> Table:
    title = f"{part.title}: {len(part.changes)} differ, {part.same} do not"
    rows = []
    for change in part.changes[:MOST_ROWS]:
        first, *rest = _cells(part, change)
        tip = "should be equal: same signature, same inputs" if change.unequal else ""
        rows.append((Cell(first, tip=tip, alarm=change.unequal), *rest))
    return Table(f"part-{part.name}", title, part.header, rows, formats={"difference": "difference"})


def _cells(part: Part, change: Change) -> tuple[str | float, ...]:
    cells = (*change.what, change.first, change.second)
    return (*cells, change.difference) if len(part.header) > len(cells) else cells
