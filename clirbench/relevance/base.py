"""What decides which documents are relevant: the English side's own ranking, or people."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from clirbench.types import Documents, Qrels, Run, Topic


@runtime_checkable
class Relevance(Protocol):
    """A source of relevance judgments; a frozen dataclass whose fields are its configuration."""

    @property
    def signature(self) -> str:
        """Rule and parameters, e.g. `top100`, or the content hash of a qrels file."""

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        """Judgments for the topics that can be scored, in the order of `topics`.

        `ideal` is the English side's run, `documents` the English side itself. A topic without a relevant document
        is left out.
        """
