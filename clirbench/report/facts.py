"""What every report shows, once for all of them: the set-up of a run, tau tables and the text of a cell, counts,
warnings and notes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from os.path import normpath
from pathlib import Path
from typing import Any

import numpy as np

from clirbench import pages as wording
from clirbench.columns import kind, share_text
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.keys import value_of
from clirbench.measures.rbo import RBO
from clirbench.pages import Cell, TableColumn, listed, many, number, short, shown_cell
from clirbench.relevance.top_k import DEFAULT, FEWEST, TopK
from clirbench.report.answer import judged, sentence
from clirbench.result import Counts, Result, with_marks
from clirbench.statistics.belonging import NUMBERED
from clirbench.statistics.coefficients import SYMBOLS, complete_pairs, kendall
from clirbench.statistics.correlation import KENDALL, Correlation
from clirbench.statistics.grades import SHOWN, Evidence
from clirbench.topics.base import BY_REFERENCE, SECOND
from clirbench.types import JUDGES, Doubles, Qrels, by_key

MEANING = {"false": ", not significant", "undefined": ", not tested"}
FALLING = -0.3
"""Tau of a metric that may count the other way round."""
TAU = TableColumn("tau", "number", format="coefficient")


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
    p_values = {"p": row.p_value, "for all metrics together": row.p_adjusted}
    known = [f"{said} {_p(p)}" for said, p in p_values.items() if not isnan(p)]
    known = [f"{pair}: {number(row.value)}{interval(row)}", *known, f"{row.n_systems} systems"]
    more = [row.scheme and f"interval over {row.scheme}", row.note]
    if not isnan(row.ceiling):
        more.append(f"expected of a perfect metric: {number(row.ceiling)}")
    return "; ".join(filter(None, [", ".join(known) + MEANING.get(row.significant, ""), *more]))


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


def coefficient_symbol(coefficient: str) -> str:
    """`kendall` -> `tau`; one that has no symbol stays as it is."""
    return SYMBOLS.get(coefficient, coefficient)


def tau_cell(row: Correlation) -> str:
    """The coefficient and its mark (`mark`), `undefined` where it does not exist."""
    return shown_cell(TAU, *tau_cells([row]))


def mark(row: Correlation) -> str:
    """`x`: not significant; `?`: not tested; else nothing."""
    return {"true": "", "false": "x"}.get(row.significant, "?")


def marks(rows: Sequence[Correlation]) -> str:
    """What the marks of a tau table mean: `x: not significant`; Kendall's tau is tested one-sided, for all metrics."""
    kept = {mark(row) for row in rows if not isnan(row.value)}
    said = (
        "x: not significantly above 0, corrected for all metrics"
        if rows[0].coefficient == KENDALL
        else "x: not significant"
    )
    meanings = [said] if kept - {"?"} or "?" not in kept else []
    return "; ".join([*meanings, *(["?: not tested"] if "?" in kept else [])])


def interval(row: Correlation) -> str:
    """` [.71, .95]` where the run made an interval, nothing where it did not."""
    return "" if isnan(row.ci_low) or isnan(row.ci_high) else f" {wording.interval(row.ci_low, row.ci_high, 2)}"


def undefined_reasons(rows: Iterable[Correlation]) -> list[str]:
    """Why a coefficient is undefined, each reason once with the columns it concerns."""
    undefined = (row for row in rows if isnan(row.value))
    reasons = by_key((row.note, f"{row.coefficient}({row.metric}, {row.measure})") for row in undefined)
    return [f"{first_names(pairs, 4)}: undefined, {reason}" for reason, pairs in reasons.items()]


def counts(result: Result) -> dict[str, Counts]:
    """Counts by label of topics and judgments; the first has the empty label."""
    return {_label(topics, by): retrieval.counts[by] for topics, by, retrieval in result.judgments()}


def _label(topics: str, relevance: str) -> str:
    return ",".join(filter(None, (topics, relevance)))


