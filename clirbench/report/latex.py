r"""Tables ready for a paper: booktabs, the best in bold, \texttimes\ for what is not significant; each its own file.

They need `\usepackage{booktabs,textcomp}` and nothing else.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np

from clirbench.errors import escape_unseen, one_line
from clirbench.pages import Cell, Page, Table, TableColumn, is_hole, value_of

WORDS = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
SPECIAL = {c: rf"\text{word}{{}}" for c, word in zip("\\~^<>|", WORDS, strict=True)}
SPECIAL |= {c: f"\\{c}" for c in "{}&%$#_"} | dict.fromkeys("\n\t\r", " ") | {'"': r"{\ttfamily\char34}"}
ACCENTS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
PRINTED = "¡¿ßÆæØøŁłŒœı£¢¥€©®™°±×÷¬µ¶§·–—‘’“”…†‡•"
"""Beyond ASCII and ASCII letters with one of `ACCENTS`, what pdflatex prints without further packages."""
MARKS = {"x": r"\,\texttimes", "?": r"\,?"}
MOST_ROWS = 60
WIDEST = 30
"""Characters of a column beside which a page has room for others; texts that are longer are broken into lines."""
SIZES = {"tiny": 130, "scriptsize": 100, "footnotesize": 75}
"""Size of letters -> the smallest number of characters in a row for which it is used."""


def write(folder: Path, page: Page) -> None:
    """Write NAME.tex for each table of the page that is not long: `tau` (`tau-2` of a second title), `systems`, ..."""
    folder.mkdir()
    for block in (block for section in page.sections if not section.screen for block in section.blocks):
        if isinstance(block, Table) and len(block.rows) <= MOST_ROWS:
            write_table(folder / f"{block.name}.tex", block)


def write_table(path: Path, made: Table) -> None:
    """A file of one table."""
    path.write_text(escape_unseen("\n".join(table(made))) + "\n", encoding="utf-8", newline="\n")


def table(made: Table) -> Iterator[str]:
    r"""The lines of a table: before it, as comments, what columns mean; its title is the caption, its text below.

    Columns of long texts are paragraphs, the first column is set left, all others right. A row that begins with `[` or
    `*` is guarded: LaTeX would read it as an argument of the `\\` before it.
    """
    header, rows = [*map(escape, (made.corner, *made.header[1:]))], cells(made)
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]
    columns = ["p{3cm}" if width > WIDEST else "r" if at else "l" for at, width in enumerate(widths)]
    wide = sum(min(width, WIDEST) + 2 for width in widths)
    yield from (f"% {one_line(name)}: {one_line(meaning)}" for name, meaning in made.about.items())
    yield from (r"\begin{table}", r"\centering")
    yield from [rf"\{size}\setlength{{\tabcolsep}}{{3pt}}" for size, least in SIZES.items() if wide > least][:1]
    yield from (rf"\begin{{tabular}}{{{''.join(columns)}}}", r"\toprule", " & ".join(header) + r" \\", r"\midrule")
    yield from (("{}" if row[0][:1] in ("[", "*") else "") + " & ".join(row) + r" \\" for row in rows)
    yield from (r"\bottomrule", r"\end{tabular}", rf"\caption{{{escape(made.title)}}}", rf"\label{{tab:{made.name}}}")
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


def escape(text: str) -> str:
    r"""Text that LaTeX prints as itself; control characters are left out.

    pdflatex knows few characters, and ends at any other: it gets U+2215 in the place of that,
    XeLaTeX and LuaLaTeX, where `\Umathchar` is defined, the character.
    """
    text = "".join(c for c in text if c in SPECIAL or c.isprintable())
    runs = ((known, "".join(run)) for known, run in groupby(text, is_known))
    return "".join(
        "".join(SPECIAL.get(c, c) for c in run)
        if known
        else rf"{{\ifdefined\Umathchar {run}\else {' '.join(f'U+{ord(c):04X}' for c in run)}\fi}}"
        for known, run in runs
    )


def is_known(character: str) -> bool:
    """Whether pdflatex prints a character of a UTF-8 text, without packages for it."""
    if character.isascii() or character in PRINTED:
        return True
    base, *marks = tuple(normalize("NFD", character))
    return ord(character) < 0x180 and base.isascii() and len(marks) == 1 and marks[0] in ACCENTS


def _width(cell: str) -> int:
    """About how many characters a cell prints."""
    return len(re.sub(r"\{\\ifdefined\\Umathchar .*?\\else (.*?)\\fi\}", r"\1", cell).replace("\\", ""))
