"""The page docs/explanation/validity.md, written from what benchmarks/validity.py found."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the page. `rate` among the repetitions in which something was said; `said`: their share.

    `verdict`: `holds`, or what fails: `below`, `above`, `off`, `wide`, `quiet`, `weak`; the kind where nothing is
    promised; `not said`. `adjusted`: power where the test rejects .05 in the same world without any relation.
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
    adjusted: float
    repetitions: int
    verdict: str


TITLES: Mapping[str, str] = {
    "tau .6": "Metrics that agree with the measure",
    "tau 0": "Metrics that have nothing to do with the measure",
    "training": "Along training",
    "given": "Beyond a covariate",
    "sentences, tau .6": "Sentences of the answer, useful metrics",
    "sentences, tau 0": "Sentences of the answer, useless metrics",
    "decision, tau .6": "Decisions, useful metrics",
    "decision, tau 0": "Decisions, useless metrics",
    "noise": "tau without noise, and the ceiling",
    "pairs": "Pairs of systems, rises, bias of pseudo-relevance",
    "pairs, tau 0": "The same, useless metrics",
    "soft": "Soft pairwise accuracy",
    "baseline": "A candidate against the system in production",
    "sweep": "Which checkpoint to ship",
}
FAILS: Mapping[str, str] = {
    "above": "False more often than promised",
    "below": "Covers less often than promised",
    "off": "Expected values that are more than .05 standard deviations off",
    "wide": "More than 1.25 times as wide as the oracle's",
    "quiet": "Said in less than .95 with 16 or more independent units",
    "weak": "Less than .9 of the old test's power",
}
THEREFORE: Sequence[tuple[Callable[[Row], bool], str]] = (
    (
        lambda row: row.what == "corrected tau",
        "A tau without noise is printed only where its interval is narrower than .8 and stays below 1.",
    ),
    (
        lambda row: (
            row.world.startswith("decision") and "reliability 0.5" in row.world and row.verdict in ("off", "quiet")
        ),
        "Losses are printed only where the reliability is surely above .45. Here that is so by chance alone, in the "
        "few cases that the table names, and then they are off: take no expected loss from so noisy a measure.",
    ),
    (
        lambda row: row.world.startswith("decision") and row.verdict == "quiet",
        "In the other cases the reliability is not surely above .45, and no loss is printed.",
    ),
    (
        lambda row: row.world.startswith("sweep") and row.verdict == "wide",
        "Along training the set is made for .975, because sets for .95 held the best checkpoint too rarely.",
    ),
    (
        lambda row: "clayton" in row.world and row.verdict == "off",
        "Here metrics see which systems are bad and hardly which are good. Nothing that can be observed tells such "
        "systems from others, so the costs are printed: they may be too small by this much.",
    ),
    (
        lambda row: (
            row.what.startswith("set that may be shipped") and "near-copies" in row.world and row.verdict == "below"
        ),
        "The best system is then a near-copy of one in the set (its unit is in the set in .99 of cases), and little is "
        "lost. Near-copies cannot be told apart by this set where units have unequal sizes.",
    ),
    (lambda row: row.verdict == "wide", "It says less than could be said, and nothing that is false."),
)
"""What a failing row means for what is printed: the first that applies."""


def page(rows: Sequence[Row], seed: int, seconds: float) -> str:
    """All of it, in Markdown."""
    return "\n".join(_lines(rows, seed, seconds))


INTRO = """<!-- Written by benchmarks/validity.py; do not edit. -->
# Do the statistics keep what they promise?

Whether an interval holds the truth can only be seen where the truth is known. So `benchmarks/validity.py` makes worlds:
systems, metrics and measures whose true values were drawn beforehand. In every world clirbench's own functions say what
they would say to you, and this page counts how often that was right.

{worlds} worlds, up to {most:,} repetitions each (fewer where one costs much: the tables say how many), seed {seed},
{minutes:.0f} minutes of one processor core. The worlds vary one thing at a time around 16 independent systems, 50
topics, a measure of reliability .85, and 6 metrics whose true tau is .6.

* A **false statement** may be made in at most .05 of the repetitions, an **interval or a set** holds the truth in at
  least .95, an **expected value** is right on average. A row *holds* where the 99 % Monte Carlo interval of the rate
  touches at most .06, at least .94, or .05 standard deviations of the truth.
* **Said**: the share of repetitions in which anything was said. Where little can be known, clirbench is silent.
* **Width**: the median width of the intervals (of a set: its mean size) beside that of an *oracle* that knows the
  noise. For tau the oracle knows how estimates vary from repetition to repetition; for decisions it has the same
  posterior with the true covariance of the noise.
* **Power**: the share of repetitions in which something true is found. Where systems are independent it is held against
  the earlier test; `at equal size` is what it would be if the test rejected exactly .05 without any relation.

## What is not said, and why

* **p-value of tau, "may be trusted"**: 2 to 4 units, or units of which too few can change places. Even the rarest
  order is not rarer than .05.
