"""What the memory has to say of a difference: for each metric, language group and band of quality."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from clirbench.files.tables import read_table
from clirbench.labs.memory.kept import DATA, Memory, group_of, memory
from clirbench.labs.memory.model import SCALES, Told

BANDS = ("lower", "upper")
"""Pairs of systems by the metric's mean of the two: below or above the median of their metric and language group."""
NEAR = 0.05
"""A stratum is calibrated where predicted and seen shares of left-out pairs differ by no more."""


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
class Strata:
    """`places` by (metric, group, band); `told[metric, band]` what each collection of the `memory` told of a
    difference."""

    memory: Memory
    places: Mapping[tuple[str, str, str], Place]
    told: Mapping[tuple[str, str], Mapping[str, Told]]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for metric, _, _ in self.places))

    def of_group(self, metric: str, group: str, band: str, without: frozenset[str] = frozenset()) -> dict[str, Told]:
        """What the collections of a language group told, by name, `without` some."""
        kept = self.told.get((metric, band), {})
        return {
            name: one
            for name, one in kept.items()
            if name not in without and group_of(self.memory.collections[name].pair) == group
        }

    def everything(self, metric: str, without: frozenset[str] = frozenset()) -> list[Told]:
        """What all collections told of a metric, in both bands."""
        parts = (self.told.get((metric, band), {}) for band in BANDS)
        return [one for part in parts for name, one in part.items() if name not in without]


@cache
def strata() -> Strata:
    """Those that travel with the program: places.tsv and scales.tsv."""
    places = {}
    for row in read_table(DATA / "places.tsv").records():
        places[row["metric"], row["group"], row["band"]] = Place(
            row["metric"], row["group"], row["band"], tuple(row["signature"].split()), level=float(row["level"]),
            lowest=float(row["lowest"]), highest=float(row["highest"]), widest=float(row["widest"]),
            shortest=int(row["shortest"]), longest=int(row["longest"]), predicted=float(row["predicted"]),
            seen=float(row["seen"]),
        )  # fmt: skip
    told: dict[tuple[str, str], dict[str, Told]] = {}
    for row in read_table(DATA / "scales.tsv").records():
        profile = np.array([float(cell) for cell in row["profile"].split()])
        assert len(profile) == len(SCALES)
        cluster = memory().collections[row["collection"]].cluster
        one = Told(cluster, profile, float(row["slope"]), float(row["error"]))
        told.setdefault((row["metric"], row["band"]), {})[row["collection"]] = one
    return Strata(memory(), places, told)
