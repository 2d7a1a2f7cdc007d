"""Which systems' texts are nearly the same, and which copy the reference."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clirbench.corpora.base import Corpus
from clirbench.later import load_value
from clirbench.systems.likeness import FEWEST, LINES, NEAR, NearCopy, dice, first_lines, near_copies, sketch
from clirbench.text import Text, TextLines
from clirbench.types import Failure, Translation

HALF = 0.5
"""The share of a reference's lines that no real system has word for word; the most of 55 collections is .27."""


@dataclass(frozen=True)
class Resemble:
    """One text -> the sketch of its wording, and the share of each reference's lines that it repeats."""

    references: tuple[Text, ...]

    @cached_property
    def lines(self) -> tuple[list[bytes], ...]:
        """The first lines of each reference."""
        return tuple(_lines(reference) for reference in self.references)

    def __call__(self, text: Text) -> dict[str, Any]:
        pieces = list(first_lines(text))
        own = b"".join(pieces).split(b"\n")[:-1]
        repeated = []
        for lines in self.lines:
            same = sum(a == b for a, b in zip(own, lines, strict=False) if b.strip())
            repeated.append(same / max(1, sum(1 for line in lines if line.strip())))
        return {"hashes": sketch(iter(pieces)), "repeated": repeated}


@dataclass(frozen=True)
class ReferenceCopy:
    """A system whose text is a reference's: `dice` of their 4-grams, and the share of lines that are `repeated`."""

    system: str
    dice: float
    repeated: float


@dataclass(frozen=True)
class Resemblances:
    """What the systems' texts share: `near` connects systems of nearly one wording, `references` copy a reference."""

    near: tuple[NearCopy, ...] = ()
    references: tuple[ReferenceCopy, ...] = ()


NOTHING_ALIKE = Resemblances()


def resemblances(
    corpus: Corpus, translations: Sequence[Translation], pmap: Callable[..., Iterator[Any]]
) -> Resemblances:
    """Compare every text with the others and with the references: the test sets, or else the collections.

    The first 20,000 lines of each count. Copies of a reference are not compared with other systems.
    """
    tested = bool(corpus.test) and any(t.test is not None for t in translations)
    texts = {t.system: text for t in translations if (text := t.test if tested else t.collection) is not None}
    references: tuple[Text, ...] = (corpus.english.text,) if corpus.has_english else ()
    if tested:
        searched = references if corpus.crossed else ()
        references = (*(TextLines(lines[:LINES]) for lines in corpus.test.references), *searched)
    items = [*references, *texts.values()]
    names = [*("(reference side)" for _ in references), *texts]
    found = [load_value(one) for one in pmap(Resemble(references), items, names)]
    if any(isinstance(one, Failure) for one in found[: len(references)]):
        return NOTHING_ALIKE
    theirs = [one["hashes"] for one in found[: len(references)]]
    ours = {
        system: one
        for system, one in zip(texts, found[len(references) :], strict=True)
        if not isinstance(one, Failure) and len(one["hashes"]) >= FEWEST
    }
    copies = []
    for system, one in ours.items():
        shared = max((dice(one["hashes"], hashes) for hashes in theirs), default=0.0)
        repeated = max(one["repeated"], default=0.0)
        if shared >= NEAR or repeated >= HALF:
            copies.append(ReferenceCopy(system, shared, repeated))
    left = {copy.system for copy in copies}
    near = near_copies({system: one["hashes"] for system, one in ours.items() if system not in left})
    return Resemblances(near, tuple(copies))


def _lines(text: Text) -> list[bytes]:
    return b"".join(first_lines(text)).split(b"\n")[:-1]
