"""What a retrieval engine is."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from clirbench.types import Documents, Run, Topic


@runtime_checkable
class Retriever(Protocol):
    """Ranks a collection for every topic; a frozen dataclass whose fields are its configuration.

    It may declare its `kind`, a short name for columns (`MAP[dense]`) and sentences (default: the name of its class),
    and `lexical_model`, the model by which it matches words ("BM25"; default: not known).
    """

    @property
    def depth(self) -> int:
        """How many documents a topic's list holds at most."""

    @property
    def signature(self) -> str:
        """Engine, formula, parameters, analyser and every version that can move a score, `key:value` joined by `|`."""

    def rank(self, documents: Documents, topics: Sequence[Topic]) -> Run:
        """The ranked lists in the rank order of `clirbench.types`; a topic that matches nothing has an empty list.

        Raises `InputError` for an empty collection (no document with a term).
        """