def size_lines(result: Result) -> list[str]:
    """What was read: the test set, and what the corpus itself notes."""
    if result.inputs is None:
        return []
    test = result.inputs.corpus.test
    size = [f"{len(test)} segments in the MT test set, {len(test.references)} reference(s)"] if test else []
    return [*size, *result.inputs.corpus.notes]


def count_lines(result: Result) -> list[str]:
    """Documents, topics scored and dropped, and how much of what matches is relevant, for each set of judgments."""
    lines = []
    for label, found in counts(result).items():
        parts = [f"{found.documents} documents; {found.topics} topics, {found.scored} scored"]
        for names, said in (
            (found.without_relevant, "{} judged without a relevant document ({}): false alarms alone count"),
            (found.unmatched, "dropped, no document of the reference side matches: {1}"),
            (found.unjudged, "dropped, nothing judged relevant: {1}"),
        ):
            parts += [said.format(len(names), first_names(names))] if names else []
        if found.median_matched is not None and found.share_relevant is not None:
            share = f"median share of them relevant {number(found.share_relevant)}"
            parts.append(f"median documents matched {short(found.median_matched)}, {share}")
        lines.append(f"{label}: {'; '.join(parts)}" if label else "; ".join(parts))
    for topics, by, retrieval in result.judgments():
        lines += lowered_k(result.experiment.relevance[by], retrieval.rules.get(by), _label(topics, by))
    return lines


def lowered_k(asked: object, used: object, label: str) -> Iterator[str]:
    """That fewer documents are relevant than by default, where topics match few."""
    if isinstance(asked, TopK) and isinstance(used, TopK) and asked.k is None and used.k not in (None, DEFAULT):
        said = f"relevant are the first {used.k} documents, not {DEFAULT}, because topics match few: half of the"
        yield f"{label and f'{label}: '}{said} median, at least {FEWEST} (relevance.k={DEFAULT} for {DEFAULT})"


def agreement_lines(result: Result) -> Iterator[str]:
    """Whether two sets of judgments say the same: of documents, and of the order of the systems."""
    board, collection = result.board, "" if result.inputs is None else result.inputs.corpus.collection
    for topics, retrieval in result.retrieval.items():
        first, *others = retrieval.judged
        for other in others:
            shares = overlap(retrieval.judged[first].qrels, retrieval.judged[other].qrels)
            defined = shares[np.isfinite(shares)]
            taus = []
            for a, b in ([with_marks(name, collection, topics, of) for of in (first, other)]
                         for label, name in retrieval.per_topic if label == other):  # fmt: skip
                if a in board.by_name:
                    x, y = complete_pairs(board[a].values, board[b].values)
                    of = f" (over {len(x)} of {len(board.systems)} systems)" if len(x) < len(board.systems) else ""
                    taus.append(f"{a} and {b} {number(kendall(x, y).value)}{of}")
            rule = {**result.experiment.relevance, **retrieval.rules}[first].signature
            mean = number(float(defined.mean()) if len(defined) else nan)
            said = f"the relevant documents overlap by {mean} (mean of |both| / |either|)"
            said += f"; tau between the two orders of the systems: {', '.join(taus)}"
            yield f"agreement of {rule} and {other} on {len(shares)} topics: {said}"


def legend(result: Result) -> list[str]:
    """What a grade needs, where metrics were compared; topics, references and covariates may lower it."""
    if not any(row.coefficient == KENDALL for row in result.correlations):
        return []
    strong, moderate, weak = (f"{50 * (1 + x):g} % (tau {f'{x:g}'[x > 0 :]})" for x in SHOWN.values())
    sure = wording.percent(1 - result.experiment.alpha)
    own = any(share_text(result.board[row.measure], result.board[row.metric]) for row in result.correlations)
    most = ", but where the metrics' own reference judges, or may, moderate at most" if own else ""
    if result.experiment.paper:
        most = "; in a paper's experiment no judge lowers a grade"
    told = "Grades go by the low end of an interval for other systems like these (the figure after 'at least'): strong "
    told += f"from {strong}, moderate from {moderate}, weak over {weak}, undecided or worse below{most}. The {sure} "
    told += "confidence is for all metrics together. Systems are made independently if each was trained by itself, "
    told += "even by one maker with other data or settings; checkpoints of one training, and one trained system used "
    told += "in several ways, are not."
    if (first := result.board.first_measure) is not None:
        told += f" This answer is about {first.name}: primary=MEASURE takes another."
    own_p = {measure.name: measure.p for measure in result.experiment.measures if isinstance(measure, RBO)}
    if "RBO" in own_p and len(own_p) > 1:
        told += f" The row RBO is RBO(p={short(own_p['RBO'])})."
    return [told]


