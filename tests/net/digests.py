"""Tables as digests: numbers to 9 significant digits, small tables whole, others a digest for each row and column."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from functools import partial
from itertools import combinations, zip_longest
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

import clirbench as cb
from clirbench.errors import ClirbenchError

NUMBER = re.compile(r"-?\d+\.\d+(e-?\d+)?")
WHOLE = 500
"""Letters of a table that is stored whole."""
MOST = 100
"""Digests of a table; where it has more rows, each digest is of several."""
SHOWN = 12
"""Differences of one table that are shown."""

Tables = Mapping[str, list[str]]
"""Name of a table -> its lines: the columns, each with its digest, and the rows or their digests."""


def found(experiment: str, settings: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Every table that an experiment gives; or the one table `error`. Header first."""
    with catch_warnings():
        simplefilter("ignore", cb.RunWarning)
        try:
            return {"pool": pooled, "ask": asked, "rankings": compared}.get(experiment, partial(ran, experiment))(
                **settings
            )
        except ClirbenchError as error:
            return {"error": [["kind"], *([type(one).__name__] for one in getattr(error, "errors", [error]))]}


def ran(experiment: str, **settings: Any) -> dict[str, list[list[str]]]:
    """Every table of a run, and findings, sizes and groups as tables."""
    run = cb.run(experiment, **settings)
    tables = {name: frame(run.tables[name]) for name in run.tables}
    units, left_out = run.results["units"], run.results["set_up"]["systems_left_out"]
    known = {"failed": run.results["failed"], "left_out": [*map(str, left_out)], "units": units["source"]}
    return tables | {
        "run": records([{**known, "number": units["number"]}]),
        "findings": records(run.results["findings"]),
        "topics": records(run.results["topics"]),
    }


def pooled(runs: Sequence[Mapping[str, Any]], engine: str, paths__cache: str) -> dict[str, list[list[str]]]:
    """Every table that runs over several folders give together."""
    together = [cb.run("folder", **one, engine=engine, paths__cache=paths__cache) for one in runs]
    folder = cb.pool(together).save("pooled")
    rows = {path.stem: [line.split("\t") for line in path.read_text().splitlines()] for path in folder.glob("*.tsv")}
    return {name: [[cell(float(c) if NUMBER.fullmatch(c) else c) for c in row] for row in rows[name]] for name in rows}


def asked(questions: Sequence[str], pair: str, **_: Any) -> dict[str, list[list[str]]]:
    """What the memory says to questions."""
    return {"asked": records([{"question": q, **_numbers(cb.ask(q, pair=pair))} for q in questions])}


def compared(rankings: Sequence[str], **_: Any) -> dict[str, list[list[str]]]:
    """RBO of every two rankings as Python has it; `(ab)` is a group of tied items."""
    read = {text: [tuple(group.strip("()")) for group in re.findall(r"\(\w+\)|\w", text)] for text in rankings}
    kinds = [(ties, variant) for ties in ("doc_id", "w", "a", "b") for variant in ("ext", "min", "max", "res")]
    return {
        f"rbo_{ties}_{variant}": records(
            [
                {"x": x, "y": y, "rbo": cb.measures.RBO(p=0.8, ties=ties, variant=variant, depth=5)(read[x], read[y])}
                for x, y in combinations(rankings, 2)
            ]
        )
        for ties, variant in kinds
    }


def _numbers(expected: Any) -> dict[str, Any]:
    return {key: value for key, value in vars(expected).items() if key not in ("question", "why")}


def frame(table: Any) -> list[list[str]]:
    """A DataFrame as text."""
    columns = [[cell(value) for value in table[name].tolist()] for name in table.columns]
    return [[*map(str, table.columns)], *map(list, zip(*columns, strict=True))]


