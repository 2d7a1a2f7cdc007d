"""What differs between two runs, found from the folders that they have written; `view.py` shows it.

A number that should be equal and is not stands out: its column has the same signature in both runs and was computed
from the same inputs, so that only the program can have moved it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from pathlib import Path
from typing import Any

from clirbench.files.run_files import RESULTS, described_columns, numbers, read_provenance, read_results, read_run_table
from clirbench.files.tables import TextTable
from clirbench.pages.wording import short

TOLERANCE = 1e-9  # relative; below it, two platforms may differ in how they sum
ABSENT = "(absent)"


@dataclass(frozen=True)
class RunFiles:
    """A run's folder, read: `provenance` and the numbers of its tables; a hole is NaN.

    `scores[column][system]`, `taus[measure, metric, coefficient]` = (value, significant: `true`, `false`, ...),
    `per_topic[measure, system, topic]`. `results`: results.json, empty where an older run has none.
    """

    path: Path
    provenance: Mapping[str, Any]
    scores: Mapping[str, Mapping[str, float]]
    taus: Mapping[tuple[str, str, str], tuple[float, str]]
    per_topic: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(system for column in self.scores.values() for system in column))

    def made_of(self, column: str, system: str) -> tuple[str, ...] | None:
        """Everything that decides a number; None where the run does not record it all: an imported column, an older run
        without results.json.
        """
        described, inputs = described_columns(self.results).get(column, {}), self.provenance.get("inputs", {})
        texts = inputs.get("systems", {}).get(system, {})
        if described.get("origin") != "computed":
            return None
        read = {
            "measure": (inputs.get("collection", {}).get("sha256"), texts.get("collection")),
            "metric": (inputs.get("test_sha256"), texts.get("test")),
        }
        made = (self.provenance.get("signatures", {}).get(column), *read[described["role"]])
        return None if None in made else tuple(map(str, made))


@dataclass(frozen=True)
class Change:
    """One line of the comparison: `what` changed (the cells that name it), from `first` to `second`.

    `difference` = second - first, NaN where there is none; `unequal`: the two should be equal and are not.
    """

    what: tuple[str, ...]
    first: str
    second: str
    difference: float = nan
    unequal: bool = False


@dataclass(frozen=True)
class Part:
    """One table of the comparison; `same` says how many of its numbers agree."""

    name: str
    title: str
    header: tuple[str, ...]
    changes: tuple[Change, ...]
    same: int = 0


def read_run(path: Path) -> RunFiles:
    """Read a run's folder; raises `InputError` where it is none."""
    provenance = read_provenance(path)
    results = read_results(path) if (path / RESULTS).is_file() else {}
    table = read_run_table(path, "systems", ("system",))
    table.unique("system")
    columns = [name for name in table.header if name in provenance.get("signatures", {})]
    systems = table.column("system")
    scores = {name: dict(zip(systems, numbers(table, name), strict=True)) for name in columns}
    said = read_run_table(path, "correlations", ("measure", "metric", "coefficient", "value", "significant"))
    values = zip(numbers(said, "value"), said.column("significant"), strict=True)
    taus = dict(zip(_keys(said, "measure", "metric", "coefficient"), values, strict=True))
    per_topic = {}
    if (path / "per_topic.tsv").is_file():
        rows = read_run_table(path, "per_topic", ("measure", "system", "topic_id", "value"))
        per_topic = dict(zip(_keys(rows, "measure", "system", "topic_id"), numbers(rows, "value"), strict=True))
    return RunFiles(path, provenance, scores, taus, per_topic, results)


def _keys(table: TextTable, first: str, second: str, third: str) -> list[tuple[str, str, str]]:
    return list(zip(table.column(first), table.column(second), table.column(third), strict=True))


def compare(a: RunFiles, b: RunFiles) -> tuple[Part, ...]:
    """Everything that differs: configuration, program, inputs, signatures, scores, tau, topics."""
    return (
        _text_part(
            "configuration", "Configuration", _flat(a.provenance, "configuration"), _flat(b.provenance, "configuration")
        ),
        _text_part("program", "Program", _program(a), _program(b)),
        _text_part("inputs", "Inputs", _flat(a.provenance, "inputs"), _flat(b.provenance, "inputs")),
        _signatures(a, b),
        _scores(a, b),
        _taus(a, b),
        _topics(a, b),
    )


def verdict(parts: Sequence[Part]) -> str:
    """One sentence: do the numbers agree, and where they do not, should they?"""
    numbers = [part for part in parts if part.name in ("scores", "tau", "topics")]
    wrong = sum(change.unequal for part in numbers for change in part.changes)
    changed = sum(len(part.changes) for part in numbers)
    if wrong:
        return (
            f"{wrong} numbers differ that should be equal (same signature, same inputs); they are first in the list "
            "and marked."
        )
    if changed:
        return f"{changed} numbers differ; none of them should be equal: configuration or inputs differ too."
    return f"All {sum(part.same for part in numbers)} numbers that both runs have are equal."


def _flat(provenance: Mapping[str, Any], name: str) -> dict[str, str]:
    return dict(leaves(provenance.get(name, {}), ""))


