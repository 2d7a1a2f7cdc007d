"""findings.md: what the planned study found, on one page made from its rows alone."""

from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from pathlib import Path

from clirbench.labs.collections.atlas import (
    COST,
    CROSSED,
    DIFFERENT,
    EQUIVALENT,
    HALF,
    PRIMARY,
    SAME,
    Included,
    PlannedContrast,
    Study,
)
from clirbench.labs.collections.atlas_range import RangeOfTau
from clirbench.labs.collections.bias import JudgmentBias
from clirbench.pages.page import Block, Page, Points, Section
from clirbench.pages.table import Table
from clirbench.pages.wording import listed, many, number
from clirbench.report import markdown

TITLE = "Which MT metric orders systems as retrieval does?"


def write(folder: Path, study: Study) -> list[Path]:
    """atlas.tsv, atlas_collections.tsv, atlas_range.tsv and findings.md."""
    Table.of("atlas", "The planned contrasts", PlannedContrast, study.rows).write(folder)
    Table.of("atlas_collections", "The collections", Included, study.included).write(folder)
    Table.of("atlas_range", "Better half", RangeOfTau, study.ranges).write(folder)
    path = folder / "findings.md"
    path.write_text(markdown.page(page(study)), encoding="utf-8", newline="\n")
    return [*(folder / f"{name}.tsv" for name in ("atlas", "atlas_collections", "atlas_range")), path]


def page(study: Study) -> Page:
    """The whole page."""
    main = [row for row in study.rows if row.view == PRIMARY]
    contrasts = [row for row in main if row.other]
    taus = sorted((row for row in main if not row.other), key=lambda row: -row.value)
    return Page(
        TITLE,
        (
            Section("short", "In short", (Points(list(_short(study, contrasts))),)),
            Section("contrasts", "Differences between metrics", (_contrasts(contrasts), _reading(study))),
            Section("taus", "Each metric", (_tau_table(taus), _floor(study, taus))),
            Section("robust", "What the differences rest on", tuple(_robust(study, contrasts))),
            Section("references", "One reference or two", tuple(_references(study))),
            *(
                [Section("judges", "Pseudo-relevance and known items", tuple(_known_items(study.bias)))]
                if study.bias
                else []
            ),
            Section("collections", "The collections", tuple(_collections(study))),
            Section("method", "How this was made", (_method(study),)),
        ),
    )


def name_of(row: PlannedContrast) -> str:
    """`MacroF1 - BLEU`."""
    return f"{row.metric} - {row.other}" if row.other else row.metric


def interval(row: PlannedContrast | JudgmentBias) -> str:
    """`[-.03, .02]`, nothing where there is none."""
    return "" if isnan(row.ci_low) else f"[{number(row.ci_low)}, {number(row.ci_high)}]"


def verdict(row: PlannedContrast, margin: float) -> str:
    """The verdict in words."""
    if row.verdict == DIFFERENT:
        return "different"
    if row.verdict == EQUIVALENT:
        return f"equivalent within {number(margin, 2)}"
    return f"undecided; about {row.needed} collections would settle it"


def _short(study: Study, contrasts: Sequence[PlannedContrast]) -> Iterator[str]:
    systems = sum(one.systems for one in study.included)
    yield (
        f"{many(len(study.included), 'collection')} with {systems} real systems took part; "
        f"their metrics are compared by Kendall's tau with {study.plan.settings['measure']}."
    )
    for row in contrasts:
        if (row.metric, row.other) in study.plan.primary:
            yield (
                f"{row.metric} less {row.other}: {number(row.value)} {interval(row)}, "
                f"{verdict(row, study.plan.margin)}."
            )
    yield (
        "Each collection had been analysed before the plan was written, so these findings are exploratory; "
        "collections of 2024 and later are to confirm them."
    )
    yield "The relevance is that of a reference's own ranking: people judged nothing here."


def _contrasts(rows: Iterable[PlannedContrast]) -> Table:
    header = ("contrast", "difference of tau", "95 % interval", "p (Holm)", "verdict", "collections")
    cells = [
        (name_of(row), number(row.value), interval(row), _p(row.p_holm), row.verdict, str(row.collections))
        for row in rows
    ]
    return Table("contrasts", "Differences", header, cells, shown=len(cells))


def _p(value: float) -> str:
    return "" if isnan(value) else "< .001" if value < 0.001 else number(value)


def _reading(study: Study) -> str:
    own = [row for row in study.rows if row.view == PRIMARY and row.other]
    wider = [name_of(row) for row in own if row.interval != "collections"]
    most = max((row.makers for row in own), default=0.0)
    texts = own[0].texts if own else 0
    which = f"The second is wider for {listed(wider)}" if wider else "The first is wider"
    return (
        "The interval is the wider of two: over collections, and over groups of collections that share a source or a "
        f"reference ({texts} groups). {which}. Systems of one maker take part in many collections; what makers add to "
        f"the squared error is at most {number(100 * most, 0)} %."
    )


def _tau_table(rows: Iterable[PlannedContrast]) -> Table:
    header = ("metric", "mean tau", "95 % interval", "collections", "sd between")
    cells = [
        (row.metric, number(row.value), interval(row), str(row.collections), number(row.sd_between, 2)) for row in rows
    ]
    return Table("taus", "Mean tau", header, cells, shown=len(cells))


def _floor(study: Study, taus: Sequence[PlannedContrast]) -> str:
    floor = [row for row in taus if row.metric in study.plan.floor]
    named = listed([f"{row.metric} {number(row.value)}" for row in floor])
    return (
        f"Predictors that judge no translation are a floor: {named}. Official COMET scores are named by year, because "
        "each year had another model. They are not ranked against the others: their collections differ, and a ranking "
        "would need dense retrieval too. `human` are the official human scores, mostly for translation into English."
    )


