"""A system's rankings scored in other ways."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clirbench.later import Later, load_value
from clirbench.measures.base import arithmetic
from clirbench.measures.rescoring import TOGETHER, Rescoring
from clirbench.types import Doubles, Run


@dataclass(frozen=True)
class Rescore:
    """One system's Run -> its value under each of `rescoring.SCORINGS`, over these topics of the English side's run."""

    ideal: Run
    topic_ids: tuple[str, ...]
    n_documents: int

    @cached_property
    def rescorings(self) -> list[Rescoring]:
        """Some topics at a time."""
        starts = range(0, len(self.topic_ids), TOGETHER)
        return [Rescoring(self.ideal, self.topic_ids[at : at + TOGETHER], self.n_documents) for at in starts]

    def __call__(self, item: "Run | Later[Run]") -> Doubles:
        run = load_value(item)
        return arithmetic(np.concatenate([part.per_topic(run) for part in self.rescorings], axis=1))
