"""Two runs side by side, on the terminal and as a page."""

import sys
from collections.abc import Sequence
from pathlib import Path

from clirbench.report.comparison import Change, Part, RunFiles, verdict
from clirbench.report.html.grid import Cell, Grid
from clirbench.report.html.page import rendered

MOST = 500
MARK = "!"


def show(a: RunFiles, b: RunFiles, parts: Sequence[Part], rows: int) -> None:
    """Tables on a terminal; tab-separated text where the output is piped."""
    print(verdict(parts))
    for part in parts:
        if part.changes:
            _rich(part, rows) if sys.stdout.isatty() else _plain(part, rows)
        elif part.same:
            print(f"{part.title}: no difference ({part.same} compared)")


def _plain(part: Part, rows: int) -> None:
    print(f"\n# {part.title}: {_counted(part)}")
    print("\t".join(("", *part.header)))
    for change in part.changes[:rows]:
        print("\t".join((MARK if change.unequal else "", *_cells(part, change))))
    if len(part.changes) > rows:
        print(f"# {len(part.changes) - rows} more; --rows N or --html FILE shows them")


def _rich(part: Part, rows: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=f"{part.title}: {_counted(part)}", title_justify="left", title_style="bold")
    for name in ("", *part.header):
        shown.add_column(name, overflow="fold", justify="right" if name == "difference" else "left")
    for change in part.changes[:rows]:
        cells = (MARK if change.unequal else "", *_cells(part, change))
        shown.add_row(*(Text(cell, style="bold red" if change.unequal else "") for cell in cells))
    Console().print(shown)
    if len(part.changes) > rows:
        print(f"{len(part.changes) - rows} more; --rows N or --html FILE shows them")


def _counted(part: Part) -> str:
    return f"{len(part.changes)} differ, {part.same} do not"


def _cells(part: Part, change: Change) -> tuple[str, ...]:
    cells = (*change.what, change.first, change.second)
    if len(part.header) > len(cells):
        cells += ("" if change.difference != change.difference else f"{change.difference:+.3g}",)
    return tuple(cell.replace("\t", " ").replace("\n", " ") for cell in cells)


def write_html(path: Path, a: RunFiles, b: RunFiles, parts: Sequence[Part]) -> None:
    """The comparison as one self-contained page."""
    values = {
        "runs": [(run.path.name or str(run.path), run.provenance.get("made", ""), str(run.path)) for run in (a, b)],
        "verdict": verdict(parts),
        "alarm": any(change.unequal for part in parts for change in part.changes),
        "parts": [(part, _counted(part), _grid(part)) for part in parts],
    }
    path.write_text(rendered("compare.html.j2", values, {}), encoding="utf-8", newline="\n")


def _grid(part: Part) -> Grid:
    rows = []
    for change in part.changes[:MOST]:
        first, *rest = _cells(part, change)
        tip = "should be equal: same signature, same inputs" if change.unequal else ""
        head = Cell(f"{MARK} {first}" if change.unequal else first, first, tip, "unequal" if change.unequal else "")
        numbers = [_sort(change, part, i, cell) for i, cell in enumerate(rest, start=1)]
        rows.append((head, *numbers))
    numeric = tuple(name == "difference" for name in part.header)
    caption = f"{part.title}: {_counted(part)}"
    return Grid(part.name, caption, part.header, numeric, tuple(rows))


def _sort(change: Change, part: Part, column: int, text: str) -> Cell:
    if part.header[column] == "difference":
        return Cell(text, abs(change.difference) if change.difference == change.difference else -1.0)
    return Cell(text, text.casefold())
