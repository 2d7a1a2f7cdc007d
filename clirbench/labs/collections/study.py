"""The planned study over many collections: contrasts with an equivalence margin, what they rest on, and its page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from math import ceil, fsum, isnan, sqrt
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from clirbench.errors import InputError
from clirbench.files.run_files import read_results
from clirbench.labs.collections.model import maker_of
from clirbench.labs.collections.outcome import table_of
from clirbench.labs.collections.pooling import (
    LEAST,
    Compared,
    Pooled,
    PooledEntry,
    Stratum,
    contrast,
    contrasts,
    pooled_row,
    shared,
    strata,
)
from clirbench.labs.collections.reading import Collection, collection_of
from clirbench.statistics.coefficients import holm
from clirbench.statistics.grades import Evidence
from clirbench.text import TextFile, sha256_of
from clirbench.types import by_key

DIFFERENT, EQUIVALENT, UNDECIDED = "different", "equivalent", "undecided"
PRIMARY, SAME, CROSSED, HALF = "primary", "same reference", "crossed references", "better half"
COST, CHANGE = "same less crossed", "other retriever less first"
FAMILIES = ("primary", "secondary", "neural")
COMET = re.compile(r"COMET-\d\d")
"""The official COMET of a year, each with another model: one metric of the study."""
DIGITS = 6
ALPHA = 0.05
EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Included:
    """A collection of the study: its systems, near-copies once, its number of references and its language group.

    `human`: why no tau of human scores is in the study; empty where one is. `left_out`: why the collection is not.
    """

    collection: str
    group: str
    references: int
    systems: int
    near_copies: int
    human: str = ""
    left_out: str = ""


Plan = Mapping[str, Any]
"""The plan as it was written down, and `sha256`, that of its file."""


def read_plan(path: Path) -> Plan:
    """Raises `InputError` where the file is missing or is no mapping."""
    import yaml

    if not path.is_file():
        raise InputError(
            f"{path}: the plan of the study is missing; run this in a checkout, or name it: pool.plan=FILE"
        )
    text = "\n".join(TextFile(path).lines()) + "\n"
    plan = yaml.safe_load(text)
    if not isinstance(plan, dict):
        raise InputError(f"{path}: is no plan of a study: a mapping was expected")
    return {**plan, "sha256": sha256_of([text.encode()])}


def family(plan: Plan, name: str) -> list[tuple[str, str]]:
    """The contrasts that are corrected together: one of `FAMILIES`."""
    return [(str(a), str(b)) for a, b in plan["contrasts"].get(name, ())]


def group_of(plan: Plan, part: str) -> str:
    """The group of the target language of YEAR/PAIR."""
    target = part.split("/")[1].rpartition("-")[2]
    return next((str(name) for name, codes in plan["groups"].items() if target in codes), "other")


@dataclass(frozen=True)
class Study:
    """Everything that the plan asked for, and every collection, also those that were left out or have no results."""

    rows: tuple[Pooled, ...]
    collections: tuple[Included, ...]


def study(folders: Sequence[Path], plan: Plan, failed: Mapping[str, str] = EMPTY) -> Study:
    """The plan's contrasts over the runs of a sweep; raises `InputError` for runs that are of no collection."""
    measure = str(plan["measure"])
    every = [_of_measure(collection_of(folder), measure) for folder in folders]
    if lost := [c.name for c in every if not c.board.measures or "/" not in c.name]:
        raise InputError(f"{', '.join(lost)}: no run of a collection YEAR/PAIR with the measure {measure}")
    crossed, same = ([c for c in every if _condition(c) == condition] for condition in (CROSSED, SAME))
    main = [c for c in every if _condition(c) != SAME]
    rows = [*_view(PRIMARY, main, plan, taus=True)]
    rows += [row for view, some in _robustness(main, plan) for row in _view(view, some, plan)]
    rows += [*_view(CROSSED, crossed, plan, taus=True), *_view(SAME, same, plan, taus=True), *_cost(same, crossed)]
    rows += _change(main, plan)
    reasons = {_pair(c): _human(c, folder) for c, folder in zip(every, folders, strict=True)}
    absent = {**plan["collections"]["excluded"], **{name.removeprefix("corpus.part="): failed[name] for name in failed}}
    without = [Included(name, group_of(plan, name), 0, 0, 0, left_out=why) for name, why in absent.items()]
    return Study(tuple(rows), (*_included(main, plan, reasons), *without))


