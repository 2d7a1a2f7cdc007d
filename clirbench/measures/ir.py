"""Measures that ir-measures computes (trec_eval inside): average precision, nDCG, P, R, reciprocal rank, ...

The scores handed over are a Run's strictly falling float32 values, so every provider, whatever it does with ties,
sees the one rank order. Topics are handed over under numbers: gdeval, which computes ERR, reads no other ids.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.metadata import version
from itertools import repeat
from typing import Any

import numpy as np

from clirbench.errors import ConfigError, ResourceError
from clirbench.later import keep_recent
from clirbench.measures.base import GMAP_FLOOR, ByJudgments, Measure, arithmetic, geometric
from clirbench.types import Doubles, Ints, Judged, Need, Run, by_key


@dataclass(frozen=True)
class IrMeasure(ByJudgments):
    """A measure of ir-measures, one value a topic, and its mean over topics.

    `name` is the column, `spec` what ir-measures parses (`AP`, `nDCG@20`, `P(rel=2)@10`); `geometric` takes the
    geometric mean, exp(mean(log(max(value, 1e-5)))), as trec_eval's gm_map does. Values are in [0, 1] for all but
    counts (`NumRet`); higher is better. A topic that retrieved nothing scores 0. Raises `ConfigError` for a spec that
    no installed provider computes.

    **Source:** MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022.
    """

    name: str
    spec: str
    geometric: bool = False

    def __post_init__(self) -> None:
        _ = self.parsed

    @cached_property
    def parsed(self) -> Any:
        """The ir-measures object, checked to have a provider."""
        import ir_measures

        if sys.version_info >= (3, 14):  # whose `ast` has no longer what ir-measures 0.4.3 reads values by
            ir_measures.util._ast_to_value = ast.literal_eval
        try:
            measure = ir_measures.parse_measure(self.spec)
            if any(p.is_available() and p.supports(measure) for p in ir_measures.DefaultPipeline.providers):
                return measure
            providers = [p for p in ir_measures.DefaultPipeline.providers if p.supports(measure)]
        except (NameError, ValueError, TypeError, SyntaxError, AssertionError, KeyError) as error:
            raise ConfigError(f"measure {self.name!r}: ir-measures cannot read {self.spec!r} ({error})") from None
        advice = "; ".join(p.install_instructions() or p.NAME for p in providers)
        advice = f"install its provider: {advice}" if providers else "its parameters fit no provider"
        raise ConfigError(f"measure {self.name!r}: ir-measures reads {self.spec!r} but cannot compute it; {advice}")

    @property
    def needs(self) -> frozenset[Need]:
        """Grades, where a document must have more than the lowest one that is relevant."""
        return frozenset({"grades"} if dict(self.parsed.params).get("rel", 1) > 1 else ())

    @property
    def signature(self) -> str:
        mean = f"|mean:geometric|floor:{GMAP_FLOOR:g}" if self.geometric else "|mean:arithmetic"
        return f"{self.name}|measure:{self.parsed!r}{mean}|ties:doc_id|unmatched:0|v:ir-measures-{_version()}"

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        return evaluate([self], run, judged).reshape(-1)

    def aggregate(self, values: Doubles) -> Doubles:
        return geometric(values) if self.geometric else arithmetic(values)


@cache
def _version() -> str:
    """To read it takes a millisecond, and every key of a result asks for it."""
    return version("ir-measures")


def evaluate(measures: Sequence[IrMeasure], run: Run, judged: Judged) -> Doubles:
    """Per-topic values of several measures with one conversion of the run: (measures, topics).

    A topic whose list is empty or absent scores 0 in every measure.
    """
    values = np.zeros((len(measures), len(judged.topic_ids)))
    if not values.size:
        return values
    scores = as_scores(run, {topic_id: str(number) for number, topic_id in enumerate(judged.topic_ids)})
    if not scores:
        return values
    rows = by_key((measure.parsed, row) for row, measure in enumerate(measures))
    try:
        evaluator = _evaluator(tuple(measures), judged)
        for one in getattr(evaluator, "evaluators", [evaluator]):
            for measure, topics, found in _values(one, scores):
                values[np.ix_(rows[measure], topics)] = found
    except (OSError, subprocess.SubprocessError) as error:
        raise ResourceError(f"a measure's program could not be run ({error}); leave the measure out") from error
    return values


def _values(evaluator: Any, scores: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[Any, list[int], list[float]]]:
    """What one provider finds: a measure, numbers of topics, their values.

    trec_eval's are taken as it gives them: ir-measures makes an object of each, whose measure is hashed by its text.
    """
    for invoker in getattr(evaluator, "invokers", ()):
        by_topic = invoker.evaluator.evaluate(scores)
        topics = [int(topic) for topic in by_topic]
        for name, (measure, _) in invoker.measure_map.items():
            yield measure, topics, [found[name] for found in by_topic.values()]
    if not hasattr(evaluator, "invokers"):
        for one in evaluator.iter_calc(scores):
            if one.query_id in scores:
                yield one.measure, [int(one.query_id)], [one.value]


@keep_recent(2)
def _evaluator(measures: tuple[IrMeasure, ...], judged: Judged) -> Any:
    """What ir-measures makes of the judgments, once for all systems: a `Judged` hashes by identity."""
    import ir_measures

    grades = enumerate(judged.qrels.grades[topic_id] for topic_id in judged.topic_ids)
    qrels = {str(number): dict(held) for number, held in grades}
    return ir_measures.evaluator(list(dict.fromkeys(measure.parsed for measure in measures)), qrels)


def as_scores(run: Run, names: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """`{name: {doc_id: score}}` of the topics in `names` that retrieved something."""
    ids, values = list(map(run.doc_ids.__getitem__, run.documents.tolist())), run.scores.tolist()
    lists = zip(names.values(), *(ends.tolist() for ends in run.parts(list(names))), strict=True)
    return {
        name: dict(zip(ids[begin:end], values[begin:end], strict=True)) for name, begin, end in lists if begin < end
    }


def score_run(measures: Sequence[Measure], run: Run, judged: Judged) -> Mapping[str, Doubles]:
    """Per-topic values by the measures' names, for all judged topics or, where a measure needs it, those with a
    relevant document (`Judged.with_relevant`).

    All measures of ir-measures are computed together: the run is converted once and trec_eval passes over it once.
    """
    together = [measure for measure in measures if isinstance(measure, IrMeasure)]
    computed = evaluate(together, run, judged.with_relevant)
    values = dict(zip((measure.name for measure in together), computed, strict=True))
    for measure in measures:
        if not isinstance(measure, IrMeasure):
            values[measure.name] = measure.per_topic(run, judged.with_relevant if measure.needs_relevant else judged)
    return {measure.name: values[measure.name] for measure in measures}


def shared_ordinals(run: Run, ideal: Run) -> Ints:
    """For each doc_id of `run` its ordinal in `ideal`, or `len(ideal.doc_ids)` where `ideal` never ranks it."""
    where = _ordinals(ideal)
    absent = len(ideal.doc_ids)
    return np.fromiter(map(where.get, run.doc_ids, repeat(absent)), np.int64, len(run.doc_ids))


def ranked_documents(run: Run, topic_id: str) -> Ints:
    """The ordinals (into `run.doc_ids`) of a topic's documents in rank order; empty where it retrieved nothing."""
    at = run.position.get(topic_id)
    if at is None:
        return np.empty(0, dtype=np.int64)
    return run.documents[run.offsets[at] : run.offsets[at + 1]].astype(np.int64)


@lru_cache(maxsize=1)
def _ordinals(run: Run) -> Mapping[str, int]:
    """A Run hashes by identity, so the English side's ids are looked up once for all systems."""
    return {doc_id: i for i, doc_id in enumerate(run.doc_ids)}
