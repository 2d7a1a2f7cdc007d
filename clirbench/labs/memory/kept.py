"""The memory: what many collections said, as tables that travel with the program; `benchmarks/memory.py` makes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clirbench.corpora.languages import BY_CHARACTER
from clirbench.files.tables import read_table
from clirbench.labs.memory.taus import Observed
from clirbench.text import sha256_of

DATA = Path(__file__).with_name("data")
PRIMARY = "RBO(p=0.9)"
"""The measure of everything here."""
FEWEST = 5
"""Clusters of collections below which the memory gives no answer."""
ENGLISH, CHARACTERS, OTHERS = "into English", "into Chinese or Japanese", "into other languages"


def group_of(pair: str) -> str:
    """The language group of a language pair such as `de-en`: what its metrics' values are compared with."""
    target = pair.split("-")[-1]
    return ENGLISH if target == "en" else CHARACTERS if target in BY_CHARACTER else OTHERS


@dataclass(frozen=True)
class Collected:
    """A collection: its language pair, number of systems, lines and topics, and sha256 of each of its references."""

    name: str
    pair: str
    systems: int
    lines: int
    topics: int
    references: tuple[str, ...]

    @property
    def collection(self) -> str:
        """wmt22/de-en of wmt22/de-en/A-B, where A is searched and B scores, or the other way round."""
        return "/".join(self.name.split("/")[:2])

    @property
    def cluster(self) -> str:
        """What counts as one: both directions and all years of two languages, whose texts and makers are shared."""
        return "-".join(sorted(self.pair.split("-")))


@dataclass(frozen=True)
class Memory:
    """`collections` by name; `taus[metric]`: each collection's tau with PRIMARY."""

    collections: Mapping[str, Collected]
    taus: Mapping[str, Mapping[str, Observed]]

    def sharing(self, texts: Iterable[Sequence[str]]) -> frozenset[str]:
        """Collections, by name, that have one of these references (lines); of two that search one text in turn both."""
        digests = {digest_of(lines) for lines in texts}
        found = {one.collection for one in self.collections.values() if digests & set(one.references)}
        return frozenset(name for name, one in self.collections.items() if one.collection in found)


def digest_of(lines: Iterable[str]) -> str:
    """sha256 of the lines with a newline between them; they are taken one by one, for they may be millions."""
    pieces = (f"\n{line}" if number else line for number, line in enumerate(lines))
    return sha256_of(piece.encode("utf-8", "replace") for piece in pieces)


@cache
def memory() -> Memory:
    """The memory that travels with the program: collections.tsv and taus.tsv."""
    collections = {
        row["collection"]: Collected(
            row["collection"], row["pair"], int(row["systems"]), int(row["lines"]), int(row["topics"]),
            tuple(row["references"].split()),
        )
        for row in read_table(DATA / "collections.tsv").records()
    }  # fmt: skip
    taus: dict[str, dict[str, Observed]] = {}
    for row in read_table(DATA / "taus.tsv").records():
        cluster = collections[row["collection"]].cluster
        observed = Observed(cluster, float(row["tau"]), int(row["systems"]), float(row["spread"]))
        taus.setdefault(row["metric"], {})[row["collection"]] = observed
    return Memory(collections, taus)
