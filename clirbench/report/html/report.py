"""The page of a run, from which report.html, report.md, paper.md, latex/ and the terminal are written."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clirbench.pages import Block, Cell, Page, Section, Table, points
from clirbench.report import facts
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables
from clirbench.report.html.page import curve_plots, metric_plots
from clirbench.report.tables import all_tables, column_meanings, systems_table
from clirbench.result import Result
from clirbench.statistics.coefficients import NAMES
from clirbench.statistics.correlation import KENDALL
from clirbench.statistics.kinds import KindTau

# Where a run was made moves no number: the page is the same from any engine, cache and day (provenance.json has them).
WHERE = ("engine", "paths", "hydra")
LEAD = (
    "1: the metric orders the systems exactly as the measure does; 0: no relation; −1: the other way round. Bold: the "
    "highest of its row. x: not significant. ?: not tested, for the reason below the table."
)


@dataclass(frozen=True)
class Live:
    """What a page of a run that goes on shows first: the curve of `measure`, then `sentences`.

    An open browser loads the page again every `seconds`.
    """

    seconds: int
    sentences: tuple[str, ...]
    measure: str = ""


def is_where(override: str) -> bool:
    """Whether an override says where a run is made, and not what is computed."""
    key = override.lstrip("+~").partition("=")[0]
    return key == "paths.cache" or key.partition(".")[0] in ("engine", "hydra")


def run_page(result: Result, provenance: Mapping[str, Any], live: Live | None = None) -> Page:
    """The page of a run, in the order in which a reader asks."""
    question = ": which MT metric orders the systems as retrieval does?" if result.correlations else ""
    sections = tuple(_sections(result, provenance, live))
    return Page(f"{facts.data_name(result, provenance)}{question}", sections, live.seconds if live else 0)


def _sections(result: Result, provenance: Mapping[str, Any], live: Live | None) -> Iterator[Section]:
    board, answer, taus = result.board, answered(result), _taus(result)
    curves = curve_plots(result, live.measure if live else "") if result.correlations else None
    drawn = (curves,) if curves else ()
    if live:
        yield Section("live", "While training runs", (*drawn, *live.sentences), screen=True)
    about = f"The answer, for {answer.measure}" if answer.measure else "The answer"
    said = answer.sentences if result.correlations else ()
    yield Section("answer", about, (tuple(facts.set_up_lines(result)), *said))
    if decision := decision_sentences(result):
        yield Section("decision", "The decision", decision)
    yield from map(of_table, decision_tables(result))
    yield from taus[:1]
    if plots := metric_plots(result):
        yield Section("plots", "Metric against measure", (plots,), screen=True)
    yield from taus[1:]
    if board.systems:
        yield Section("systems", "Systems", (systems_table(board, result.baselines),), fold=True)
    if drawn and not live:
        yield Section("checkpoints", "Checkpoints", drawn, fold=True, screen=True)
    yield from (of_table(table) for table in all_tables(result) if table.shown)
    yield from _topics(result)
    warned = facts.warnings(result) or ["Nothing was dropped, and no coefficient is undefined."]
    yield from points("dropped", "Caveats: what was dropped or undefined, and why", warned, fold=True)
    yield from points("counts", "Counts", run_counts(result), fold=True)
    yield from _provenance(result, provenance)


def of_table(made: Table) -> Section:
    """A table under its title, after what it says."""
    shown = made.compact()
    return Section(f"analysis-{made.name}", made.title, (*shown.text, shown), fold=True)


def run_counts(result: Result) -> list[str]:
    """How much was read, scored and dropped."""
    lines = [f"{len(result.board.systems)} systems"] if result.board.systems else []
    lines += facts.legend(result) + facts.size_lines(result) + facts.count_lines(result)
    return [*lines, *facts.agreement_lines(result)]


def tau_tables(result: Result, coefficient: str) -> Iterator[Table]:
    """One table for each title of the scoreboard's measures: a row for each measure, a column for each metric.

    Its title says what is compared, its text are notes. None where there is no MT metric.
    """
    board, found = result.board, facts.by_pair(result.correlations, coefficient)
    name, stem = NAMES.get(coefficient, coefficient), facts.coefficient_symbol(coefficient)
    metrics = [column.name for column in board.metrics]
    for place, title in enumerate(board.tables if metrics else (), start=1):
        measures = [column.name for column in board.measures if column.table == title]
        taus = [[found[measure, metric] for metric in metrics] for measure in measures]
        rows = [(measure, *facts.tau_cells(row)) for measure, row in zip(measures, taus, strict=True)]
        if coefficient == KENDALL and (first := getattr(board.first_measure, "name", "")) in measures:
            at = measures.index(first) + 1
            rows[at:at] = [(f"{first} judged by {by}", *_by_other(of)) for by, of in result.by_reference.items()]
        cells = [tau for row in taus for tau in row]
        most = "up to " * any(tau.n_systems < len(board.systems) for tau in cells)
        heading = f"{name} over {most}{result.units.said} ({facts.marks(cells)})"
        yield Table(
            stem if place == 1 else f"{stem}-{place}",
            f"{title}: {heading}" if title else heading,
            ("measure", *metrics),
            rows,
            tuple(facts.table_notes(result, title)),
            shown=len(rows),
            said=len(rows),
            about=column_meanings(board.columns),
            formats=dict.fromkeys(metrics, facts.TAU.format),
            texts=frozenset({"measure"}),
            matrix=True,
        )


def _by_other(metrics: Sequence[KindTau]) -> list[Cell]:
    """The first measure's taus by another reference; marked where the interval that a grade goes by has 0 in it."""
    return [Cell(one.tau, "" if one.low > 0 else "x", best=one.tau == max(m.tau for m in metrics)) for one in metrics]


