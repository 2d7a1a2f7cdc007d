"""The inner loop of BM25 over postings, compiled; imported only when a run needs it."""

import numpy as np

from clirbench.metrics.compiled import njit


@njit(cache=True, nogil=True)
def add_up(topic, weights, starts, documents, counts, norms, total, found):  # type: ignore[no-untyped-def]
    """Sum w - w / (1 + tf * norm), each a float32, as float64; returns the number of matched documents.

    `topic` are the topic's terms and `weights` their weights. The matched documents are written to `found`, their
    sums to `total`, which holds NaN everywhere before and must be set back to it for the documents found.
    """
    one = np.float32(1)
    n_found = 0
    for index in range(len(topic)):
        weight = weights[index]
        for posting in range(starts[topic[index]], starts[topic[index] + 1]):
            document = documents[posting]
            score = weight - weight / (one + np.float32(counts[posting]) * norms[document])
            if np.isnan(total[document]):
                found[n_found] = document
                n_found += 1
                total[document] = score
            else:
                total[document] += score
    return n_found