def overlap(first: Qrels, second: Qrels) -> Doubles:
    """|A & B| / |A | B| of the relevant sets (grade above 0) of each topic that both judge: (topics,), in [0, 1].

    1 is perfect agreement, NaN a topic for which neither has a relevant document.

    **Source:** Voorhees, Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness, SIGIR 1998.
    """
    both = [topic_id for topic_id in first.grades if topic_id in second.grades]
    pairs = [[{d for d, grade in of.grades[topic].items() if grade > 0} for of in (first, second)] for topic in both]
    return np.array([len(a & b) / len(a | b) if a | b else nan for a, b in pairs])


def warnings(result: Result, *, brief: bool = False) -> list[str]:
    """Warnings that a reader needs before relying on the table.

    brief: without those about pseudo-relevance that is used next to judgments that were read.
    """
    found = []
    known = brief and any(column.judged_by in JUDGES for column in result.board.measures)
    for label, counted in counts(result).items():
        if not counted.scored:
            found.append(f"{label or 'relevance'}: no topic could be scored")
        elif counted.unordered and not known:
            said = "more than half of the documents that match a topic count as relevant, so MAP and P@k say which"
            said += " documents match, not how they are ordered; choose a smaller relevance.k or read RBO"
            found.append(f"{label or 'relevance'}: {said}")
    undefined = undefined_reasons(result.correlations)
    return [*found, *_directions(result), *result.board.holes(result.failed), *undefined, *result.notes]


def _directions(result: Result) -> Iterator[str]:
    """Imported metrics that count the other way round by their name, and those that look as if they should."""
    stated = () if result.experiment.tables is None else result.experiment.tables.lower_is_better
    imported = [column for column in result.board.metrics if column.origin == "imported"]
    if known := [c.name for c in imported if not c.higher_is_better and c.name not in stated]:
        yield f"less is better in {listed(known)}, by the name"
    rows = [row for row in result.correlations if row.coefficient == first_coefficient(result)]
    for column in imported:
        taus = [row.value for row in rows if row.metric == column.name and not isnan(row.value)]
        if column.higher_is_better and 2 * sum(tau < FALLING for tau in taus) > len(taus):
            typed = f"type 'scores.lower_is_better=[{column.name}]'"
            yield f"{column.name} falls where most measures rise: if less is better in it, {typed}"


def table_notes(result: Result, title: str) -> list[str]:
    """The notes that are part of the tau table itself: why it is not tested, and that no person judged."""
    columns = [column for column in result.board.measures if column.table == title]
    measures, of_first = {column.name for column in columns}, first_coefficient(result)
    rows = (row for row in result.correlations if row.measure in measures and row.coefficient == of_first)
    shown = [row for row in rows if not isnan(row.value)]
    reasons = by_key(dict.fromkeys((row.note.partition(";")[0], row.metric) for row in shown if mark(row) == "?"))
    every = all(mark(row) == "?" for row in shown)  # else a reader takes the reason for that of all metrics
    no_person = [column for column in columns if column.origin == "computed" and column.judged_by != "people"]
    said = (sentence(judged(replace(column, name="\0"), result.board.metrics)) for column in no_person)
    judges = by_key(zip(said, (column.name for column in no_person), strict=True))  # measures by their sentence
    untested = [f"not tested{'' if every else f' ({listed(of)})'}: {reason}" for reason, of in reasons.items()]
    return [*untested, *(said.removesuffix(".").replace("\0", listed(of)) for said, of in judges.items())]


