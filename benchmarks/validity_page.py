"""docs/explanation/validity.md, one page, written from its data file docs/data/validity.tsv.

python -m benchmarks.validity_page docs
"""

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

DATA, PAGE = Path("data/validity.tsv"), Path("explanation/validity.md")
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Row:
    """One claim in one world. `rate` among the repetitions in which clirbench makes the claim; `said`: their share.

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


def write_rows(path: Path, rows: Sequence[Any]) -> None:
    """One line for each row (a dataclass), tab-separated, below the names of the fields; NaN is an empty cell."""
    lines = [[field.name for field in fields(rows[0])], *([_cell(value) for value in astuple(row)] for row in rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")


def read_rows(path: Path, row: Callable[..., Kind]) -> list[Kind]:
    """The rows that `write_rows` wrote, of the dataclass `row`."""
    kinds = [field.type for field in fields(row)]
    lines = path.read_text(encoding="utf-8").split("\n")[1:-1]
    return [row(*map(_value, kinds, line.split("\t"))) for line in lines]


def _cell(value: object) -> str:
    return f"{value:.6g}".replace("nan", "") if isinstance(value, float) else str(value)


def _value(kind: object, cell: str) -> object:
    return cell if kind is str else int(cell) if kind is int else float(cell or "nan")


TITLES: Mapping[str, str] = {
    "tau .6": "tau of metrics that agree with the measure",
    "tau 0": "tau of metrics that have nothing to do with the measure",
    "training": "checkpoints of training runs",
    "given": "what metrics add to a covariate",
    "noise": "the ceiling",
    "pairs": "rises of metrics, bias of pseudo-relevance",
    "pairs, tau 0": "the same, useless metrics",
    "baseline": "a candidate against the system in use",
}
FAILS: Mapping[str, str] = {
    "above": "False more often than promised",
    "below": "Covers less often than promised",
    "off": "Expected values more than .05 standard deviations off",
    "wide": "More than 1.25 times as wide as the oracle's",
    "quiet": "Claimed in less than .95 with 16 or more independent units",
    "weak": "Less than .9 of the old test's power",
}
THEREFORE: Sequence[tuple[Callable[[Row], bool], str]] = (
    (lambda row: row.verdict == "wide", "The statement is weaker than it could be, and not false."),
)
"""What a failing row means for what is printed: the first that applies."""

INTRO = """<!-- Written by benchmarks/validity_page.py from docs/data/validity.tsv; do not edit. -->
# Do the statistics keep what they promise?

Only where the truth is known can one see whether an interval holds it. So `benchmarks/validity.py` draws worlds:
systems, metrics and measures with true values. In each world clirbench's own functions make their claims, and we count
how often these are right: {worlds} worlds, up to {most:,} repetitions each, around 16 independent systems, 50 topics, a
measure of reliability .85, and 6 metrics whose true tau is .6.

The promises: a **false claim** in at most .05 of the repetitions; an **interval or set** that holds the truth in at
least .95; an **expected value** that is right on average. A promise is kept if the 99 % Monte Carlo interval of the
rate touches at most .06, at least .94, or .05 standard deviations of the truth. An *oracle* knows the noise.

clirbench made {tested} promises and kept {hold}. In {silent} further cases the data are too few, and it makes no claim.

| worlds | promises | kept | lowest coverage | highest false rate |
| --- | --: | --: | --: | --: |"""
LEFT_OUT = """## What clirbench leaves out

* **Difference of two metrics**: fewer than 6 units, or a tau of 1 or -1.
* **Any claim from checkpoints**: fewer than 5 runs with the same steps: whatever rises along training agrees.
* **More than a covariate**: fewer than 10 residual degrees of freedom, or no strata.
* **The best system**: fewer than 5 topics. **Better or worse than a baseline**: fewer than 8.
* **P(best) and expected losses**: fewer than 20 topics, training, or a reliability not surely above .45.

The intervals and the set of [the decision](model.md#the-decision) have a gate of their own,
`benchmarks/decision_validity.py`.

The answer itself was read in 96 further worlds (`benchmarks/validity_answer.py`,
[validity-answer.tsv](../data/validity-answer.tsv)); it
fails where near-copies are not declared and only scores are known.

What clirbench answers on every WMT folder, and whether other settings contradict it: [answers](answers.md).

Every claim in every world, with rate, width, the oracle's width and power: [validity.tsv](../data/validity.tsv)."""


def page(rows: Sequence[Row]) -> str:
    """All of it, in Markdown."""
    return "\n".join(_lines(rows)) + "\n"


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    promised = [row for row in rows if row.kind in ("cover", "error", "bias")]
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
        held = sum(row.verdict == "holds" for row in members)
        least = min((row.rate for row in members if row.kind == "cover"), default=math.nan)
        most = max((row.rate for row in members if row.kind == "error"), default=math.nan)
        yield f"| {TITLES[group]} | {len(members)} | {held} | {number(least, 3)} | {number(most, 3)} |"
    yield from ("", "## What fails", "")
    yield from _failures([row for row in rows if row.verdict in FAILS])
    yield LEFT_OUT


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    """Each kind of failure with the number of its rows, and the worst row of each answer to it."""
    for verdict, title in FAILS.items():
        failing = [row for row in rows if row.verdict == verdict]
        yield f"* **{title}: {len(failing)}.**"
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in failing:
            if verdict != "quiet":  # no promise is broken where a claim is made less often
                groups[therefore(row)].append(row)
        for answer, members in groups.items():
            worst = max(members, key=_badness)
            yield f'    * {worst.what}; worst in "{worst.world}": {_figure(worst)}.{" " if answer else ""}{answer}'
    yield ""


def therefore(row: Row) -> str:
    """What the product does about a row that fails."""
    return next((text for applies, text in THEREFORE if applies(row)), "")


def _badness(row: Row) -> float:
    return row.width / row.oracle if row.verdict == "wide" else abs(row.rate)


def _figure(row: Row) -> str:
    if row.verdict == "wide":
        return f"width {number(row.width, 2)} against {number(row.oracle, 2)}, coverage {number(row.rate, 3)}"
    return number(row.rate, 3)


def number(value: float, digits: int) -> str:
    """Without its leading zero, as all figures of the project; empty for NaN."""
    return "" if math.isnan(value) else f"{value:.{digits}f}".replace("0.", ".", 1 if abs(value) < 1 else 0)


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0])
    (folder / PAGE).write_text(page(read_rows(folder / DATA, Row)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
