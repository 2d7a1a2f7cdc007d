"""Which systems belong together, and which of them lie along one training run.

A unit is what was made independently: a training run, a family of near-copies, or a single system. The first of
these that applies says which: the column that was asked for (`none`: each system by itself), a column named run or
series, family, group, seed; the system's name without its step; a column of steps, which joins systems of equal other
metadata alone; the stems of names that the texts confirm; a number in otherwise equal names that orders the systems as
the measure does; near-copies by text, or copies by their scores; each system by itself. Other numbers, in columns or
names, never make units: they are covariates. Where a name or a cut decides, `readings` has the other groups.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np

from clirbench.errors import ConfigError, closest_match
from clirbench.pages import fixed, many
from clirbench.scoreboard import Scoreboard
from clirbench.systems.likeness import makers
from clirbench.types import EMPTY, Doubles, Ints, by_key

SEED = "seed"
TRAINING = "training_"
STEP = re.compile(r"^(step|iteration|iter|update|epoch|checkpoint|ckpt)s?$", re.IGNORECASE)
STEP_IN_NAME = re.compile(
    r"(?<![^\W\d_])(?:step|iteration|iter|update|epoch|checkpoint|ckpt)s?[-_.=]?(\d[\d_]*)(?!\d)", re.IGNORECASE
)
NUMBER_IN_NAME = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)([kKmMgG](?![^\W\d_]))?")
THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
FEWEST_NUMBERED = 5
"""Of fewer systems nothing can be shown, and chance puts their numbers in order too often."""
IN_ORDER = 0.9
"""Spearman's coefficient of numbers in names and the measure, from which the systems are checkpoints of one run."""

NONE = "none"
COPIES, NEAR_COPIES, STEM, NUMBERED = "equal scores", "near-copies", "stem", "number"
FOUND = ("system", COPIES, NEAR_COPIES, STEM, NUMBERED)
"""Sources of units where nobody declared any, and a cut or a name decides."""
RUNS = ("run", "series")
KINDS = ("family", "group")


@dataclass(frozen=True, eq=False)
class Units:
    """To which unit every system belongs.

    `labels`: (n,) one for each system, as in the board; `source`: the column that says so, or `system` (each by
    itself), `near-copies`, `equal scores`, `name`, `stem`, `configuration`, or a reading (`number`, `maker`);
    `steps`: (n,) steps along training, NaN for a system without one; `step_source`: the column they are from, `name`,
    or nothing.
    """

    labels: tuple[str, ...]
    source: str
    steps: Doubles
    step_source: str = ""

    @cached_property
    def index(self) -> Ints:
        """(n,): 0, 1, ... in the order of appearance."""
        number = {label: i for i, label in enumerate(dict.fromkeys(self.labels))}
        return np.array([number[label] for label in self.labels], dtype=np.int64)

    @property
    def number(self) -> int:
        return len(set(self.labels))

    @property
    def independent(self) -> bool:
        """Whether every system is a unit of its own."""
        return self.number == len(self.labels)

    @property
    def said(self) -> str:
        """`16 systems`, or `16 systems in 2 groups (family)`."""
        systems = many(len(self.labels), "system")
        return systems if self.independent else f"{systems} in {many(self.number, 'group')} ({self.source})"

    @property
    def along_training(self) -> bool:
        """Whether a unit holds systems at different steps."""
        return vary_within(self.labels, self.steps)

    def groups(self, systems: Sequence[str]) -> list[list[str]]:
        """The systems of each unit that has several; `systems`: the names, as in the board."""
        members = by_key(zip(self.labels, systems, strict=True))
        return [names for names in members.values() if len(names) > 1]

    def only(self, rows: Ints) -> "Units":
        """The units of the systems with these indices."""
        return replace(self, labels=tuple(self.labels[i] for i in rows.tolist()), steps=self.steps[rows])


def units_of(
    board: Scoreboard, units: str = "", near: Sequence[tuple[str, str]] = (), stems: Mapping[str, str] = EMPTY
) -> Units:
    """The units of a scoreboard; `units`: a metadata column, `none`, a reading, or nothing (found as the module says).

    `near`: pairs of systems of nearly the same text; what chains of them connect is together. `stems`: of names that
    the texts confirm, by system. A system with an empty cell is a unit by itself. A column comes before a reading of
    the same name. Raises `ConfigError`.
    """
    steps, source = steps_of(board)
    if units == NONE:
        return _alone(board)
    if units:
        if units in board.metadata:
            return Units(_filled(board.metadata[units], board.systems), units, steps, source)
        if units in (named := _by_name(board, near)):
            return named[units]
        known = [*board.metadata, NONE, *named]
        said = f"units={units}: there is no such column of systems.tsv or a score table.{closest_match(units, known)}"
        raise ConfigError(f"{said} Here type {' or '.join(f'units={one}' for one in known)}")
    for column in (*RUNS, *KINDS):
        labels = _filled(board.metadata.get(column, ()), board.systems)
        if labels and _makes_units(column, labels, steps):
            return Units(labels, column, steps, source)
    found = _by_seed(board, steps, source) or runs_of(board, steps, source)
    if found is None and stems:
        found = _grouped(board, [stems.get(name, f"system {name}") for name in board.systems], STEM, near)
    if found := found or numbered_runs(board, near):
        return found
    copies = _grouped(board, board.systems, NEAR_COPIES, near), _grouped(board, _copies(board), COPIES)
    return next((made for made in copies if not made.independent), _alone(board))


