"""The memory: what many collections said, as tables that travel with the program; `benchmarks/memory.py` makes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from clirbench.files.tables import read_table
from clirbench.labs.memory.model import SCALES, Told
from clirbench.labs.memory.taus import Observed

DATA = Path(__file__).with_name("data")
PRIMARY = "RBO(p=0.9)"
"""The measure of everything here."""
BANDS = ("lower", "upper")
"""Pairs of systems by the metric's mean of the two: below or above the median of their metric and language group."""
ENGLISH, CHARACTERS, OTHERS = "into English", "into Chinese or Japanese", "into other languages"
WRITTEN_IN_CHARACTERS = ("zh", "ja", "ko", "th")
NEAR = 0.05
"""A stratum is calibrated where predicted and seen shares of left-out pairs differ by no more."""


def group_of(pair: str) -> str:
    """The language group of a language pair such as `de-en`: what its metrics' values are compared with."""
    target = pair.split("-")[-1]
    return ENGLISH if target == "en" else CHARACTERS if target in WRITTEN_IN_CHARACTERS else OTHERS


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
class Place:
    """A metric in a language group and band: its `signatures`; `level`, where the two bands meet; what its pairs have:
    levels between `lowest` and `highest` (but for 2.5 % at the outer end), gaps up to `widest` (95 %), texts of
    `shortest` to `longest` lines; and of pairs that were left out the share `predicted` and `seen` to be better."""

    metric: str
    group: str
    band: str
    signatures: tuple[str, ...]
    level: float
    lowest: float
    highest: float
    widest: float
    shortest: int
    longest: int
    predicted: float
    seen: float

    @property
    def calibrated(self) -> bool:
        return abs(self.predicted - self.seen) <= NEAR


@dataclass(frozen=True)
class Memory:
    """`collections` by name; `places` by (metric, group, band); `told[metric, band]` what each collection told of a
    difference; `taus[metric]`: each collection's tau with PRIMARY."""

    collections: Mapping[str, Collected]
    places: Mapping[tuple[str, str, str], Place]
    told: Mapping[tuple[str, str], Mapping[str, Told]]
    taus: Mapping[str, Mapping[str, Observed]]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for metric, _, _ in self.places))

    def of_group(self, metric: str, group: str, band: str, without: frozenset[str] = frozenset()) -> dict[str, Told]:
        """What the collections of a language group told, by name, `without` some."""
        kept = self.told.get((metric, band), {})
        return {
            name: one
            for name, one in kept.items()
            if name not in without and group_of(self.collections[name].pair) == group
        }

    def sharing(self, texts: Iterable[Sequence[str]]) -> frozenset[str]:
        """Collections, by name, that have one of these references (lines); of two that search one text in turn both."""
        digests = {sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest() for lines in texts}
        found = {one.collection for one in self.collections.values() if digests & set(one.references)}
        return frozenset(name for name, one in self.collections.items() if one.collection in found)

    def everything(self, metric: str, without: frozenset[str] = frozenset()) -> list[Told]:
        """What all collections told of a metric, in both bands."""
        parts = (self.told.get((metric, band), {}) for band in BANDS)
        return [one for part in parts for name, one in part.items() if name not in without]


@cache
def memory(folder: Path = DATA) -> Memory:
    """The memory of a folder: collections.tsv, places.tsv, scales.tsv and taus.tsv."""
    collections = {
        row["collection"]: Collected(
            row["collection"], row["pair"], int(row["systems"]), int(row["lines"]), int(row["topics"]),
            tuple(row["references"].split()),
        )
        for row in read_table(folder / "collections.tsv").records()
    }  # fmt: skip
    places = {}
    for row in read_table(folder / "places.tsv").records():
        places[row["metric"], row["group"], row["band"]] = Place(
            row["metric"], row["group"], row["band"], tuple(row["signature"].split()), level=float(row["level"]),
            lowest=float(row["lowest"]), highest=float(row["highest"]), widest=float(row["widest"]),
            shortest=int(row["shortest"]), longest=int(row["longest"]), predicted=float(row["predicted"]),
            seen=float(row["seen"]),
        )  # fmt: skip
    told: dict[tuple[str, str], dict[str, Told]] = {}
    for row in read_table(folder / "scales.tsv").records():
        profile = np.array([float(cell) for cell in row["profile"].split()])
        assert len(profile) == len(SCALES)
        one = Told(collections[row["collection"]].cluster, profile, float(row["slope"]), float(row["error"]))
        told.setdefault((row["metric"], row["band"]), {})[row["collection"]] = one
    taus: dict[str, dict[str, Observed]] = {}
    for row in read_table(folder / "taus.tsv").records():
        cluster = collections[row["collection"]].cluster
        observed = Observed(cluster, float(row["tau"]), int(row["systems"]), float(row["spread"]))
        taus.setdefault(row["metric"], {})[row["collection"]] = observed
    return Memory(collections, places, told, taus)
