"""The values of every measure for one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clirbench.later import Later, load_value
from clirbench.measures.base import Measure
from clirbench.measures.ir import score_run
from clirbench.types import Doubles, Judged, Run


@dataclass(frozen=True)
class Evaluate:
    """One system's Run -> the per-topic values of every measure, under every set of judgments (by its label).

    `pairs` are the (label, measure name) that are wanted; None: all that make sense.
    """

    measures: tuple[Measure, ...]
    judged: Mapping[str, Judged]
    pairs: tuple[tuple[str, str], ...] | None = None

    def __call__(self, item: "Run | Later[Run]") -> dict[tuple[str, str], Doubles]:
        run = load_value(item)
        return {
            (label, name): values
            for label, judged in self.judged.items()
            if (wanted := self.wanted(label))
            for name, values in score_run(wanted, run, judged).items()
        }

    def wanted(self, label: str) -> Sequence[Measure]:
        """Measures that compare with the English side's own run are the same under every set of judgments."""
        return [
            measure
            for measure in self.measures
            if (label == "" or measure.uses_qrels) and (self.pairs is None or (label, measure.name) in self.pairs)
        ]

    def only(self, pairs: Sequence[tuple[str, str]]) -> "Evaluate":
        """The step that gives these values alone."""
        return replace(self, pairs=tuple(pairs))

    def parts(self) -> dict[tuple[str, str], "Evaluate"]:
        """For each value the step that gives it alone and names no more than it needs."""
        return {
            (label, measure.name): Evaluate((measure,), {label: judged})
            for label, judged in self.judged.items()
            for measure in self.wanted(label)
        }
