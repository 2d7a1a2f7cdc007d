"""The planned study over many collections: contrasts with an equivalence margin, what they rest on, and its page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import ceil, isnan
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from clirbench.errors import InputError
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
from clirbench.pages import Page, Points, Section, number
from clirbench.report import markdown
from clirbench.statistics.coefficients import holm
from clirbench.statistics.grades import Evidence
from clirbench.text import TextFile, sha256_of

DIFFERENT, EQUIVALENT, UNDECIDED = "different", "equivalent", "undecided"
PRIMARY, SAME, CROSSED, HALF = "primary", "same reference", "crossed references", "better half"
COST = "same less crossed"
ALPHA = 0.05
EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Included:
    """A collection of the study: its systems, near-copies once, its number of references and its language group."""

    collection: str
    group: str
    references: int
    systems: int
    near_copies: int


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
    """The contrasts that are corrected together: `primary` or `secondary`."""
    return [(str(a), str(b)) for a, b in plan["contrasts"][name]]


def group_of(plan: Plan, part: str) -> str:
    """The group of the target language of YEAR/PAIR."""
    target = part.split("/")[1].rpartition("-")[2]
    return next((str(name) for name, codes in plan["groups"].items() if target in codes), "other")


@dataclass(frozen=True)
class Study:
    """Everything that the plan asked for; `failed`: why collections that were to take part have no results."""

    plan: Plan
    rows: tuple[Pooled, ...]
    included: tuple[Included, ...]
    failed: Mapping[str, str] = field(default_factory=lambda: EMPTY)


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
    return Study(plan, tuple(rows), tuple(_included(main, plan)), failed)


def _of_measure(collection: Collection, measure: str) -> Collection:
    board = collection.board
    kept = tuple(c for c in board.columns if c.role == "metric" or c.name == measure)
    return replace(collection, board=replace(board, columns=kept))


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
    found, _ = strata(held)
    settings = [setting for own in found.values() for setting in own]
    names = list(dict.fromkeys(name for setting in settings for name in setting.metrics))
    stratum, families = next(iter(found), Stratum("", "", "")), [family(plan, "primary"), family(plan, "secondary")]
    singles = [(name, "") for name in names] if taus else []
    rows = {}
    for of, entries in contrasts(stratum, settings, names, [*families[0], *families[1], *singles]):
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
    size = sum(value**2 for value in systems.values())
    scale = (max(entry.variance, LEAST) / size) ** 0.5 if size > 0 else 0.0
    makers: dict[str, float] = {}
    for label, value in systems.items():
        maker = maker_of(label.removeprefix("system "))
        makers[maker] = makers.get(maker, 0.0) + scale * value
    return makers


def judged(row: Pooled, margin: float) -> Pooled:
    """The row with its verdict and, where that is undecided, the number of collections that would settle it.

    With this number the interval, whose width falls with its root, would exclude 0 or be within the margin, if the
    value stayed.
    """
    if isnan(row.ci_low):
        return replace(row, verdict=UNDECIDED, needed="unknown")
    if row.p_holm < ALPHA:
        return replace(row, verdict=DIFFERENT)
    if -margin <= row.ci_low and row.ci_high <= margin:
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


def _taus(collection: Collection) -> dict[str, float]:
    found, _ = strata([collection])
    settings = [setting for own in found.values() for setting in own]
    return {name: tau for s in settings for name, tau in zip(s.metrics, s.tau.tolist(), strict=True)}


def _included(main: Sequence[Collection], plan: Plan) -> Iterator[Included]:
    for name in dict.fromkeys(map(_pair, main)):
        own = [c for c in main if _pair(c) == name]
        systems = len(own[0].board.systems)
        yield Included(name, group_of(plan, name), len(own), systems, systems - own[0].units.number)


ATLAS = ("view", "metric", "other", "value", "ci_low", "ci_high", "p_value", "p_holm", "verdict", "needed",
         "collections", "systems", "texts", "interval", "makers", "sd_between")  # fmt: skip
"""Columns of atlas.tsv; then those of the page's tables."""
SHOWN = tuple(name for name in ATLAS if name not in ("view", "systems", "p_value"))
TAU = ("metric", "value", "ci_low", "ci_high", "collections", "sd_between")
VIEWS = ("view", "metric", "other", "value", "ci_low", "ci_high", "verdict", "collections")
CONTRASTS = (
    "Differences of Kendall's tau with {measure}: `ci_low` to `ci_high` is the wider of two 95 % intervals, over "
    "collections, and over groups of collections that share a source or a reference (`texts`), with what makers of "
    "systems add who take part in several collections (`makers`: their share of the squared error). `different`: "
    "`p_holm`, corrected over the contrasts of its family, is below .05; `equivalent`: the interval is within {margin} "
    "of 0; else undecided, and `needed` is about how many collections would settle it."
)
TAUS = (
    "Mean tau with {measure}. {floor} judge no translation and are a floor. Official COMET scores are named by year: "
    "each had another model, and other collections. `human` are the official human scores, mostly into English."
)
ROBUST = "The primary contrasts without each year and group of target languages, and in the better half by chrF1."
REFERENCES = (
    "Collections with two references. Where the metrics score against the searched one, they share its words with "
    "the judgments; `same less crossed` is by how much that raises tau, of runs that search the same reference."
)
COLLECTIONS = (
    "{collections} collections with {systems} systems, crossed references in {crossed}. {copies} near-copies of other "
    "systems count once with them. Documents: {documents}. Each is in docs/data/findings/atlas_collections.tsv."
)
METHOD = (
    "`python -m clirbench +experiment=atlas paths.mirror=DATA` writes this page. Its plan (sha256 {sha}) is "
    "docs/data/atlas-plan.yaml; status: {status}. The relevance is that of a reference's own ranking. All rows: "
    "docs/data/findings/atlas.tsv. How often such intervals hold the truth: docs/explanation/validity.md."
)


