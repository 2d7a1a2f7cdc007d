"""The page of a planned study: its tables, each with a fixed caption."""

from dataclasses import fields
from pathlib import Path

from clirbench.labs.collections.pooling import Pooled
from clirbench.labs.collections.study import COST, CROSSED, HALF, PRIMARY, SAME, Included, Study
from clirbench.labs.collections.view import table_of
from clirbench.pages.page import Page, Points, Section
from clirbench.pages.wording import number
from clirbench.report import markdown

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
    "docs/data/findings/atlas.tsv. How often such intervals hold the truth: docs/explanation/validity-atlas.md."
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
    plan, first = study.plan.settings, study.plan.family("primary")
    words = {
        "measure": plan["measure"], "margin": number(plan["margin"], 2), "status": plan["status"],
        "floor": " and ".join(plan["contrasts"]["floor"]), "sha": study.plan.sha256[:16],
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