def _taus(result: Result) -> list[Section]:
    """The tables of the first coefficient in one section, then one for each other."""
    made = []
    for place, coefficient in enumerate(result.experiment.coefficients if result.correlations else ()):
        blocks: list[Block] = [] if place else [LEAD]
        for table in tau_tables(result, coefficient):
            blocks += [table, *([tuple(f"{note}." for note in table.text)] if table.text and not place else [])]
        title = NAMES.get(coefficient, coefficient) if place else "Agreement of metrics with measures"
        made.append(Section(f"tau-{coefficient}", title, blocks, fold=place > 0))
    return made


def _topics(result: Result) -> Iterator[Section]:
    """For each set of topics that was searched, and the measure that was computed first: which topics lose most."""
    for label, found in result.retrieval.items():
        if not found.runs or result.inputs is None or not found.per_topic:
            continue
        (relevance, measure), values = next(iter(found.per_topic.items()))
        texts = {topic.topic_id: topic.text[:400] for topic in result.inputs.topics[found.topic_label]}
        counted = values[[system in result.board.systems for system in found.runs]]  # no baseline
        numbers = np.stack([counted.mean(axis=0), counted.min(axis=0), np.ptp(counted, axis=0)], axis=1).tolist()
        numbered = zip(found.topics(relevance, measure), numbers, strict=True)
        rows = [(topic_id, texts.get(topic_id, ""), *row) for topic_id, row in numbered]
        title = f"Topics: mean, lowest and spread of {measure} over {len(counted)} systems, the lowest mean first"
        header = ("topic", "text", "mean", "lowest", "spread")
        made = Table("per_topic", title, header, sorted(rows, key=lambda row: row[2]))
        yield Section(f"topics{label}", f"Topics {label}".strip(), (made,), fold=True, screen=True)


def _provenance(result: Result, provenance: Mapping[str, Any]) -> Iterator[Section]:
    command = shlex.join(part for part in map(str, provenance.get("command", [])) if not is_where(part))
    searched = ("per_topic.tsv", "trec/") if result.retrieval else ()
    files = ("report.md", "paper.md", "systems.tsv", "correlations.tsv", "provenance.json", "latex/", "figures/")
    rows = [(Cell(name, href=name),) for name in (*files, *searched)]
    links = Table("files", "Files beside this one", ("file",), rows)
    yield Section("provenance", "Where these numbers come from", (command, links), fold=True, screen=True)
    libraries = [f"{name} {version}" for name, version in provenance.get("libraries", {}).items() if version]
    yield from points("versions", "Versions", [program(provenance), *libraries], fold=True)
    signed = [f"{column.name}: {column.signature or 'read from a table'}" for column in result.board.columns]
    yield from points("signatures", "Signatures", signed, fold=True)


def program(provenance: Mapping[str, Any]) -> str:
    """The program with its Python and seed."""
    known = {name: provenance.get(name, "not recorded") for name in ("clirbench", "python", "seed")}
    return f"clirbench {known['clirbench']}, Python {known['python']}, seed {known['seed']}"
