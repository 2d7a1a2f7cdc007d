"""pair.html: the segments on which metrics favour one of two systems, side by side, differences marked."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from clirbench.analyses.wording import number
from clirbench.report.html.page import rendered
from clirbench.result import AnalysisTable

NAME = "pair.html"
FIXED = ("metric", "rank", "segment", "delta", "favours", "reference", "source")
MOST = 25  # segments of each metric
Piece = tuple[str, bool]


def write_pair(path: Path, tables: Sequence[AnalysisTable]) -> bool:
    """Write the page where the run made the table `favoritism`; says whether it did."""
    table = next((table for table in tables if table.name == "favoritism"), None)
    if table is None or not {"metric", "delta", "favours", "reference"} <= set(table.header):
        return False
    systems = [name for name in table.header if name not in FIXED][:2]
    if len(systems) < 2:
        return False
    said = [line for other in tables if other.name == "favoritism_top" for line in other.text] or list(table.text)
    values = {"title": table.title, "systems": systems, "text": said, "metrics": list(_metrics(tables, systems))}
    path.write_text(rendered("pair.html.j2", values, {}), encoding="utf-8", newline="\n")
    return True


def _metrics(tables: Sequence[AnalysisTable], systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    by_metric: dict[str, list[Any]] = {}
    (made,) = (table for table in tables if table.name == "favoritism")
    for row in (dict(zip(made.header, cells, strict=True)) for cells in made.rows):
        by_metric.setdefault(str(row["metric"]), []).append(row)
    for metric, rows in by_metric.items():
        strongest = sorted((r for r in rows if r["delta"]), key=lambda row: -abs(float(row["delta"])))[:MOST]
        yield {"name": metric, "n": len(rows), "rows": [_row(row, systems) for row in strongest]}


def _row(row: Any, systems: Sequence[str]) -> dict[str, Any]:
    reference = str(row["reference"])
    return {
        "segment": row.get("segment", row.get("rank", "")),
        "delta": number(float(row["delta"])),
        "favours": row["favours"],
        "source": row.get("source", ""),
        "reference": reference,
        "outputs": [(name, marked(str(row[name]), reference)) for name in systems],
    }


def marked(text: str, reference: str) -> list[Piece]:
    """The text in pieces, each with whether the reference lacks it (by the longest common runs of words)."""
    words, known = text.split(), reference.split()
    matcher = SequenceMatcher(None, [w.casefold() for w in words], [w.casefold() for w in known], autojunk=False)
    return [
        (" ".join(words[start:end]), tag != "equal") for tag, start, end, _, _ in matcher.get_opcodes() if end > start
    ]
