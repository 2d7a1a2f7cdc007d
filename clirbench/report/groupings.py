"""Which systems belong together, by the columns that describe them: it colours the marks of a plot."""

from collections import Counter
from dataclasses import dataclass

from clirbench.files.tables import as_number
from clirbench.scoreboard import Scoreboard

TELLING = ("family", "group", "kind", "series", "run", "type")
"""Names of columns that are tried first, the most telling one first."""
MOST_GROUPS = 8
"""The largest number of groups that readers can distinguish by colour and shape together."""


@dataclass(frozen=True)
class Grouping:
    """Systems in groups: `group_of[i]` is the place in `names` of system i's group.

    `column` is the metadata column that the groups come from, empty where all systems are one group.
    """

    column: str
    names: tuple[str, ...]
    group_of: tuple[int, ...]


def grouping(board: Scoreboard) -> Grouping:
    """The systems grouped by the first of the `group_columns`; one group where there is none."""
    columns = group_columns(board)
    return grouped_by(board, columns[0]) if columns else one_group(board, "systems")


def group_columns(board: Scoreboard) -> list[str]:
    """Metadata columns that make 2 to 8 groups of which one has two systems, those with a telling name first."""
    most = min(MOST_GROUPS, len(board.systems) - 1)
    sizes = {name: len({text.strip() for text in texts}) for name, texts in board.metadata.items()}
    fit = [name for name, size in sizes.items() if name != "step" and 2 <= size <= most]
    place = {name: i for i, name in enumerate(TELLING)}
    return sorted(fit, key=lambda column: place.get(column.lower(), len(place)))


def grouped_by(board: Scoreboard, column: str) -> Grouping:
    """One group for each text of a metadata column, in the order of the systems; a hole is `(none)`. Groups that are
    numbers rise, and carry the name of the column."""
    texts = [text.strip() or "(none)" for text in board.metadata[column]]
    names = labels = list(dict.fromkeys(texts))
    if all(as_number(name) is not None for name in names):
        names = sorted(names, key=float)
        labels = [f"{column} {name}" for name in names]
    return Grouping(column, tuple(labels), tuple(map(names.index, texts)))


def one_group(board: Scoreboard, name: str) -> Grouping:
    """All systems in one group called `name`."""
    return Grouping("", (name,), (0,) * len(board.systems))


def training_runs(board: Scoreboard) -> Grouping:
    """Which training run each system is a checkpoint of: its group by the first column whose groups all have steps.

    A group has steps where its systems differ in the column `step`; without this column all are one run.
    """
    steps = board.metadata.get("step", ("",) * len(board.systems))
    for column in group_columns(board):
        found = grouped_by(board, column)
        of_groups = Counter(group for group, _ in {*zip(found.group_of, steps, strict=True)})
        if min(of_groups.values()) > 1:
            return found
    return one_group(board, "one run")


def checkpoints(board: Scoreboard) -> bool:
    """Whether at least three systems carry a training step."""
    return sum(bool(text.strip()) for text in board.metadata.get("step", ())) >= 3
