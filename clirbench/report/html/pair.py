"""pair.html: two systems side by side, sentence by sentence, then by their influence on the corpus score."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from clirbench.pages.table import Table
from clirbench.pages.wording import number
from clirbench.report.html.page import rendered
from clirbench.result import Result

NAME = "pair.html"
FIXED = ("metric", "rank", "segment", "delta", "favours", "reference", "source")
MOST = 20
"""Segments shown of each metric for each system that they speak for."""
WORD = re.compile(r"\w{3,}")
Piece = tuple[str, bool]


def topic_words(result: Result) -> frozenset[str]:
    """The words (of three letters or more) of all topics of a run."""
    topics = [] if result.inputs is None else [topic for found in result.inputs.topics.values() for topic in found]
    return frozenset(word for topic in topics for word in _words(topic.text))


def write_pair(path: Path, tables: Sequence[Table], words: frozenset[str] = frozenset()) -> bool:
    """Write the page where the run made the table `favoritism`; says whether it did. `words`: those of the topics."""
    by_name = {table.name: table for table in tables}
    table = by_name.get("favoritism")
    if table is None or not {"metric", "delta", "favours", "reference"} <= set(table.header):
        return False
    systems = [name for name in table.header if name not in FIXED][:2]
    if len(systems) < 2:
        return False
    influence = _by_metric(table)
    wins = _by_metric(by_name["segment_wins"]) if "segment_wins" in by_name else {}
    said = by_name["favoritism_top"].text if "favoritism_top" in by_name else table.text
    metrics = [
        {
            "name": metric,
            "said": [line for line in said if line.startswith(f"{metric}, ")],
            "wins": [*_won(rows, wins.get(metric, []), systems, words)],
            "influence": [_article(row, systems, words, f"delta {number(float(row['delta']))}", row["favours"])
                          for row in _strongest(rows, "delta")],
        }
        for metric, rows in influence.items()
    ]  # fmt: skip
    general = [line for line in said if not any(line.startswith(f"{metric}, ") for metric in influence)]
    values = {
        "title": f"{systems[0]} and {systems[1]}, side by side",
        "systems": systems,
        "text": general,
        "metrics": metrics,
        "terms": bool(words),
    }
    path.write_text(rendered("pair.html.j2", values, {}), encoding="utf-8", newline="\n")
    return True


def _by_metric(table: Table) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for cells in table.rows:
        row = dict(zip(table.header, cells, strict=True))
        found.setdefault(str(row["metric"]), []).append(row)
    return found


def _strongest(rows: Sequence[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    """The `MOST` highest above 0 and the `MOST` lowest below, the largest first."""
    ordered = sorted(rows, key=lambda row: -abs(float(row[key])))
    kept = [[row for row in ordered if sign * float(row[key]) > 0][:MOST] for sign in (1, -1)]
    return sorted((row for side in kept for row in side), key=lambda row: -abs(float(row[key])))


def _won(
    rows: Sequence[Mapping[str, Any]], wins: Sequence[Mapping[str, Any]], systems: Sequence[str], words: frozenset[str]
) -> list[dict[str, Any]]:
    texts = {row.get("segment"): row for row in rows}
    gaps = [{**win, "gap": (float(win["score_a"]) - float(win["score_b"]))} for win in wins]
    return [
        _article(texts[win["segment"]], systems, words, " against ".join(map(number, scores)), win["better"])
        for win in _strongest(gaps, "gap")
        for scores in [(float(win["score_a"]), float(win["score_b"]))]
    ]


def _article(
    row: Mapping[str, Any], systems: Sequence[str], words: frozenset[str], said: str, better: str
) -> dict[str, Any]:
    reference = str(row["reference"])
    wanted = _words(reference) & words
    lost = {name: sorted(wanted - _words(str(row[name]))) for name in systems}
    return {
        "segment": row.get("segment", row.get("rank", "")),
        "said": said,
        "better": better,
        "side": "a" if better == systems[0] else "b" if better == systems[1] else "",
        "words": len(reference.split()),
        "lost": [(name, ", ".join(terms)) for name, terms in lost.items() if terms],
        "source": row.get("source", ""),
        "reference": reference,
        "outputs": [(name, marked(str(row[name]), reference)) for name in systems],
    }


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


def marked(text: str, reference: str) -> list[Piece]:
    """The text in pieces, each with whether it is missing from the reference (by the longest common runs of words)."""
    words, known = text.split(), reference.split()
    matcher = SequenceMatcher(None, [w.casefold() for w in words], [w.casefold() for w in known], autojunk=False)
    return [
        (" ".join(words[start:end]), tag != "equal") for tag, start, end, _, _ in matcher.get_opcodes() if end > start
    ]