def _robust(study: Study, contrasts: Sequence[PlannedContrast]) -> Iterator[Block]:
    """A table of the primary contrasts in every other view, and the claims that change."""
    views = [row.view for row in study.rows if row.view.startswith("without ") or row.view == HALF]
    rows = [r for r in study.rows if r.view in {*views} and (r.metric, r.other) in study.plan.primary]
    header = ("view", "contrast", "difference of tau", "95 % interval", "verdict", "collections")
    cells = [
        (row.view, name_of(row), number(row.value), interval(row), row.verdict, str(row.collections)) for row in rows
    ]
    yield Table("robust", "Other views", header, cells, shown=len(cells))
    before = {name_of(row): row.verdict for row in contrasts}
    changed = [
        f"{row.view if row.view != HALF else 'In the ' + HALF + ' of the systems'}, {name_of(row)} is {row.verdict} "
        f"and not {before[name_of(row)]}"
        for row in rows
        if row.verdict != before.get(name_of(row))
    ]
    yield Points([f"{text[0].upper()}{text[1:]}." for text in changed] or ["No verdict changes in any of these views."])


def _references(study: Study) -> Iterator[Block]:
    taus = {view: {r.metric: r for r in study.rows if r.view == view and not r.other} for view in (SAME, CROSSED, COST)}
    both = [name for name in taus[COST] if name in taus[SAME] and name in taus[CROSSED]]
    if not both:
        yield "No collection has two references."
        return
    yield (
        f"{many(taus[COST][both[0]].collections, 'collection')} have two references. Where the metrics score against "
        "the reference that is searched, they and the relevance judgments share its words. `same less crossed` is by "
        "how much that raises tau, from pairs of runs that search the same reference."
    )
    header = ("metric", "tau, same reference", "tau, crossed", "same less crossed", "95 % interval")
    cells = [
        (
            name,
            number(taus[SAME][name].value),
            number(taus[CROSSED][name].value),
            number(taus[COST][name].value),
            interval(taus[COST][name]),
        )
        for name in both
    ]
    yield Table("references", "References", header, cells, shown=len(cells))


def _known_items(rows: Sequence[JudgmentBias]) -> Iterator[Block]:
    """What is compared, a row for each metric, and for which systems a bias is shown."""
    first, kinds = rows[0], dict.fromkeys(row.systems for row in rows)
    own = {kind: {row.metric: row for row in rows if row.systems == kind} for kind in kinds}
    compared = " and ".join(f"{next(iter(of.values())).pairs} pairs of {kind}" for kind, of in own.items())
    yield (
        f"Help pages in {first.collections} languages are searched by their titles, each with one known page; they are "
        f"one set of pages and titles. `bias`: tau with {first.pseudo_measure} by pseudo-relevance less tau with "
        f"{first.known_measure} by known items, over {compared}."
    )
    header = ["metric"]
    for kind in kinds:
        header += [f"known items, {kind}", "pseudo-relevance", "bias"]
    cells = []
    for metric in dict.fromkeys(row.metric for row in rows):
        line = [metric]
        for of in own.values():
            row = of[metric]
            line += [number(row.known), number(row.pseudo), f"{number(row.bias)} {interval(row)}"]
        cells.append(tuple(line))
    yield Table("judges", "Bias", tuple(header), cells, shown=len(cells))
    points = []
    for kind, of in own.items():
        shown = [metric for metric, row in of.items() if row.ci_low > 0 or row.ci_high < 0]
        what = f"a bias is shown for {listed(shown)}" if shown else "no bias is shown"
        points.append(f"Pairs of {kind}: {what}.")
    yield Points(points)


def _collections(study: Study) -> Iterator[Block]:
    two = sum(one.references > 1 for one in study.included)
    copies = sum(one.near_copies for one in study.included)
    blocks = study.plan.settings["retrieval"]["documents"]
    yield (
        f"Crossed references in {two}; one reference, which favours metrics that match words, in "
        f"{len(study.included) - two}. {many(copies, 'near-copy') if copies == 1 else f'{copies} near-copies'} of "
        f"other systems count once with them. Documents: {blocks}."
    )
    left = study.plan.settings["collections"]["excluded"]
    failed = [f"{name.removeprefix('corpus.part=')} has no results: {why}" for name, why in study.failed.items()]
    yield Points([*(f"{name} is left out: {why}." for name, why in left.items()), *failed])
    groups = dict.fromkeys(sorted(one.group for one in study.included))
    header = ("target language", "collections", "systems")
    cells = []
    for group in groups:
        own = [one for one in study.included if one.group == group]
        cells.append((group, str(len(own)), str(sum(one.systems for one in own))))
    yield Table("groups", "Groups", header, cells, shown=len(cells))


def _method(study: Study) -> str:
    margin = number(study.plan.margin, 2)
    return (
        "`python -m clirbench +experiment=atlas paths.mirror=DATA` runs every collection and writes this page; nothing "
        f"in it is written by hand. The plan (sha256 {study.plan.sha256[:16]}) is docs/data/atlas-plan.yaml. All rows "
        "are in docs/data/findings/atlas.tsv, the collections in docs/data/findings/atlas_collections.tsv. How often "
        "such intervals hold the truth: docs/explanation/validity-atlas.md. A contrast is different where p, corrected "
        f"over the contrasts of its family, is below .05; equivalent where its interval is within {margin} of 0; else "
        "undecided."
    )
