"""Where the MT systems' translations come from."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from clirbench.corpora.base import Corpus
from clirbench.types import Translation


@runtime_checkable
class SystemSource(Protocol):
    """A source of translations; a frozen dataclass whose fields are its configuration.

    It may declare `made_from_reference`: its systems are simulated, so that texts like the reference are no mistake;
    and `translates`: engines make its texts while it runs, and what they cost is measured.
    """

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """One translation for each MT system, by name, with metadata; raises `InputError` where there are none."""