def leaves(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """`a.b.c` and its value as text, for every value that is no mapping."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, f"{key}.{name}" if key else str(name))
    else:
        yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _program(run: RunFiles) -> dict[str, str]:
    names = ("clirbench", "python", "platform", "libraries", "seed", "command")
    return dict(leaves({name: run.provenance.get(name) for name in names}, ""))


def _text_part(name: str, title: str, a: Mapping[str, str], b: Mapping[str, str]) -> Part:
    keys = list(dict.fromkeys((*a, *b)))
    changed = [key for key in keys if a.get(key) != b.get(key)]
    changes = tuple(Change((key,), a.get(key, ABSENT), b.get(key, ABSENT)) for key in changed)
    return Part(name, title, ("key", "first", "second"), changes, len(keys) - len(changed))


def _signatures(a: RunFiles, b: RunFiles) -> Part:
    """Of two signatures of one column only the parts that differ."""
    part = _text_part("signatures", "Signatures", _flat(a.provenance, "signatures"), _flat(b.provenance, "signatures"))
    changes = []
    for change in part.changes:
        first, second = change.first.split("|"), change.second.split("|")
        ours = "|".join(piece for piece in first if piece not in second)
        theirs = "|".join(piece for piece in second if piece not in first)
        changes.append(Change(change.what, ours, theirs) if ours or theirs else change)
    return replace(part, changes=tuple(changes))


def equal(a: float, b: float) -> bool:
    """Equal up to rounding; two holes are equal."""
    if isnan(a) or isnan(b):
        return isnan(a) and isnan(b)
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-300)


def should_be_equal(a: RunFiles, b: RunFiles, column: str, system: str) -> bool:
    """Whether both runs made this number from the same inputs in the same way."""
    made = a.made_of(column, system)
    return made is not None and made == b.made_of(column, system)


def _scores(a: RunFiles, b: RunFiles) -> Part:
    changes, same = [], 0
    for column in dict.fromkeys((*a.scores, *b.scores)):
        if column not in a.scores or column not in b.scores:
            first, second = (ABSENT, "computed") if column not in a.scores else ("computed", ABSENT)
            changes.append(Change(("all", column), first, second))
            continue
        for system in dict.fromkeys((*a.scores[column], *b.scores[column])):
            x, y = a.scores[column].get(system, nan), b.scores[column].get(system, nan)
            if equal(x, y):
                same += 1
            else:
                unequal = should_be_equal(a, b, column, system)
                changes.append(Change((system, column), *_told_apart(x, y), y - x, unequal))
    header = ("system", "column", "first", "second", "difference")
    return Part("scores", "Scores", header, _most_striking_first(changes), same)


def _taus(a: RunFiles, b: RunFiles) -> Part:
    """A coefficient should be equal where both its columns should, for the same systems.

    Its significance is that of all metrics together, so it should be equal where those of both runs are the same.
    """
    changes, same = [], 0
    for key in dict.fromkeys((*a.taus, *b.taus)):
        (x, first), (y, second) = a.taus.get(key, (nan, ABSENT)), b.taus.get(key, (nan, ABSENT))
        if equal(x, y) and first == second:
            same += 1
            continue
        measure, metric, _ = key
        tested = [{other[1] for other in run.taus if other[::2] == key[::2]} for run in (a, b)]
        moved = not equal(x, y)
        decide = {metric} if moved else tested[0]
        alike = a.systems == b.systems and key in a.taus and key in b.taus and (moved or tested[0] == tested[1])
        unequal = alike and all(
            equal(a.scores[c][s], b.scores[c][s]) or should_be_equal(a, b, c, s)
            for c in (measure, *decide)
            if c in a.scores and c in b.scores
            for s in a.systems
        )
        texts = zip(_told_apart(x, y), (first, second), strict=True)
        before, after = (how if how == ABSENT else text + _significance(how) for text, how in texts)
        changes.append(Change(key, before, after, y - x, unequal))
    header = ("measure", "metric", "coefficient", "first", "second", "difference")
    return Part("tau", "Agreement (x: not significant)", header, _most_striking_first(changes), same)


def _topics(a: RunFiles, b: RunFiles) -> Part:
    changes, same = [], 0
    for key in dict.fromkeys((*a.per_topic, *b.per_topic)):
        x, y = a.per_topic.get(key, nan), b.per_topic.get(key, nan)
        if equal(x, y):
            same += 1
        else:
            measure, system, _ = key
            changes.append(Change(key, *_told_apart(x, y), y - x, should_be_equal(a, b, measure, system)))
    header = ("measure", "system", "topic", "first", "second", "difference")
    return Part("topics", "Values of single topics", header, _most_striking_first(changes), same)


def _most_striking_first(changes: Sequence[Change]) -> tuple[Change, ...]:
    """First what should be equal, then the largest differences."""
    return tuple(sorted(changes, key=lambda c: (not c.unequal, 0 if isnan(c.difference) else -abs(c.difference))))


def _told_apart(a: float, b: float) -> tuple[str, str]:
    """Both numbers, with as many digits as make them differ."""
    for digits in (6, 9, 12):
        first, second = ("" if isnan(value) else short(value, digits) for value in (a, b))
        if first != second:
            return first, second
    return repr(a), repr(b)


def _significance(significant: str) -> str:
    return "" if significant == "true" else " x" if significant == "false" else " undefined"
