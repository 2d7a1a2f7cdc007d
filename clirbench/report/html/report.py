"""The page of a run, report.html and report.md: the answer, the decision, tau tables, plots, systems, analyses, topics,
and where it comes from.

pair.html: two systems side by side, sentence by sentence, then by their influence on the corpus score.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from clirbench.pages import Aside, Block, Cell, Code, Links, Page, Section, Table, listed, number, points, short
from clirbench.report import facts
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables
from clirbench.report.facts import data_name, set_up_lines
from clirbench.report.html.page import curve_plots, metric_plots
from clirbench.report.tables import all_tables, column_meanings, systems_table
from clirbench.result import Result, Retrieval
from clirbench.types import Run

PAIR = "pair.html"
FIXED = ("metric", "rank", "segment", "delta", "favours", "reference", "source")
MOST = 20
"""Segments shown of each metric for each system that they speak for."""
WORD = re.compile(r"\w{3,}")
READING = (
    "First, for each metric, the two outputs of a segment by their sentence scores. Then, under corpus influence, by "
    "how much each segment moves the two corpus scores. Marked: words that the reference has not there. lost: words of "
    "topics that only the reference has."
)


def topic_words(result: Result) -> frozenset[str]:
    """The words (of three letters or more) of all topics of a run."""
    topics = [] if result.inputs is None else [topic for found in result.inputs.topics.values() for topic in found]
    return frozenset(word for topic in topics for word in _words(topic.text))


def pair_page(tables: Sequence[Table], words: frozenset[str] = frozenset()) -> Page | None:
    """The page, where the run made the table `favoritism`. `words`: those of the topics."""
    by_name = {table.name: table for table in tables}
    table = by_name.get("favoritism")
    systems = [name for name in table.header if name not in FIXED][:2] if table is not None else []
    if table is None or not {"metric", "delta", "favours", "reference"} <= set(table.header) or len(systems) < 2:
        return None
    influence, wins = _by_metric(table), _by_metric(by_name["segment_wins"]) if "segment_wins" in by_name else {}
    said = by_name.get("favoritism_top", table).text
    general = [line for line in said if not any(line.startswith(f"{metric}, ") for metric in influence)]
    sections = [Section("shown", "", (READING, *map(Aside, general)))]
    for place, (metric, rows) in enumerate(influence.items(), start=1):
        own = [line for line in said if line.startswith(f"{metric}, ")]
        texts = {row.get("segment"): row for row in rows}
        won = [
            _row(
                {**texts[win["segment"]], "favours": win["better"]},
                " against ".join(map(number, scores)),
                systems,
                words,
            )
            for win in _strongest(wins.get(metric, []), lambda win: float(win["score_a"]) - float(win["score_b"]))
            for scores in [(float(win["score_a"]), float(win["score_b"]))]
        ]
        moved = [
            _row(row, f"delta {number(float(row['delta']))}", systems, words)
            for row in _strongest(rows, lambda row: float(row["delta"]))
        ]
        sections.append(
            Section(
                f"metric-{place}",
                metric,
                (*own, *_table(won, f"Sentence scores of {metric}: the largest differences", systems)),
            )
        )
        title = f"Corpus influence of segments on {metric} (leave-one-out): the largest deltas"
        sections.append(
            Section(
                f"influence-{place}",
                f"{metric}: corpus influence",
                tuple(_table(moved, title, systems)),
                fold=bool(won),
            )
        )
    return Page(f"{systems[0]} and {systems[1]}, side by side", sections)


def _table(rows: Sequence[tuple[Any, ...]], title: str, systems: Sequence[str]) -> Iterator[Table]:
    header = ("segment", "by", "better", "words", "lost", "source", "reference", *systems)
    if rows:
        yield Table("favoritism", title, header, rows).compact()


def _by_metric(table: Table) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for cells in table.rows:
        row = dict(zip(table.header, cells, strict=True))
        found.setdefault(str(row["metric"]), []).append(row)
    return found


def _strongest(rows: Sequence[Mapping[str, Any]], of: Any) -> list[Mapping[str, Any]]:
    """The `MOST` highest above 0 and the `MOST` lowest below, the largest first."""
    ordered = sorted(rows, key=lambda row: -abs(of(row)))
    kept = [[row for row in ordered if sign * of(row) > 0][:MOST] for sign in (1, -1)]
    return sorted((row for side in kept for row in side), key=lambda row: -abs(of(row)))


def _row(row: Mapping[str, Any], by: str, systems: Sequence[str], words: frozenset[str]) -> tuple[Any, ...]:
    reference, outputs = str(row["reference"]), [str(row[name]) for name in systems]
    wanted = _words(reference) & words
    lost = [(name, sorted(wanted - _words(text))) for name, text in zip(systems, outputs, strict=True)]
    told = "; ".join(f"{name} lost {', '.join(terms)}" for name, terms in lost if terms)
    marked = [Cell(text, pieces=pieces_of(text, reference)) for text in outputs]
    segment = row.get("segment", row.get("rank", ""))
    return (segment, by, row["favours"], len(reference.split()), told, row.get("source", ""), reference, *marked)


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


def pieces_of(text: str, reference: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is missing from the reference (by the longest common runs of words)."""
    words, known = text.split(), reference.split()
    matcher = SequenceMatcher(None, [w.casefold() for w in words], [w.casefold() for w in known], autojunk=False)
    return [
        (" ".join(words[start:end]), tag != "equal") for tag, start, end, _, _ in matcher.get_opcodes() if end > start
    ]


