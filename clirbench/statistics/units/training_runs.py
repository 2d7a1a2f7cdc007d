"""Which systems are checkpoints of one training run, by a column of steps, by steps in names, by numbers in names."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import nan

import numpy as np

from clirbench.pages.wording import fixed
from clirbench.scoreboard import Scoreboard
from clirbench.types import Doubles

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


def is_step(name: str) -> bool:
    """Whether a column of that name counts steps of training, and so is no metric."""
    return bool(STEP.match(name.strip()))


def steps_of(board: Scoreboard) -> tuple[Doubles, str]:
    """Steps that vary, and where they were found: metadata, an undeclared column, names; NaN and nothing if not."""
    for name, cells in board.metadata.items():
        values = numbers_in(cells) if is_step(name) else None
        if values is not None and vary(values):
            return values, name
    for column in board.columns:
        if is_step(column.name) and vary(column.values):
            return column.values, column.name
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


def runs_of(board: Scoreboard, steps: Doubles, source: str) -> tuple[tuple[str, ...], str]:
    """Labels of training runs, and what they are by: `name` (without its step), or the column of steps; or nothing.

    A column of steps joins systems whose other metadata are equal (`_configurations`); a system without a step is by
    itself.
    """
    stems = stems_of(board.systems, steps)
    same = _configurations(board, steps, stems)
    tried: dict[str, Sequence[object]] = {"name": list(zip(stems, same, strict=True)), source: same}
    if source == "name":
        tried = {"name": stems}
    for by, labels in tried.items() if source else ():
        keys = [
            f"training run {label}" if np.isfinite(step) else f"system {name}"
            for name, step, label in zip(board.systems, steps.tolist(), labels, strict=True)
        ]
        if vary_within(keys, steps):
            return tuple(keys), by
    return (), ""


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
    """Stem and number of names that differ in one number, of five or more of a stem; of others the name and NaN."""
    stems = [NUMBER_IN_NAME.sub("#", name) for name in systems]
    many = {stem for stem, n in Counter(stems).items() if n >= FEWEST_NUMBERED and stem.count("#") == 1}
    pairs = [(s, amounts(name)[0]) if s in many else (name, nan) for s, name in zip(stems, systems, strict=True)]
    return tuple(stem for stem, _ in pairs), np.array([number for _, number in pairs])


def numbered_runs(board: Scoreboard) -> tuple[tuple[str, ...], Doubles]:
    """Labels and steps where a number in otherwise equal names orders systems as the first measure does; or nothing.

    Such systems are one run: five or more, of equal metadata, Spearman's coefficient .9 or more. By chance that is so
    of .042 of five independent systems, .008 of six, .002 of eight.
    """
    from clirbench.statistics.coefficients import UNTESTED, spearman

    labels, numbers = numbered_names(board.systems)
    steps = np.full(len(labels), nan)
    if board.first_measure is None or not np.isfinite(numbers).any():
        return (), steps
    rows_of: Mapping[object, list[int]] = defaultdict(list)
    for row, key in enumerate(zip(labels, _configurations(board, steps, labels), strict=True)):
        rows_of[key].append(row)
    y = board.first_measure.oriented
    for rows in rows_of.values():
        known = [row for row in rows if np.isfinite(numbers[row] + y[row])]
        if (
            len(known) >= FEWEST_NUMBERED
            and spearman(numbers[known], y[known], p_value=UNTESTED).value >= IN_ORDER - 1e-9
        ):
            steps[rows] = numbers[rows]
    told = zip(board.systems, labels, np.isfinite(steps), strict=True)
    runs = tuple(f"training run {label}" if joined else f"system {name}" for name, label, joined in told)
    return (runs if np.isfinite(steps).any() else ()), steps


def amounts(name: str) -> list[float]:
    """The numbers in a name; `200k` is 200,000."""
    return [float(number) * THOUSANDS[mark.lower()] for number, mark in NUMBER_IN_NAME.findall(name)]


def vary(values: Doubles) -> bool:
    return len(np.unique(values[np.isfinite(values)])) > 1


def vary_within(labels: Sequence[str], steps: Doubles) -> bool:
    """Whether two systems with one label have different steps."""
    held: Mapping[str, set[float]] = defaultdict(set)
    for label, step in zip(labels, steps.tolist(), strict=True):
        if np.isfinite(step):
            held[label].add(step)
    return any(len(values) > 1 for values in held.values())


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
