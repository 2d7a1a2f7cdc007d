"""`systems=demo`: the demo's systems, which ship with the package."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from clirbench.corpora.base import Corpus
from clirbench.corpora.demo import FOLDER
from clirbench.systems.metadata import read_metadata
from clirbench.text import TextFile, TextLines
from clirbench.types import Translation


@dataclass(frozen=True)
class DemoSystems:
    """Eight kinds of system in two doses of their errors; clirbench/data/demo/README.md says how they were made."""

    made_from_reference: ClassVar[bool] = True

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """Sixteen translations with the metadata `family` and `dose`, the best first in each family."""
        described = read_metadata(FOLDER / "systems.tsv")
        texts = {name: TextLines(TextFile(FOLDER / "systems" / f"{name}.txt").lines()) for name in described}
        return [Translation(name, text, text, described[name]) for name, text in texts.items()]
