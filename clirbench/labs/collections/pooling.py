"""Runs over several collections, read from their folders and pooled; `view.py` shows what was found."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.errors import ClirbenchError, InputError, UnknownName, gathered, raise_all
from clirbench.files.run_files import (
    RESULTS,
    described_columns,
    numbers,
    read_provenance,
    read_results,
    read_run_table,
)
from clirbench.files.tables import number, read_table, system_column
from clirbench.labs.collections.identity import by_name, merged_runs_notes
from clirbench.labs.collections.statistics.choosing import Chosen, choosing_losses
from clirbench.labs.collections.statistics.pooling import Point, Pooled, pool_stratum
from clirbench.labs.collections.statistics.retrievers import Beside, compare_retrievers
from clirbench.labs.collections.statistics.settings import Collection, Stratum, strata
from clirbench.labs.collections.statistics.transport import Transported, transport_rows
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.units.belonging import units_of
from clirbench.types import JUDGES, Doubles

PAIR = re.compile(r"[A-Z]{2}-[A-Z]{2}\b")
"""A language pair at the beginning of a collection's name: `LT-EN In`."""


@dataclass(frozen=True)
class Pooling:
    """Everything that was pooled: `rows`, `points` (what each collection says), `transport`, `chosen`, `beside`
    (retrievers side by side), and `notes`; `merged`: which runs count as one collection, why, and how to undo that.

    `ceilings[stratum][setting]`: the tau that a perfect metric would reach, NaN where that is not known;
    `collections`: their names; `signatures[column]`: each signature of a column, with the collections that have it.
    """

    rows: tuple[Pooled, ...]
    points: tuple[Point, ...]
    transport: tuple[Transported, ...]
    chosen: tuple[Chosen, ...]
    beside: tuple[Beside, ...]
    ceilings: Mapping[Stratum, Mapping[str, float]]
    notes: tuple[str, ...]
    collections: tuple[str, ...]
    signatures: Mapping[str, Mapping[str, tuple[str, ...]]]
    merged: tuple[str, ...] = ()

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """All strata but those of second retrievers."""
        every = dict.fromkeys(Stratum(row.judge, row.measure, row.retriever) for row in self.rows)
        seconds = {Stratum(row.judge, row.measure, row.second) for row in self.beside}
        return tuple(stratum for stratum in every if stratum not in seconds)

    def of(self, stratum: Stratum) -> tuple[Pooled, ...]:
        return tuple(row for row in self.rows if Stratum(row.judge, row.measure, row.retriever) == stratum)


def pool(
    folders: Sequence[Path],
    groups: Sequence[str] = (),
    measures: Sequence[str] = (),
    metrics: Sequence[str] = (),
    seed: int = 0,
    apart: Sequence[str] = (),
) -> Pooling:
    """Pool runs (their folders) and score tables with a column `collection` (files; `measures` are their IR
    measures, `metrics` those of their other columns that count: all by default).

    `groups`: what collections may share (`pair`, `year`, of `pool.about`); those with an equal value are kept together.
    `apart`: runs, by name, that count by themselves though they share texts with others.
    Raises `InputError` for a folder that is no run, a collection that stands twice, runs without a common metric or
    measure.
    """
    errors: list[ClirbenchError] = []
    runs: list[_Run] = []
    for path in folders:
        with gathered(errors):
            runs += [_run(path)] if path.is_dir() else _table_runs(path, measures, metrics)
    runs = _named_apart(runs)
    errors += [*_twice(runs), *_unlabelled(runs, groups)]
    errors += [UnknownName("run of --apart", name, names) for name in apart if name not in (names := _names(runs))]
    raise_all(errors)
    collections = [replace(run.collection, apart=run.collection.name in apart) for run in runs]
    found, notes = strata(collections)
    found = {stratum: settings for stratum, settings in found.items() if len(settings) > 1}
    pairs = [(stratum, pool_stratum(stratum, settings, groups, seed=seed)) for stratum, settings in found.items()]
    rows = tuple(row for _, (rows, _) in pairs for row in rows)
    merged = tuple(merged_runs_notes(collections))
    if not rows:
        raise InputError(_nothing(runs, merged, notes))
    return Pooling(
        rows,
        tuple(point for _, (_, points) in pairs for point in points),
        tuple(row for stratum, settings in found.items() for row in transport_rows(stratum, settings)),
        tuple(row for stratum, settings in found.items() for row in choosing_losses(stratum, settings)),
        tuple(compare_retrievers(found)),
        {stratum: {s.name: s.ceiling for s in settings} for stratum, settings in found.items()},
        (*by_name(collections), *_differing(runs), *_single(runs, rows), *notes),
        tuple(_names(runs)),
        _signatures(runs),
        merged,
    )


