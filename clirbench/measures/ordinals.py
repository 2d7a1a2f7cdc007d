"""The documents of one run as the ordinals of another: what makes two runs comparable without strings."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from clirbench.types import Ints, Run


def shared_ordinals(run: Run, ideal: Run) -> Ints:
    """For each doc_id of `run` its ordinal in `ideal`, or `len(ideal.doc_ids)` where `ideal` never ranks it."""
    where = _ordinals(ideal)
    absent = len(ideal.doc_ids)
    return np.fromiter((where.get(doc_id, absent) for doc_id in run.doc_ids), np.int64, len(run.doc_ids))


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