def _of_measure(collection: Collection, measure: str) -> Collection:
    """The collection with this measure alone, by every retriever; its official COMET is called COMET."""
    columns = (
        replace(c, name="COMET") if COMET.fullmatch(c.name) else c
        for c in collection.board.columns
        if c.role == "metric" or c.name == measure or c.name.startswith(f"{measure}[")
    )
    return replace(collection, board=replace(collection.board, columns=tuple(columns)))


def _human(collection: Collection, folder: Path) -> str:
    """Why a collection has no row for human scores, as its run does; empty where it does."""
    found, _ = strata([collection])
    if any("human" in setting.metrics for own in found.values() for setting in own):
        return ""
    left_out = (read_results(folder, ()).get("set_up") or {}).get("scores_left_out", {})
    reasons = [why for name, why in left_out.items() if name in ("human", "score_z", "score_raw")]
    if any(column.name == "human" for column in collection.board.metrics):
        return "fewer than nine in ten of its systems have one"
    return str(left_out.get("human") or (reasons[0] if reasons else "its folder has none"))


def _condition(collection: Collection) -> str:
    """`same reference` and `crossed references` where two exist; nothing where there is one."""
    if collection.name.count("/") < 2:
        return ""
    searched, _, scoring = collection.name.split("/")[2].partition("-")
    return SAME if searched == scoring else CROSSED


def _pair(collection: Collection) -> str:
    return "/".join(collection.name.split("/")[:2])


def _robustness(main: Sequence[Collection], plan: Plan) -> Iterator[tuple[str, list[Collection]]]:
    for year in sorted({_pair(c).split("/")[0] for c in main}):
        yield f"without {year}", [c for c in main if not c.name.startswith(f"{year}/")]
    for group in dict.fromkeys(sorted(group_of(plan, c.name) for c in main)):
        yield f"without {group}", [c for c in main if group_of(plan, c.name) != group]
    yield HALF, [half for c in main if (half := better_half(c)) is not None]


def better_half(collection: Collection, by: str = "chrF1") -> Collection | None:
    """The systems whose score by a metric is at least the median; None for fewer than 8 systems."""
    values = next(column.oriented for column in collection.board.metrics if column.name == by)
    if len(values) < 8:
        return None
    keep = values >= np.median(values)
    board = Evidence(collection.board).only(keep).board
    return replace(collection, board=board, units=collection.units.only(np.flatnonzero(keep)))


def _view(view: str, held: Sequence[Collection], plan: Plan, *, taus: bool = False) -> Iterator[Pooled]:
    """The rows of a view under each retriever, in which the contrasts of a family are corrected together."""
    families = [family(plan, name) for name in FAMILIES]
    for stratum, settings in strata(held)[0].items():
        names = list(dict.fromkeys(name for setting in settings for name in setting.metrics))
        singles = [(name, "") for name in names] if taus else []
        rows = {}
        for of, entries in contrasts(stratum, settings, names, [*chain(*families), *singles]):
            makers = [_makers(entry, of) for entry in entries]
            together = shared(entries, lambda one: one.texts | {one.source})
            row = pooled_row(of, entries, together, "shared texts", makers, plan["level"])
            rows[of.metric, of.other] = replace(row, view=view)
        for pairs in families:
            own = [rows[pair] for pair in pairs if pair in rows]
            adjusted = holm([row.p_value for row in own])
            yield from (judged(replace(row, p_holm=p), plan["margin"]) for row, p in zip(own, adjusted, strict=True))
        yield from (rows[pair] for pair in singles if pair in rows)


def _makers(entry: PooledEntry, of: Compared) -> dict[str, float]:
    """What each maker's systems do to a collection's estimate; the squares of all systems add up to its variance."""
    systems: dict[str, float] = {}
    for setting in entry.settings:
        influence = contrast(setting.influence, setting, of) / len(entry.settings)
        for label, value in zip(setting.labels, influence.tolist(), strict=True):
            systems[label] = systems.get(label, 0.0) + value
    size = fsum(value**2 for value in systems.values())
    scale = (max(entry.variance, LEAST) / size) ** 0.5 if size > 0 else 0.0
    makers: dict[str, float] = {}
    for label, value in systems.items():
        maker = maker_of(label.removeprefix("system "))
        makers[maker] = makers.get(maker, 0.0) + scale * value
    return makers


