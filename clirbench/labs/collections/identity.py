"""Which of several runs are of one collection, in sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from shlex import quote

import numpy as np

from clirbench.analyses.wording import join_names
from clirbench.labs.collections.statistics.clusters import joined
from clirbench.labs.collections.statistics.settings import Collection


def merged_runs_notes(collections: Sequence[Collection]) -> Iterator[str]:
    """A sentence for each set of runs that count as one collection."""
    shared = {(i, j): collections[i].in_common(collections[j]) for i, j in combinations(range(len(collections)), 2)}
    cluster = joined([list(pair) for pair, why in shared.items() if why], len(collections))
    for one in np.unique(cluster):
        own = np.flatnonzero(cluster == one).tolist()
        if len(own) > 1:
            names = [collections[i].name for i in own]
            reasons = dict.fromkeys(why for pair, why in shared.items() if why and pair[0] in own)
            yield (
                f"{join_names(names)} count as one collection, because they share {' or '.join(reasons)}. To count "
                "each by "
                f"itself, add --apart {quote(','.join(names[1:]))}."
            )


def by_name(collections: Sequence[Collection]) -> Iterator[str]:
    """Notes on collections without recorded texts, and on those that share names of systems but no text."""
    if tables := [collection.name for collection in collections if not collection.texts]:
        yield f"{join_names(tables, 10)}: no texts are recorded, so collections are told by the names of their systems"
    known = [collection for collection in collections if collection.texts]
    names = dict.fromkeys(
        collection.name
        for pair in combinations(known, 2)
        if not pair[0].in_common(pair[1]) and replace(pair[0], texts=frozenset()).in_common(pair[1])
        for collection in pair
    )
    if names:
        yield (
            f"{join_names(list(names), 10)} have systems of the same names but no text in common: each counts by "
            "itself; "
            "if the same systems made them, run each with '++pool.about={systems: NAME}' and pool with --groups systems"
        )
