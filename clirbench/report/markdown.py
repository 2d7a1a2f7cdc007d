"""report.md: the tau tables as in the paper, the systems, signatures, counts, and everything that was dropped."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from clirbench.report import tables
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables
from clirbench.report.facts import agreement_lines, count_lines, marks, table_notes, tau_tables, warnings
from clirbench.result import AnalysisTable, Result
from clirbench.statistics.coefficients import NAMES


def report(result: Result) -> str:
    """The whole report as Markdown."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterator[str]:
    experiment = result.experiment
    question = ": which MT metric orders the systems as retrieval does?" if result.correlations else ""
    yield f"# {prose(experiment.name)}{question}"
    yield ""
    if result.correlations:
        yield from (f"{prose(sentence)}\n" for sentence in answered(result).sentences)
    yield from (f"{prose(sentence)}\n" for sentence in decision_sentences(result))
    for made in decision_tables(result):
        yield from _analysis(made)
    yield from _tau(result)
    for made in tables.all_tables(result):
        yield from _analysis(made)
    yield from _section("What to know", [*warnings(result)])
    yield from _section("Counts", _counts(result))
    if result.board.systems:
        yield "## Systems"
        yield ""
        header, rows = tables.systems_table(result.board)
        yield from table(header, [[_shown(value) for value in row] for row in rows])
        yield ""
    yield from _section("Signatures", [f"{c.name}: `{c.signature}`" for c in result.board.columns if c.signature])


def _tau(result: Result) -> Iterator[str]:
    for coefficient in result.experiment.coefficients:
        for found in tau_tables(result.board, result.correlations, coefficient):
            yield f"## {NAMES.get(coefficient, coefficient)}{f': {prose(found.title)}' if found.title else ''}"
            yield ""
            yield from table(["", *found.metrics], [[name, *cells] for name, cells in found.rows])
            yield ""
            yield (
                f"{result.units.said}; {marks(found)} (p >= {result.experiment.alpha:g}, "
                f"p-value: {result.experiment.p_value})."
            )
            yield ""
            if coefficient == result.experiment.coefficients[0]:
                for note in table_notes(result, found.title):
                    yield f"Note: {prose(note)}."
                    yield ""


def _analysis(made: AnalysisTable) -> Iterator[str]:
    yield f"## {prose(made.title)}"
    yield ""
    for sentence in made.text:
        yield prose(sentence)
        yield ""
    shown = made.rows[: made.shown]
    if shown:
        yield from table(made.header, [[_shown(value) for value in row] for row in shown])
        yield ""
    if len(shown) < len(made.rows):
        yield f"{len(made.rows) - len(shown)} more rows are in `{made.name}.tsv`."
        yield ""


def _counts(result: Result) -> list[str]:
    lines = [f"{len(result.board.systems)} systems"] if result.board.systems else []
    if result.inputs is not None:
        corpus = result.inputs.corpus
        if corpus.test:
            lines.append(f"{len(corpus.test)} segments in the MT test set, {len(corpus.test.references)} reference(s)")
        lines += corpus.notes
    return [*lines, *count_lines(result), *agreement_lines(result)]


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"## {title}"
        yield ""
        yield from (f"- {prose(line)}" for line in lines)
        yield ""


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
    """Four significant places for reading; the exact value stands in systems.tsv."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.4f}"
    return str(value)
