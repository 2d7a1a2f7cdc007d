"""Would fewer documents have done? Runs and judgments cut to some of the documents, against those of all."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clirbench.measures.base import Measure
from clirbench.measures.ir import score_run
from clirbench.statistics.vectorised import kendall_grid
from clirbench.types import Doubles, Ints, Judged, Qrels, Run


@dataclass(frozen=True)
class Recovery:
    """What a `fraction` of the documents tells of the systems.

    `way`: `sample`, drawn at random (`size` is the fraction), or `pool`, the first `size` of each topic on the English
    side. `tau`: Kendall's tau-b of the systems' values by these documents and by all, mean over `samples`. Over all
    samples and sets of topics: `tau_low`, which a share `sure` of them reaches, and `same_choice`, the share in which
    the best system is the same. `loss` >= 0: of the measure, by shipping the best of these documents.
    `bias`: the measure on them less that on all, mean over systems; `bias_low`, `bias_high`: of single systems.
    """

    measure: str
    way: str
    size: float
    documents: int
    fraction: float
    samples: int
    tau: float
    tau_low: float
    same_choice: float
    loss: float
    bias: float
    bias_low: float
    bias_high: float
    n_systems: int
    n_topics: int


def restrict_run(run: Run, doc_ids: Collection[str]) -> Run:
    """The run without all other documents; what is left keeps its order and scores."""
    kept = np.array([doc_id in doc_ids for doc_id in run.doc_ids], dtype=bool)[run.documents]
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept)])[run.offsets]
    lists = {name: getattr(run, name)[kept] for name in ("documents", "scores", "tied")}
    return replace(run, offsets=offsets, n_matched=np.diff(offsets), **lists)


def judged_among(judged: Judged, ideal: Run, doc_ids: Collection[str]) -> Judged:
    """The judgments of these documents alone, beside the English side's run over them."""
    grades = {t: {d: grade for d, grade in of.items() if d in doc_ids} for t, of in judged.qrels.grades.items()}
    return Judged(Qrels(grades), ideal, len(doc_ids))


def pool_documents(ideal: Run, depth: int) -> frozenset[str]:
    """The first `depth` documents of every topic."""
    return frozenset(doc_id for topic_id in ideal.topic_ids for doc_id in ideal.ranking(topic_id)[:depth])


def values_among(
    measure: Measure, systems: Sequence[str], runs: Mapping[str, Run], judged: Judged, topic_ids: Sequence[str]
) -> Doubles:
    """(systems, topics): the measure; NaN without a run, and for topics of which nothing is relevant here."""
    scored = judged.with_relevant.topic_ids if measure.needs_relevant else judged.topic_ids
    columns = [topic_ids.index(topic_id) for topic_id in scored]
    found = np.full((len(systems), len(topic_ids)), np.nan)
    for row, system in enumerate(systems):
        if system in runs:
            found[row, columns] = score_run([measure], runs[system], judged)[measure.name]
    return found


def recovery(
    measure: Measure, whole: Doubles, parts: Sequence[Doubles], *, way: str, size: float, documents: int, of: int,
    among: Sequence[Ints], sure: float,
) -> Recovery:  # fmt: skip
    """How well each of `parts` (systems, topics), which have `documents` of the `of`, stands for `whole`.

    `among`: sets of topics, such as halves: an order that holds on all of them does not rest on single topics.
    """
    n_systems, n_topics = whole.shape
    sign = 1.0 if measure.higher_is_better else -1.0

    def seen(topics: Ints) -> tuple[Doubles, Doubles, Doubles]:
        """(systems,) by all documents, (samples, systems) by some, more is better; (samples,) the taus of the two."""
        full = sign * measure.aggregate(whole[:, topics])
        some = sign * np.stack([measure.aggregate(part[:, topics]) for part in parts])
        taus = kendall_grid(some[None], full[None, None])[0, :, 0]
        return full, some, np.where(np.isfinite(taus), taus, 0.0)

    found = [seen(topics) for topics in among]
    full, some, taus = seen(np.arange(n_topics))
    bias = sign * (some - full).mean(axis=0)
    return Recovery(
        measure=measure.name,
        way=way,
        size=size,
        documents=documents,
        fraction=documents / of,
        samples=len(parts),
        tau=float(taus.mean()),
        tau_low=float(np.quantile([tau for *_, tau in found], 1 - sure, method="lower")),
        same_choice=float(np.mean([some.argmax(axis=1) == full.argmax() for full, some, _ in found])),
        loss=float((full.max() - full[some.argmax(axis=1)]).mean()),
        bias=float(bias.mean()),
        bias_low=float(bias.min()),
        bias_high=float(bias.max()),
        n_systems=n_systems,
        n_topics=n_topics,
    )
