"""Pages and tables as Markdown; nothing in a text of data is read as markup."""

import re
from collections.abc import Sequence

from clirbench.pages import Block, Cell, Page, Table, TableColumn, shown_cell


def page(made: Page) -> str:
    """The whole page, without its plots."""
    parts = [f"# {prose(made.title)}"]
    for section in made.sections:
        if not section.screen:
            parts += [f"## {prose(section.title)}" if section.title else "", *map(_block, section.blocks)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _block(block: Block) -> str:
    match block:
        case str():
            return prose(block)
        case tuple():
            return "\n".join(f"- {prose(line)}" for line in block)
        case Table(rows=[_, *_] as rows):
            left = len(rows) - block.shown
            more = f"\n\n{left} more rows are in `{block.name}.tsv`." if left > 0 else ""
            return table(block, rows[: block.shown]) + more
    return ""


def table(made: Table, rows: Sequence[Sequence[object]]) -> str:
    """Rows of a table."""
    header = [made.corner, *made.header[1:]]
    lines = [" | ".join(map(escape, header)), " | ".join("---" if i == 0 else "---:" for i in range(len(header)))]
    lines += [" | ".join(_cell(*pair) for pair in zip(made.columns, row, strict=True)) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(column: TableColumn, cell: object) -> str:
    text = escape(shown_cell(column, cell))
    return f"[{text}]({cell.href})" if isinstance(cell, Cell) and cell.href else text


def escape(text: str) -> str:
    """Text that shows as itself in a Markdown table."""
    for character in "\\|<>`*_":
        text = text.replace(character, "\\" + character)
    return LINK.sub(r"\\", " ".join(text.splitlines()))


LINK = re.compile(r"(?<=\])(?=\()|(?<=!)(?=\[)")
"""Where Markdown sees a link or an image begin."""
TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""Where it sees an HTML tag begin."""


def prose(text: str) -> str:
    """Text of one line in which Markdown sees neither HTML nor a link nor an image; `p < 0.05` stays as it is."""
    return LINK.sub(r"\\", TAG.sub(r"\\<", " ".join(text.splitlines())))
