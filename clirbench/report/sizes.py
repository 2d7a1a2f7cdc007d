"""The sizes of the evidence, as all analyses write them."""

from clirbench.statistics.evidence import Evidence


def sizes(evidence: Evidence, samples: int = 0, seed: int = 0) -> str:
    """What every table states: `38 systems, 150 topics, 3000 segments; 1000 samples, seed 0.`

    Columns that know more or fewer items are spelt out: `100 or 150 topics`; without any, `scores only`.
    """
    counts = [f"{len(evidence.systems)} systems"]
    for what, known in (
        ("topics", {evidence.topics(name) for name in evidence.measure_names}),
        ("segments", {evidence.segments(name) for name in evidence.metric_names}),
    ):
        if some := sorted(known - {0}):
            counts.append(f"{' or '.join(map(str, some))} {what}")
    if len(counts) == 1:
        counts.append("scores only")
    return f"{', '.join(counts)}{f'; {samples} samples, seed {seed}' if samples else ''}."
