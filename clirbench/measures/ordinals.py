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


@lru_cache(maxsize=1)
def _ordinals(run: Run) -> Mapping[str, int]:
    """A Run hashes by identity, so the English side's ids are looked up once for all systems."""
    return {doc_id: i for i, doc_id in enumerate(run.doc_ids)}
