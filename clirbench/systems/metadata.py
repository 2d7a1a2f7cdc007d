"""Metadata of systems from a table: training size, vocabulary size, whatever its columns are."""

from collections.abc import Mapping
from pathlib import Path

from clirbench.corpora.alignment import first_ten
from clirbench.errors import ClirbenchError, InputError, raise_all
from clirbench.files.tables import Table, read_table
from clirbench.systems.patterns import canonical


def joined_metadata(path: str | None, parsed: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The parsed values of each system, and the further columns of the table's row for it.

    A row belongs to a system by its column `system` or `name`; without one, by all columns that the table and the
    parsed values share (a table with the columns `run` and `training_pairs` describes all steps of a run). A system
    without a row has those columns empty.

    path: a table (tab- or comma-separated), or None. Raises `InputError` for a table that shares no column, for two
    rows with the same key, and for a cell that contradicts what was parsed from the system's path.
    """
    merged = {name: dict(values) for name, values in parsed.items()}
    if path is None:
        return merged
    table = read_table(Path(path))
    keys = _keys(table, parsed)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    errors: list[ClirbenchError] = []
    for number, row in zip(table.numbers, table.records(), strict=True):
        key = tuple(canonical(name, row[name]) for name in keys)
        if key in rows:
            errors.append(InputError(f"{path}: line {number}: {', '.join(key)} stands on an earlier line already"))
        rows[key] = row
    further = [name for name in table.header if name not in keys]
    for system, values in merged.items():
        known = {"system": system, "name": system, **values}
        row = rows.get(tuple(known[name] for name in keys), {})
        for name in further:
            cell = row.get(name, "")
            if name in values and cell and canonical(name, cell) != values[name]:
                errors.append(InputError(f"{path}: {system}: {name} is {cell!r}, its path says {values[name]!r}"))
            values.setdefault(name, cell)
    raise_all(errors)
    return merged


def _keys(table: Table, parsed: Mapping[str, Mapping[str, str]]) -> list[str]:
    shared = set.intersection(*(set(values) for values in parsed.values())) if parsed else set()
    keys = [name for name in table.header if name in ("system", "name")][:1]
    keys = keys or [name for name in table.header if name in shared]
    if not keys:
        raise InputError(
            f"{table.where}: no column system, and none that the pattern has a placeholder for "
            f"({first_ten(sorted(shared)) or 'it has none'}); columns: {', '.join(table.header)}"
        )
    return keys
