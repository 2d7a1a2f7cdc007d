"""What every report shows, once for all of them: tau tables and the text of a cell, counts, warnings, notes.

What a run compares, as it was found in the data: languages, systems, scores and groups, with what was left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from os.path import normpath
from pathlib import Path
from typing import Any

import numpy as np

from clirbench import pages as wording
from clirbench.corpora.jsonl import JsonlText
from clirbench.pages import Cell, Table, TableColumn, listed, many, number, short, shown_cell
from clirbench.relevance.top_k import DEFAULT, FEWEST, TopK
from clirbench.result import Counts, Experiment, Inputs, Result, Retrieval, with_marks
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import NUMBERED
from clirbench.statistics.coefficients import NAMES, SYMBOLS, complete_pairs, kendall
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.grades import Evidence
from clirbench.types import JUDGES, Doubles, Qrels

MEANING = {"false": ", not significant", "undefined": ", not tested"}
FALLING = -0.3
"""Tau of a metric that may count the other way round."""
TAU = TableColumn("tau", "number", format="coefficient")


def tau_tables(board: Scoreboard, rows: Sequence[Correlation], coefficient: str) -> list[Table]:
    """One table for each title of the scoreboard's measures: a row for each measure, a column for each metric.

    Its `records` are the coefficients, row by row. None where there is no MT metric.
    """
    found = by_pair(rows, coefficient)
    metrics = tuple(column.name for column in board.metrics)
    tables = []
    for place, title in enumerate(board.tables if metrics else ()):
        measures = tuple(column.name for column in board.measures if column.table == title)
        taus = [[found[measure, metric] for metric in metrics] for measure in measures]
        cells = tuple((measure, *tau_cells(row)) for measure, row in zip(measures, taus, strict=True))
        records = tuple(tau for row in taus for tau in row)
        tables.append(tau_table(f"tau-{coefficient}-{place}", title, "measure", metrics, cells, records))
    return tables


def tau_table(
    name: str,
    title: str,
    first: str,
    metrics: Sequence[str],
    rows: Sequence[Sequence[Any]],
    records: tuple[Correlation, ...] = (),
) -> Table:
    """A table of coefficients: a column for each metric, behind a first one with names."""
    return Table(
        name,
        title,
        (first, *metrics),
        rows,
        shown=len(rows),
        records=records,
        formats=dict.fromkeys(metrics, TAU.format),
        texts=frozenset({first}),
        matrix=True,
    )


def coefficient_of(table: Table) -> str:
    """The coefficient that a tau table shows."""
    return next(row.coefficient for row in table.records if isinstance(row, Correlation))


def tau_cells(row: Sequence[Correlation]) -> list[Cell]:
    """The cells of one row, the highest in bold."""
    return [
        Cell(tau.value, "" if isnan(tau.value) else mark(tau), best=is_highest(tau, row), tip=_tip(tau)) for tau in row
    ]


def _tip(row: Correlation) -> str:
    """All that is known of a coefficient."""
    pair = f"{row.metric} with {row.measure}"
    if isnan(row.value):
        return f"{pair}: undefined, {row.note}"
    tip = f"{pair}: {number(row.value)}{interval(row)}"
    if not isnan(row.p_value):
        tip += f", p {_p(row.p_value)}"
    if not isnan(row.p_adjusted):
        tip += f", for all metrics together {_p(row.p_adjusted)}"
    tip += f", {row.n_systems} systems{MEANING.get(row.significant, '')}"
    if row.scheme:
        tip += f"; interval over {row.scheme}"
    tip += f"; {row.note}" if row.note else ""
    if not isnan(row.ceiling):
        tip += f"; expected of a perfect metric: {number(row.ceiling)}"
    return tip


def _p(value: float) -> str:
    return "< .0001" if value < 0.0001 else f"= {number(value, 4)}"


def by_pair(rows: Iterable[Correlation], coefficient: str) -> dict[tuple[str, str], Correlation]:
    """The rows of one coefficient by (measure, metric)."""
    return {(row.measure, row.metric): row for row in rows if row.coefficient == coefficient}


def is_highest(row: Correlation, rows: Iterable[Correlation]) -> bool:
    """Whether a table prints this coefficient in bold: it is above 0, and none of the rows has a higher one."""
    return row.value > 0 and not any(other.value > row.value + 1e-12 for other in rows)


def first_coefficient(result: Result) -> str:
    """The coefficient that a run was asked for first, which the screen, the answer, figures and LaTeX tables show."""
    return result.experiment.coefficients[0] if result.experiment.coefficients else "kendall"


def coefficient_name(coefficient: str) -> str:
    """`kendall` -> `Kendall's tau`; one that has no other name stays as it is."""
    return NAMES.get(coefficient, coefficient)


def coefficient_symbol(coefficient: str) -> str:
    """`kendall` -> `tau`; one that has no symbol stays as it is."""
    return SYMBOLS.get(coefficient, coefficient)


def tau_cell(row: Correlation) -> str:
    """The coefficient and its mark (`mark`), `undefined` where it does not exist."""
    return shown_cell(TAU, *tau_cells([row]))


def mark(row: Correlation) -> str:
    """`x`: not significant; `?`: not tested; else nothing."""
    return {"true": "", "false": "x"}.get(row.significant, "?")


def marks(table: Table) -> str:
    """What the marks of a tau table mean: `x: not significant`; of Kendall's tau, for all metrics together."""
    kept = {cell.mark for row in table.rows for cell in row[1:] if not isnan(cell.value)}
    by = " by p_adjusted" if coefficient_of(table) == KENDALL else ""
    meanings = [f"x: not significant{by}"] if kept - {"?"} or "?" not in kept else []
    return "; ".join([*meanings, *(["?: not tested"] if "?" in kept else [])])


