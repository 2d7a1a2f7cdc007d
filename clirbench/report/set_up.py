"""What a run compares, as it was found in the data: languages, systems, scores and groups, with what was left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path
from typing import Any

from clirbench.computed import Inputs
from clirbench.corpora.jsonl import JsonlText
from clirbench.pages.wording import many
from clirbench.report.facts import first_names
from clirbench.result import Experiment, Result
from clirbench.statistics.units.belonging import NUMBERED


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
