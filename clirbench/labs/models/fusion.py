"""Reciprocal rank fusion: several retrievers' lists as one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from clirbench.checks import number, whole_number
from clirbench.errors import ConfigError, EmptyCollection
from clirbench.later import Later, load_value
from clirbench.retrieval.base import Retriever, Search
from clirbench.steps import readings, search
from clirbench.types import DocumentMap, Documents, Failure, Floats, Ints, Run, Topic, rank_order


@dataclass(frozen=True)
class Fusion:
    """Ranks by score(q, d) = sum over retrievers that list d of 1 / (k + rank of d, from 1); higher is better.

    `of`: two retrievers or more, by any names. `k` (0 and above): how little the first ranks stand out. `depth`: the
    documents a list holds at most; each retriever's list is as deep as its own `depth` says. Sums are
    in float64, in the order of the names, and cast to float32. Ties are broken by doc_id. A collection that is empty
    to one retriever is ranked by the others.

    **Source:** G. Cormack, C. Clarke, S. Büttcher (2009), Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods; k = 60 is theirs.
    """

    kind: ClassVar[str] = "fusion"
    of: Mapping[str, Retriever] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    k: float = 60
    depth: int = 1000

    def __post_init__(self) -> None:
        number("retrieval.k", self.k, least=0)
        whole_number("retrieval.depth", self.depth)
        if len(self.of) < 2 or not all(isinstance(one, Retriever) for one in self.of.values()):
            raise ConfigError("retrieval.of: two retrievers or more are fused")

    @property
    def lexical_model(self) -> str | None:
        models = {model: None for one in self.of.values() if (model := getattr(one, "lexical_model", None))}
        return f"a fusion with {' and '.join(models)}" if models else None

    @property
    def signature(self) -> str:
        each = " + ".join(f"({one.signature})" for one in self.of.values())
        return f"{self.kind}:rrf|k:{self.k:g}|of:{each}|depth:{self.depth}|ties:doc_id"

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The fused lists; raises `EmptyCollection` where the collection is empty to every retriever."""
        runs, empty = [], []
        for one in self.of.values():
            try:
                runs.append(one.rank(documents, topics))
            except EmptyCollection as error:
                empty.append(error)
        if not runs:
            raise empty[0]
        return fuse_runs(runs, documents.map, self.k, self.depth)

    def search(self, task: Search) -> Iterator[Any]:
        each = [list(search(one, task)) for one in self.of.values()]
        together = [next((run for run in runs if isinstance(run, Failure)), runs) for runs in zip(*each, strict=True)]
        return task.pmap(Fuse(task.document_map, self.k, self.depth), together, task.names)

    def readings(self, topics: tuple[Topic, ...], document_map: DocumentMap) -> Iterator[tuple[Any, Any]]:
        for one in self.of.values():
            yield from readings(one, topics, document_map)


def fuse_runs(runs: Sequence[Run], document_map: DocumentMap, k: float, depth: int) -> Run:
    """Runs of the same topics, in one order, as one Run."""
    position = {doc_id: ordinal for ordinal, doc_id in enumerate(document_map.doc_ids)}
    places = [np.fromiter(map(position.__getitem__, run.doc_ids), dtype=np.int64) for run in runs]
    ranked: list[tuple[str, Ints, Floats]] = []
    for at, topic_id in enumerate(runs[0].topic_ids):
        total = np.zeros(len(document_map))
        for run, place in zip(runs, places, strict=True):
            listed = place[run.documents[run.offsets[at] : run.offsets[at + 1]]]
            total[listed] += 1 / (k + 1 + np.arange(len(listed)))
        found = np.flatnonzero(total)
        sums = total[found].astype(np.float32)
        order = rank_order(sums, document_map.id_rank[found], depth)
        ranked.append((topic_id, found[order], sums[order]))
    return Run.build(
        document_map,
        ranked,
        unmatched=[tuple(dict.fromkeys(chain(*each))) for each in zip(*(run.unmatched for run in runs), strict=True)],
        n_matched=np.max([run.n_matched for run in runs], axis=0).tolist(),
    )


@dataclass(frozen=True)
class Fuse:
    """Several retrievers' Runs of one text -> one Run, by reciprocal rank fusion."""

    bulky: ClassVar[bool] = True
    document_map: DocumentMap
    k: float
    depth: int

    def __call__(self, item: Sequence[Run | Later[Run]]) -> Run:
        return fuse_runs([load_value(run) for run in item], self.document_map, self.k, self.depth)
