"""A text that a translator makes, shard by shard."""

import hashlib
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from clirbench.corpora.sentences import SentenceSplitter
from clirbench.errors import ResourceError
from clirbench.labs.models.translating.base import Translator
from clirbench.labs.models.translating.shards import Shards, read_shard
from clirbench.systems.health import marked_lines
from clirbench.text import BLOCK, in_blocks, sha256_of, split_lines
from clirbench.types import Translation

VERSION = "translation 1"


@dataclass(frozen=True, eq=False)
class MachineText:
    """What a translator makes of a source text, shard by shard, kept under `folder`.

    A `Text` like any other once every shard is there; before that, reading it raises `ResourceError`. With
    `sentences`, a line is a document that is cut for the translator.
    """

    system: str
    translator: Translator
    model: Path | None
    source: Shards
    folder: Path
    sentences: SentenceSplitter | None = None

    @property
    def where(self) -> str:
        return f"translation of {self.source.text.where} by {self.system}"

    @cached_property
    def fingerprint(self) -> str:
        return sha256_of(self.blocks())

    @property
    def size(self) -> int:
        return self.source.text.size

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        return in_blocks(self._shards(), size)

    def _shards(self) -> Iterator[bytes]:
        for number, (path, n_lines) in enumerate(zip(self.paths, self.source.lengths, strict=True), start=1):
            shard = read_shard(path, n_lines)
            if shard is None:
                raise ResourceError(
                    f"{self.where}: shard {number} of {len(self.source)} is missing or damaged ({path}); "
                    "a rerun makes it again"
                )
            yield shard

    def lines(self) -> tuple[str, ...]:
        return split_lines(b"".join(self.blocks()).decode("utf-8"))

    @cached_property
    def n_lost(self) -> int:
        """Lines with text that came back empty; a line that is blank in the source is so here too."""
        n_full = sum(bool(line.strip()) for shard in self._shards() for line in shard.decode("utf-8").split("\n"))
        return self.source.n_full - n_full if n_full < self.source.n_lines else 0

    @property
    def loss(self) -> str:
        """How many lines came back empty, in words."""
        return f"{self.n_lost} of {self.source.n_full} lines with text came back empty"

    @cached_property
    def n_marked(self) -> int:
        """By how many more lines than the source has it holds a word with a star before it."""
        return sum(map(marked_lines, self._shards())) - sum(map(marked_lines, self.source.text.blocks()))

    @cached_property
    def made_by(self) -> str:
        """Everything but the source that decides what is written; the model by its content."""
        cut = () if self.sentences is None else (self.sentences.signature,)
        return "\n".join((VERSION, self.translator.signature, self.translator.fingerprint(self.model), *cut))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The file of each shard, named by everything that its content depends on."""
        keys = [hashlib.sha256(f"{self.made_by}\n{source}".encode()).hexdigest() for source in self.source.digests]
        return tuple(self.folder / key[:2] / f"{key}.txt" for key in keys)


def machine_texts(translations: Sequence[Translation], without: Container[str] = ()) -> Iterator[MachineText]:
    """The texts that translators make, one that is both test set and collection once, of all systems but `without`."""
    for translation in translations:
        both: tuple[Any, ...] = (translation.test, translation.collection)
        if translation.system not in without:
            yield from dict.fromkeys(text for text in both if isinstance(text, MachineText))
