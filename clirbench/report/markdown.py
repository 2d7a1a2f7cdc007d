"""report.md: the tau tables as in the paper, the systems, signatures, counts, and everything that was dropped."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from clirbench.report import facts, tables
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables
from clirbench.result import AnalysisTable, Result


def report(result: Result) -> str:
    """The whole report as Markdown."""
    return "".join(f"{block}\n\n" for block in _blocks(result))


def _blocks(result: Result) -> Iterator[str]:
    """Headings, paragraphs, lists and tables."""
    question = ": which MT metric orders the systems as retrieval does?" if result.correlations else ""
    yield f"# {prose(result.experiment.name)}{question}"
    yield from map(prose, answered(result).sentences if result.correlations else ())
    yield from map(prose, decision_sentences(result))
    for made in decision_tables(result):
        yield from _analysis(made)
    yield from _tau(result)
    for made in tables.all_tables(result):
        yield from _analysis(made)
    yield from _section("What to know", facts.warnings(result))
    yield from _section("Counts", _counts(result))
    if result.board.systems:
        yield "## Systems"
        yield _values_table(*tables.systems_table(result.printed))
    yield from _section("Signatures", [f"{c.name}: `{c.signature}`" for c in result.board.columns if c.signature])


def _tau(result: Result) -> Iterator[str]:
    tested = f"p >= {result.experiment.alpha:g}, p-value: {result.experiment.p_value}"
    for place, coefficient in enumerate(result.experiment.coefficients):
        for found in facts.tau_tables(result.board, result.correlations, coefficient):
            yield f"## {facts.coefficient_name(coefficient)}{f': {prose(found.title)}' if found.title else ''}"
            yield "\n".join(table(["", *found.metrics], [[name, *cells] for name, cells in found.rows]))
            yield f"{result.units.said}; {facts.marks(found)} ({tested})."
            for note in facts.table_notes(result, found.title) if place == 0 else ():
                yield f"Note: {prose(note)}."


def _analysis(made: AnalysisTable) -> Iterator[str]:
    yield f"## {prose(made.title)}"
    yield from map(prose, made.text)
    if shown := made.rows[: made.shown]:
        yield _values_table(made.header, shown)
    if len(shown) < len(made.rows):
        yield f"{len(made.rows) - len(shown)} more rows are in `{made.name}.tsv`."


def _counts(result: Result) -> list[str]:
    lines = [f"{len(result.board.systems)} systems"] if result.board.systems else []
    return [*lines, *facts.size_lines(result), *facts.count_lines(result), *facts.agreement_lines(result)]


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"## {title}"
        yield "\n".join(f"- {prose(line)}" for line in lines)


def _values_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return "\n".join(table(header, [[_shown(value) for value in row] for row in rows]))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table; bars and angle brackets in cells are escaped."""
    yield "| " + " | ".join(escape(name) for name in header) + " |"
    yield "|" + "|".join(" --- " if i == 0 else " ---: " for i in range(len(header))) + "|"
    for row in rows:
        yield "| " + " | ".join(escape(value) for value in row) + " |"


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


def _shown(value: object) -> str:
    """The value with four significant digits; systems.tsv has the exact one."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.4f}"
    return str(value)