def judged(row: Pooled, margin: float) -> Pooled:
    """The row with its verdict and, where that is undecided, the number of collections that would settle it.

    Equivalent is an interval within the margin with room for its own error: its half-width is widened by its standard
    error, 1 / sqrt(2 (groups - 1)) of it. With the number needed the interval, whose width falls with its root, would
    exclude 0 or be within the margin, if the value stayed.
    """
    if isnan(row.ci_low):
        return replace(row, verdict=UNDECIDED, needed="unknown")
    if row.p_holm < ALPHA:
        return replace(row, verdict=DIFFERENT)
    room = (row.ci_high - row.ci_low) / 2 / sqrt(2 * max(1, row.texts - 1))
    if -margin <= row.ci_low - room and row.ci_high + room <= margin:
        return replace(row, verdict=EQUIVALENT)
    room = max(margin - abs(row.value), abs(row.value))
    needed = ceil(row.collections * ((row.ci_high - row.ci_low) / 2 / room) ** 2)
    return replace(row, verdict=UNDECIDED, needed=str(max(needed, row.collections + 1)))


def _cost(same: Sequence[Collection], crossed: Sequence[Collection]) -> Iterator[Pooled]:
    """How much higher a metric's tau is where search and metrics share the reference; the searched one is the same."""
    both: list[tuple[dict[str, float], dict[str, float]]] = []
    for one in same:
        searched = one.name.split("/")[2].partition("-")[0]
        other = [c for c in crossed if c.name.startswith(f"{_pair(one)}/{searched}-")]
        both += [(_taus(one), _taus(other[0]))] if other else []
    for metric in dict.fromkeys(name for a, b in both for name in a if name in b):
        entries = [PooledEntry(a[metric] - b[metric], LEAST) for a, b in both if metric in a and metric in b]
        if len(entries) > 2 and any(entry.value for entry in entries):  # no metric without a reference
            of = Compared(**vars(Stratum.of(same[0].board.measures[0])), metric=metric, other="")
            yield replace(pooled_row(of, entries), view=COST)


def _change(main: Sequence[Collection], plan: Plan) -> Iterator[Pooled]:
    """By how much a contrast, or a metric's tau, is higher under each other retriever than under the first."""
    held = by_key((_pair(one), _by_retriever(one)) for one in main)
    first, *others = dict.fromkeys(s for found in chain(*held.values()) for s in found)
    names = dict.fromkeys(name for found in chain(*held.values()) for own in found.values() for name in own)
    asked = [*chain(*(family(plan, name) for name in FAMILIES)), *((name, "") for name in names)]
    for stratum in others:
        for metric, other in asked:
            entries = []
            for found in held.values():
                both = [
                    (by[stratum][metric] - by[first][metric])
                    - ((by[stratum][other] - by[first][other]) if other else 0.0)
                    for by in found
                    if all({metric, other or metric} <= {*by.get(one, {})} for one in (first, stratum))
                ]
                entries += [PooledEntry(float(np.mean(both)), LEAST)] if both else []
            if len(entries) > 2 and any(entry.value for entry in entries):
                of = Compared(**vars(stratum), metric=metric, other=other)
                yield replace(pooled_row(of, entries), view=CHANGE)


def _by_retriever(collection: Collection) -> dict[Stratum, dict[str, float]]:
    """Under each retriever, the tau of each metric."""
    found, _ = strata([collection])
    return {
        stratum: {name: tau for s in own for name, tau in zip(s.metrics, s.tau.tolist(), strict=True)}
        for stratum, own in found.items()
    }


def _taus(collection: Collection) -> dict[str, float]:
    return next(iter(_by_retriever(collection).values()), {})


def _included(main: Sequence[Collection], plan: Plan, reasons: Mapping[str, str]) -> Iterator[Included]:
    for name in dict.fromkeys(map(_pair, main)):
        own = [c for c in main if _pair(c) == name]
        systems = len(own[0].board.systems)
        yield Included(name, group_of(plan, name), len(own), systems, systems - own[0].units.number, reasons[name])


ATLAS = ("view", "retriever", "metric", "other", "value", "ci_low", "ci_high", "p_value", "p_holm", "verdict", "needed",
         "collections", "systems", "texts", "interval", "makers", "sd_between")  # fmt: skip


def write(folder: Path, study: Study) -> list[Path]:
    """atlas.tsv, in `DIGITS` decimals so that it is the same on every machine, and atlas_collections.tsv."""
    table = table_of("atlas", "The planned contrasts", study.rows, ATLAS)
    rows = tuple(tuple(round(x, DIGITS) + 0.0 if isinstance(x, float) else x for x in row) for row in table.rows)
    replace(table, rows=rows).write(folder)
    table_of("atlas_collections", "", study.collections, [one.name for one in fields(Included)]).write(folder)
    return [folder / name for name in ("atlas.tsv", "atlas_collections.tsv")]