def readings(board: Scoreboard, units: Units, near: Sequence[tuple[str, str]] = ()) -> dict[str, Units]:
    """Other groups than the units that were found, by the value of the key `units` that makes them the groups.

    `none`: every system by itself; `number`: systems whose names differ in numbers alone are checkpoints of one run;
    `maker`: systems whose names begin with the same word belong together. `near`: as in `units_of`.
    """
    every = {NONE: _alone(board), **_by_name(board, near)}
    return {name: of for name, of in every.items() if not np.array_equal(of.index, units.index)}


def _alone(board: Scoreboard) -> Units:
    return _grouped(board, [f"system {name}" for name in board.systems], "system")


def _grouped(board: Scoreboard, labels: Sequence[str], source: str, near: Sequence[tuple[str, str]] = ()) -> Units:
    """Units without steps: systems of one label, and those that are `near`."""
    return Units(_with_near(board.systems, labels, near), source, np.full(len(board.systems), nan))


def _by_name(board: Scoreboard, near: Sequence[tuple[str, str]]) -> dict[str, Units]:
    """What names say alone: numbers, and makers."""
    (numbered, steps), by_maker, found = numbered_names(board.systems), makers(board.systems), {}
    if len(set(numbered)) < len(numbered):
        found[NUMBERED] = Units(_with_near(board.systems, numbered, near), NUMBERED, steps, "name")
    if 1 < len(set(by_maker)) < len(by_maker):
        found["maker"] = _grouped(board, by_maker, "maker", near)
    return found


def is_step(name: str) -> bool:
    """Whether a column of that name counts steps of training, and so is no metric."""
    return bool(STEP.match(name.strip()))


def steps_of(board: Scoreboard) -> tuple[Doubles, str]:
    """Steps that vary, and where they were found: metadata, an undeclared column, names; NaN and nothing if not."""
    columns = [(column.name, column.values) for column in board.columns]
    for name, values in [*((name, numbers_in(cells)) for name, cells in board.metadata.items()), *columns]:
        if is_step(name) and values is not None and vary(values):
            return values, name
    found = [STEP_IN_NAME.search(name) for name in board.systems]
    values = np.array([float(match[1].replace("_", "")) if match else nan for match in found])
    return (values, "name") if vary(values) else (np.full(len(values), nan), "")


def stems_of(systems: Sequence[str], steps: Doubles) -> tuple[str, ...]:
    """Names without their step; a name that does not hold it stays whole."""
    stems = []
    for name, step in zip(systems, steps.tolist(), strict=True):
        match = STEP_IN_NAME.search(name)
        if match is None or float(match[1].replace("_", "")) != step:
            match = re.search(rf"(?<!\d){fixed(step)}(?!\d)", name) if np.isfinite(step) else None
        stems.append(name if match is None else f"{name[: match.start()]}*{name[match.end() :]}")
    return tuple(stems)


def runs_of(board: Scoreboard, steps: Doubles, source: str) -> Units | None:
    """Training runs by their names without the step, or by the column of steps; or nothing.

    A column of steps joins systems whose other metadata are equal (`_configurations`); a system without a step is by
    itself.
    """
    stems = stems_of(board.systems, steps)
    same = _configurations(board, steps, stems)
    tried: dict[str, Sequence[object]] = {"name": list(zip(stems, same, strict=True)), source: same}
    if source == "name":
        tried = {"name": stems}
    runs = (Units(_runs(board, labels, steps), by, steps, source) for by, labels in tried.items() if source)
    return next((units for units in runs if units.along_training), None)


def _runs(board: Scoreboard, labels: Sequence[object], steps: Doubles) -> tuple[str, ...]:
    """Labels of training runs; those without a step are by themselves."""
    runs = [f"training run {label}" for label in labels]
    return tuple(np.where(np.isfinite(steps), runs, _alone(board).labels).tolist())


