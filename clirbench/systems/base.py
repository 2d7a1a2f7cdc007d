"""Where the MT systems' translations come from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from clirbench.corpora.base import Corpus
from clirbench.types import Maker, Translation

MOST_EMPTY = 0.5
"""Of the lines that have text on the other side: a system with a larger share of empty ones is left out, by name."""


@runtime_checkable
class SystemSource(Protocol):
    """A source of translations; a frozen dataclass whose fields are its configuration.

    It may declare `made_from_reference`: its systems are simulated, so that texts like the reference are no mistake;
    and `translates`: engines make its texts while it runs, and what they cost is measured.
    """

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """One translation for each MT system, by name, with metadata; raises `InputError` where there are none."""


@runtime_checkable
class OfModels(Protocol):
    """Makes the texts of systems that are models on this machine."""

    def translations(
        self, corpus: Corpus, models: Sequence[tuple[str, Path, Mapping[str, str]]], cache: str, shard_lines: int
    ) -> Sequence[Translation]:
        """One translation, still to be made, for each (system, model, metadata); raises what each misses, all at once.

        Texts are made and kept below `cache` in parts of at least `shard_lines` lines.
        """


def makers(translations: Sequence[Translation]) -> list[Maker]:
    """What makes texts of these systems that are still to be made; none where all are files."""
    return list(dict.fromkeys(t.maker for t in translations if t.maker is not None))