def first_names(names: Sequence[str], most: int = 10) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def sizes(evidence: Evidence, samples: int = 0, seed: int = 0) -> str:
    """What every table states: `38 systems, 150 topics, 3000 segments; 1000 samples, seed 0.`

    Columns that know more or fewer items are spelt out: `100 or 150 topics`; without any, `scores only`; where some
    columns have none, they are named.
    """
    known = {"topics": {name: evidence.topics(name) for name in evidence.measure_names}}
    known["segments"] = {name: evidence.segments(name) for name in evidence.metric_names}
    told = [f"{len(evidence.systems)} systems"]
    for what, of in known.items():
        if some := sorted({*of.values()} - {0}):
            told.append(f"{' or '.join(map(str, some))} {what}")
    if fixed := first_names([name for of in known.values() for name, n in of.items() if not n]):
        told.append("scores only" if len(told) == 1 else f"scores only for {fixed}")
    return f"{', '.join(told)}{f'; {samples} samples, seed {seed}' if samples else ''}."


def set_up(result: Result) -> dict[str, Any]:
    """`set_up` of results.json, of a run or of one that is only checked; `..._left_out`: by name, why. `languages` is
    empty of score tables alone.
    """
    experiment, inputs, languages = result.experiment, result.inputs, result.experiment.languages
    analyser, corpus = getattr(experiment.retriever, "analyzer", None), inputs and inputs.corpus
    spelt = f"{type(analyser).__name__.lower()} {getattr(analyser, 'code', '')}".rstrip()
    ignored = dict.fromkeys(experiment.tables.ignore if experiment.tables else (), "scores.ignore")
    left_out: dict[str, str] = {}
    if inputs and corpus:
        left_out = {**inputs.left_out, **{name: f"pending: {why}" for name, why in inputs.pending.items()}}
        known, layout = {*left_out, *(t.system for t in inputs.translations)}, corpus.collection_layout
        if layout:
            ours = bool(known & {*layout.systems})  # else the systems are made, or found by a pattern
            strange = [file for file in layout.ignored if ours and file.startswith("systems/")]
            read = {file for t in inputs.translations for file in t.files}
            there = {name: Path(layout.where, file).absolute() for name, file in layout.systems.items()}
            others = [name for name, file in there.items() if name not in known and file not in read]
            unnamed = dict.fromkeys(others, "systems.include, systems.exclude" if ours else "systems= takes others")
            left_out = {**unnamed, **dict.fromkeys(strange, "no .txt, .txt.gz or .jsonl"), **left_out}
    topics = inputs.topics.items() if inputs else ()
    engines = [engine for engine in experiment.retrievers.values() if engine is not None]
    first, unused = result.board.first_measure, corpus.references_left_out if corpus else {}
    ranked = first is not None and first.judged_by == "pseudo-relevance"
    asked = [by.removeprefix(BY_REFERENCE) for by in (inputs.second if inputs and ranked else ()) if by != SECOND]
    beside = {metric.name for metric in corpus.scores} if corpus else set()
    return {
        "languages": str(languages or ""),
        "languages_known_by": languages.known_by if languages else "",
        "analyzer": spelt if analyser else "none",
        "documents": len(corpus.english) if corpus else 0,
        "documents_by": _documents_by(corpus) if corpus else "",
        "retrieval": tuple(getattr(engine, "described", kind(engine)) for engine in engines),
        "topics": {str(getattr(experiment.topics[label], "kind", label or "topics")): len(t) for label, t in topics},
        "systems": result.board.systems,
        "systems_left_out": left_out,
        "references_asked": asked,
        "references_left_out": {name: why for name, why in unused.items() if name not in asked},
        "scores": tuple(one.name for one in result.board.columns if one.origin == "imported" or one.name in beside),
        "scores_left_out": {**(corpus.official.unused if corpus else {}), **ignored},
        "grouped_by": _groups(result),
    }


