"""pair.html: two systems side by side, sentence by sentence, then by their influence on the corpus score."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from clirbench.pages.page import Aside, Page, Section
from clirbench.pages.table import Cell, Table
from clirbench.pages.wording import number
from clirbench.result import Result

PAIR = "pair.html"
FIXED = ("metric", "rank", "segment", "delta", "favours", "reference", "source")
MOST = 20
"""Segments shown of each metric for each system that they speak for."""
WORD = re.compile(r"\w{3,}")
READING = (
    "First, for each metric, the two outputs of a segment by their sentence scores. Then, under corpus influence, by "
    "how much each segment moves the two corpus scores. Marked: words that the reference has not there. lost: words of "
    "topics that only the reference has."
)


def topic_words(result: Result) -> frozenset[str]:
    """The words (of three letters or more) of all topics of a run."""
    topics = [] if result.inputs is None else [topic for found in result.inputs.topics.values() for topic in found]
    return frozenset(word for topic in topics for word in _words(topic.text))


def pair_page(tables: Sequence[Table], words: frozenset[str] = frozenset()) -> Page | None:
    """The page, where the run made the table `favoritism`. `words`: those of the topics."""
    by_name = {table.name: table for table in tables}
    table = by_name.get("favoritism")
    systems = [name for name in table.header if name not in FIXED][:2] if table is not None else []
    if table is None or not {"metric", "delta", "favours", "reference"} <= set(table.header) or len(systems) < 2:
        return None
    influence, wins = _by_metric(table), _by_metric(by_name["segment_wins"]) if "segment_wins" in by_name else {}
    said = by_name.get("favoritism_top", table).text
    general = [line for line in said if not any(line.startswith(f"{metric}, ") for metric in influence)]
    sections = [Section("shown", "", (READING, *map(Aside, general)))]
    for place, (metric, rows) in enumerate(influence.items(), start=1):
        own = [line for line in said if line.startswith(f"{metric}, ")]
        texts = {row.get("segment"): row for row in rows}
        won = [
            _row(
                {**texts[win["segment"]], "favours": win["better"]},
                " against ".join(map(number, scores)),
                systems,
                words,
            )
            for win in _strongest(wins.get(metric, []), lambda win: float(win["score_a"]) - float(win["score_b"]))
            for scores in [(float(win["score_a"]), float(win["score_b"]))]
        ]
        moved = [
            _row(row, f"delta {number(float(row['delta']))}", systems, words)
            for row in _strongest(rows, lambda row: float(row["delta"]))
        ]
        sections.append(
            Section(
                f"metric-{place}",
                metric,
                (*own, *_table(won, f"Sentence scores of {metric}: the largest differences", systems)),
            )
        )
        title = f"Corpus influence of segments on {metric} (leave-one-out): the largest deltas"
        sections.append(
            Section(
                f"influence-{place}",
                f"{metric}: corpus influence",
                tuple(_table(moved, title, systems)),
                fold=bool(won),
            )
        )
    return Page(f"{systems[0]} and {systems[1]}, side by side", sections)


def _table(rows: Sequence[tuple[Any, ...]], title: str, systems: Sequence[str]) -> Iterator[Table]:
    header = ("segment", "by", "better", "words", "lost", "source", "reference", *systems)
    if rows:
        yield Table("favoritism", title, header, rows).compact()


def _by_metric(table: Table) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for cells in table.rows:
        row = dict(zip(table.header, cells, strict=True))
        found.setdefault(str(row["metric"]), []).append(row)
    return found


def _strongest(rows: Sequence[Mapping[str, Any]], of: Any) -> list[Mapping[str, Any]]:
    """The `MOST` highest above 0 and the `MOST` lowest below, the largest first."""
    ordered = sorted(rows, key=lambda row: -abs(of(row)))
    kept = [[row for row in ordered if sign * of(row) > 0][:MOST] for sign in (1, -1)]
    return sorted((row for side in kept for row in side), key=lambda row: -abs(of(row)))


def _row(row: Mapping[str, Any], by: str, systems: Sequence[str], words: frozenset[str]) -> tuple[Any, ...]:
    reference, outputs = str(row["reference"]), [str(row[name]) for name in systems]
    wanted = _words(reference) & words
    lost = [(name, sorted(wanted - _words(text))) for name, text in zip(systems, outputs, strict=True)]
    told = "; ".join(f"{name} lost {', '.join(terms)}" for name, terms in lost if terms)
    marked = [Cell(text, pieces=pieces_of(text, reference)) for text in outputs]
    segment = row.get("segment", row.get("rank", ""))
    return (segment, by, row["favours"], len(reference.split()), told, row.get("source", ""), reference, *marked)


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


def pieces_of(text: str, reference: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is missing from the reference (by the longest common runs of words)."""
    words, known = text.split(), reference.split()
    matcher = SequenceMatcher(None, [w.casefold() for w in words], [w.casefold() for w in known], autojunk=False)
    return [
        (" ".join(words[start:end]), tag != "equal") for tag, start, end, _, _ in matcher.get_opcodes() if end > start
    ]
