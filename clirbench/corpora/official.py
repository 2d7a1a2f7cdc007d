"""Scores that the organisers of a campaign published beside its texts: which take part, and why others do not.

official-metrics.tsv   system, metric, score: COMET-A is COMET against reference A
human.tsv              system, score_z (standardised), ..., kind: `system`, or `human` for a translation by people
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.corpora.layout import Layout
from clirbench.files.tables import MISSING, TextTable, read_table

METRICS, PEOPLE = "official-metrics.tsv", "human.tsv"
HUMAN, STANDARDISED = "human", "score_z"
COMPUTED = ("bleu", "chrf")
YEAR = re.compile(r"wmt(\d\d)")
LETTER = re.compile("[A-Z]")
"""A reference, also one that is not in the folder."""


@dataclass(frozen=True)
class OfficialScores:
    """`tables`: one for each metric that takes part, of the systems that have a score; `unused`: why others do not."""

    tables: tuple[TextTable, ...] = ()
    unused: dict[str, str] = field(default_factory=dict)


NO_SCORES = OfficialScores()


def official_scores(layout: Layout, scoring: str) -> OfficialScores:
    """The scores beside the texts of a folder; `scoring`: the reference that metrics score against.

    COMET carries the year of a campaign (`wmt22`, the folder around), because each year had another model. Raises
    `InputError` for a table without its columns.
    """
    tables: list[TextTable] = []
    unused: dict[str, str] = {}
    if (path := layout.single(METRICS)) is not None:
        table = read_table(path)
        table.require("system", "metric", "score")
        year = YEAR.fullmatch(Path(layout.where).absolute().parent.name)
        for metric in dict.fromkeys(table.column("metric")):
            rows = [(row["system"], row["score"]) for row in table.records() if row["metric"] == metric]
            name, why = _taken(metric, layout, scoring)
            if max(Counter(system for system, _ in rows).values()) > 1:
                why = "several values of one system"
            if why:
                unused[metric] = why
                continue
            tables.append(_table(path, f"{name}-{year[1]}" if year and name == "COMET" else name, rows))
    if (path := layout.single(PEOPLE)) is not None:
        table = read_table(path)
        table.require("system", STANDARDISED, "kind")
        rows = [(row["system"], row[STANDARDISED]) for row in table.records() if row["kind"] == "system"]
        human = _table(path, HUMAN, rows)
        tables += [human] if human.rows else []
        raw = {name: f"{HUMAN} is {STANDARDISED}" for name in table.header if name == "score_raw"}
        unused |= raw if human.rows else {HUMAN: "no system has a value"}
    return OfficialScores(tuple(tables), unused)


def _taken(metric: str, layout: Layout, scoring: str) -> tuple[str, str]:
    """The name of a metric without its reference, and why it takes no part."""
    stem, _, last = metric.rpartition("-")
    reference = last if last in layout.references else last.removeprefix("ref")
    named = bool(stem) and (reference in layout.references or bool(LETTER.fullmatch(reference)))
    if named and reference != scoring:
        return stem, f"against reference {reference}"
    if metric.split("-")[0].lower() in COMPUTED:
        return metric, "computed here"
    return stem if named else metric, ""


def _table(path: Path, name: str, rows: list[tuple[str, str]]) -> TextTable:
    """The scores of one metric; a system without one is not in it."""
    kept = tuple(row for row in rows if row[1].strip().lower() not in MISSING)
    return TextTable(str(path), ("system", name), kept, tuple(range(2, 2 + len(kept))))