# What a reader asks next comes first; analyses that are not named here follow in the order they were made.
ORDER = (
    "differences",
    "clusters",
    "choice",
    "improvement",
    "multiverse",
    "multiverse_taus",
    "power",
)
APART = ("favoritism", "favoritism_top", "segment_wins")  # on a page of their own
TOP = 10  # documents of a ranking that are compared with the reference side's
# Where a run was made moves no number: the page is the same from any engine, cache and day (provenance.json has them).
WHERE = ("engine", "paths", "hydra")
LEAD = Aside(
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
    """The page of a run."""
    question = ": which MT metric orders the systems as retrieval does?" if result.correlations else ""
    sections = tuple(_sections(result, provenance, live))
    return Page(f"{data_name(result, provenance)}{question}", sections, live.seconds if live else 0)


def _sections(result: Result, provenance: Mapping[str, Any], live: Live | None) -> Iterator[Section]:
    """In the order in which a reader asks."""
    board, answer, taus = result.board, answered(result), _taus(result)
    curves = curve_plots(result, live.measure if live else "") if result.correlations else None
    drawn = (curves,) if curves else ()
    if live:
        yield Section("live", "While training runs", (*drawn, *live.sentences), "Training", screen=True)
    about = f"The answer, for {answer.measure}" if answer.measure else "The answer"
    said = answer.sentences if result.correlations else ()
    yield Section("answer", about, (*map(Aside, set_up_lines(result)), *said), "Answer")
    if decision := decision_sentences(result):
        yield Section("decision", "The decision", decision, "Decision")
    yield from map(of_table, decision_tables(result))
    yield from taus[:1]
    if plots := metric_plots(result) if result.correlations else None:
        yield Section("plots", "Metric against measure", (plots,), "Plots", screen=True)
    yield from taus[1:]
    if board.systems:
        yield Section("systems", "Systems", (systems_table(board, result.baselines),), "Systems", fold=True)
    if drawn and not live:
        yield Section("checkpoints", "Checkpoints", drawn, "Checkpoints", fold=True, screen=True)
    if pair_page(result.tables):
        text = "The segments on which each metric favours one of two systems, with the differences marked:"
        yield Section("pair", "Two systems side by side", (Links(text, [PAIR]),), "Two systems", screen=True)
    place = {name: i for i, name in enumerate(ORDER)}
    tables = [table for table in all_tables(result) if table.name not in APART]
    yield from map(of_table, sorted(tables, key=lambda table: place.get(table.name, len(ORDER))))
    yield from _topics(result)
    warned = facts.warnings(result) or ["Nothing was dropped, and no coefficient is undefined."]
    yield from points("dropped", "Caveats: what was dropped or undefined, and why", warned, (), "Caveats", True)
    yield from points("counts", "Counts", run_counts(result), (), "", True)
    yield from _provenance(result, provenance)


def of_table(made: Table) -> Section:
    """A table under its title, after what it says."""
    shown = made.compact()
    return Section(f"analysis-{made.name}", made.title, (*shown.text, shown), fold=True)


def run_counts(result: Result) -> list[str]:
    """How much was read, scored and dropped."""
    lines = [f"{len(result.board.systems)} systems"] if result.board.systems else []
    return [*lines, *facts.size_lines(result), *facts.count_lines(result), *facts.agreement_lines(result)]


def _taus(result: Result) -> list[Section]:
    """The tables of the first coefficient in one section, then one for each other."""
    made = []
    for place, coefficient in enumerate(result.experiment.coefficients if result.correlations else ()):
        blocks: list[Block] = [LEAD] if place == 0 else []
        name = facts.coefficient_name(coefficient)
        for found in facts.tau_tables(result.board, result.correlations, coefficient):
            caption = f"{name}{f': {found.title}' if found.title else ''}, over {result.units.said}"
            tested = f"p >= {short(result.experiment.alpha)}, p-value: {facts.p_method(found)}"
            notes = [f"Note: {note}." for note in facts.table_notes(result, found.title)] if place == 0 else []
            about = column_meanings(result.board.metrics)
            said = f"{result.units.said}; {facts.marks(found)} ({tested})."
            blocks += [replace(found, title=caption, about=about), *map(Aside, (said, *notes))]
        title = "Agreement of metrics with measures" if place == 0 else name
        made.append(Section(f"tau-{coefficient}", title, blocks, "" if place else "Agreement", fold=place > 0))
    return made


def _topics(result: Result) -> Iterator[Section]:
    """For each set of topics that was searched, and the measure that was computed first: which topics lose most."""
    for label, found in result.retrieval.items():
        if not found.runs or result.inputs is None or not found.per_topic:
            continue
        (relevance, measure), values = next(iter(found.per_topic.items()))
        texts = {topic.topic_id: topic.text[:400] for topic in result.inputs.topics[found.topic_label]}
        counted = [system in result.board.systems for system in found.runs]  # no baseline
        shared, lost = _of_rankings(
            found, [run for run, is_system in zip(found.runs, counted, strict=True) if is_system]
        )
        rows = []
        for topic_id, column in zip(found.topics(relevance, measure), values[counted].T, strict=True):
            numbers = column.mean(), column.min(), column.max() - column.min(), np.mean(shared.get(topic_id, [np.nan]))
            rows.append(
                (topic_id, texts.get(topic_id, ""), *map(float, numbers), listed(sorted(lost.get(topic_id, ()))))
            )
        header = ("topic", "text", "mean", "lowest", "spread", "overlap", "terms lost")
        said = (
            f"Mean, lowest and spread of {measure} over {sum(counted)} systems. overlap: the share of the reference "
            "side's first 10 documents that are among a system's first 10, on average. terms lost: query terms that "
            "the reference side has and some system never writes."
        )
        made = Table("per_topic", "Topics, those that lose most first", header, sorted(rows, key=lambda row: row[2]))
        yield Section(f"topics{label}", f"Topics {label}".strip(), (made, Aside(said)), "Topics", True, screen=True)


def _of_rankings(found: Retrieval, systems: Sequence[str]) -> tuple[dict[str, list[float]], dict[str, set[str]]]:
    """By topic: the overlap of each system's first documents with the reference side's, and terms that some lose."""
    shared: dict[str, list[float]] = {}
    lost: dict[str, set[str]] = {}
    for system in systems:
        run = found.runs[system]
        for topic_id in found.ideal.position:
            if ideal := set(found.ideal.ranking(topic_id)[:TOP]):
                shared.setdefault(topic_id, []).append(len(ideal & {*run.ranking(topic_id)[:TOP]}) / len(ideal))
            lost.setdefault(topic_id, set()).update(
                set(_unmatched(run, topic_id)) - set(_unmatched(found.ideal, topic_id))
            )
    return shared, lost


def _unmatched(run: Run, topic_id: str) -> tuple[str, ...]:
    at = run.position.get(topic_id)
    return () if at is None else run.unmatched[at]


def _provenance(result: Result, provenance: Mapping[str, Any]) -> Iterator[Section]:
    command = shlex.join(part for part in map(str, provenance.get("command", [])) if not is_where(part))
    what = {key: value for key, value in (provenance.get("configuration") or {}).items() if key not in WHERE}
    known = {name: provenance.get(name, "not recorded") for name in ("clirbench", "python", "seed")}
    libraries = "".join(f"{name} {version}, " for name, version in provenance.get("libraries", {}).items() if version)
    searched = ("per_topic.tsv", "trec/") if result.retrieval else ()
    files = ("report.md", "paper.md", "systems.tsv", "correlations.tsv", "provenance.json", "latex/", "figures/")
    blocks: list[Block] = [Code(command)] if command else []
    blocks += [Links("Files beside this one:", (*files, *searched))]
    blocks += [f"clirbench {known['clirbench']}, Python {known['python']}, {libraries}seed {known['seed']}."]
    title = "Where these numbers come from"
    yield Section("provenance", title, blocks, "Provenance", fold=True, screen=True)
    signed = [(column.name, column.signature or "read from a table") for column in result.board.columns]
    yield from points("signatures", "Signatures", [name for name, _ in signed], [text for _, text in signed])
    text = json.dumps(what, indent=2, ensure_ascii=False)
    yield Section("configuration", "Configuration", (Code(text),), fold=True, screen=True)
