"""About how much processor time and memory a run will take, from sizes: for `check=true`.

Time is a sum: what every run takes, a rate for each system, a rate for each byte of text that a metric or a retriever
reads and whose result is not in the store, and one for each value of a measure. The rates are those of runs measured
one by one on a 2-core virtual machine (benchmarks/RESULTS.md, "Estimates"), where it holds within a factor of 3.
Translators, training, commands, servers and models of one's own are named instead, because their cost is unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from clirbench.computed import Inputs
from clirbench.engines.base import available_cores
from clirbench.experiment import jobs_of
from clirbench.later import load_value
from clirbench.pages.wording import fixed, grouped
from clirbench.result import Experiment
from clirbench.steps.passes import statistics
from clirbench.steps.search import readings
from clirbench.store.cached import Pass, calls_on
from clirbench.store.store import Store
from clirbench.systems.base import makers
from clirbench.text import Text

STORED, FRESH, SYSTEM, VALUE = 1.5, 1.5, 0.015, 8e-5
"""Seconds of a run that finds everything, more of one that does not, of each system, of each measure of each topic."""
READING = {
    "BLEU": 40, "BLEUPlus1": 40, "BS": 110, "CDER": 15, "ChrF": 100, "CopyRate": 70, "LengthRatio": 20, "METEOR": 2000,
    "TypeAverage": 40, "NIST": 40, "PER": 35, "RIBES": 3500, "RandomMetric": 15, "SentBLEU": 40, "TER": 250,
    "TermF": 150, "TotalBS": 110, "WER": 30, "ScoreFile": 20, "SegmentScores": 20,
    "BM25": 8, "BM25S": 300, "Lucene": 150, "RankBM25": 1700, "RM3": 1000,
}  # fmt: skip
"""Nanoseconds for each byte of text, by the class of a metric, a retriever or an encoder."""
ANALYSES = {"MultiverseAnalysis": 0.3, "PowerAnalysis": 0.1}
OTHER = 0.01
"""Seconds for each system, by the class of an analysis."""
BASE, HELD, MOST_HELD, EACH = 2.5e8, 20, 1.5e7, 6e5
"""Bytes of memory: of every run; of each byte of test set (in work, and kept, up to `MOST_HELD`); of each system."""
PACKED = 2.6
"""Bytes in one of a packed file."""


def estimate(experiment: Experiment, inputs: Inputs, store: Store) -> str:
    """A sentence on time and memory, and on what is not in them."""
    lacking = {text for maker in makers(inputs.translations) for text in maker.missing(inputs.translations)}
    ready = tuple(t for t in inputs.translations if not {t.test, t.collection} & lacking)
    known = [metric for metric in experiment.metrics if rate(metric) is not None]
    asked = replace(experiment, metrics=tuple(known))  # a command would be run for its version
    jobs = [
        job for job in jobs_of(asked, replace(inputs, translations=ready), {}) if "statistics" in next(iter(job.calls))
    ]
    work = list(missing_calls(store, jobs, statistics.__name__))
    texts = [t.collection for t in ready if t.collection is not None]
    readers = []
    for topics in inputs.topics.values() if experiment.runs is None else ():
        for retriever in filter(None, experiment.retrievers.values()):
            for reader, step in readings(retriever, topics, inputs.corpus.english.map):
                work += [(reader, text) for _, text in missing_calls(store, calls_on(step, texts))]
                readers.append(reader)
    seconds = sum((rate(reader) or 0) * size(text) / 1e9 for reader, text in work)
    values = len(experiment.measures) * sum(map(len, inputs.topics.values())) * len(experiment.relevance)
    systems = len(inputs.translations)
    seconds += STORED + systems * (SYSTEM + (VALUE * values + FRESH / systems if work else 0))
    seconds += sum(systems * ANALYSES.get(type(analysis).__name__, OTHER) for analysis in experiment.analyses)
    tests = [size(t.test) for t in ready if t.test is not None] if experiment.metrics else [0.0]
    at_once = min(getattr(experiment.engine, "workers", 1) or available_cores(), systems)
    held = HELD * (min(sum(tests), MOST_HELD) + at_once * max(tests, default=0.0))
    unknown = [
        *(["translating"] if lacking else []),
        *(metric.name for metric in experiment.metrics if metric not in known),
    ]
    unknown += dict.fromkeys(type(reader).__name__ for reader in readers if rate(reader) is None)
    said = f"; not in it: {', '.join(unknown)}" if unknown else ""
    return (
        f"about {round_digits(seconds)} s of processor time and {fixed((BASE + held + EACH * systems) / 1e9, 1)} GB of "
        f"memory (measured runs were within a factor of 3, on a 2-core AMD EPYC){said}"
    )


def missing_calls(store: Store, jobs: Sequence[Pass], step: str = "") -> Iterator[tuple[Any, Text]]:
    """(the first that a call gets, the text) for each call of a step, or of any, whose result is not in the store."""
    for job in jobs:
        held = store.find(job.folder, [call.fingerprint for call in job.calls.values()])
        calls = {call.fingerprint: call for call in job.calls.values() if step in ("", call.step)}
        yield from ((load_value(call.inputs[0]), job.text.value) for key, call in calls.items() if key not in held)


def rate(reader: Any) -> float | None:
    """Nanoseconds for each byte that a metric, a retriever or an encoder reads; None for what nobody has measured."""
    return next((READING[kind.__name__] for kind in type(reader).__mro__ if kind.__name__ in READING), None)


def size(text: Text) -> float:
    """Bytes of a text, unpacked."""
    return text.size * (PACKED if any(file.suffix == ".gz" for file in text.files) else 1.0)


def round_digits(seconds: float) -> str:
    """To one digit, two from 10 on: 4, 12, 350, 2,000."""
    digits = 0 if seconds < 100 else -1 if seconds < 1000 else -2
    return grouped(round(max(seconds, 1.0), digits))
