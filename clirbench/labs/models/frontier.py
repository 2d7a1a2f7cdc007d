"""What does retrieval quality cost? It joins every run (conf/joining.yaml), and has a table where engines ran."""

from collections.abc import Sequence
from dataclasses import dataclass

from clirbench.pages.table import Table
from clirbench.result import Result


@dataclass(frozen=True)
class Frontier:
    """Table `frontier`: systems that translators made and, where a dense or fused retriever searched it, the
    untranslated side, by processor seconds for a million words and by the measure of the decision; none for others.
    """

    def tables(self, result: Result) -> Sequence[Table]:
        if not (result.engine_costs or result.experiment.also_retriever):
            return ()
        from clirbench.labs.models.priced import frontier_table  # no other run pays for loading it

        return frontier_table(result)
