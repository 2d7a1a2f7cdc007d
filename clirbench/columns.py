"""From scores, per-topic values and score tables to the columns of the scoreboard, and notes on what they lack."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.errors import ConfigError, InputError, UnknownName, raise_all
from clirbench.files.lines import Lines
from clirbench.files.score_tables import ScoreTables
from clirbench.files.trec import tied_topics
from clirbench.later import keep_recent
from clirbench.measures.base import Measure
from clirbench.measures.parsing import is_measure
from clirbench.metrics.score_files import ScoreFile
from clirbench.pages import listed
from clirbench.relevance.base import judged_by
from clirbench.result import MANY_SYSTEMS, Experiment, Inputs, Result, Retrieval, references_of, with_marks
from clirbench.scoreboard import Column, Scoreboard, aligned
from clirbench.statistics.belonging import Units
from clirbench.statistics.correlation import Correlation, weakened
from clirbench.statistics.grades import MODERATE, SHOWN, STRONG
from clirbench.statistics.kinds import ANOTHER, TOPICS, KindTau, lowered_by_kinds, lowered_by_retrievers
from clirbench.text import lookalike_names
from clirbench.topics.base import BY_REFERENCE
from clirbench.types import EMPTY, Failure, by_key

SAME, LINES = 0.5, 20_000
"""Of a reference's first lines, the share that is in the text that is searched, from which the two are one."""
SEARCHED, OTHER = "searched", "other"
"""What relevance is made from, the text that is searched, and what else a metric may score against."""
MATCHES_WORDS = re.compile(r"(?i).*(bleu(?!rt)|chrf|rouge|meteor|nist|macrof|microf).*|(.*[^a-z])?[twcp]er([^a-z].*)?")
"""Names of metrics that count the words or characters that a translation shares with a reference."""
NO_REFERENCE = re.compile(
    r"(?i)(.*[^a-z])?(comet)?(kiwi|qe)([^a-z].*)?|.*[^a-z](src|no-?ref(erence)?)(\W.*)?|length.?ratio|sentinel.*"
    r"|yisi-2|human|da|esa|mqm|sqm"
)
"""Scores whose names say that they need no reference: estimates from the source alone, and judgments by people."""
REFERENCE = "reference"
"""What lowers a grade to moderate where relevance is made from the text that the metric scores against."""


def scoreboard(
    experiment: Experiment,
    inputs: Inputs | None,
    scores: Mapping[tuple[str, str], float],
    retrieval: Mapping[str, Retrieval],
) -> tuple[Scoreboard, list[str]]:
    """Computed columns, joined by system with the imported ones, and notes on what did not join."""
    if inputs is None:
        board = Scoreboard((), ()) if experiment.tables is None else require_columns(experiment.tables.read())
        board = replace(board, columns=tuple(scored_against(board.columns, experiment)))
        return replace(board, primary=experiment.primary), look_alikes(board.systems)
    systems = tuple(translation.system for translation in inputs.translations)
    columns = metric_columns(experiment, systems, scores, len(inputs.corpus.test.references))
    for label, found in retrieval.items():
        columns += measure_columns(experiment, inputs, systems, label, found)
    names = dict.fromkeys(name for translation in inputs.translations for name in translation.metadata)
    metadata = {name: tuple(t.metadata.get(name, "") for t in inputs.translations) for name in names}
    board, notes = Scoreboard(systems, tuple(columns), metadata, experiment.primary), look_alikes(systems)
    if tables := score_tables(experiment, inputs.corpus):
        board, notes = joined(board, tables.read(list(board.by_name)))
    board = replace(board, columns=tuple(scored_against(board.columns, experiment, inputs.corpus)))
    # No table has two columns of one name.
    renamed = {name: f"{name} (metadata)" for name in board.metadata if name in {*board.by_name, "system"}}
    said = "the metadata column {0} is called {1} here: the run has a column {0}"
    notes += [said.format(*names) for names in renamed.items()]
    metadata = {renamed.get(name, name): texts for name, texts in board.metadata.items()}
    return replace(board, metadata=metadata), notes


def look_alikes(systems: Sequence[str]) -> list[str]:
    """A note on systems with names that differ only in case, spaces or the form of their characters."""
    alike = [" and ".join(map(ascii, group)) for group in lookalike_names(systems)]
    said = "differ only in case, spaces or the form of their characters (NFC, NFD); is it one system?"
    return [f"systems {names} {said}" for names in alike]