def different(folders: Sequence[Path]) -> bool:
    """Whether there are two of these runs that are not of one collection."""
    return different_collections([_run(path).collection for path in folders])


def different_collections(collections: Sequence[Collection]) -> bool:
    """Whether one of them has nothing in common with the first."""
    first, *others = collections
    return not all(first.in_common(other) for other in others)


@dataclass(frozen=True, eq=False)
class _Run:
    """One collection, its name with the folder around it, and `content`, what it was made of, which comes once."""

    collection: Collection
    content: tuple[Any, ...]
    longer: str = ""


def collection_of(path: Path) -> Collection:
    """The scores of a run's folder; raises `InputError` for a folder that is no run."""
    return _run(path).collection


def _run(path: Path) -> _Run:
    """A run's folder."""
    provenance = read_provenance(path)
    if "lower_is_better" not in provenance:
        raise InputError(f"{path}: made by an older clirbench, which did not say in which columns less is better")
    table = read_run_table(path, "systems", ("system",))
    table.unique("system")
    said = read_run_table(path, "correlations", ("measure", "metric"))
    pairs = list(zip(said.column("measure"), said.column("metric"), strict=True))
    expected = numbers(said, "ceiling") if "ceiling" in said.header else ()
    ceilings = {measure: value for (measure, _), value in zip(pairs, expected, strict=False) if not isnan(value)}
    measures, metrics = (tuple(dict.fromkeys(names)) for names in zip(*pairs, strict=True)) if pairs else ((), ())
    signatures, lower = provenance.get("signatures", {}), provenance["lower_is_better"]
    if unsigned := [name for name in (*metrics, *measures) if name not in signatures]:
        raise InputError(f"{path}: provenance.json has no signature of {', '.join(unsigned)}")
    described = described_columns(read_results(path) if (path / RESULTS).is_file() else {})
    columns = [
        Column(
            name, "measure" if name in measures else "metric", np.array(numbers(table, name)), name not in lower,
            signatures[name], origin=(known := described.get(name, {})).get("origin", "computed"),
            parts=tuple(known.get("parts", ())), declared=known.get("declared", {}),
        )
        for name in (*metrics, *measures)
    ]  # fmt: skip
    metadata = {name: table.column(name) for name in table.header if name != "system" and name not in signatures}
    inputs, configuration = provenance.get("inputs", {}), provenance.get("configuration") or {}
    every = Scoreboard(table.column("system"), tuple(columns), metadata)
    board = Evidence(every).only(~np.isin(every.systems, list(inputs.get("baselines", ())))).board
    about = (configuration.get("pool") or {}).get("about") or {}
    texts, recorded = inputs.get("collection", {}).get("sha256"), inputs.get("texts") or {}
    near = [(pair[0], pair[-1]) for pair in provenance.get("near_copies", ())]
    units = units_of(board, str(configuration.get("units") or ""), near)
    about = {str(k): str(v) for k, v in about.items()}
    name, longer = _name(path, configuration)
    outputs = frozenset(sha for sides in inputs.get("systems", {}).values() for sha in sides.values())
    held = frozenset([texts, *recorded.get("references", ())]) if texts else frozenset()
    source = str(recorded.get("source") or "")
    judgments = frozenset(
        c.parts[2]
        for c in board.measures
        if c.judged_by in JUDGES and not c.declared.get("known_item_like") and len(c.parts) > 2
    )
    named = Collection(name, board, units, about, ceilings, held, outputs, source=source, judgments=judgments)
    judged = tuple(sorted((m, signatures[m]) for m in measures))
    values = tuple(column.values.tobytes() for column in columns)
    made_of = (texts, inputs.get("test_sha256"), board.systems, judged) if texts else (board.systems, judged, values)
    return _Run(named, made_of, longer)


def _name(path: Path, configuration: Mapping[str, Any]) -> tuple[str, str]:
    """The run folder's name, or, where that is a time or a job's number, that of the collection or experiment; and
    the same with the folder around it."""
    path = path.resolve()
    searched, experiment = configuration.get("folder"), str(configuration.get("name") or path.name)
    if part := ((configuration.get("pool") or {}).get("about") or {}).get("collection"):
        return str(part), str(part)
    if path.name[:1].isdigit() and not (searched and experiment == "folder"):
        return experiment, f"{experiment}/{path.name}"
    place = Path(str(searched)).resolve() if path.name[:1].isdigit() else path
    return place.name, "/".join(place.parts[-2:])


def _names(runs: Sequence[_Run]) -> list[str]:
    return [run.collection.name for run in runs]


def _named_apart(runs: Sequence[_Run]) -> list[_Run]:
    """The runs, those of one name called by their longer ones."""
    names = _names(runs)
    return [
        replace(run, collection=replace(run.collection, name=run.longer))
        if run.longer and names.count(run.collection.name) > 1
        else run
        for run in runs
    ]


