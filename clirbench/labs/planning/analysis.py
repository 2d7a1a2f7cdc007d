"""`analysis=[subset]`: would it have done to translate only some of the documents?"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

import numpy as np

from clirbench.computed import Retrieval
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.planning.corpus import SomeLines, lines_of
from clirbench.labs.planning.recovery import (
    Recovery,
    judged_among,
    pool_documents,
    recovery,
    restrict_run,
    values_among,
)
from clirbench.later import load_value
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed, number, short
from clirbench.result import Result, no_watch
from clirbench.retrieval.base import Search
from clirbench.steps.search import search
from clirbench.types import DocumentMap, Run, split_failures

SAMPLE, POOL = "sample", "pool"
WAYS = {SAMPLE: "drawn at random", POOL: "the first {} of each topic on the reference side"}


@dataclass(frozen=True)
class SubsetAnalysis:
    """Table `subset`: random `fractions` of the documents (`samples` of each), and pools of `depths`.

    A fraction recovers the ranking where tau with that by all documents is at least `tau` in a share `sure` of samples
    and of `halves` of the topics (0: all topics at once), the choice where the best system is the same in that share,
    and where all larger fractions do so too. `measure`: null is the run's first. Judgments stay those of the whole
    English side. Samples are cut from the existing runs; pools are searched again, because the topics' terms are less
    rare in them. Raises `ConfigError` without retrieval of two systems.
    """

    measure: str | None = None
    fractions: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
    depths: Sequence[int] = (5, 10, 20, 50, 100)
    samples: int = 20
    halves: int = 20
    tau: float = 0.9
    sure: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if not all(0 < share < 1 for share in (*self.fractions, self.tau, self.sure)):
            raise ConfigError("analyses.subset: fractions, tau and sure lie between 0 and 1")
        if self.samples < 1 or any(depth < 1 for depth in self.depths):
            raise ConfigError("analyses.subset: samples and depths are at least 1")

    def check(self, result: Result) -> str:
        """The measure; raises `ConfigError` where there is no retrieval of two systems, `UnknownName` for its name."""
        result.texts("subset")
        names = [measure.name for measure in result.experiment.measures]
        if not names or not any(len(found.runs) > 1 for found in result.retrieval.values()):
            raise ConfigError("analysis subset needs the retrieval of two systems: name measures=[MAP]")
        if self.measure and self.measure not in names:
            raise UnknownName("analyses.subset.measure", self.measure, names)
        return self.measure or names[0]

    def tables(self, result: Result) -> Sequence[Table]:
        measure = self.check(result)
        rows = list(self.recoveries(result, measure))
        title = "Would it do to translate some of the documents?"
        return (Table.of("subset", title, Recovery, rows, self.findings(rows)),)

    def recoveries(self, result: Result, name: str) -> Iterator[Recovery]:
        """A row for every fraction, and for every pool that is not the whole collection."""
        label, relevance, _ = result.topic_values(name)
        retrieval = result.retrieval[label].without(result.baselines.systems)
        whole = retrieval.per_topic[relevance, name]
        measure = next(measure for measure in result.experiment.measures if measure.name == name)
        judged, ideal, topic_ids = retrieval.judged[relevance], retrieval.ideal, retrieval.topics(relevance, name)
        doc_ids = result.texts("subset").corpus.english.map.doc_ids
        rng = np.random.default_rng(self.seed)
        some = [rng.permutation(len(topic_ids))[: (len(topic_ids) + 1) // 2] for _ in range(self.halves)]
        among = some or [np.arange(len(topic_ids))]
        runs = dict(retrieval.runs)
        systems = tuple(runs)

        row = partial(recovery, measure, whole, of=len(doc_ids), among=among, sure=self.sure)
        for fraction in sorted(self.fractions):
            documents = max(1, round(fraction * len(doc_ids)))
            parts = []
            for _ in range(self.samples):
                drawn = frozenset(doc_ids[i] for i in rng.permutation(len(doc_ids))[:documents])
                left = {system: restrict_run(run, drawn) for system, run in runs.items()}
                here = judged_among(judged, restrict_run(ideal, drawn), drawn)
                parts.append(values_among(measure, systems, left, here, topic_ids))
            yield row(parts, way=SAMPLE, size=fraction, documents=documents)
        for depth in sorted(self.depths) if ideal.topic_ids and result.experiment.runs is None else ():
            pool = pool_documents(ideal, depth)
            if len(pool) < len(doc_ids):
                found = search_pool(result, retrieval, pool)
                here = judged_among(judged, found.pop(""), pool)
                parts = [values_among(measure, systems, found, here, topic_ids)]
                yield row(parts, way=POOL, size=depth, documents=len(pool))

    def findings(self, rows: Sequence[Recovery]) -> Iterator[str]:
        """The smallest fractions that do, their bias, and what was assumed."""
        ranking = [self.smallest(rows, way, lambda row: row.tau_low >= self.tau) for way in WAYS]
        choice = [self.smallest(rows, way, lambda row: row.same_choice >= self.sure) for way in WAYS]
        yield (
            f"{rows[0].measure}, {rows[0].n_systems} systems, {rows[0].n_topics} topics: to rank the systems as all "
            f"documents do takes {_either(ranking)}; to find the same best system takes {_either(choice)} (tau at "
            f"least {number(self.tau, 2)}, the same system, in {short(100 * self.sure)} % of samples and halves of "
            "topics)."
        )
        for row in dict.fromkeys(row for row in (*ranking, *choice) if row):
            yield (
                f"With {_share(row)}: {row.measure} is {number(abs(row.bias))} too {'high' if row.bias > 0 else 'low'} "
                f"({number(row.bias_low)} to {number(row.bias_high)} for single systems), and shipping the best system "
                f"by them loses {number(row.loss)} on average."
            )
        yield (
            "Judgments stay those of the whole reference side, which needs no translation (relevance=qrels reads "
            "trec/qrels.txt). Samples are cut from the existing rankings; pools are searched again."
        )

    def smallest(self, rows: Sequence[Recovery], way: str, does: Callable[[Recovery], bool]) -> Recovery | None:
        """The first row of a way from which on all do."""
        doing = list(takewhile(does, reversed([row for row in rows if row.way == way])))
        return doing[-1] if doing else None


def search_pool(result: Result, retrieval: Retrieval, pool: Collection[str]) -> dict[str, Run]:
    """The runs over these documents alone, by system; that of the English side has no name."""
    inputs = result.texts("subset")
    english, retriever = inputs.corpus.english, result.experiment.retrievers[retrieval.retriever]
    assert retriever is not None
    lines = tuple(lines_of(english.map, tuple(pool)).tolist())
    kept = [i for i, doc_id in enumerate(english.map.doc_ids) if doc_id in pool]
    documents = DocumentMap(tuple(english.map.doc_ids[i] for i in kept), english.map.lengths[kept])
    some = {"": SomeLines(english.text, lines)}
    some |= {system: SomeLines(inputs.searched[system], lines) for system in retrieval.runs}
    topics, pmap = inputs.topics[retrieval.topic_label], result.experiment.engine.pmap
    found = search(retriever, Search(topics, documents, pmap, no_watch, list(some.values())))
    runs, _ = split_failures(dict(zip(some, found, strict=True)))
    return {system: load_value(run) for system, run in runs.items()}


def _either(rows: Sequence[Recovery | None]) -> str:
    return ", or ".join(_share(row) for row in rows if row) or "more than was tried"


def _share(row: Recovery) -> str:
    return f"{fixed(100 * row.fraction)} % of them ({WAYS[row.way].format(short(row.size))})"