def require_columns(imported: Scoreboard) -> Scoreboard:
    """The same; raises where score tables alone leave nothing to correlate."""
    if not imported.systems:
        raise InputError("the score tables have no systems: there are no rows below the header")
    if named := [metric.name for metric in imported.metrics if is_measure(metric.name)]:
        every = ",".join([*(measure.name for measure in imported.measures), *named])
        said = f"score tables: {listed(named, len(named))}, named as IR measures are, would count as MT metrics"
        raise ConfigError(f"{said}; type 'scores.measures=[{every}]', or 'scores.ignore=[{','.join(named)}]'")
    if not (imported.measures and imported.metrics):
        columns = ", ".join(column.name for column in imported.columns) or "none with numbers"
        said = f"the score tables have no {'MT metrics' if imported.measures else 'IR measures'}: a column is a metric"
        raise ConfigError(f"{said} unless 'scores.measures=[COLUMN]' names it as a measure. Columns: {columns}")
    return imported


def score_tables(experiment: Experiment, corpus: Corpus) -> ScoreTables | None:
    """The configured score tables, and those in the folder of the test set."""
    tables = experiment.tables or ScoreTables()
    own = None if corpus.test_layout is None else corpus.test_layout.single("scores.tsv")
    tables = replace(tables, tables=(*tables.tables, *([str(own)] if own else [])), further=corpus.official.tables)
    return tables if tables.tables or tables.further else None


def metric_columns(
    experiment: Experiment, systems: Sequence[str], scores: Mapping[tuple[str, str], float], n_references: int
) -> list[Column]:
    """One column for each metric, from the scores by its name and system."""
    return [
        Column(
            metric.name,
            "metric",
            aligned({system: score for (name, system), score in scores.items() if name == metric.name}, systems),
            metric.higher_is_better,
            f"nrefs:{n_references}|{metric.signature}",
            parts=(metric.signature,),
            declared={"needs_reference": getattr(metric, "needs_reference", None)}
            | ({"copied": True} if isinstance(metric, ScoreFile) else {}),
        )
        for metric in experiment.metrics
    ]


@keep_recent(1)
def own_texts(corpus: Corpus) -> tuple[str, ...]:
    """For each reference that metrics score against `searched`, if it is what relevance is made from, else `other`."""
    return tuple(SEARCHED if is_searched(lines, corpus) else OTHER for lines in corpus.test.references)


def is_searched(reference: Sequence[str], corpus: Corpus) -> bool:
    """Whether at least half of a reference's lines are lines of the text that is searched, whatever the two are called.

    Of the reference the first 20,000 lines count.
    """
    lines = [line.encode() for line in reference[:LINES] if line.strip()]
    wanted, there = set(lines), set[bytes]()
    for block in corpus.english.text.blocks() if corpus.has_english else ():
        there |= wanted.intersection(block.split(b"\n"))
    return bool(lines) and sum(line in there for line in lines) >= SAME * len(lines)


def scored_against(columns: Sequence[Column], experiment: Experiment, corpus: Corpus | None = None) -> Iterator[Column]:
    """The columns; metrics declare the texts that they score against: `searched`, `other` or both, empty for none.

    So do imported measures, of what relevance is made from: `made_from`. Nothing where that is not known: an imported
    column that neither its name nor `scores.reference` explains. `corpus`: None of score tables alone.
    Raises `UnknownName` for a column or a reference of `scores.reference` that the run does not have.
    """
    given = experiment.tables.reference if experiment.tables else {}
    names = [column.name for column in columns if column.role == "metric" or column.origin == "imported"]
    raise_all([UnknownName("column in scores.reference", name, names) for name in given if name not in names])
    for column in columns:
        needs, against = column.declared.get("needs_reference"), None
        if column.name in given:
            against = reference_text(given[column.name], corpus)
        elif needs is False or NO_REFERENCE.fullmatch(column.name):
            against = ""
        elif corpus is not None and (needs or column.name in corpus.official.named):
            against = " ".join(dict.fromkeys(own_texts(corpus)))
        said = "scored_against" if column.role == "metric" else "made_from"
        known = against is not None and (column.name in given or column.role == "metric")
        yield replace(column, declared={**column.declared, said: against}) if known else column


