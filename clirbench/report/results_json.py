"""results.json: what a run found, for programs: answer, tau table, sizes, signatures, warnings.

Its JSON Schema is `clirbench/data/results.schema.json`. Within one `version` keys are added, none changes its meaning.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from clirbench import __version__
from clirbench.errors import escape_unseen
from clirbench.report.answer import answered
from clirbench.report.decision import decision_findings
from clirbench.report.facts import counts, warnings
from clirbench.report.html.page import plain
from clirbench.report.provenance import inputs
from clirbench.report.set_up import set_up
from clirbench.report.tables import run_tables
from clirbench.result import Result

VERSION = 1
"""Of the format; `clirbench` beside it is the program's."""

COLUMN_KEYS = ("name", "role", "origin", "higher_is_better", "table", "signature", "parts", "declared")


def results(result: Result) -> dict[str, Any]:
    """The run as plain JSON values; a number that is undefined is null."""
    answer, tables = answered(result), run_tables(result)
    decision = tables.get("decision")
    found = {
        "version": VERSION,
        "clirbench": __version__,
        "name": result.experiment.name,
        "answer": str(answer),
        "measure": answer.measure,
        "findings": [found.as_dict() for found in (*answer.findings, *decision_findings(result))],
        "decision": decision and [dict(zip(decision.header, row, strict=True)) for row in decision.values()],
        "correlations": [asdict(row) for row in result.correlations],
        "coefficients": result.experiment.coefficients,
        "units": {"said": result.units.said, "number": result.units.number, "source": result.units.source},
        "set_up": asdict(set_up(result)),
        "systems": result.board.systems,
        "failed": result.failed,
        "columns": [{key: getattr(column, key) for key in COLUMN_KEYS} for column in result.board.columns],
        "inputs": {key: value for key, value in inputs(result).items() if key != "systems"},
        "topics": [{"label": label, **asdict(found)} for label, found in counts(result).items()],
        "tables": {
            name: {"columns": table.header, "text": [c.name for c in table.columns if c.kind == "text"]}
            for name, table in tables.items()
        },
        "warnings": warnings(result),
    }
    return {key: plain(value) for key, value in found.items()}


def as_json(values: Mapping[str, Any]) -> str:
    """The text of a JSON file, every control character in it visible."""
    return escape_unseen(json.dumps(values, indent=2, ensure_ascii=False)) + "\n"