def p_method(table: Table) -> str:
    """How the p-values of a tau table were made: of each pair by itself, and p_adjusted, for all metrics together."""
    rows = [row for row in table.records if isinstance(row, Correlation)]
    used = dict.fromkeys(row.p_method for row in rows if row.p_method)
    together = ["p_adjusted by step-down max-T"] if any(not isnan(row.p_adjusted) for row in rows) else []
    return ", ".join([*used, *together]) or "none"


def interval(row: Correlation) -> str:
    """` [.71, .95]` where the run made an interval, nothing where it did not."""
    return "" if isnan(row.ci_low) or isnan(row.ci_high) else f" {wording.interval(row.ci_low, row.ci_high, 2)}"


def undefined_reasons(rows: Iterable[Correlation]) -> list[str]:
    """Why a coefficient is undefined, each reason once with the columns it concerns."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if isnan(row.value):
            reasons.setdefault(row.note, []).append(f"{row.coefficient}({row.metric}, {row.measure})")
    return [
        f"{', '.join(pairs[:4])}{f' and {len(pairs) - 4} more' if len(pairs) > 4 else ''}: undefined, {reason}"
        for reason, pairs in reasons.items()
    ]


def counts(result: Result) -> dict[str, Counts]:
    """Counts by label of topics and judgments; the first has the empty label."""
    return {
        ",".join(filter(None, (topics, relevance))): retrieval.counts[relevance]
        for topics, relevance, retrieval in result.judgments()
    }


def size_lines(result: Result) -> list[str]:
    """What was read: the test set, and what the corpus itself notes."""
    if result.inputs is None:
        return []
    test = result.inputs.corpus.test
    size = [f"{len(test)} segments in the MT test set, {len(test.references)} reference(s)"] if test else []
    return [*size, *result.inputs.corpus.notes]


def count_lines(result: Result) -> list[str]:
    """Documents, topics scored and dropped, and how much of what matches is relevant, for each set of judgments."""
    lines = [_count_line(label, found) for label, found in counts(result).items()]
    asked = result.experiment.relevance
    for topics, label, retrieval in result.judgments():
        lines += lowered_k(asked[label], retrieval.rules.get(label), ",".join(filter(None, (topics, label))))
    return lines


def lowered_k(asked: object, used: object, label: str) -> Iterator[str]:
    """That fewer documents are relevant than by default, where topics match few."""
    if isinstance(asked, TopK) and isinstance(used, TopK) and asked.k is None and used.k not in (None, DEFAULT):
        head = f"{label}: " if label else ""
        yield (
            f"{head}relevant are the first {used.k} documents, not {DEFAULT}, because topics match few: half of the "
            f"median, at least {FEWEST} (relevance.k={DEFAULT} for {DEFAULT})"
        )


def _count_line(label: str, found: Counts) -> str:
    head = f"{label}: " if label else ""
    line = f"{head}{found.documents} documents; {found.topics} topics, {found.scored} scored"
    if found.without_relevant:
        n = len(found.without_relevant)
        names = first_names(found.without_relevant)
        line += f"; {n} judged without a relevant document ({names}): false alarms alone count"
    if found.unmatched:
        line += f"; dropped, no document of the reference side matches: {first_names(found.unmatched)}"
    if found.unjudged:
        line += f"; dropped, nothing judged relevant: {first_names(found.unjudged)}"
    if found.median_matched is not None and found.share_relevant is not None:
        line += (
            f"; median documents matched {short(found.median_matched)}, "
            f"median share of them relevant {number(found.share_relevant)}"
        )
    return line


def agreement_lines(result: Result) -> list[str]:
    """Whether two sets of judgments say the same: of documents, and of the order of the systems."""
    return [
        _agreement_line(result, topics, retrieval, other)
        for topics, retrieval in result.retrieval.items()
        for other in list(retrieval.judged)[1:]
    ]


def _agreement_line(result: Result, topics: str, retrieval: Retrieval, other: str) -> str:
    first = next(iter(retrieval.judged))
    overlaps = overlap(retrieval.judged[first].qrels, retrieval.judged[other].qrels)
    defined = overlaps[np.isfinite(overlaps)]
    mean = float(defined.mean()) if len(defined) else nan
    collection = "" if result.inputs is None else result.inputs.corpus.collection
    pairs = [
        (with_marks(name, collection, topics, first), with_marks(name, collection, topics, other))
        for label, name in retrieval.per_topic
        if label == other and with_marks(name, collection, topics, first) in result.board.by_name
    ]
    board = result.board
    taus = [f"{a} and {b} {_tau_over_both(board, a, b)}" for a, b in pairs]
    rule = {**result.experiment.relevance, **retrieval.rules}[first].signature
    return (
        f"agreement of {rule} and {other} on {len(overlaps)} topics: the relevant documents overlap by "
        f"{number(mean)} (mean of |both| / |either|); tau between the two orders of the systems: " + ", ".join(taus)
    )


def _tau_over_both(board: Scoreboard, a: str, b: str) -> str:
    """Tau over the systems that have both measures, and how many those are where one is missing."""
    x, y = complete_pairs(board[a].values, board[b].values)
    over = "" if len(x) == len(board.systems) else f" (over {len(x)} of {len(board.systems)} systems)"
    return number(kendall(x, y).value) + over


def overlap(first: Qrels, second: Qrels) -> Doubles:
    """|A & B| / |A | B| of the relevant sets (grade above 0) of each topic that both judge: (topics,), in [0, 1].

    1 is perfect agreement, NaN a topic for which neither has a relevant document.

    **Source:** Voorhees, Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness, SIGIR 1998.
    """
    pairs = [
        (grades, second.grades[topic_id]) for topic_id, grades in first.grades.items() if topic_id in second.grades
    ]
    sets = [[{doc_id for doc_id, grade in side.items() if grade > 0} for side in pair] for pair in pairs]
    return np.array([len(a & b) / len(a | b) if a | b else nan for a, b in sets])


def warnings(result: Result, *, brief: bool = False) -> list[str]:
    """Warnings that a reader needs before relying on the table.

    brief: without those about pseudo-relevance that is used next to judgments that were read.
    """
    found = []
    judged = any(column.judged_by in JUDGES for column in result.board.measures)
    known = brief and judged
    for topics, relevance, retrieval in result.judgments():
        label, count = ",".join(filter(None, (topics, relevance))), retrieval.counts[relevance]
        if not count.scored:
            found.append(f"{label or 'relevance'}: no topic could be scored")
        elif count.unordered and not known:
            found.append(
                f"{label or 'relevance'}: more than half of the documents that match a topic count as relevant, so "
                "MAP and P@k say which documents match, not how they are ordered; choose a smaller relevance.k or read "
                "RBO"
            )
    holes = result.board.holes(result.failed)
    found += _directions(result)
    return [*found, *holes, *undefined_reasons(result.correlations), *result.notes]


def _directions(result: Result) -> list[str]:
    """Imported metrics that count the other way round by their name, and those that look as if they should."""
    tables = result.experiment.tables
    stated = () if tables is None else tables.lower_is_better
    imported = [column for column in result.board.metrics if column.origin == "imported"]
    known = [c.name for c in imported if not c.higher_is_better and c.name not in stated]
    found = [f"less is better in {listed(known)}, by the name"] if known else []
    for column in imported:
        taus = [
            row.value
            for row in result.correlations
            if row.metric == column.name and row.coefficient == first_coefficient(result) and not isnan(row.value)
        ]
        if column.higher_is_better and 2 * sum(tau < FALLING for tau in taus) > len(taus):
            found.append(
                f"{column.name} falls where most measures rise: if less is better in it, type "
                f"'scores.lower_is_better=[{column.name}]'"
            )
    return found


def table_notes(result: Result, title: str) -> list[str]:
    """The notes that are part of the tau table itself."""
    columns = [column for column in result.board.measures if column.table == title]
    computed = [column for column in columns if column.origin == "computed"]
    notes = []
    sources = dict.fromkeys(filter(None, map(source_note, computed)))
    for note in sources:
        noted = [column for column in computed if source_note(column) == note]
        # Of a run that people judged, RBO alone compares with the English side's ranking.
        few = len(noted) < len(computed) and not any(column.declared.get("reads_judgments") for column in noted)
        few = few or len(sources) > 1
        notes.append(f"{first_names([column.name for column in noted])}: {note}" if few else note)
    if any(column.origin == "imported" for column in columns):
        notes.append("imported: these measures were read from a score table, not computed now")
    reasons = dict.fromkeys(
        row.note.partition(";")[0]
        for row in result.correlations
        if row.measure in {column.name for column in columns}
        and row.coefficient == first_coefficient(result)
        and mark(row) == "?"
        and not isnan(row.value)
    )
    return [*(f"not tested: {reason}" for reason in reasons), *notes]


def source_note(column: Column) -> str:
    """Where the relevance of a computed measure comes from; nothing where people judged."""
    model, searched = (column.declared.get(name) for name in ("lexical_model", "searched_reference"))
    if column.judged_by == "pseudo-relevance" and model and searched:
        scoring = column.declared["scoring_reference"]
        return (
            f"relevance comes from {model} on reference {searched} (pseudo-relevance), metrics score against reference "
            f"{scoring}: both match words, those of different references"
        )
    if column.judged_by == "pseudo-relevance" and model:
        return (
            f"relevance comes from {model} on the reference side (pseudo-relevance): it shares tokens with lexical "
            "metrics and so favours them; human qrels do not"
        )
    return {
        "people": "",
        "pseudo-relevance": f"{column.retriever}: relevance comes from the reference side's own ranking "
        "(pseudo-relevance)",
        "known_items": "relevant are known items: the documents that the topics belong to",
        "model": "a model judged relevance, no person",
        "made": "relevance was made up with the documents, no person judged it",
    }.get(column.judged_by, "the source of the relevance judgments is unknown: their rule does not declare judged_by")


def first_names(names: Sequence[str], most: int = 10) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def sizes(evidence: Evidence, samples: int = 0, seed: int = 0) -> str:
    """What every table states: `38 systems, 150 topics, 3000 segments; 1000 samples, seed 0.`

    Columns that know more or fewer items are spelt out: `100 or 150 topics`; without any, `scores only`; where some
    columns have none, they are named.
    """
    items = {name: evidence.topics(name) for name in evidence.measure_names}
    items |= {name: evidence.segments(name) for name in evidence.metric_names}
    fixed = first_names([name for name, known in items.items() if not known])
    counts = [f"{len(evidence.systems)} systems"]
    for what, known in (
        ("topics", {items[name] for name in evidence.measure_names}),
        ("segments", {items[name] for name in evidence.metric_names}),
    ):
        if some := sorted(known - {0}):
            counts.append(f"{' or '.join(map(str, some))} {what}")
    if fixed:
        counts.append("scores only" if len(counts) == 1 else f"scores only for {fixed}")
    return f"{', '.join(counts)}{f'; {samples} samples, seed {seed}' if samples else ''}."


@dataclass(frozen=True)
class SetUp:
    """`set_up` of results.json; `..._left_out`: by name, why. `languages` is empty of score tables alone."""

    languages: str
    languages_known_by: str
    analyzer: str
    documents: int
    documents_by: str
    topics: Mapping[str, int]
    systems: tuple[str, ...]
    systems_left_out: Mapping[str, str]
    scores: tuple[str, ...]
    scores_left_out: Mapping[str, str]
    grouped_by: str

    def lines(self) -> Iterator[str]:
        """The three lines that come before an answer."""
        topics = ", ".join(f"{n} ({kind})" for kind, n in self.topics.items())
        yield (
            f"Languages: {self.languages} ({self.languages_known_by}); analyser: {self.analyzer}; "
            f"{many(self.documents, 'document')} ({self.documents_by}); topics: {topics or 'none'}."
            if self.documents
            else "Score tables alone: no texts, so no language and no document."
        )
        yield f"Systems: {len(self.systems)}{_left_out('; left out', self.systems_left_out)}."
        scores = ", ".join(self.scores) or "none"
        yield f"Scores read: {scores}{_left_out('; not used', self.scores_left_out)}. Groups: {self.grouped_by}."


def set_up(result: Result) -> SetUp:
    """The set-up of a run, or of one that is only checked."""
    experiment, inputs, board = result.experiment, result.inputs, result.board
    languages = experiment.languages
    return SetUp(
        languages=str(languages or ""),
        languages_known_by=languages.known_by if languages else "",
        analyzer=_analyser(experiment),
        documents=len(inputs.corpus.english) if inputs else 0,
        documents_by=_documents_by(inputs) if inputs else "",
        topics={_kind(experiment, label): len(topics) for label, topics in (inputs.topics if inputs else {}).items()},
        systems=board.systems,
        systems_left_out=_systems_left_out(inputs) if inputs else {},
        scores=tuple(column.name for column in board.columns if column.origin == "imported"),
        scores_left_out=_scores_left_out(experiment, inputs),
        grouped_by=_groups(result),
    )


def data_name(result: Result, provenance: Mapping[str, Any]) -> str:
    """What a reader knows the data by: the part of a corpus of several, the last two names of the folder's path, the
    score table that `+experiment=scores` reads, else the name of the experiment."""
    configuration = provenance.get("configuration") or {}
    corpus = configuration.get("corpus")
    if isinstance(corpus, Mapping) and (part := corpus.get("part")):
        return str(part)
    if folder := configuration.get("folder"):
        named = Path(str(folder))
        if not named.parts or ".." in named.parts:
            named = Path(normpath(Path(str(provenance.get("directory", ""))) / named))
        return "/".join(named.relative_to(named.anchor).parts[-2:])
    tables = (configuration.get("scores") or {}).get("tables")
    return Path(str(tables[0])).name if result.experiment.name == "scores" and tables else result.experiment.name


def _left_out(words: str, reasons: Mapping[str, str]) -> str:
    """`; left out: A, B (why), C (why)`."""
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        by_reason.setdefault(why, []).append(name)
    said = ", ".join(f"{first_names(names)} ({why})" for why, names in by_reason.items())
    return f"{words}: {said}" if said else ""


def _analyser(experiment: Experiment) -> str:
    analyser = getattr(experiment.retriever, "analyzer", None)
    code = getattr(analyser, "code", "")
    return f"{type(analyser).__name__.lower()}{f' {code}' if code else ''}" if analyser is not None else "none"


def _kind(experiment: Experiment, label: str) -> str:
    return str(getattr(experiment.topics[label], "kind", label or "topics"))


def _documents_by(inputs: Inputs) -> str:
    layout, lengths = inputs.corpus.collection_layout, inputs.corpus.document_map.lengths
    if layout is not None and "docs.tsv" in layout.singles:
        return "docs.tsv"
    given = layout is None or isinstance(inputs.corpus.english.text, JsonlText)
    return "as given" if given else f"{many(int(lengths[0]), 'line')} each, documents.size=N"


def _systems_left_out(inputs: Inputs) -> dict[str, str]:
    layout = inputs.corpus.collection_layout
    known = {*(t.system for t in inputs.translations), *inputs.left_out, *inputs.pending}
    unnamed = () if layout is None else (name for name in layout.systems if name not in known)
    pending = {name: f"pending: {why}" for name, why in inputs.pending.items()}
    return {**dict.fromkeys(unnamed, "systems.include, systems.exclude"), **inputs.left_out, **pending}


def _scores_left_out(experiment: Experiment, inputs: Inputs | None) -> dict[str, str]:
    ignored = experiment.tables.ignore if experiment.tables is not None else ()
    return {**(inputs.corpus.official.unused if inputs else {}), **dict.fromkeys(ignored, "scores.ignore")}


def _groups(result: Result) -> str:
    units, typed = result.units, result.experiment.units
    if units.independent:
        return f"none ({f'units={typed}' if typed else 'units=COLUMN says which systems belong together'})"
    column = units.source in result.board.metadata or units.source in result.board.by_name
    words = {"name": "the names without their step", NUMBERED: "the number in the names"}
    by = f"the column {units.source}" if column else words.get(units.source, units.source)
    key = f"units={typed}" if typed else "units=COLUMN takes another column, units=none each system by itself"
    return f"{units.number}, by {by} ({key})"