def reference_text(label: str, corpus: Corpus | None) -> str:
    """`searched` or `other`, by content, for a reference of the test set; empty for `none`. Raises `UnknownName`."""
    if label == "none":
        return ""
    layout = None if corpus is None else corpus.test_layout
    known = {} if layout is None else layout.references
    if corpus is None or layout is None or label not in known:
        raise UnknownName("reference in scores.reference", label, [*known, "none"])
    return SEARCHED if is_searched(Lines.of(layout.text(known[label])), corpus) else OTHER


def regraded(result: Result, rows: Iterable[Correlation], units: Units) -> list[Correlation]:
    """The rows with grades of these groups of systems: lowered by other topics, references and retrievers, capped."""
    experiment, rows, first = result.experiment, list(rows), getattr(result.board.first_measure, "name", "")
    if not any(row.grade in SHOWN for row in rows):
        return rows
    kinds = result.kinds if units is result.units else result.kinds_by(units)
    for label, of in kinds.items():
        rows = list(lowered_by_kinds(rows, first, of, ANOTHER if label.startswith(BY_REFERENCE) else TOPICS))
    if experiment.paper is None and experiment.also_retriever:
        rows = list(lowered_by_retrievers(rows, result.board, units))
    return rows if experiment.paper else list(capped(rows, result.board, references_of(kinds)))


def capped(
    rows: Iterable[Correlation], board: Scoreboard, by_reference: Mapping[str, Sequence[KindTau]] = EMPTY
) -> Iterator[Correlation]:
    """The rows; strong is moderate where relevance is made from the text that the metric scores against.

    That is so too where either text is not known, as of a measure that is read; not where the same metric is strong by
    people's judgments or by known items, or by each other reference than the one that it scores against.
    """
    rows = list(rows)
    strong = (row for row in rows if row.grade == STRONG)
    confirmed = {row.metric for row in strong if board[row.measure].judged_by in ("people", "known_items")}
    others = [{one.metric for one in of if one.grade == STRONG} for of in by_reference.values()]
    by_others = set.intersection(*others) if others else set()
    for row in rows:
        metric, made_from = board[row.metric], board[row.measure].declared.get("made_from")
        searched = made_from == metric.declared.get("scored_against") == SEARCHED
        lifted = row.metric in confirmed or (searched and row.metric in by_others)
        yield weakened(row, MODERATE, REFERENCE) if share_text(board[row.measure], metric) and not lifted else row


def at_cap(row: Correlation, board: Scoreboard) -> bool:
    """Whether the metrics' own reference would hold the grade at moderate, whatever else has lowered it to that."""
    return row.grade == MODERATE and share_text(board[row.measure], board[row.metric])


def share_text(measure: Column, metric: Column) -> bool:
    """Whether relevance is made from the text that the metric scores against, or may be: either is not known."""
    against = metric.declared.get("scored_against")
    made_from = measure.declared.get("made_from", None if measure.origin == "imported" else "")
    return "" not in (made_from, against) and (not made_from or not against or made_from in against.split())


def measure_columns(
    experiment: Experiment, inputs: Inputs, systems: Sequence[str], topics: str, retrieval: Retrieval
) -> list[Column]:
    """One column for each measure and set of judgments: the aggregate of its per-topic values."""
    by_name = {measure.name: measure for measure in experiment.measures}
    searched, scoring = inputs.corpus.crossed or ("", "")
    crossed = {"searched_reference": searched, "scoring_reference": scoring} if searched else {}
    columns = []
    for (relevance, name), per_topic in retrieval.per_topic.items():
        measure = by_name[name]
        parts, facts = measure_parts(experiment, measure, retrieval, relevance)
        if facts["judged_by"] == "pseudo-relevance":
            facts["made_from"] = SEARCHED
        values = aligned(dict(zip(retrieval.runs, measure.aggregate(per_topic).tolist(), strict=True)), systems)
        columns.append(
            Column(
                with_marks(name, inputs.corpus.collection, topics, relevance),
                "measure",
                values,
                measure.higher_is_better,
                "|".join(parts),
                experiment.table_title,
                parts=parts,
                declared=facts | crossed,
            )
        )
    return columns


OTHERS = SimpleNamespace(kind="runs", signature="runs:of others")
"""What made the runs of a folder, of which nothing is known."""


