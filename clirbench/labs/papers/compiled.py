"""The compiled loop of WER, apart so that its metric is light to import."""

import numpy as np

from clirbench.metrics.compiled import njit


@njit(cache=True, nogil=True)
def errors(words, offsets, references, reference_offsets):  # type: ignore[no-untyped-def]
    """Fewest insertions, deletions and substitutions of words, of each segment."""
    out = np.empty(len(offsets) - 1, dtype=np.float64)
    for segment in range(len(out)):
        ours = words[offsets[segment] : offsets[segment + 1]]
        row = np.arange(len(ours) + 1)
        for word in references[reference_offsets[segment] : reference_offsets[segment + 1]]:
            before, row[0] = row[0], row[0] + 1
            for i in range(len(ours)):
                cost = before if ours[i] == word else before + 1
                before = row[i + 1]
                row[i + 1] = min(cost, before + 1, row[i] + 1)
        out[segment] = row[len(ours)]
    return out
