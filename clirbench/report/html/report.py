"""report.html: the answer, the tau tables, plots, systems, checkpoints, analyses, topics, and where it comes from."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clirbench.report.answer import answered, checkpoints
from clirbench.report.facts import agreement_lines, count_lines, interval, short, table_notes, warnings
from clirbench.report.figures import axis, group_columns, groups, series
from clirbench.report.html.grid import Grid, analysis_grid, systems_grid, tau_grid
from clirbench.report.html.page import rendered, rounded
from clirbench.report.html.pair import NAME as PAIR
from clirbench.report.html.pair import write_pair
from clirbench.report.html.spread import spreads
from clirbench.report.html.topics import topic_sets
from clirbench.result import AnalysisTable, Result

NAMES = {"kendall": "Kendall's tau", "spearman": "Spearman's rho", "pearson": "Pearson's r"}
# What a reader asks next stands first; analyses that are not named here follow in the order they were made.
ORDER = (
    "differences",
    "clusters",
    "choice",
    "trend",
    "early_stopping",
    "improvement",
    "multiverse",
    "multiverse_taus",
    "power",
)
APART = ("favoritism", "favoritism_top")  # on a page of their own


def write(folder: Path, result: Result, provenance: Mapping[str, Any]) -> None:
    """Write `report.html`, and `pair.html` where two systems were compared segment by segment."""
    pair = write_pair(folder / PAIR, result.tables)
    data = payload(result)
    ellipses = any(column["sd"] for column in data["columns"].values())
    shown = {**values(result, provenance, PAIR if pair else ""), "ellipses": ellipses}
    page = rendered("report.html.j2", shown, data)
    (folder / "report.html").write_text(page, encoding="utf-8", newline="\n")


# Where a run was made moves no number: the page is the same from any engine, cache and day (provenance.json has them).
WHERE = ("engine", "paths", "hydra")


def is_where(override: str) -> bool:
    """Whether an override says where a run is made, and not what is computed."""
    key = override.lstrip("+~").partition("=")[0]
    return key == "paths.cache" or key.partition(".")[0] in ("engine", "hydra")


def _what(configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in configuration.items() if key not in WHERE}


def values(result: Result, provenance: Mapping[str, Any], pair: str) -> dict[str, Any]:
    """What the template shows."""
    experiment, board = result.experiment, result.board
    corpus = None if result.inputs is None else result.inputs.corpus
    counts = [f"{len(board.systems)} systems"]
    if corpus is not None:
        counts.append(f"{len(corpus.test)} segments in the MT test set, {len(corpus.test.references)} reference(s)")
        counts += corpus.notes
    return {
        "name": experiment.name,
        "answer": answered(result),
        "taus": [_taus(result, name) for name in experiment.coefficients] if result.correlations else [],
        "alpha": experiment.alpha,
        "p_value": experiment.p_value,
        "metrics": [column.name for column in board.metrics],
        "measures": [column.name for column in board.measures],
        "group_columns": group_columns(board),
        "systems": systems_grid(board),
        "steps": checkpoints(board),
        "analyses": [(made, analysis_grid(made)) for made in ordered(result.tables)],
        "topics": bool(result.retrieval),
        "pair": pair,
        "warnings": warnings(result),
        "counts": [*counts, *count_lines(result), *agreement_lines(result)],
        "signatures": [(c.name, c.signature or "read from a table") for c in board.columns],
        "provenance": {name: provenance.get(name, "not recorded") for name in ("clirbench", "python", "seed")},
        "command": shlex.join(part for part in map(str, provenance.get("command", [])) if not is_where(part)),
        "libraries": {k: v for k, v in provenance.get("libraries", {}).items() if v},
        "configuration": json.dumps(_what(provenance.get("configuration") or {}), indent=2, ensure_ascii=False),
    }


def _taus(result: Result, coefficient: str) -> dict[str, Any]:
    name = NAMES.get(coefficient, coefficient)
    grids: list[tuple[Grid, list[str]]] = []
    for title in result.board.tables:
        caption = f"{name}{f': {title}' if title else ''}, over {len(result.board.systems)} systems"
        grid = tau_grid(result.board, result.correlations, coefficient, title, caption)
        grids.append((grid, table_notes(result, title)))
    return {"name": name, "coefficient": coefficient, "grids": grids}


def ordered(tables: Sequence[AnalysisTable]) -> list[AnalysisTable]:
    """The analyses in reading order, without those that have a page of their own."""
    place = {name: i for i, name in enumerate(ORDER)}
    kept = [table for table in tables if table.name not in APART]
    return sorted(kept, key=lambda table: place.get(table.name, len(ORDER)))


def payload(result: Result) -> dict[str, Any]:
    """What the plots and the topic view are drawn from."""
    board = result.board
    spread = spreads(result.evidence) if result.inputs is not None else {}
    columns = {
        column.name: {
            "axis": axis(column),
            "lower": not column.higher_is_better,
            "values": [rounded(value) for value in column.values.tolist()],
            "sd": [rounded(value, 3) for value in spread[column.name].tolist()] if column.name in spread else None,
        }
        for column in board.columns
    }
    return {
        "systems": board.systems,
        "metrics": [column.name for column in board.metrics],
        "measures": [column.name for column in board.measures],
        "columns": columns,
        "groups": [_groups(result, name) for name in (*group_columns(board), "")],
        "tau": _labels(result),
        "steps": board.metadata.get("step") if checkpoints(board) else None,
        "series": series(board),
        "topics": topic_sets(result),
    }


def _groups(result: Result, column: str) -> dict[str, Any]:
    if not column:
        return {"column": "", "names": ["all systems"], "of": [0] * len(result.board.systems)}
    found = groups(result.board, column)
    return {"column": found.column, "names": found.names, "of": found.of}


def _labels(result: Result) -> dict[str, dict[str, str]]:
    """measure -> metric -> what stands over the plot."""
    found: dict[str, dict[str, str]] = {}
    first = result.experiment.coefficients[0] if result.experiment.coefficients else "kendall"
    for row in result.correlations:
        if row.coefficient == first:
            text = "undefined" if row.value != row.value else short(row.value) + interval(row)
            text += "" if row.significant != "false" else " (not significant)"
            found.setdefault(row.measure, {})[row.metric] = text
    return found
