"""What can be known to fail before any work is done: the run's own steps, on a scoreboard without numbers.

Everything that a configuration and its files can get wrong is asked of the code that would meet it, all at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from clirbench.columns import scoreboard
from clirbench.computed import Inputs, Retrieval, with_marks
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName, gathered, raise_all
from clirbench.inputs.reading import runs_of_others
from clirbench.measures.parsing import parse
from clirbench.metrics.score_files import ScoreFile
from clirbench.relevance.top_k import TopK
from clirbench.result import Experiment, Result
from clirbench.statistics.coefficients import P_VALUES, coefficient
from clirbench.statistics.units.belonging import covariates
from clirbench.types import Run


@runtime_checkable
class Checking(Protocol):
    """An analysis, a retriever or a relevance rule that knows before a run whether it can be made.

    An analysis is asked with the prospect of the run, which has every column, NaN for its numbers; a retriever that
    needs something ready, with the systems; a rule, with the documents and the topics.
    """

    def check(self, *known: Any) -> None:
        """Raises a `ClirbenchError` where it would fail."""


def preflight(experiment: Experiment, inputs: Inputs | None) -> list[str]:
    """Notes on settings without effect. Raises every error of the run that its inputs show, all at once."""
    errors: list[ClirbenchError] = []
    for name in experiment.coefficients:
        with gathered(errors):
            coefficient(name)
    if experiment.p_value not in P_VALUES:
        errors.append(UnknownName("correlation.p_value", experiment.p_value, P_VALUES))
    errors += _paper_problems(experiment.paper)
    if inputs is not None:
        _check_sources(experiment, inputs, errors)
    with gathered(errors):
        _check_columns(expected_result(experiment, inputs), errors)
    raise_all(errors)
    return [] if inputs is None else list(_notes(experiment, inputs))


def _paper_problems(paper: object) -> Iterator[ClirbenchError]:
    """An error for each file or folder of one's own that a published table is to read and that is not there."""
    for key in ("scores", "folders", "human"):
        for label, path in (getattr(paper, key, None) or {}).items():
            if not path.startswith("embedded:") and not Path(path).exists():
                yield InputError(f"paper.{key}: {path} of {label} does not exist")


def _check_columns(prospect: Result, errors: list[ClirbenchError]) -> None:
    """Primary measure, units, covariates and analyses: what is asked of systems and columns by name."""
    primary, measures = prospect.experiment.primary, [column.name for column in prospect.board.measures]
    if primary and primary not in measures:
        errors.append(_unknown_primary(primary, measures, computed=prospect.inputs is not None))
        return
    if prospect.board.systems:
        known = covariates(prospect.board, prospect.units)
        errors += [UnknownName("covariate", name, known) for name in prospect.experiment.given if name not in known]
    for analysis in prospect.experiment.analyses:
        if isinstance(analysis, Checking):
            with gathered(errors):
                analysis.check(prospect)


def _unknown_primary(primary: str, measures: Sequence[str], computed: bool) -> ConfigError:
    """The error of a `primary` that is no measure of the run; where measures are computed it may be one to add."""
    with suppress(ClirbenchError):
        if computed:
            parse(primary)
            both = ",".join(f'"{name}"' if "(" in name else name for name in (*measures, primary))
            return ConfigError(f"primary={primary}: is not among the measures of this run; type 'measures=[{both}]'")
    return UnknownName("measure of this run", primary, measures)


def _check_sources(experiment: Experiment, inputs: Inputs, errors: list[ClirbenchError]) -> None:
    """Files of metrics, judgments and runs of others."""
    texts = {t.system: t.test for t in inputs.translations if t.test is not None}
    for metric in experiment.metrics:
        if isinstance(metric, ScoreFile):
            with gathered(errors):
                metric.for_systems(texts, inputs.corpus.test)
    for topics in inputs.topics.values():
        for rule in experiment.relevance.values():
            if isinstance(rule, Checking):
                with gathered(errors):
                    rule.check(inputs.corpus.english, topics)
    for name in {*experiment.topics, *experiment.relevance} & {*experiment.also_retriever}:
        errors.append(ConfigError(f"also_retrieval.{name}: topics or judgments have that name; choose another"))
    retrievers: Iterable[object] = experiment.retrievers.values()
    for retriever in retrievers:
        if isinstance(retriever, Checking) and inputs.topics:
            with gathered(errors):
                retriever.check([t.system for t in inputs.translations if t.collection is not None])
    if experiment.runs is not None and inputs.topics:
        with gathered(errors):
            runs_of_others(experiment.runs, inputs)


def _notes(experiment: Experiment, inputs: Inputs) -> Iterator[str]:
    n = len(inputs.corpus.english)
    for label, rule in experiment.relevance.items() if inputs.topics else ():
        if isinstance(rule, TopK) and rule.k is not None and rule.k >= n:
            yield (
                f"{with_marks('relevance', label)}: the first {rule.k} of {n} documents are relevant, which is every "
                "one that a topic matches: MAP then says which documents match, not how they are ordered; choose a "
                f"smaller relevance.k, such as {max(1, n // 10)}"
            )


def expected_result(experiment: Experiment, inputs: Inputs | None) -> Result:
    """The result with every column that the run will have, its score tables read, and NaN for computed numbers."""
    retrieval: Mapping[str, Retrieval] = {}
    if inputs is not None:
        systems = [t.system for t in inputs.translations if t.collection is not None]
        nothing = np.full((len(systems), 1), np.nan)
        per_topic = {
            (label, measure.name): nothing for label in experiment.relevance for measure in experiment.measures
        }
        runs = cast(Mapping[str, Run], dict.fromkeys(systems))
        retrieval = {
            ",".join(filter(None, (label, name))): Retrieval(
                cast(Run, None), {}, {}, runs, per_topic, topic_label=label, retriever=name
            )
            for label in inputs.topics
            for name in experiment.retrievers
        }
    board, _ = scoreboard(experiment, inputs, {}, retrieval)
    return Result(experiment, board, (), inputs, retrieval)
