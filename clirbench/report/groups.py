"""Which systems belong together: the metadata column that colours the plots."""

from dataclasses import dataclass

from clirbench.scoreboard import Scoreboard

PREFERRED = ("family", "group", "kind", "series", "run", "type")
MOST = 7


@dataclass(frozen=True)
class Groups:
    """`of[i]` is the number of system i's group, its name in `names`; `column` is empty where all are one group."""

    column: str
    names: tuple[str, ...]
    of: tuple[int, ...]


def groups(board: Scoreboard, column: str = "") -> Groups:
    """Groups by `column`, or by the first metadata column that makes 2 to 7 groups of which one has two systems."""
    n = len(board.systems)
    candidates = [column] if column else group_columns(board)
    if not candidates:
        return Groups("", ("systems",), (0,) * n)
    texts = [text.strip() or "(none)" for text in board.metadata[candidates[0]]]
    names = tuple(dict.fromkeys(texts))
    return Groups(candidates[0], names, tuple(names.index(text) for text in texts))


def series(board: Scoreboard) -> tuple[int, ...]:
    """Which training run each system belongs to: the first group column in which every group has several steps."""
    steps = board.metadata.get("step", ("",) * len(board.systems))
    for column in group_columns(board):
        of = groups(board, column).of
        if all(len({steps[i] for i, g in enumerate(of) if g == group}) > 1 for group in set(of)):
            return of
    return (0,) * len(board.systems)


def group_columns(board: Scoreboard) -> list[str]:
    """Metadata columns that can colour the systems, those with a telling name first."""
    fit = [
        name
        for name, texts in board.metadata.items()
        if name != "step" and 2 <= len({text.strip() for text in texts}) <= min(MOST, len(board.systems) - 1)
    ]
    order = {name: i for i, name in enumerate(PREFERRED)}
    return sorted(fit, key=lambda name: order.get(name.lower(), len(order)))
