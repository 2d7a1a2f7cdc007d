"""What differs between two runs, on the terminal and as a page; `comparison.py` finds it."""

import sys
from collections.abc import Sequence
from math import isnan
from pathlib import Path

from clirbench.report.compared.answer import answer_change
from clirbench.report.compared.comparison import Change, Part, RunFiles, verdict
from clirbench.report.html.page import rendered
from clirbench.report.html.page_tables import Cell, PageTable
from clirbench.report.terminal import rich_text, say, tell

MOST_ROWS = 500  # of each table of the page
MARK = "!"
"""Before a number that should be equal and is not."""


def show(a: RunFiles, b: RunFiles, parts: Sequence[Part], rows: int) -> None:
    """Tables on a terminal; tab-separated text where the output is piped."""
    print_part = _print_rich if sys.stdout.isatty() else _print_plain
    for sentence in (*answer_change(a, b, parts), verdict(parts)):
        tell(sentence)
    for part in parts:
        if part.changes:
            print_part(part, rows)
        elif part.same:
            say(f"{part.title}: no difference ({part.same} compared)")


def _print_plain(part: Part, rows: int) -> None:
    say(f"\n# {part.title}: {_counted(part)}")
    say("\t".join(("", *part.header)))
    for change in part.changes[:rows]:
        say("\t".join((MARK if change.unequal else "", *_cells(part, change))))
    if len(part.changes) > rows:
        say(f"# {len(part.changes) - rows} more; --rows N or --html FILE shows them")


def _print_rich(part: Part, rows: int) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=rich_text(f"{part.title}: {_counted(part)}"), title_justify="left", title_style="bold")
    for name in ("", *part.header):
        table.add_column(rich_text(name), overflow="fold", justify="right" if name == "difference" else "left")
    for change in part.changes[:rows]:
        cells = (MARK if change.unequal else "", *_cells(part, change))
        table.add_row(*(rich_text(cell, "bold red" if change.unequal else "") for cell in cells))
    Console().print(table)
    if len(part.changes) > rows:
        say(f"{len(part.changes) - rows} more; --rows N or --html FILE shows them")


def _counted(part: Part) -> str:
    return f"{len(part.changes)} differ, {part.same} do not"


def _cells(part: Part, change: Change) -> tuple[str, ...]:
    cells = (*change.what, change.first, change.second)
    if len(part.header) > len(cells):
        cells += ("" if isnan(change.difference) else f"{change.difference:+.3g}",)
    return tuple(cell.replace("\t", " ").replace("\n", " ") for cell in cells)


def write_html(path: Path, a: RunFiles, b: RunFiles, parts: Sequence[Part]) -> None:
    """The comparison as one self-contained page."""
    values = {
        "runs": [(run.path.name or str(run.path), run.provenance.get("made", ""), str(run.path)) for run in (a, b)],
        "said": [*answer_change(a, b, parts), verdict(parts)],
        "alarm": any(change.unequal for part in parts for change in part.changes),
        "parts": [(part, _counted(part), _page_table(part)) for part in parts],
    }
    path.write_text(rendered("compare.html.j2", values, {}), encoding="utf-8", newline="\n")


def _page_table(part: Part) -> PageTable:
    rows = tuple(_page_row(part, change) for change in part.changes[:MOST_ROWS])
    numeric = tuple(name == "difference" for name in part.header)
    return PageTable(f"part-{part.name}", f"{part.title}: {_counted(part)}", part.header, numeric, rows)


def _page_row(part: Part, change: Change) -> tuple[Cell, ...]:
    first, *rest = _cells(part, change)
    head = Cell(first, first)
    if change.unequal:
        head = Cell(f"{MARK} {first}", first, "should be equal: same signature, same inputs", "unequal")
    size = -1.0 if isnan(change.difference) else abs(change.difference)
    cells = zip(part.header[1:], rest, strict=True)
    return (head, *(Cell(text, size if name == "difference" else text.casefold()) for name, text in cells))
