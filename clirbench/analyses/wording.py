"""Numbers, lists and sizes as all analyses, the report and the answer write them."""

from collections.abc import Sequence
from math import isinf, isnan

from clirbench.statistics.evidence import Evidence


def number(value: float, digits: int = 3) -> str:
    """`.867`, `-.021`, `1.200`, `undefined`, `more than was tried`."""
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "more than was tried"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def join_names(names: Sequence[str], most: int = 6) -> str:
    """`A, B and C`; of many, the first and how many more."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def plural(n: int, noun: str) -> str:
    """`1 system`, `38 systems`."""
    return f"{n} {noun}" + ("" if n == 1 else "s")


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
