"""Scoring one system's run with all measures at once."""

from collections.abc import Mapping, Sequence

from clirbench.measures.base import Measure
from clirbench.measures.ir import IrMeasure, evaluate
from clirbench.types import Doubles, Judged, Run


def score_run(measures: Sequence[Measure], run: Run, judged: Judged) -> Mapping[str, Doubles]:
    """Per-topic values by the measures' names, each in the order of `judged.topic_ids`.

    All measures of ir-measures are computed together: the run is converted once and trec_eval passes over it once.
    """
    together = [measure for measure in measures if isinstance(measure, IrMeasure)]
    values = dict(zip((measure.name for measure in together), evaluate(together, run, judged), strict=True))
    for measure in measures:
        if not isinstance(measure, IrMeasure):
            values[measure.name] = measure.per_topic(run, judged)
    return {measure.name: values[measure.name] for measure in measures}