def _table_runs(path: Path, measures: Sequence[str], metrics: Sequence[str]) -> list[_Run]:
    """A score table with a column `collection` or `group`: one collection each. Text columns say what they share."""
    table = read_table(path)
    place = next((name for name in ("collection", "group") if name in table.header), "")
    if not place:
        raise InputError(f"{path}: a score table that is pooled needs a column collection (or group)")
    if not measures:
        raise InputError(f"{path}: say which of its columns are IR measures: --measures MAP,RBO")
    key = system_column(table)
    cells = {name: table.column(name) for name in table.header}
    numeric = [n for n in cells if n not in (key, place) and all(number(c or "nan") is not None for c in cells[n])]
    if lost := [name for name in (*measures, *metrics) if name not in numeric]:
        raise UnknownName(f"column of numbers in {path}", lost[0], numeric)
    described = [name for name in cells if name not in (*numeric, key, place)]
    numeric = [name for name in numeric if name in measures or name in metrics or not metrics]
    runs = []
    for name in dict.fromkeys(cells[place]):
        rows = [i for i, cell in enumerate(cells[place]) if cell == name]
        own = {column: tuple(values[i] for i in rows) for column, values in cells.items()}
        columns = [
            Column(n, "measure" if n in measures else "metric", _floats(own[n]), origin="imported") for n in numeric
        ]
        texts = {n: own[n] for n in described}
        pair = PAIR.match(name)
        about = {"pair": pair[0]} if pair else {}
        about |= {n: values[0] for n, values in texts.items() if len(set(values)) == 1}
        board = Scoreboard(own[key], tuple(columns), {n: values for n, values in texts.items() if n not in about})
        values = tuple(column.values.tobytes() for column in columns)
        runs.append(_Run(Collection(name, board, units_of(board), about), (board.systems, values)))
    return runs


def _floats(cells: Sequence[str]) -> Doubles:
    return np.array([float(cell or "nan") for cell in cells])


def _twice(runs: Sequence[_Run]) -> list[ClirbenchError]:
    found: list[ClirbenchError] = []
    for one, other in combinations(runs, 2):
        a, b = one.collection.name, other.collection.name
        if one.content == other.content:
            found.append(InputError(f"{a} and {b} are the same collection, judged the same way: pool one of them"))
        elif a == b:
            found.append(InputError(f"two collections are called {a}: rename a folder"))
    return found


def _unlabelled(runs: Sequence[_Run], groups: Sequence[str]) -> list[ClirbenchError]:
    lost = {g: [r.collection.name for r in runs if g not in r.collection.about] for g in groups}
    return [
        InputError(f"{', '.join(names)}: nothing says their {group}; run with '++pool.about={{{group}: VALUE}}'")
        for group, names in lost.items()
        if names
    ]


def _nothing(runs: Sequence[_Run], merged: Sequence[str], notes: Sequence[str]) -> str:
    if merged and not different_collections([run.collection for run in runs]):
        return f"there is nothing to pool: {merged[0]}"
    lines = [
        f"{run.collection.name}: metrics {', '.join(c.name for c in run.collection.board.metrics) or 'none'}; "
        f"measures {', '.join(c.name for c in run.collection.board.measures) or 'none'}"
        for run in runs
    ]
    head = "no two of these collections have a metric and a measure in common, judged in the same way:"
    return "\n  ".join([head, *lines, *merged, *notes])


def _signatures(runs: Sequence[_Run]) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for run in runs:
        for column in run.collection.board.columns:
            of = found.setdefault(column.name, {})
            of[column.signature] = (*of.get(column.signature, ()), run.collection.name)
    return found


def _differing(runs: Sequence[_Run]) -> list[str]:
    """Metrics of one name that are not computed the same way everywhere, whatever the number of references."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        for column in run.collection.board.metrics:
            of = kinds.setdefault(column.name, {})
            of.setdefault("|".join(column.parts) or column.signature, []).append(run.collection.name)
    return [
        f"{name} is not made the same way everywhere: "
        + "; ".join(f"{signature or 'imported'}: {', '.join(names)}" for signature, names in of.items())
        for name, of in kinds.items()
        if len(of) > 1
    ]


def _single(runs: Sequence[_Run], rows: Sequence[Pooled]) -> list[str]:
    """Metrics that are not pooled because one collection alone has them."""
    pooled = {row.metric for row in rows}
    return [
        f"{run.collection.name}: not pooled, no other collection has them: {', '.join(lost)}"
        for run in runs
        if (lost := [column.name for column in run.collection.board.metrics if column.name not in pooled])
    ]
