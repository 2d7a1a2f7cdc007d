"""What paths and tables say of systems: patterns of paths whose placeholders describe what they match, and metadata.

    /exp/run*/ckpt_%step%.txt

%name% or {name}   any text inside one name of the path, kept as the value `name`; %step% and %epoch% are numbers
*                  any text inside one name of the path, kept without a name
everything else    itself; hidden files are skipped unless the pattern names the dot
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from pathlib import Path

from clirbench.corpora.sides import first_ten
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.files.tables import read_table, system_column
from clirbench.text import check_name

NUMERIC = frozenset({"step", "epoch"})
_MARK = re.compile(r"%(?P<percent>[A-Za-z]\w*)%|\{(?P<brace>[A-Za-z]\w*)\}|(?P<star>\*+)")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
EXACT = Context(prec=1000)


@dataclass(frozen=True)
class Match:
    """A path and the values of the pattern's placeholders and stars in it.

    `labels` holds one readable piece for each placeholder (by its name) and for each name of the path that only
    stars vary (by `*` and its number): what a system's name is made of, in the order of the path.
    """

    path: Path
    values: Mapping[str, str]
    stars: tuple[str, ...]
    labels: Mapping[str, str]

    @property
    def identity(self) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        """What tells one match from another; a packed file is the same as its plain twin."""
        return tuple(sorted(self.values.items())), tuple(star.removesuffix(".gz") for star in self.stars)


def placeholders(key: str, pattern: str) -> list[str]:
    """The names of the placeholders of a pattern of paths, in its order; `key` is that of the configuration.

    Raises `ConfigError` for an empty pattern, for one that can match a single path only, and for a placeholder that
    stands twice.
    """
    names = [found["percent"] or found["brace"] for found in _MARK.finditer(pattern) if not found["star"]]
    if doubled := [name for number, name in enumerate(names) if name in names[:number]]:
        raise ConfigError(f"{key}={pattern}: %{doubled[0]}% stands twice; write * in the other place")
    if not names and "*" not in pattern:
        said = f"{key}={pattern}: has no placeholder; a pattern for many files was expected,"
        raise ConfigError(f"{said} for example /exp/run%run%/ckpt_%step%.txt")
    return names


def path_matches(key: str, pattern: str, folders: bool = False) -> tuple[Match, ...]:
    """All files (with `folders`: files and folders) that match a pattern; raises `InputError` where there are none.

    The message then names the deepest folder that does exist and what is in it.
    """
    parts = Path(pattern).expanduser().parts
    reached: list[tuple[Path, tuple[re.Match[str] | None, ...]]] = [(Path(), ())]
    for left, part in zip(reversed(range(len(parts))), parts, strict=True):
        there = [(path / name, (*found, what)) for path, found in reached for name, what in _children(path, part)]
        following = [one for one in there if left or folders or one[0].is_file()]
        if not following:
            raise InputError(f"{key}={pattern}: nothing matches; {_inventory(reached[0][0], part)}")
        reached = following
    matches = tuple(_match(path, found, parts) for path, found in reached)
    errors: list[ClirbenchError] = []
    for match in matches:
        for label in match.labels.values():
            with gathered(errors):
                check_name(f"{key}: {match.path}", "part of a name", label)
    raise_all(errors)
    return matches


def natural_key(name: str, value: str) -> tuple[tuple[int, Decimal, str], ...]:
    """A sort key: digits compare as numbers (`ckpt_9` before `ckpt_10`), and %step% and %epoch% as one number."""
    zero = Decimal(0)
    if name in NUMERIC and re.fullmatch(_NUMBER, value):
        return ((0, Decimal(value), ""),)
    pieces = re.split(r"([0-9]+)", value)
    return tuple((0, Decimal(piece), "") if i % 2 else (1, zero, piece) for i, piece in enumerate(pieces) if piece)


def canonical(name: str, value: str) -> str:
    """A numeric value without padding: `007` -> `7`, `1.50` -> `1.5`; any other value as it is."""
    numeric = name in NUMERIC and re.fullmatch(_NUMBER, value)
    return format(Decimal(value).normalize(EXACT), "f") if numeric else value


def _regex(part: str) -> re.Pattern[str] | None:
    """One name of a path as a regular expression; None for a plain name."""
    pieces: list[str] = []
    end = stars = 0
    for mark in _MARK.finditer(part):
        pieces.append(re.escape(part[end : mark.start()]))
        end = mark.end()
        if mark["star"]:
            pieces.append(f"(?P<_star{stars}>.*)")
            stars += 1
        else:
            name = mark["percent"] or mark["brace"]
            pieces.append(f"(?P<{name}>{_NUMBER if name in NUMERIC else '.+?'})")
    return None if not pieces else re.compile("".join([*pieces, re.escape(part[end:])]), re.DOTALL)


def _children(folder: Path, part: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    regex = _regex(part)
    if regex is None:
        yield from [(part, None)] if (folder / part).exists() else []
        return
    for name in _names_in(folder):
        found = regex.fullmatch(name)
        if found and (not name.startswith(".") or part.startswith(".")):
            yield name, found


def _names_in(folder: Path) -> Sequence[str]:
    if not folder.is_dir():
        return ()
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from None


def _inventory(folder: Path, part: str) -> str:
    if not folder.is_dir():
        return f"{folder} is a file, a folder was expected"
    names = [name for name in _names_in(folder) if not name.startswith(".")]
    return f"no {part} in {folder}, which holds {first_ten(names) if names else 'nothing'}"


def _match(path: Path, found: Sequence[re.Match[str] | None], parts: Sequence[str]) -> Match:
    values: dict[str, str] = {}
    stars: list[str] = []
    labels: dict[str, str] = {}
    for what, part in ((what, part) for what, part in zip(found, parts, strict=True) if what is not None):
        groups = what.groupdict()
        here = [groups.pop(name) for name in list(groups) if name.startswith("_star")]
        for name, text in groups.items():
            values[name] = value = canonical(name, text)
            labels[name] = f"{name}{value}" if name != "system" and re.fullmatch(_NUMBER, value) else value
        if here:
            end = part.rpartition("*")[2]  # `.txt` of `ckpt_*.txt`
            text = "-".join(here) if groups else what.string.removesuffix(end if end.startswith(".") else "")
            labels[f"*{len(stars)}"] = text.removesuffix(".gz")
            stars += here
    return Match(path, values, tuple(stars), labels)


def read_metadata(path: Path) -> Mapping[str, Mapping[str, str]]:
    """systems.tsv: a header with `system` or `name`; every further column is metadata, as text."""
    table = read_table(path)
    key = system_column(table)
    table.unique(key)
    return {row[key]: {name: cell for name, cell in row.items() if name != key} for row in table.records()}


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
    shared = set.intersection(*map(set[str], parsed.values())) if parsed else set()
    keys = [name for name in table.header if name in ("system", "name")][:1]
    if not (keys := keys or [name for name in table.header if name in shared]):
        said = f"{table.where}: no column system, and none that the pattern has a placeholder for"
        raise InputError(f"{said} ({first_ten(sorted(shared)) or 'it has none'}); columns: {', '.join(table.header)}")
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