def measure_parts(
    experiment: Experiment, measure: Measure, retrieval: Retrieval, relevance: str
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Everything that can move an IR number: signatures of engine, topics, relevance and measure; what they declare."""
    others = experiment.runs is not None and not retrieval.retriever
    retriever: Any = OTHERS if others else experiment.retrievers[retrieval.retriever]
    topics, rule = experiment.topics[retrieval.topic_label], {**experiment.relevance, **retrieval.rules}[relevance]
    judge, judged = judged_by(rule), f"rel:{rule.signature}"
    # RBO reads no judgments: they only say on which topics it compares with the English side's ranking.
    if judge != "pseudo-relevance" and not measure.uses_qrels:
        judge, judged = "pseudo-relevance", f"rel:english|topics of {rule.signature}"
    return (retriever.signature, f"topics:{topics.signature}", judged, measure.signature), {
        "judged_by": judge,
        "retriever": kind(retriever),
        "lexical_model": getattr(retriever, "lexical_model", None),
        "topics": kind(topics),
        "known_item_like": getattr(topics, "known_item_like", None),
        "reads_judgments": measure.uses_qrels,
    }


def kind(component: object) -> str:
    """The short name that marks columns (`MAP[qrels]`) and names a retriever; by default, the name of the class."""
    return str(getattr(component, "kind", "") or type(component).__name__)


def joined(computed: Scoreboard, imported: Scoreboard) -> tuple[Scoreboard, list[str]]:
    """Imported columns beside the computed ones, for the systems of this run; what did not join is a note."""
    notes = look_alikes([*computed.systems, *imported.systems])
    if extra := [system for system in imported.systems if system not in computed.systems]:
        notes.append(f"score tables: systems that are not part of this run were left out: {', '.join(extra)}")
    if missing := [system for system in computed.systems if system not in imported.systems]:
        notes.append(f"score tables have no row for: {', '.join(missing)}")
    columns = [
        replace(column, values=aligned(dict(zip(imported.systems, column.values, strict=True)), computed.systems))
        for column in imported.columns
    ]
    metadata = dict(computed.metadata)
    for name, texts in imported.metadata.items():
        of = dict(zip(imported.systems, texts, strict=True))
        metadata.setdefault(name, tuple(of.get(system, "") for system in computed.systems))
    metrics = [c for c in (*computed.columns, *columns) if c.role == "metric"]
    measures = [c for c in (*columns, *computed.columns) if c.role == "measure"]
    return replace(computed, columns=(*metrics, *measures), metadata=metadata), notes


def holes(failed: Mapping[tuple[str, str], Failure], retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note for each hole that a failed step left in the table; one for all metrics that failed for one reason."""
    metrics = by_key(((system, failure.reason), metric) for (metric, system), failure in failed.items())
    for (system, reason), names in metrics.items():
        yield f"{system} has no {', '.join(names)}: {reason}"
    for label, found in retrieval.items():
        for system, failure in found.failed.items():
            yield f"{system} has no {with_marks('IR measures', label)}: {failure.reason}"


def without_segments_note(board: Scoreboard, statistics: Mapping[tuple[str, str], Any]) -> Iterator[str]:
    """A note on the metrics of a run with texts of which only one score a system is known."""
    known = {name for name, _ in statistics}
    scored = [c.name for c in board.metrics if c.origin == "computed" and np.isfinite(c.values).any()]
    if fixed := [name for name in scored if name not in known]:
        said = f"{', '.join(fixed)}: one score a system and no segments, so nothing is resampled;"
        yield f"{said} analyses of segments leave it out, others keep its scores as they are"


def tied_runs(experiment: Experiment, retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note on runs of others in which documents have equal scores: our rule (doc_id ascending) ordered them."""
    if experiment.runs is None:
        return
    for found in retrieval.values():
        ties = {system: n for system in found.runs if (n := tied_topics(found.runs[system]))}
        if ties and not found.retriever:
            listed = ", ".join(f"{system} ({n})" for system, n in list(ties.items())[:10])
            yield f"runs with documents of equal score, ordered by doc_id (topics with ties): {listed}"


def unwritten_runs_note(experiment: Experiment, retrieval: Mapping[str, Retrieval]) -> Iterator[str]:
    """A note where run files are left out because there are many."""
    if experiment.write_runs == "auto" and any(len(found.runs) > MANY_SYSTEMS for found in retrieval.values()):
        said = f"run files: only the reference side's was written, there are more than {MANY_SYSTEMS} systems"
        yield f"{said}; output.runs=all writes every one"