def records(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Mappings as a table of all their keys."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return [keys, *([cell(row.get(key)) for key in keys] for row in rows)]


def cell(value: Any) -> str:
    """A value as text; a number to 9 digits, as other machines have other last ones.

    It is moved by less than that first: half of a last digit is common (1/2**n), and would be rounded up or down.
    """
    if isinstance(value, list | tuple):
        return ",".join(map(cell, value))
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else "0" if abs(value) < 1e-12 else f"{float(value) * (1 + 3e-11):.9g}"
    return "" if value is None else " ".join(str(value).split())


def digest(texts: Iterable[str]) -> str:
    """Four letters, 24 bits."""
    return base64.urlsafe_b64encode(hashlib.sha256("\n".join(texts).encode()).digest())[:4].decode()


def lines_of(table: Sequence[Sequence[str]]) -> list[str]:
    """The table as it is stored: names of columns with their digests, then rows, or the digests of rows."""
    header, *rows = table
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    first = "\t".join(f"{name}={digest(values)}" for name, values in zip(header, columns, strict=True))
    return [f"{len(rows)}\t{first}", *whole_or_digests(["\t".join(row) for row in rows])]


def whole_or_digests(rows: Sequence[str]) -> list[str]:
    if sum(map(len, rows)) <= WHOLE:
        return list(rows)
    return [digest(rows[at : at + step(len(rows))]) for at in range(0, len(rows), step(len(rows)))]


def step(rows: int) -> int:
    """Rows of one digest."""
    return -(-rows // MOST)


def write(path: Path, tables: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Write a case's file: each line begins with its table's name; digests of rows share a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = []
    for name, table in tables.items():
        head, *body = lines_of(table)
        digests = body and body != ["\t".join(row) for row in table[1:]]
        stored += [f"{name}\t{line}" for line in (head, *([" ".join(body)] if digests else body))]
    path.write_text("".join(f"{line}\n" for line in stored), encoding="utf-8")


def read(path: Path) -> Tables:
    """What `write` has written."""
    tables: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        name, rest = line.split("\t", 1)
        tables.setdefault(name, []).append(rest)
    for name, (head, *body) in tables.items():
        if len(body) == 1 and head.partition("\t")[0] != "1":
            tables[name] = [head, *body[0].split(" ")]
    return tables


def differences(stored: Tables, tables: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """What differs, in lines: tables, columns, rows; the row as it is now, and each cell before where it is stored."""
    for name in {**stored, **tables}:
        if name not in tables:
            yield f"{name}: is gone"
        elif name not in stored:
            yield f"{name}: is new, {len(tables[name]) - 1} rows"
        elif (lines := lines_of(tables[name])) != stored[name]:
            shown = list(_of_table(stored[name], lines, tables[name]))
            yield from (f"{name}: {line}" for line in shown[:SHOWN])
            if len(shown) > SHOWN:
                yield f"{name}: {len(shown) - SHOWN} more"


def _of_table(stored: Sequence[str], lines: Sequence[str], table: Sequence[Sequence[str]]) -> Iterator[str]:
    header, *rows = table
    (n_before, *before), (n_now, *now) = (line.split("\t") for line in (stored[0], lines[0]))
    columns = [column.rpartition("=")[0] for column in before]
    if n_before != n_now:
        yield f"{n_before} rows before, {n_now} now"
    if columns != header:
        yield f"columns before: {' '.join(columns)}; now: {' '.join(header)}"
    elif changed := [name for name, a, b in zip(header, before, now, strict=True) if a != b]:
        yield f"values changed in {', '.join(changed)}"
    size = step(len(rows))
    for at, (old, new) in enumerate(zip_longest(stored[1:], lines[1:], fillvalue="")):
        if old == new:
            continue
        cells, whole = old.split("\t"), rows[at] if at < len(rows) else []
        if new == "\t".join(whole) and len(cells) == len(whole) == len(columns) and columns == header:
            both = zip(header, cells, whole, strict=True)
            changes = ", ".join(f"{name} {a or '(empty)'} -> {b or '(empty)'}" for name, a, b in both if a != b)
            yield f"row {at + 1} ({' '.join(whole[:2])}): {changes}"
        else:
            last = min(len(rows), (at + 1) * size)
            number = f"rows {at * size + 1} to {last}, which begin" if size > 1 else f"row {at + 1}"
            begins = rows[at * size] if at * size < len(rows) else ["gone"]
            yield f"{number}, now: {' '.join(f'{n}={v}' for n, v in zip(header, begins, strict=False) if v) or 'gone'}"


def in_folder(folder: Path, experiment: str, settings: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """`found`, with a folder as the place to work in: paths are in tables."""
    with chdir(folder):
        return found(experiment, {"engine": "serial", "paths__cache": ".cache", **settings})
