"""Whether a system's text is what it seems to be."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.later import opened
from clirbench.systems.health import Health, Reference, alike, examined, unfilled
from clirbench.text import Text, TextLines
from clirbench.types import Failure, Ints, Translation


@dataclass(frozen=True)
class Examine:
    """One system's text -> the numbers of its `Health`: kept, so that a rerun need not read the texts again."""

    english: Text
    n_lines: int

    @cached_property
    def reference(self) -> Reference:
        return Reference(self.english, self.n_lines)

    def cost(self, text: Text) -> float:
        return text.size

    def __call__(self, text: Text) -> Ints:
        found = examined(text, self.reference)
        off, line = found.slip or (0, 0)
        return np.array([found.n_lines, found.n_blank, found.n_crlf, found.bom, off, line], dtype=np.int64)


def health_notes(
    corpus: Corpus, translations: Sequence[Translation], pmap: Callable[..., Iterator[Any]]
) -> Iterator[str]:
    """Everything that is strange about the systems' files; of files of documents, which have ids, only copies.

    Texts that are made here, by a translator or a simulation, are not looked at.
    """
    sides = {
        "collection": Examine(corpus.english.text, corpus.english.map.n_lines),
        "test": Examine(TextLines(corpus.test.references[0]), len(corpus.test)),
    }
    for side, step in sides.items():
        texts = {t.system: text for t in translations if (text := side_of(t, side)) is not None and text.files}
        compared = side == "test" or corpus.has_english
        lines = {s: text for s, text in texts.items() if compared and not isinstance(text, JsonlText)}
        found = pmap(step, list(lines.values()), tuple(lines))
        for text, value in zip(lines.values(), found, strict=True):
            if not isinstance(value, Failure):
                n_lines, n_blank, n_crlf, bom, off, line = opened(value).tolist()
                seen = Health(n_lines, n_blank, n_crlf, bool(bom), (off, line) if line else None)
                for complaint in seen.complaints():
                    yield f"{text.where}: {complaint}"
        copies: dict[str, list[str]] = {}
        for system, text in texts.items():
            copies.setdefault(text.fingerprint, []).append(system)
        for systems in copies.values():
            if len(systems) > 1:
                yield f"systems whose {side} texts are the same, byte for byte: {', '.join(systems)}"
    yield from alike(translation.system for translation in translations)
    yield from unfilled(corpus)


def side_of(translation: Translation, side: str) -> Text | None:
    """A system's text of one side; a text that is both counts as the collection's."""
    if side == "collection":
        return translation.collection
    return None if translation.test == translation.collection else translation.test
