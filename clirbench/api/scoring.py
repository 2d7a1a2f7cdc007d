"""Scores of one system: an MT metric of its lines, IR measures of its run."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from clirbench.api.outcome import in_python, pandas_frame
from clirbench.api.texts import each_reference, lines_of
from clirbench.checks import checked
from clirbench.configuration.laboratories import measure_of
from clirbench.errors import AlignmentError, ConfigError, InputError
from clirbench.files.kinds import refuse
from clirbench.files.trec import read_qrels, read_run
from clirbench.measures.base import Measure
from clirbench.measures.ir import score_run
from clirbench.metrics.base import Metric
from clirbench.types import Judged, Qrels, Run, TestSet

if TYPE_CHECKING:
    import pandas as pd

Names = Sequence[Any]
"""Of measures, or measures, or objects of ir_measures, which know nothing of ours."""
COLUMNS = {
    "topic": ("query_id", "qid", "q_id", "topic_id"),
    "document": ("doc_id", "docno", "docid"),
    "relevance": ("relevance", "label", "rel", "score"),
    "score": ("score", "sim"),
}
"""Names of columns of ir_measures, PyTerrier, ranx and trec_eval, ours among them; the first that is there counts."""
CALL = "a call is cb.evaluate(qrels, run, measures)"


@lru_cache(maxsize=64)
def metric_by_name(name: str) -> Metric:
    """The metric of that name, as the command line has it."""
    from clirbench.configuration.building import metric_named

    return metric_named(name)


def _metric(given: Any) -> Metric:
    from clirbench.configuration.building import metric_of

    metric: Metric = checked("metric", metric_of(given), Metric)
    return metric


@overload
def score(
    hypotheses: Any, references: Any, metric: object, *, source: Any = None, segments: Literal[False] = False
) -> float: ...
@overload
def score(
    hypotheses: Any, references: Any, metric: object, *, source: Any = None, segments: Literal[True]
) -> "pd.Series[float]": ...
@in_python("cb.score(['the cat'], ['the cat sat'], 'BLEU')")
def score(hypotheses: Any, references: Any, metric: object, *, source: Any = None, segments: bool = False) -> Any:
    """The score of a system's lines, a float, as a run computes it; with `segments`, that of each line as a Series.

    `hypotheses`: lines, or the `Path` of a file of lines. `references`: the same, or a list of several references.
    `metric`: the name of one that the command line has, or a metric, one of sacreBLEU's too; metrics that read the
    source need `source`. Raises `AlignmentError` for unequal numbers of lines, `UnknownName` for a metric that does
    not exist.

        >>> import clirbench as cb
        >>> round(cb.score(["the cat sat"], ["the cat sat down"], "chrF2"), 2)
        66.02
        >>> cb.score(["a b", "c d"], ["a b", "c e"], "WER", segments=True).tolist()
        [0.0, 50.0]
    """
    lines = lines_of("hypotheses", hypotheses)
    kept = tuple(lines_of("references", one) for one in each_reference(references))
    if not lines:
        raise AlignmentError("hypotheses: there is no line, so there is nothing to score")
    test = TestSet(kept, None if source is None else lines_of("source", source))
    chosen = metric_by_name(metric) if isinstance(metric, str) else _metric(metric)
    statistics = chosen.statistics(lines, test)
    if not segments:
        return float(np.asarray(chosen.score(np.asarray(statistics.sum(axis=0)))))
    import pandas as pd

    if isinstance(statistics, np.ndarray):
        scores = chosen.score(statistics)
    else:
        scores = np.array([chosen.score(np.asarray(statistics[[i]].sum(axis=0))) for i in range(len(lines))])
    return pd.Series(scores.reshape(-1), name=chosen.name, dtype=float)


@overload
def evaluate(
    qrels: Any, run: Any, measures: Names, *, ideal: Any = ..., n_documents: int = ..., per_topic: Literal[False] = ...
) -> dict[str, float]: ...
@overload
def evaluate(
    qrels: Any, run: Any, measures: Names, *, ideal: Any = None, n_documents: int = 0, per_topic: Literal[True]
) -> "pd.DataFrame": ...
@in_python("cb.evaluate('qrels.txt', 'system.run', ['MAP', 'nDCG@10'])")
def evaluate(
    qrels: Any, run: Any, measures: Names, *, ideal: Any = None, n_documents: int = 0, per_topic: bool = False
) -> Any:
    """IR measures of a run: {measure: value} or, with `per_topic`, a DataFrame, a row for each measure and topic.

    `qrels`, `run`: {topic: {document: grade or score}}; rows, or a DataFrame (as in `correlate`), with the columns of
    ir_measures (query_id, doc_id, relevance or score), PyTerrier (qid, docno, label), ranx (q_id) or trec_eval (docid,
    rel, sim); the path of a TREC file; or `Qrels` and `Run`, ours or those of ranx. `measures`: names, or objects of
    ir_measures.
    `ideal`: the run that RBO and its like compare with; default, the judged documents by grade, equal grades tied.
    `n_documents`: the size of the collection, which AQWV needs.

    Every judged topic counts; one for which the run has nothing scores 0.

        >>> import clirbench as cb
        >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
        >>> cb.evaluate(qrels, {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, ["AP", "P@1"])
        {'AP': 0.8333333333333333, 'P@1': 1.0}
    """
    judgments = qrels if isinstance(qrels, Qrels) else _qrels(qrels)
    grades = judgments.grades.items()
    best = {topic: {doc_id: float(grade) for doc_id, grade in of.items() if grade > 0} for topic, of in grades}
    judged = Judged(judgments, Run.of(best) if ideal is None else _run(ideal), n_documents)
    ranked = _run(run)
    if judgments.topic_ids and ranked.topic_ids and not {*judgments.topic_ids} & {*ranked.topic_ids}:
        said = f"its topics ({', '.join(ranked.topic_ids[:3])}, ...) are none of the judged ones"
        raise InputError(f"run: {said} ({', '.join(judgments.topic_ids[:3])}, ...); write the ids alike in both")
    names: Any = [measures] if isinstance(measures, str) or not hasattr(measures, "__iter__") else measures
    chosen = tuple(checked("measures", measure_of(one), Measure) for one in names)
    found = score_run(chosen, ranked, judged)
    if not per_topic:
        return {one.name: float(one.aggregate(found[one.name])) for one in chosen}
    import pandas as pd

    rows = []
    for one in chosen:
        topics = judged.with_relevant.topic_ids if one.needs_relevant else judged.topic_ids
        rows += [(topic, one.name, value) for topic, value in zip(topics, found[one.name].tolist(), strict=True)]
    return pd.DataFrame(rows, columns=["topic_id", "measure", "value"])


def _qrels(qrels: Any) -> Qrels:
    if isinstance(qrels, str | Path):
        refuse(Path(qrels), "qrels", cure=CALL)
        return read_qrels(Path(qrels))
    grades = _nested("qrels", qrels, "relevance")
    return Qrels({topic: {doc_id: int(grade) for doc_id, grade in by.items()} for topic, by in grades.items()})


def _run(run: Any) -> Run:
    if isinstance(run, str | Path):
        refuse(Path(run), "run", cure=CALL)
        return read_run(Path(run))
    return run if isinstance(run, Run) else Run.of(_nested("run", run, "score"))


def _nested(what: str, given: Any, value: str) -> Mapping[str, Mapping[str, float]]:
    """{topic: {document: number}} of any of the forms that `evaluate` takes."""
    kind = int if value == "relevance" else float
    given = given.to_dict() if type(given).__module__.partition(".")[0] == "ranx" else given
    found: dict[str, dict[str, float]] = {}
    try:
        if isinstance(given, Mapping):
            found = {str(topic): {} for topic in given}
            rows: Any = ((topic, *one) for topic, by in given.items() for one in by.items())
        else:
            import pandas as pd

            table = pandas_frame(given)
            table = pd.DataFrame([getattr(row, "__dict__", row) for row in given]) if table is None else table
            names = [next(name for name in COLUMNS[key] if name in table) for key in ("topic", "document", value)]
            rows = table[names].itertuples(index=False)
        for topic, document, number in rows:
            found.setdefault(str(topic), {})[str(document)] = kind(number)
            if float(number) != kind(number):
                raise ValueError
        return found
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
        said = f"{what}: expected a mapping such as {{'q1': {{'d1': 1}}}}, a TREC file, or rows with query_id, doc_id"
        raise ConfigError(f"{said} and {value} (a {'whole ' if kind is int else ''}number)") from None
