"""Does a metric predict one retriever better than the other? The table of a run with two."""

from collections.abc import Iterator, Sequence
from math import isnan

from clirbench.pages.table import Table
from clirbench.pages.wording import listed, number
from clirbench.result import Result
from clirbench.statistics.model.pseudo_bias import TauGap, tau_gaps, twice_searched


def retriever_tables(result: Result) -> list[Table]:
    """Table `retrievers`, where a second retriever searched: does a metric predict one better than the other?"""
    rows = tau_gaps(result.board, result.units, twice_searched(result.board))
    text = [
        "gap: tau with the measure by the first retriever less tau with the same measure by the second, over the same "
        "systems; above 0 the metric predicts the first better. Under pseudo-relevance each retriever is judged by its "
        "own ranking of the English side. The intervals are not corrected for their number.",
        *gap_findings(rows),
    ]
    title = "Does a metric predict one retriever better than the other?"
    return [Table.of("retrievers", title, TauGap, rows, text, said=10)] if rows else []


def gap_findings(rows: Sequence[TauGap]) -> Iterator[str]:
    """For each pair of measures the metrics whose interval leaves 0 out."""
    for pair in dict.fromkeys((row.first, row.second) for row in rows):
        here = [row for row in rows if (row.first, row.second) == pair]
        if all(isnan(row.ci_low) for row in here):
            yield f"{' and '.join(pair)}: no interval: {here[0].note}."
            continue
        clear = [f"{row.metric} {number(row.gap)}" for row in here if row.ci_low > 0 or row.ci_high < 0]
        yield f"{' and '.join(pair)}: the interval leaves 0 out for {listed(clear) if clear else 'no metric'}."
