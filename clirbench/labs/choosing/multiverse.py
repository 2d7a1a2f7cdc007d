"""`analysis=[multiverse]`: the retrieval side again for every combination of choices, and who wins how often."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import product
from math import fsum, isnan, nan
from typing import Any

import numpy as np

from clirbench.columns import scoreboard
from clirbench.errors import ConfigError, UnknownName
from clirbench.experiment import completed, retrieve
from clirbench.inputs import read_inputs
from clirbench.pages import Table
from clirbench.report.compared import UniverseTau
from clirbench.report.facts import sizes
from clirbench.result import Experiment, Result, no_watch
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.coefficients import coefficient

ROOTS = ("retrieval", "relevance", "measures", "topics", "documents")
INPUTS = ("topics", "documents")
MULTIVERSE = (
    "Tau of each metric over all universes: every combination of the choices. wins: universes in which it is best, "
    "ties shared; share: of those that have a value."
)
SUMMARY = (
    "measure", "metric", "lowest", "quarter", "median", "three_quarters", "highest", "wins", "share", "universes",
)  # fmt: skip
Universe = tuple[tuple[str, object], ...]


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
        rows = summaries(taus)
        text = (MULTIVERSE, sizes(result.evidence))
        return (
            Table("multiverse", "Would other choices have named another winner?", SUMMARY, tuple(rows), text),
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
    return replace(component, **{name: _with(getattr(component, name), rest, value, key) if rest else value})


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


def universes(choices: Mapping[str, Sequence[object]]) -> list[Universe]:
    """The grid: every combination of the values of every key, in order, the last key turning fastest.

    Raises `ConfigError` for a key without values.
    """
    empty = [key for key, values in choices.items() if not len(values)]
    if empty:
        raise ConfigError(f"multiverse: no values for {', '.join(empty)}")
    return [tuple(zip(choices, values, strict=True)) for values in product(*choices.values())]


def universe_taus(boards: Mapping[Universe, Scoreboard], name: str = "kendall") -> list[UniverseTau]:
    """Every coefficient in every universe; a measure has one name in all of them.

    `best` marks the highest value of its universe and measure (all that share it).
    """
    rows = []
    for number, (universe, board) in enumerate(boards.items(), 1):
        spelt = " ".join(f"{key}={value}" for key, value in universe)
        for measure in board.measures:
            found = [coefficient(name)(metric.oriented, measure.oriented, p_value="scipy") for metric in board.metrics]
            top = max((result.value for result in found if result.defined), default=nan)
            for metric, result in zip(board.metrics, found, strict=True):
                best = result.defined and result.value >= top - 1e-12
                where = number, spelt, measure.name, metric.name
                rows.append(UniverseTau(*where, result.value, best, result.note))
    return rows


def summaries(rows: Sequence[UniverseTau]) -> Iterator[tuple[str | float, ...]]:
    """The columns of `SUMMARY` for every measure and metric of `universe_taus`; undefined taus are left out."""
    winners = Counter((tau.universe, tau.measure) for tau in rows if tau.best)
    for measure, metric in dict.fromkeys((row.measure, row.metric) for row in rows):
        here = [tau for tau in rows if (tau.measure, tau.metric) == (measure, metric) and not isnan(tau.value)]
        values = [tau.value for tau in here]
        spread = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist() if here else [nan] * 5
        wins = fsum(1 / winners[tau.universe, measure] for tau in here if tau.best)
        yield measure, metric, *spread, wins, wins / len(here) if here else nan, len(here)
