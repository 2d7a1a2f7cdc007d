"""report.html: the answer, the tau tables, plots, systems, checkpoints, analyses, topics, and where it comes from."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.pages.table import Table
from clirbench.pages.wording import number
from clirbench.report import facts
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences, decision_tables, recommended
from clirbench.report.figures import axis_label
from clirbench.report.grouping import Grouping, checkpoints, group_columns, grouped_by, one_group, training_runs
from clirbench.report.html.cells import cut
from clirbench.report.html.page import rendered, rounded
from clirbench.report.html.pair import NAME as PAIR
from clirbench.report.html.pair import topic_words, write_pair
from clirbench.report.html.spread import MOST_SYSTEMS as MOST_ELLIPSES
from clirbench.report.html.spread import Spreads
from clirbench.report.html.topics import topic_sets
from clirbench.report.run_page import counts
from clirbench.report.set_up import data_name, set_up
from clirbench.report.tables import all_tables, column_meanings, systems_table
from clirbench.result import Result
from clirbench.store.cached import cached_result

# What a reader asks next comes first; analyses that are not named here follow in the order they were made.
ORDER = (
    "differences",
    "clusters",
    "choice",
    "early_stopping",
    "improvement",
    "multiverse",
    "multiverse_taus",
    "power",
)
MOST_SYSTEMS = 2000
"""Rows of systems that a page shows: with 10,000 it would take seconds to open."""
APART = ("favoritism", "favoritism_top", "segment_wins")  # on a page of their own


@dataclass(frozen=True)
class Live:
    """What a page of a run that goes on shows first: the curve of `measure`, then `sentences`.

    An open browser loads the page again every `seconds`.
    """

    seconds: int
    sentences: tuple[str, ...]
    measure: str = ""


def write(folder: Path, result: Result, provenance: Mapping[str, Any], live: Live | None = None) -> None:
    """Write `report.html`, and `pair.html` where two systems were compared segment by segment."""
    pair = write_pair(folder / PAIR, result.tables, topic_words(result))
    data = {**payload(result), "reload": live.seconds if live else 0}
    ellipses = any(column["sd"] for column in data["columns"].values())
    shown = {**values(result, provenance, PAIR if pair else ""), "ellipses": ellipses, "live": live}
    page = rendered("report.html.j2", shown, data)
    (folder / "report.html").write_text(page, encoding="utf-8", newline="\n")


# Where a run was made moves no number: the page is the same from any engine, cache and day (provenance.json has them).
WHERE = ("engine", "paths", "hydra")


def is_where(override: str) -> bool:
    """Whether an override says where a run is made, and not what is computed."""
    key = override.lstrip("+~").partition("=")[0]
    return key == "paths.cache" or key.partition(".")[0] in ("engine", "hydra")


def values(result: Result, provenance: Mapping[str, Any], pair: str) -> dict[str, Any]:
    """What the template shows."""
    experiment, board = result.experiment, result.board
    systems, systems_left_out = systems_shown(result)
    what = {key: value for key, value in (provenance.get("configuration") or {}).items() if key not in WHERE}
    return {
        "name": data_name(result, provenance),
        "set_up": list(set_up(result).lines()),
        "answer": answered(result),
        "decision": decision_sentences(result),
        "decided": [(made, *cut(made)) for made in map(Table.compact, decision_tables(result))],
        "taus": [_taus(result, name) for name in experiment.coefficients] if result.correlations else [],
        "alpha": experiment.alpha,
        "metrics": [column.name for column in board.metrics],
        "measures": [column.name for column in board.measures],
        "group_columns": group_columns(board),
        "systems": systems,
        "systems_left_out": systems_left_out,
        "steps": checkpoints(board),
        "analyses": [(made, *cut(made)) for made in map(Table.compact, ordered(all_tables(result)))],
        "topics": bool(result.retrieval),
        "pair": pair,
        "warnings": facts.warnings(result),
        "counts": counts(result),
        "signatures": [(c.name, c.signature or "read from a table") for c in board.columns],
        "provenance": {name: provenance.get(name, "not recorded") for name in ("clirbench", "python", "seed")},
        "command": shlex.join(part for part in map(str, provenance.get("command", [])) if not is_where(part)),
        "libraries": {k: v for k, v in provenance.get("libraries", {}).items() if v},
        "configuration": json.dumps(what, indent=2, ensure_ascii=False),
    }


def systems_shown(result: Result) -> tuple[Table, int]:
    """The systems and baselines, and how many are left out: of very many those that are best by the first measure.

    They keep the order of the board.
    """
    board, made = result.board, systems_table(result.board, result.baselines)
    n = len(board.systems)
    if n <= MOST_SYSTEMS or not board.columns:
        return made, 0
    first = board.first_measure or (*board.metrics, *board.measures)[0]
    best = np.argsort(-np.nan_to_num(first.oriented, nan=-np.inf), kind="stable")[:MOST_SYSTEMS]
    rows = [made.rows[i] for i in (*sorted(best.tolist()), *range(n, len(made.rows)))]
    return replace(made, rows=rows), len(made.rows) - len(rows)


def _taus(result: Result, coefficient: str) -> dict[str, Any]:
    name = facts.coefficient_name(coefficient)
    tables: list[tuple[Table, list[str]]] = []
    for found in facts.tau_tables(result.board, result.correlations, coefficient):
        caption = f"{name}{f': {found.title}' if found.title else ''}, over {result.units.said}"
        about = column_meanings(result.board.metrics)
        notes = [f"p-value: {facts.p_method(found)}", *facts.table_notes(result, found.title)]
        tables.append((replace(found, title=caption, about=about), notes))
    return {"name": name, "coefficient": coefficient, "tables": tables}


def ordered(tables: Sequence[Table]) -> list[Table]:
    """The analyses in reading order, without those that have a page of their own."""
    place = {name: i for i, name in enumerate(ORDER)}
    kept = [table for table in tables if table.name not in APART]
    return sorted(kept, key=lambda table: place.get(table.name, len(ORDER)))


def payload(result: Result) -> dict[str, Any]:
    """What the plots and the topic view are drawn from."""
    board = result.board
    runs = training_runs(board)
    spread = {}
    if result.inputs is not None and len(result.evidence.systems) <= MOST_ELLIPSES:
        (spread,) = cached_result(result.experiment.engine, Spreads(), result.evidence)
    columns = {
        column.name: {
            "axis": axis_label(column),
            "lower": not column.higher_is_better,
            "values": [rounded(value) for value in column.values.tolist()],
            "sd": [rounded(value, 3) for value in spread[column.name]] if column.name in spread else None,
        }
        for column in board.columns
    }
    return {
        "systems": board.systems,
        "metrics": [column.name for column in board.metrics],
        "measures": [column.name for column in board.measures],
        "first": "" if board.first_measure is None else board.first_measure.name,
        "columns": columns,
        "groups": [
            *(_grouping(grouped_by(board, column)) for column in group_columns(board)),
            _grouping(one_group(board, "all systems")),
        ],
        "tau": _labels(result),
        "steps": board.metadata.get("step") if checkpoints(board) else None,
        "series": runs.group_of,
        "runs": runs.names,
        "shipped": recommended(result),
        "topics": topic_sets(result),
    }


def _grouping(made: Grouping) -> dict[str, Any]:
    return {"column": made.column, "names": made.names, "of": made.group_of}


def _labels(result: Result) -> dict[str, dict[str, str]]:
    """measure -> metric -> what stands over the plot."""
    found: dict[str, dict[str, str]] = {}
    for (measure, metric), row in facts.by_pair(result.correlations, facts.first_coefficient(result)).items():
        doubt = " (not significant)" if row.significant == "false" else ""
        found.setdefault(measure, {})[metric] = number(row.value) + facts.interval(row) + doubt
    return found
