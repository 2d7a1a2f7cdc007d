"""What every WMT folder answers, and whether set-ups contradict each other: `python -m benchmarks.answers_page`.

Writes docs/explanation/answers.md from docs/data/answers.tsv and docs/data/settings.tsv.
"""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.settings import FOLDERS, Row, contradictions, verdicts
from benchmarks.validity_page import read_rows
from clirbench.statistics.grades import GRADES

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "explanation" / "answers.md"
OTHERS = ", three of\n{number} other folders (`relevance.k=3` with BLEU alone, 10 and 100 with five metrics)"

INTRO = """<!-- Written by benchmarks/answers_page.py from docs/data/answers.tsv and settings.tsv; do not edit. -->
# What clirbench answers on WMT

`+experiment=folder folder=DIR 'metric=[BLEU,chrF1,chrF2,MacroF1,MicroF1]'` for each of the {folders} language pairs of
WMT 2021 to 2024 with five systems or more; nothing else is set. Topics and relevance come from the reference, which
favours metrics that match words. A folder counts by the metric with the best evidence, which the first sentence of the
answer is about; the example is the folder with the median number of systems. Every folder is in
[answers.tsv](../data/answers.tsv).

| evidence | folders | systems | example | its first sentence |
| --- | --: | --: | --- | --- |"""
SETTINGS = """
## Do other settings contradict?

{setups} further set-ups: ten of six folders (`relevance.k` of 3, 10 and 100, one metric and eight; a covariate that
orders the systems as retrieval does, a score whose tau is 1, a near-copy, a copy of the reference){others}.
Two set-ups contradict each other if their answers are about different measures, if a metric's evidence is strong in one
and not shown in the other, if it is shown in one and contradicted in the other, or if the systems that they recommend
or call tied have none in common.

**Contradictions: {number}.**{contradictions}

**A metric's grade moves by two steps or more, or no system is in every set-up's set: {moves}.**{moved}

Every metric of every set-up: [settings.tsv](../data/settings.tsv).
`benchmarks/answers_again.py` computes tau, interval and grade again from the folders of the runs."""


def page(answers: Sequence[Mapping[str, str]], settings: Sequence[Row]) -> str:
    """All of it, in Markdown."""
    return "\n".join(_lines([row for row in answers if "/" in row["run"]], settings)) + "\n"


def _lines(answers: Sequence[Mapping[str, str]], settings: Sequence[Row]) -> Iterator[str]:
    folders: dict[str, list[Mapping[str, str]]] = {}
    for row in answers:
        folders.setdefault(row["run"], []).append(row)
    yield INTRO.format(folders=len(folders))
    for grade in GRADES:
        alike = sorted((_systems(own), name) for name, own in folders.items() if _best(own) == grade)
        if alike:
            _, name = alike[len(alike) // 2]
            span = " to ".join(dict.fromkeys((str(alike[0][0]), str(alike[-1][0]))))
            yield f"| {grade} | {len(alike)} | {span} | {name} | {folders[name][0]['first_sentence']}. |"
    others = len({row.folder for row in settings} - set(FOLDERS))
    against, moved = list(contradictions(settings)), list(verdicts(settings))
    yield SETTINGS.format(
        setups=len({(row.folder, row.setup) for row in settings}),
        others=OTHERS.format(number=others) if others else "",
        number=len(against),
        contradictions=_listed(against),
        moves=len(moved),
        moved=_listed(moved),
    )


def _systems(own: Sequence[Mapping[str, str]]) -> int:
    return max(int(row["systems"]) for row in own)


def _best(own: Sequence[Mapping[str, str]]) -> str:
    """The best grade of a folder's metrics."""
    return min((row["grade"] for row in own), key=GRADES.index)


def _listed(found: Sequence[str]) -> str:
    return "".join(f"\n\n* {one}" if i == 0 else f"\n* {one}" for i, one in enumerate(found))


def made() -> str:
    """The page of the committed data."""
    with (DOCS / "data" / "answers.tsv").open(encoding="utf-8", newline="") as stream:
        answers = list(csv.DictReader(stream, delimiter="\t"))
    return page(answers, read_rows(DOCS / "data" / "settings.tsv", Row))


def main() -> int:
    PAGE.write_text(made(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
