"""Scoreboards and results made by hand."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from clirbench.engines.local import Serial
from clirbench.pages import Table
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import correlate
from tests.names import letter_names

EVIL = "<script>alert(1)</script>"


def board(
    metrics: Mapping[str, Sequence[float]],
    measures: Mapping[str, Sequence[float]],
    metadata: Mapping[str, Sequence[str]] | None = None,
    systems: Sequence[str] = (),
) -> Scoreboard:
    """Columns by name; systems are called b1, c2, ..."""
    n = len(next(iter((*metrics.values(), *measures.values()))))
    columns = [
        Column(name, "metric", np.array(values, dtype=float), signature=name) for name, values in metrics.items()
    ]
    columns += [
        Column(
            name,
            "measure",
            np.array(values, dtype=float),
            signature=f"bm25|topics:t|rel:qrels:1|{name}",
            declared={"judged_by": "people"},
        )
        for name, values in measures.items()
    ]
    names = tuple(systems) or letter_names(n, 1)
    return Scoreboard(names, tuple(columns), {key: tuple(texts) for key, texts in (metadata or {}).items()})


def results_json(
    signatures: Mapping[str, str], judges: Mapping[str, tuple[str, str]], imported: Sequence[str] = ()
) -> str:
    """results.json, as far as pooling and comparing read it; `judges[measure]`: the retriever, who judged."""
    entries = []
    for name, signature in signatures.items():
        retriever, judge = judges.get(name, ("", ""))
        entries.append(
            {
                "name": name,
                "role": "measure" if judge else "metric",
                "origin": "imported" if name in imported else "computed",
                "higher_is_better": True,
                "table": "",
                "signature": signature,
                "parts": [] if judge else [signature.removeprefix("nrefs:1|")],
                "declared": {"retriever": retriever, "judged_by": judge} if judge else {},
            }
        )
    return json.dumps({"columns": entries})


def result(made: Scoreboard, tables: Sequence[Table] = (), notes: Sequence[str] = ()) -> Result:
    """A finished run without retrieval."""
    experiment = Experiment("by hand", Serial())
    rows = correlate(made, experiment.coefficients)
    return Result(experiment, made, tuple(rows), tables=tuple(tables), notes=tuple(notes))
