"""`analysis=[multiverse]`: the retrieval side again for every combination of choices, and who wins how often."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from math import isnan
from typing import Any

from clirbench.columns import scoreboard
from clirbench.errors import ConfigError, UnknownName
from clirbench.experiment import completed, retrieve
from clirbench.inputs.reading import read_inputs
from clirbench.labs.choosing.statistics.multiverse import MultiverseRow, Universe, multiverse, universe_taus, universes
from clirbench.pages.table import Table
from clirbench.pages.wording import number, short
from clirbench.report.conditions import UniverseTau
from clirbench.report.facts import sizes
from clirbench.result import Experiment, Result, no_watch
from clirbench.scoreboard import Scoreboard

ROOTS = ("retrieval", "relevance", "measures", "topics", "documents")
INPUTS = ("topics", "documents")


@dataclass(frozen=True)
class MultiverseAnalysis:
    """Tables `multiverse` (how each metric fares) and `multiverse_taus` (every universe).

    `choices`: key to values; keys are those of the command line, `retrieval.b`, `retrieval.analyzer.stem`,
    `relevance.k`, `topics.n`, `documents.size`, `measures.RBO.p`. The MT side is not computed again, and steps that
    the store holds are not repeated. A combination that a component refuses stops the run with its `ConfigError`.
    """

    choices: Mapping[str, Sequence[object]] = field(default_factory=dict)
    coefficient: str = "kendall"

    def __post_init__(self) -> None:
        for key in self.choices:
            if key.split(".")[0] not in ROOTS:
                raise UnknownName("analyses.multiverse.choices", key, [f"{root}.*" for root in ROOTS])

    def check(self, result: Result) -> None:
        """Raise `ConfigError` where there is no retrieval to repeat, or a choice is refused."""
        if result.inputs is None or result.experiment.retriever is None or not result.experiment.measures:
            raise ConfigError(
                "analysis=[multiverse] repeats the retrieval: it needs documents and measures, not scores alone"
            )
        for universe in universes(self.choices):
            changed(result.experiment, universe)

    def tables(self, result: Result) -> Sequence[Table]:
        self.check(result)
        assert result.inputs is not None
        grid = universes(self.choices)
        experiments = {universe: changed(result.experiment, universe) for universe in grid}
        boards = {universe: rerun(experiment, result, universe) for universe, experiment in experiments.items()}
        taus = universe_taus(boards, self.coefficient)
        rows = multiverse(taus)
        text = [*multiverse_findings(rows, self.choices), sizes(result.evidence)]
        return (
            Table.of("multiverse", "Would other choices have named another winner?", MultiverseRow, rows, text),
            Table.of("multiverse_taus", "Every universe", UniverseTau, taus),
        )


def changed(experiment: Experiment, universe: Universe) -> Experiment:
    """The experiment with every choice of the universe made. Raises `UnknownName` for a field that is not there."""
    for key, value in universe:
        root, *path = key.split(".")
        if root == "retrieval":
            experiment = replace(experiment, retriever=_with(experiment.retriever, path, value, key))
        elif root == "documents":
            experiment = replace(experiment, corpus=_with(experiment.corpus, [f"documents_{path[0]}"], value, key))
        elif root == "measures":
            experiment = replace(experiment, measures=_with_measure(experiment.measures, path, value, key))
        elif root == "relevance":
            experiment = replace(experiment, relevance=_with_first(experiment.relevance, path, value, key))
        else:
            experiment = replace(experiment, topics=_with_first(experiment.topics, path, value, key))
    return experiment


def _with_first(held: Mapping[str, Any], path: Sequence[str], value: object, key: str) -> dict[str, Any]:
    """The labelled components with the first one changed: that is what the key means on the command line."""
    first = next(iter(held))
    return {**held, first: _with(held[first], path, value, key)}


def _with_measure(measures: Sequence[Any], path: Sequence[str], value: object, key: str) -> tuple[Any, ...]:
    name, *rest = path
    if name not in {measure.name for measure in measures}:
        raise UnknownName(f"measure of {key}", name, (measure.name for measure in measures))
    return tuple(_with(measure, rest, value, key) if measure.name == name else measure for measure in measures)


def _with(component: Any, path: Sequence[str], value: object, key: str) -> Any:
    """A component with one field, perhaps of a component inside it, replaced."""
    name, *rest = path
    known = [f.name for f in fields(component) if f.init] if is_dataclass(component) else []
    if name not in known:
        raise UnknownName(f"field of {key}", name, known)
    inner = _with(getattr(component, name), rest, value, key) if rest else value
    return replace(component, **{name: inner})


def rerun(experiment: Experiment, result: Result, universe: Universe) -> Scoreboard:
    """The scoreboard of a universe; the MT side's scores are those of the run."""
    inputs = result.inputs
    if any(key.split(".")[0] in INPUTS for key, _ in universe):
        inputs, _ = completed(experiment, read_inputs(experiment), no_watch)
    assert inputs is not None
    inputs = replace(inputs, translations=tuple(t for t in inputs.translations if t.system in result.board.systems))
    found = {label: retrieve(experiment, inputs, label, no_watch) for label in inputs.topics}
    scores = {
        (column.name, system): value
        for column in result.board.metrics
        for system, value in zip(result.board.systems, column.values.tolist(), strict=True)
        if column.origin == "computed"
    }
    board, _ = scoreboard(experiment, inputs, scores, found)
    return board


def multiverse_findings(rows: Sequence[MultiverseRow], choices: Mapping[str, Sequence[object]]) -> Iterator[str]:
    """For each measure, who wins how often, and the range of every tau."""
    spelt = ", ".join(f"{key} in {', '.join(map(str, values))}" for key, values in choices.items())
    most = max((row.universes for row in rows), default=0)
    yield f"{most} universes: every combination of {spelt}."
    for measure in dict.fromkeys(row.measure for row in rows):
        here = sorted(
            (row for row in rows if row.measure == measure and not isnan(row.share)), key=lambda row: -row.wins
        )
        told = ", ".join(
            f"{row.metric} {short(row.wins, 3)} of {row.universes} ({number(row.lowest)} to {number(row.highest)})"
            for row in here
        )
        yield f"{measure}: best metric, ties shared, and range of its tau: {told}."