def _configurations(board: Scoreboard, steps: Doubles, names: Sequence[str]) -> list[tuple[str, ...]]:
    """(n,): what systems of one training run have in common: metadata, and numbers in `names`.

    Not among them are seeds and groups, numbers that count systems or steps, columns in the order of the steps (dates,
    tokens seen; but training_* is), and scores: fractions of which more than half differ.
    """
    numbers = tuple(" ".join(map("".join, NUMBER_IN_NAME.findall(name))) for name in names)
    values = numbers_in(numbers)
    label = values is not None and (counts(values) or same_order(values, steps))
    kept = [cells for name, cells in board.metadata.items() if _configures(name, cells, steps)]
    return list(zip(*kept, ("",) * len(names) if label else numbers, strict=True))


def _configures(name: str, cells: Sequence[str], steps: Doubles) -> bool:
    if name in (SEED, "group") or is_step(name):
        return False
    values = numbers_in(cells)
    if values is not None and (values[np.isfinite(values)] % 1).any() and len(set(cells)) > len(cells) / 2:
        return False
    places = natural_order(cells) if values is None else values
    return name.lower().startswith(TRAINING) or not same_order(places, steps)


def numbered_names(systems: Sequence[str]) -> tuple[tuple[str, ...], Doubles]:
    """Stem and first varying number of names that differ in numbers alone, five or more of a stem; of others the name
    and NaN."""
    rows_of = by_key((NUMBER_IN_NAME.sub("#", name), row) for row, name in enumerate(systems))
    labels, numbers = list(systems), np.full(len(systems), nan)
    for stem, rows in rows_of.items():
        varying = [column for column in np.array([amounts(systems[row]) for row in rows]).T if vary(column)]
        if len(rows) >= FEWEST_NUMBERED and varying:
            numbers[rows] = varying[0]
            for row in rows:
                labels[row] = stem
    return tuple(labels), numbers


def numbered_runs(board: Scoreboard, near: Sequence[tuple[str, str]] = ()) -> Units | None:
    """Units where a number in otherwise equal names orders systems as the first measure does; or nothing.

    Such systems are one run: five or more, of equal metadata, Spearman's coefficient .9 or more. By chance that is so
    of .042 of five independent systems, .008 of six, .002 of eight.
    """
    from clirbench.statistics.coefficients import UNTESTED, spearman

    labels, numbers = numbered_names(board.systems)
    steps = np.full(len(labels), nan)
    if board.first_measure is None:
        return None
    keys = zip(labels, _configurations(board, steps, labels), strict=True)
    rows_of = by_key((key, row) for row, key in enumerate(keys))
    y = board.first_measure.oriented
    for (stem, _), rows in rows_of.items():
        known = [row for row in rows if np.isfinite(numbers[row] + y[row])]
        if len(known) >= FEWEST_NUMBERED and stem.count("#") == 1:
            agreement = spearman(numbers[known], y[known], p_value=UNTESTED).value
            steps[rows] = numbers[rows] if agreement >= IN_ORDER - 1e-9 else nan
    if np.isnan(steps).all():
        return None
    return Units(_with_near(board.systems, _runs(board, labels, steps), near), NUMBERED, steps, "name")


def amounts(name: str) -> list[float]:
    """The numbers in a name; `200k` is 200,000."""
    return [float(number) * THOUSANDS[mark.lower()] for number, mark in NUMBER_IN_NAME.findall(name)]


def vary(values: Doubles) -> bool:
    return len(np.unique(values[np.isfinite(values)])) > 1


def vary_within(labels: Sequence[str], steps: Doubles) -> bool:
    """Whether two systems with one label have different steps."""
    held = {(label, step) for label, step in zip(labels, steps.tolist(), strict=True) if np.isfinite(step)}
    return len(held) > len({label for label, _ in held})


def numbers_in(cells: Sequence[str]) -> Doubles | None:
    """The cells as numbers, empty ones NaN; None where one is something else or all are empty."""
    try:
        values = np.array([float(cell.replace(",", "").replace("_", "")) if cell.strip() else nan for cell in cells])
    except ValueError:
        return None
    return values if np.isfinite(values).any() else None


def same_order(first: Doubles, second: Doubles) -> bool:
    return np.array_equal(np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1])


def natural_order(names: Sequence[str]) -> Doubles:
    """(n,): the place of each name, numbers in them compared as numbers."""
    keys = [
        tuple((0, float(piece), "") if i % 2 else (1, 0.0, piece) for i, piece in enumerate(re.split(r"(\d+)", name)))
        for name in names
    ]
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], dtype=np.float64)


