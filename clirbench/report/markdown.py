"""Pages and tables as Markdown; nothing in a text of data is read as markup."""

import re
from collections.abc import Iterator, Sequence

from clirbench.pages import Block, Cell, Code, Links, Page, Points, Table, TableColumn, shown_cell


def page(made: Page, *, bold: bool = False) -> str:
    """The whole page, without its plots; `bold`: the best of a row or column stands out."""
    return "".join(f"{block}\n\n" for block in _blocks(made, bold)).removesuffix("\n")


def _blocks(made: Page, bold: bool) -> Iterator[str]:
    yield f"# {prose(made.title)}"
    for section in made.sections:
        if section.screen:
            continue
        if section.title:
            yield f"## {prose(section.title)}"
        for block in section.blocks:
            yield from _block(block, bold)


def _block(block: Block, bold: bool) -> Iterator[str]:
    if isinstance(block, Code):
        yield "\n".join(f"    {line}" for line in block.split("\n"))
    elif isinstance(block, str):
        yield prose(block)
    elif isinstance(block, Points):
        lines = (f"{line}: `{code}`" if code else line for line, code in block.pairs())
        yield "\n".join(f"- {prose(line)}" for line in lines)
    elif isinstance(block, Links):
        yield f"{prose(block.text)} {', '.join(f'[{name}]({name})' for name in block.files)}"
    elif isinstance(block, Table) and block.rows:
        yield table(block, block.rows[: block.shown], bold=bold)
        if block.shown < len(block.rows):
            yield f"{len(block.rows) - block.shown} more rows are in `{block.name}.tsv`."


def table(made: Table, rows: Sequence[Sequence[object]], *, bold: bool = False) -> str:
    """Rows of a table."""
    header = [made.corner, *made.header[1:]]
    lines = [" | ".join(map(escape, header)), " | ".join("---" if i == 0 else "---:" for i in range(len(header)))]
    lines += [" | ".join(_cell(*pair, bold) for pair in zip(made.columns, row, strict=True)) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(column: TableColumn, cell: object, bold: bool) -> str:
    text = escape(shown_cell(column, cell))
    if not isinstance(cell, Cell):
        return text
    return f"[{text}]({cell.href})" if cell.href else f"**{text}**" if bold and cell.best else text


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
