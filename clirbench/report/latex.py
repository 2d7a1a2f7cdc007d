r"""Tables ready for a paper: booktabs, the best in bold, \texttimes\ for what is not significant; each its own file.

They need `\usepackage{booktabs,graphicx,textcomp}` and nothing else.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.errors import escape_unseen, one_line
from clirbench.pages import Cell, Page, Table, TableColumn, is_hole, value_of

WORDS = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
SPECIAL = {c: rf"\text{word}{{}}" for c, word in zip("\\~^<>|", WORDS, strict=True)}
SPECIAL |= {c: f"\\{c}" for c in "{}&%$#_"} | dict.fromkeys("\n\t\r", " ") | {'"': r"{\ttfamily\char34}"}
MARKS = {"x": r"\,\texttimes", "?": r"\,?"}
MOST_ROWS = 60
WIDEST = 30
"""Characters of a column beside which a page has room for others; texts that are longer are broken into lines."""
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"
"""What is wider than the line is shrunk to it."""


def write(folder: Path, page: Page) -> None:
    """Write NAME.tex for each table of the page that is not long: `tau` (`tau-2` of a second title), `systems`, ..."""
    folder.mkdir()
    for block in (block for section in page.sections if not section.screen for block in section.blocks):
        if isinstance(block, Table) and len(block.rows) <= MOST_ROWS:
            text = escape_unseen("\n".join(table(block))) + "\n"
            (folder / f"{block.name}.tex").write_text(text, encoding="utf-8", newline="\n")


def table(made: Table) -> Iterator[str]:
    r"""The lines of a table: before it, as comments, what columns mean; its title is the caption, its text below.

    Columns of long texts are paragraphs, the first column is set left, all others right. A row that begins with `[` or
    `*` is guarded: LaTeX would read it as an argument of the `\\` before it.
    """
    header, rows = [*map(escape, (made.corner, *made.header[1:]))], cells(made)
    widths = [max(len(cell.replace("\\", "")) for cell in column) for column in zip(header, *rows, strict=True)]
    cells_of = (zip(row, widths, strict=True) for row in rows)
    rows = [[_broken(cell) if width > WIDEST else cell for cell, width in row] for row in cells_of]
    columns = ["p{3cm}" if width > WIDEST else "r" if at else "l" for at, width in enumerate(widths)]
    yield from (f"% {one_line(name)}: {one_line(meaning)}" for name, meaning in made.about.items())
    yield from (r"\begin{table}", r"\centering")
    yield r"\setlength{\tabcolsep}{3pt}" + FITTED
    yield from (rf"\begin{{tabular}}{{{''.join(columns)}}}", r"\toprule", " & ".join(header) + r" \\", r"\midrule")
    yield from (("{}" if row[0][:1] in ("[", "*") else "") + " & ".join(row) + r" \\" for row in rows)
    yield from (r"\bottomrule", r"\end{tabular}}", rf"\caption{{{escape(made.title)}}}", rf"\label{{tab:{made.name}}}")
    yield from (rf"\par\smallskip\footnotesize {escape(text)}" for text in made.text)
    yield r"\end{table}"


def cells(made: Table) -> list[list[str]]:
    r"""The rows of a table as LaTeX: the best in bold, a hole is a dash, \texttimes\ for what is not significant."""
    return [[_cell(*pair) for pair in zip(made.columns, row, strict=True)] for row in made.rows]


def _cell(column: TableColumn, cell: Any) -> str:
    value = value_of(cell)
    if is_hole(value):
        return "--"
    text = escape(column.text(value))
    if isinstance(value, float | np.floating):
        text = f"${column.text(value).replace('∞', chr(92) + 'infty')}$"
    if not isinstance(cell, Cell):
        return text
    return (rf"\textbf{{{text.strip('$')}}}" if cell.best else text) + MARKS.get(cell.mark, "")


def _broken(text: str) -> str:
    """A cell of a paragraph column, which breaks within paths and names too, set left."""
    parts = re.sub(r"(?<=[/=_])(?=\S)|(?<=\.)(?=[a-z])", r"\\allowbreak{}", text)
    return rf"{{\raggedright {parts}\par}}"


def escape(text: str) -> str:
    """Text that LaTeX prints as itself; control characters are left out."""
    return "".join(SPECIAL.get(c, c) for c in text if c in SPECIAL or c.isprintable())