def write(folder: Path, study: Study) -> list[Path]:
    """atlas.tsv, atlas_collections.tsv and findings.md."""
    table_of("atlas", "The planned contrasts", study.rows, ATLAS).write(folder)
    included = [one.name for one in fields(Included)]
    table_of("atlas_collections", "The collections", study.included, included).write(folder)
    (folder / "findings.md").write_text(markdown.page(page(study)), encoding="utf-8", newline="\n")
    return [folder / name for name in ("atlas.tsv", "atlas_collections.tsv", "findings.md")]


def page(study: Study) -> Page:
    """The whole page."""
    plan, first = study.plan, family(study.plan, "primary")
    words = {
        "measure": plan["measure"], "margin": number(plan["margin"], 2), "status": plan["status"],
        "floor": " and ".join(plan["contrasts"]["floor"]), "sha": plan["sha256"][:16],
        "documents": plan["retrieval"]["documents"], "collections": len(study.included),
        "systems": sum(one.systems for one in study.included), "copies": sum(one.near_copies for one in study.included),
        "crossed": sum(one.references > 1 for one in study.included),
    }  # fmt: skip
    main = [row for row in study.rows if row.view == PRIMARY]
    rest = [row for row in study.rows if row.view.startswith("without ") or row.view == HALF]
    both = [row for row in study.rows if row.view in (SAME, CROSSED, COST) and not row.other]
    left = [f"{name} is left out: {why}." for name, why in plan["collections"]["excluded"].items()]
    left += [f"{name.removeprefix('corpus.part=')} has no results: {why}" for name, why in study.failed.items()]
    parts: list[tuple[str, str, str, list[Pooled], tuple[str, ...]]] = [
        ("contrasts", "Differences between metrics", CONTRASTS, [row for row in main if row.other], SHOWN),
        ("taus", "Each metric", TAUS, sorted((r for r in main if not r.other), key=lambda row: -row.value), TAU),
        ("robust", "What the differences rest on", ROBUST, [r for r in rest if (r.metric, r.other) in first], VIEWS),
        ("references", "One reference or two", REFERENCES, both, VIEWS),
    ]
    tables = [
        Section(name, title, (caption.format(**words), table_of(name, title, rows, columns).compact()))
        for name, title, caption, rows, columns in parts
    ]
    return Page(
        "Which MT metric orders systems as retrieval does?",
        (
            *tables,
            Section("collections", "The collections", (COLLECTIONS.format(**words), Points(left))),
            Section("method", "How this was made", (METHOD.format(**words),)),
        ),
    )