def counts(column: Doubles) -> bool:
    """Whether numbers are 0, 1, 2 ... or 1, 2, 3 ..., as labels are."""
    values = np.unique(column)
    return bool(values[0] in (0, 1) and (np.diff(values) == 1).all())


def connected(systems: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """For each system the first one, in their order, that chains of pairs connect it with."""
    place = {system: i for i, system in enumerate(systems)}
    group = list(range(len(systems)))
    for first, second in pairs:
        if first in place and second in place:
            low, high = sorted((group[place[first]], group[place[second]]))
            group = [low if g == high else g for g in group]
    return tuple(systems[g] for g in group)


def _with_near(systems: Sequence[str], labels: Sequence[str], near: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Labels that join systems of one label, and those that are `near`."""
    return connected(systems, [*near, *zip(_firsts(systems, labels), systems, strict=True)]) if near else tuple(labels)


def _firsts(systems: Sequence[str], labels: Sequence[object]) -> tuple[str, ...]:
    """(n,): for each system the first of its label."""
    first = dict(zip(reversed(labels), reversed(systems), strict=True))
    return tuple(first[label] for label in labels)


def name_numbers(systems: Sequence[str]) -> dict[str, Doubles]:
    """Numbers in the names that say how much of something a system has, by what to call them: (n,).

    Every name has as many numbers, and they are no mere count (1, 2, 3 ... are labels). `200k` is 200,000.
    """
    found = [amounts(name) for name in systems]
    if len({len(numbers) for numbers in found}) != 1 or not found or not found[0]:
        return {}
    kept = [column for column in np.array(found).T if len(set(column)) > 1 and not counts(column)]
    names = ["number in the name"] if len(kept) == 1 else [f"number {i} in the name" for i in range(1, len(kept) + 1)]
    return dict(zip(names, kept, strict=True))


def covariates(board: Scoreboard, units: Units) -> dict[str, Doubles]:
    """Numbers that are known before anything is translated, by name: (n,), NaN for a hole; those that vary alone.

    Steps, and metadata columns all of whose cells are numbers, except seeds and what made the units. Output columns
    that are `known_before` though nobody declared them metadata are among them.
    """
    found: dict[str, Doubles] = {}
    if units.step_source:
        found[units.step_source if units.step_source != "name" else "step"] = units.steps
    for name, cells in board.metadata.items():
        values = numbers_in(cells)
        if name not in (SEED, *RUNS, *KINDS, units.source) and values is not None:
            found.setdefault(name, values)
    for name, values in name_numbers(board.systems).items():
        if not any(same_order(values, other) for other in (units.steps, *found.values())):
            found.setdefault(name, values)
    for column in board.columns:
        if known_before(column.name) and column.name != SEED:
            found.setdefault(column.name, column.values)
    return {name: values for name, values in found.items() if vary(values)}


def known_before(name: str) -> bool:
    """Whether a column of that name is known before anything is translated, and so is no metric: step, training_*."""
    return is_step(name) or name.lower().startswith(TRAINING) or name == SEED


def _filled(cells: Sequence[str], systems: Sequence[str]) -> tuple[str, ...]:
    """Labels with those of empty cells made unique; nothing where all are empty."""
    if not any(cell.strip() for cell in cells):
        return ()
    return tuple(cell.strip() or f"system {name}" for cell, name in zip(cells, systems, strict=True))


def _makes_units(column: str, labels: Sequence[str], steps: Doubles) -> bool:
    """Whether a column tells units: a family that holds every system tells nothing, nor do replicates of one step."""
    if column in RUNS:
        return len(set(labels)) > 1 or vary(steps)
    return len(set(labels)) > 1 and not (column == "group" and vary(steps) and not vary_within(labels, steps))


def _copies(board: Scoreboard) -> tuple[str, ...]:
    """(n,): the first of the systems that have the same scores, in three columns or more."""
    rows = list(zip(*(column.values.tolist() for column in board.columns), strict=True))
    return _firsts(board.systems, rows) if len(board.columns) >= 3 else board.systems


def _by_seed(board: Scoreboard, steps: Doubles, source: str) -> Units | None:
    """Units from the column seed; None where there is none or it tells nothing."""
    seeds = _filled(board.metadata.get(SEED, ()), board.systems)
    if len(set(seeds)) < 2:
        return None
    others = [cells for name, cells in board.metadata.items() if name not in (SEED, "group") and not is_step(name)]
    configurations = tuple(zip(*others, strict=True)) if others else ((),) * len(seeds)
    if len(set(configurations)) == 1:
        return Units(seeds, SEED, steps, source)
    if max(Counter(configurations).values()) == 1:
        return None
    return Units(tuple(", ".join(values) for values in configurations), "configuration", steps, source)
