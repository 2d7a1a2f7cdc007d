"""docs/explanation/validity.md, one page, made from its data file docs/data/validity.tsv by benchmarks/validity.py."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DATA, PAGE = Path("data/validity.tsv"), Path("explanation/validity.md")


@dataclass(frozen=True)
class Row:
    """One claim in one world. `rate` among the repetitions in which clirbench makes the claim; `said`: their share.

    `verdict`: `holds`, or what fails (`below`, `above`, `wide`, `quiet`); the kind where nothing is promised.
    """

    world: str
    kind: str
    what: str
    rate: float
    low: float
    high: float
    said: float
    width: float
    oracle: float
    repetitions: int
    verdict: str


TITLES: Mapping[str, str] = {
    "interval": "the interval of tau, low ends of the metrics named first",
    "tau .6": "difference of metrics that agree with the measure",
    "tau 0": "difference of metrics that have nothing to do with the measure",
    "given": "what metrics add to a covariate",
    "noise": "the ceiling",
    "baseline": "a candidate against the system in use",
    "pooled": "means over collections, and predictions of a new one",
    "atlas": "the mean over WMT collections, which share makers and texts",
}
FAILS: Mapping[str, str] = {
    "above": "False more often than promised",
    "below": "Covers less often than promised",
    "wide": "More than 1.25 times as wide as the oracle's",
    "quiet": "Claimed in less than .95 with 16 or more independent units",
}
INTRO = """<!-- Written by benchmarks/validity.py from docs/data/validity.tsv; do not edit. -->
# Do the statistics keep what they promise?

Only where the truth is known can one see whether an interval holds it. So `benchmarks/validity.py` draws worlds:
systems, metrics, measures and collections with true values, or topics from all topics of a real collection. In each
world clirbench's own functions make their claims, and we count how often these are right: {worlds} worlds, up to
{most:,} repetitions each.

The promises: a **false claim** in at most .05 of the repetitions; an **interval or set** that holds the truth in at
least .95. A promise is kept if the 99 % Monte Carlo interval of the rate touches at most .06, at least .94 (.92 of a
prediction), and the interval is at most 1.25 times as wide as that of an *oracle*, which knows the noise. What is
promised of the decision is counted by `benchmarks/these_systems.py`.

clirbench made {tested} promises and kept {hold}. In {silent} further cases the data are too few, and it makes no claim.

| worlds | promises | kept | lowest coverage | highest false rate |
| --- | --: | --: | --: | --: |"""
OF_INTERVALS = """
## The interval of tau

Systems drawn from WMT folders (`real`; every second one), from copulas, and with other topics (`topics`); plan and
pass marks were fixed before the first result (`benchmarks/validity_intervals.py`). Means over worlds, in brackets the
worst one. *Too high*: the low end of the metric named first is above the truth, with 5 metrics; *shown*: where the
measure's values are permuted; *printed*: "at least X %" of the answer is too high; *reaches*: the low end of the first.

| systems | worlds | covers | width | too high | shown | printed | reaches .25 | .5 |
| --: | --- | --: | --: | --: | --: | --: | --: | --: |"""
LEFT_OUT = """## What clirbench leaves out

* **Difference of two metrics**: fewer than 6 units, or a tau of 1 or -1.
* **Any claim from checkpoints**: fewer than 5 runs with the same steps: whatever rises along training agrees.
* **More than a covariate**: fewer than 10 residual degrees of freedom, or no strata.
* **The best system**: fewer than 5 topics. **Better or worse than a baseline**: fewer than 8.
* **P(best) and expected losses**: fewer than 20 topics, training, or a reliability not surely above .45.
* **A prediction for a new collection**: collections that share language pairs.

A mean over collections that ignored makers and texts would be false in up to {plain} of the draws.

What clirbench answers on every WMT folder, and whether other settings contradict it: [answers](answers.md).

Every claim in every world, with rate, width, the oracle's width and power: [validity.tsv](../data/validity.tsv)."""


def page(rows: Sequence[Row]) -> str:
    """All of it, in Markdown."""
    return "\n".join(_lines(rows)) + "\n"


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    promised = [row for row in rows if row.kind not in ("power", "note")]
    tested = [row for row in promised if row.verdict != "not said"]
    yield INTRO.format(
        worlds=len({row.world for row in rows}),
        most=max(row.repetitions for row in rows),
        tested=len(tested),
        hold=sum(row.verdict == "holds" for row in tested),
        silent=len(promised) - len(tested),
    )
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in tested:
        groups[row.world.split(":")[0]].append(row)
    for group, members in groups.items():
        kept = sum(row.verdict == "holds" for row in members)
        least = min((row.rate for row in members if row.kind != "error"), default=math.nan)
        most = max((row.rate for row in members if row.kind == "error"), default=math.nan)
        yield f"| {TITLES[group]} | {len(members)} | {kept} | {number(least, 3)} | {number(most, 3)} |"
    if table := [*_intervals(rows)]:
        yield from (OF_INTERVALS, *table)
    yield from ("", "## What fails", "")
    for verdict, title in FAILS.items():
        failing = [row for row in rows if row.verdict == verdict]
        yield f"* **{title}: {len(failing)}.**"
        worst: dict[str, Row] = {}
        for row in failing if verdict != "quiet" else ():  # no promise is broken where a claim is made less often
            worst[row.what] = max(row, worst.get(row.what, row), key=lambda row: abs(row.rate - 0.5))
        for row in worst.values():
            yield f'    * {row.what}, such as in "{row.world}": {number(row.rate, 3)}.'
    yield ""
    plain = max((r.rate for r in rows if r.kind == "note" and r.what.startswith("difference, ign")), default=math.nan)
    yield LEFT_OUT.format(plain=number(plain, 2))


def _intervals(rows: Sequence[Row]) -> Iterator[str]:
    """A line for every number of systems and family of worlds."""
    cells: dict[tuple[int, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.world.startswith("interval: "):
            family, *_, size = row.world.removeprefix("interval: ").split(", ")
            cells[int(size.split()[0]), family][f"{row.kind} {row.what}"].append(row)
    for (systems, family), of in sorted(cells.items()):
        told = [str(systems), family]
        for name, worst in COLUMNS.items():
            values = [row.width if name.startswith("width") else row.rate for row in of[name.replace("width", "cover")]]
            values = [value for value in values if not math.isnan(value)]
            mean = number(math.fsum(values) / len(values), 3) if values else ""
            told.append(f"{mean} ({number(worst(values), 3)})" if values and worst else mean)
        yield f"| {' | '.join(told)} |"


COLUMNS: Mapping[str, Callable[[list[float]], float] | None] = {
    "cover interval of one metric": min,
    "width interval of one metric": None,
    "error first of 5 above the truth": max,
    "error permuted, first of 5 shown": max,
    "error printed": max,
    "power .25": None,
    "power .5": None,
}


def number(value: float, digits: int) -> str:
    """Without its leading zero, as all figures of the project; empty for NaN."""
    return "" if math.isnan(value) else f"{value:.{digits}f}".replace("0.", ".", 1 if abs(value) < 1 else 0)
