"""The page of a run, in the order in which report.md has it."""

from collections.abc import Iterator, Mapping
from typing import Any

from clirbench.pages.page import Aside, Page, Section, points
from clirbench.pages.table import Table
from clirbench.pages.wording import short
from clirbench.report import facts
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables
from clirbench.report.set_up import data_name, set_up
from clirbench.report.tables import all_tables, systems_table
from clirbench.result import Result


def run_page(result: Result, provenance: Mapping[str, Any]) -> Page:
    """The tau tables as in the paper, the systems, signatures, counts, and everything that was dropped."""
    question = ": which MT metric orders the systems as retrieval does?" if result.correlations else ""
    board = result.board
    signed = [column for column in board.columns if column.signature]
    systems = (systems_table(board, result.baselines),) if board.systems else ()
    return Page(
        f"{data_name(result, provenance)}{question}",
        (
            Section("set-up", "", tuple(map(Aside, set_up(result).lines()))),
            Section("answer", "", answered(result).sentences if result.correlations else ()),
            Section("decision", "", decision_sentences(result)),
            *map(of_table, decision_tables(result)),
            *_taus(result),
            *map(of_table, all_tables(result)),
            *points("dropped", "What to know", facts.warnings(result)),
            *points("counts", "Counts", counts(result)),
            *(Section("systems", "Systems", (table,)) for table in systems),
            *points("signatures", "Signatures", [c.name for c in signed], [c.signature for c in signed]),
        ),
    )


def of_table(made: Table) -> Section:
    """A table under its title, after what it says."""
    shown = made.compact()
    return Section(made.name, made.title, (*shown.text, shown))


def counts(result: Result) -> list[str]:
    """How much was read, scored and dropped."""
    lines = [f"{len(result.board.systems)} systems"] if result.board.systems else []
    return [*lines, *facts.size_lines(result), *facts.count_lines(result), *facts.agreement_lines(result)]


def _taus(result: Result) -> Iterator[Section]:
    for place, coefficient in enumerate(result.experiment.coefficients):
        for found in facts.tau_tables(result.board, result.correlations, coefficient):
            title = facts.coefficient_name(coefficient) + (f": {found.title}" if found.title else "")
            notes = [f"Note: {note}." for note in facts.table_notes(result, found.title)] if place == 0 else []
            tested = f"p >= {short(result.experiment.alpha)}, p-value: {facts.p_method(found)}"
            said = f"{result.units.said}; {facts.marks(found)} ({tested})."
            yield Section(found.name, title, (found, said, *notes))
