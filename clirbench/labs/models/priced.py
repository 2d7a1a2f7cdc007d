"""What does retrieval quality cost? Engines that ran, by processor seconds for a million words and by the retrieval
quality that they reach; joins every run of engines (conf/joining.yaml).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

from clirbench.labs.models.translating import costs
from clirbench.pages import Table
from clirbench.result import Result


@dataclass(frozen=True)
class Priced:
    """A `system`: processor `seconds_per_million_words` of the source, `value` of the `measure`, `of_english`: that
    divided by the English side's, `on_frontier` (true, false): no other is as cheap and better, or cheaper and as good.
    """

    system: str
    seconds_per_million_words: float
    measure: str
    value: float
    of_english: float
    on_frontier: str


@dataclass(frozen=True)
class Frontier:
    """Table `frontier`: systems that programs made, by cost and by the measure of the decision; none where nothing was
    measured."""

    def tables(self, result: Result) -> Sequence[Table]:
        spent = {} if result.inputs is None else costs(result.inputs.translations)
        measure = result.decided_by
        if not measure or all(map(isnan, spent.values())):
            return ()
        scored = dict(zip(result.board.systems, result.board[measure].values.tolist(), strict=True))
        points = {system: (cost, scored[system]) for system, cost in spent.items() if system in scored}
        chosen, best = on_frontier(points), result.monolingual
        rows = [
            Priced(system, cost, measure, value, value / best if best > 0 else nan, str(system in chosen).lower())
            for system, (cost, value) in sorted(points.items(), key=lambda one: (isnan(one[1][0]), one[1][0]))
        ]
        return (Table.of("frontier", "What does retrieval quality cost?", Priced, rows, (CAPTION,)),)


def on_frontier(points: dict[str, tuple[float, float]]) -> set[str]:
    """Of (cost, value) by name the names that no other beats: at most as dear and better, or cheaper and as good."""
    known = {name: point for name, point in points.items() if not any(map(isnan, point))}
    return {
        name
        for name, (cost, value) in known.items()
        if not any((c <= cost and v > value) or (c < cost and v >= value) for c, v in known.values())
    }


CAPTION = (
    "On the frontier is an engine than which none is better and no dearer. The cost is the processor time of engines "
    "on the machine that ran them, for a million words of the source, without that of loading models and of searching; "
    "it was measured once and is kept with the translation. That of a server is not known."
)