def set_up_lines(result: Result) -> Iterator[str]:
    """The three lines that come before an answer."""
    found = set_up(result)
    found["topics"] = ", ".join(f"{n} ({kind})" for kind, n in found["topics"].items()) or "none"
    if found["documents"]:
        said = "Languages: {languages} ({languages_known_by}); analyser: {analyzer}; {0} ({documents_by}); "
        if len(found["retrieval"]) > 1 or "(" in "".join(found["retrieval"]):
            said += f"retrieval: {' and '.join(found['retrieval'])}; "
        yield f"{said}topics: {{topics}}.".format(many(found["documents"], "document"), **found)
    else:
        yield "Score tables alone: no texts, so no language and no document."
    references = "".join(f"; also judged by reference {name}" for name in found["references_asked"])
    references += _left_out("; references not used", found["references_left_out"])
    foreign = {row.system: "hardly any text of the reference" for row in result.health if row.foreign}
    references += _left_out("; perhaps no translation", foreign)
    yield f"Systems: {len(found['systems'])}{_left_out('; left out', found['systems_left_out'])}{references}."
    computed = [metric.name for metric in result.board.metrics if metric.name not in found["scores"]]
    measures = [measure.name for measure in result.board.measures if measure.name in found["scores"]]
    read = [name for name in found["scores"] if name not in measures]
    scores = {"computed": computed, "read": read, "measures read": measures}
    used = "; ".join(f"{how}: {', '.join(names)}" for how, names in scores.items() if names) or "none"
    unused = _left_out("; not used", found["scores_left_out"])
    yield f"Scores {used}{unused}. Groups: {found['grouped_by']}."


def _left_out(words: str, reasons: Mapping[str, str]) -> str:
    """`; left out: A, B (why), C (why)`."""
    by_reason = by_key((why, name) for name, why in reasons.items())
    said = ", ".join(f"{first_names(names)} ({why})" for why, names in by_reason.items())
    return f"{words}: {said}" if said else ""


def _documents_by(corpus: Corpus) -> str:
    layout = corpus.collection_layout
    if layout is not None and "docs.tsv" in layout.singles:
        return "docs.tsv"
    given = layout is None or layout.doc_ids is not None or isinstance(corpus.english.text, JsonlText)
    return "as given" if given else f"{many(int(corpus.document_map.lengths[0]), 'line')} each, documents.size=N"


def data_name(result: Result, provenance: Mapping[str, Any]) -> str:
    """What a reader knows the data by: the part of a corpus of several, the last two names of the folder's path, the
    score table that `+experiment=scores` reads, else the name of the experiment."""
    configuration = provenance.get("configuration") or {}
    if part := value_of(configuration, "corpus.part"):
        return str(part)
    if folder := configuration.get("folder"):
        named = Path(str(folder))
        if not named.parts or ".." in named.parts:
            named = Path(normpath(Path(str(provenance.get("directory", ""))) / named))
        return "/".join(named.relative_to(named.anchor).parts[-2:])
    tables = value_of(configuration, "scores.tables")
    return Path(str(tables[0])).name if result.experiment.name == "scores" and tables else result.experiment.name


def _groups(result: Result) -> str:
    units, typed = result.units, result.experiment.units
    if units.independent:
        how = "units=COLUMN says which systems belong together"
        if NUMBERED in result.other_readings:
            how = "names differ in numbers alone, not taken for training steps; "
            how += "units=number groups them"
        return f"none ({f'units={typed}' if typed else how})"
    column = units.source in result.board.metadata or units.source in result.board.by_name
    words = {
        "name": "the names without their step",
        NUMBERED: f"names alike but for a number{'' if typed else ' that rises with retrieval'}",
        "stem": "stems of the names",
    }
    by = f"the column {units.source}" if column else words.get(units.source, units.source)
    key = f"units={typed}" if typed else "units=COLUMN takes another column, units=none each system by itself"
    return f"{units.number}, by {by} ({key})"