* **Interval of tau, set of metrics, difference of two metrics**: fewer than 6 units, or a tau of 1 or -1. The interval
  would reach from end to end.
* **One interval for all metrics of the set**: fewer than 8 units, or 12 of unequal sizes. It would be more than 1.25
  times as wide as it need be.
* **tau without noise**: fewer than 20 units, an interval wider than .8 or one that reaches 1. With few units it is
  narrow only by chance.
* **Any claim from checkpoints**: fewer than 5 runs with the same steps. All that rises along training agrees.
* **What metrics say beyond a covariate**: fewer than 10 residual degrees of freedom, or no systems that can change
  places within strata.
* **A system to ship**: fewer than 5 topics. The noise is not known.
* **Expected losses**: fewer than 20 topics, along training, or a reliability that is not surely above .45. They were
  more than .05 standard deviations off.
* **The interval of a system's true value**: where systems form units that are no runs of training. Among near-copies
  it held .91 to .92.
* **P(this system is the best)**: along training. It was up to .25 off.
* **The cost of a metric's pick**: the same, and where systems form units, or test set and collection are the same
  lines. With useless metrics it was .1 to .16 standard deviations too small.
* **Better or worse than a baseline**: fewer than 8 topics.
* **P(this metric is the best)**: never. It was not calibrated in these worlds.

## In short

{tested} promises were put to the test, {hold} hold. {silent} more are cases in which clirbench says nothing.

| | rows |
|---|--:|"""


def _lines(rows: Sequence[Row], seed: int, seconds: float) -> Iterator[str]:
    promised = [row for row in rows if row.kind in ("cover", "error", "bias")]
    failing = [row for row in rows if row.verdict in FAILS]
    silent = sum(row.verdict == "not said" for row in promised)
    yield INTRO.format(
        worlds=len({row.world for row in rows}),
        most=max(row.repetitions for row in rows),
        seed=seed,
        minutes=seconds / 60,
        tested=len(promised) - silent,
        hold=sum(row.verdict == "holds" for row in promised),
        silent=silent,
    )
    for verdict, text in FAILS.items():
        yield f"| {text} | {sum(row.verdict == verdict for row in failing)} |"
    yield from ("", "## What does not hold, and what is therefore not said", "")
    yield from _failures(failing)
    yield from ("## Where nothing is said", "")
    yield from _silent([row for row in rows if row.verdict == "not said"])
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.verdict != "not said":
            groups[row.world.split(":")[0]].append(row)
    for group, members in groups.items():
        yield from (f"## {TITLES[group]}", "")
        yield from _table(members)


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        yield from ("Every row holds.", "")
    for verdict, title in FAILS.items():
        groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in rows:
            if row.verdict == verdict:
                groups[row.what, therefore(row)].append(row)
        if groups:
            yield from (f"### {title}", "")
        for (what, said), members in groups.items():
            figures = "; ".join(f"{row.world} ({_figure(row)})" for row in members)
            yield f"* **{what}**: {figures}.{' ' if said else ''}{said}"
        if groups:
            yield ""


def therefore(row: Row) -> str:
    """What the product does about a row that fails."""
    return next((text for applies, text in THEREFORE if applies(row)), "")


def _figure(row: Row) -> str:
    if row.verdict == "wide":
        return f"{number(row.width, 2)} against {number(row.oracle, 2)}, holds the truth in {number(row.rate, 3)}"
    if row.verdict == "quiet":
        return f"said in {number(row.said, 2)}"
    return number(row.rate, 3)


def _silent(rows: Sequence[Row]) -> Iterator[str]:
    """What is never said, by the worlds in which it is not."""
    worlds: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        worlds[row.what].append(row.world)
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for what, where in worlds.items():
        alike[tuple(where)].append(what)
    for where, whats in alike.items():
        yield f"* **{'; '.join(whats)}**: {_joined(where)}."
    yield ""


def _joined(worlds: Sequence[str]) -> str:
    """`tau 0: base, 8 systems; noise: base`."""
    names: dict[str, list[str]] = defaultdict(list)
    for world in worlds:
        group, _, name = world.partition(": ")
        names[group].append(name)
    return "; ".join(f"{group}: {', '.join(members)}" for group, members in names.items())


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield "| World | What is said | Rate | 99 % | Said | Width | Oracle's | At equal size | Repetitions | |"
    yield "|---|---|--:|---|--:|--:|--:|--:|--:|---|"
    for row in rows:
        between = f"{number(row.low, 3)} to {number(row.high, 3)}"
        world = row.world.split(": ", 1)[1]
        yield (
            f"| {world} | {row.what}{' (power)' if row.kind == 'power' else ''} | {number(row.rate, 3)} | {between} "
            f"| {number(row.said, 2)} | {number(row.width, 2)} | {number(row.oracle, 2)} | {number(row.adjusted, 2)} "
            f"| {row.repetitions:,} | {'' if row.verdict in ('power', 'note') else row.verdict} |"
        )
    yield ""


def number(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"
