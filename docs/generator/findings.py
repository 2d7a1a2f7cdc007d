"""`python docs/generator/findings.py` writes findings.md and draws its figures, from the tables in docs/data alone."""

from collections.abc import Callable, Iterable, Sequence
from math import isnan, nan
from pathlib import Path

import numpy as np

from clirbench.files.tables import read_table
from clirbench.labs.collections.outcome import Bar, forest
from clirbench.labs.collections.study import CHANGE, COST, CROSSED, FAMILIES, PRIMARY, SAME, family, read_plan
from clirbench.pages import interval, number
from clirbench.report.drawing import Drawing, svg
from clirbench.report.figures import Panel, panels

DOCS = Path(__file__).resolve().parents[1]
Row = dict[str, str]
RETRIEVERS = {"bm25": "BM25", "minilm": "MiniLM"}


def rows_of(data: Path) -> list[Row]:
    """The study's rows by BM25 over all collections, then, where it was run, those of the collections into English by
    both retrievers, whose rows by BM25 are called `BM25, into English`."""
    found = [dict(row, of=RETRIEVERS[row["retriever"]]) for row in records(data / "findings" / "atlas.tsv")]
    place = data / "findings" / "atlas_minilm.tsv"
    for row in records(place) if place.exists() else ():
        english = ", into English" if row["retriever"] == "bm25" else ""
        found.append(dict(row, of=RETRIEVERS[row["retriever"]] + english))
    return found


def records(path: Path) -> list[Row]:
    """The rows of a table; raises `InputError` for a file that is missing."""
    return [dict(row) for row in read_table(path).records()]


def value(row: Row, name: str = "value") -> float:
    """The number of a cell; NaN where it is empty."""
    return float(row[name]) if row[name] else nan


def shown(row: Row) -> str:
    """`.027 [-.015, .069]`."""
    bounds = value(row, "ci_low"), value(row, "ci_high")
    return number(value(row), 3) + ("" if isnan(bounds[0]) else f" {interval(*bounds, 3)}")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_retriever(keys: Sequence[str], rows: Sequence[Row], cell: Callable[[Row], str]) -> str:
    """A table with a column for each retriever; `keys`: the columns that say what a row is of."""
    names = list(dict.fromkeys(row["of"] for row in rows))
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), {})[row["of"]] = cell(row)
    header = ["less" if key == "other" else key for key in keys]
    return table([*header, *names], ([*key, *(of.get(name, "") for name in names)] for key, of in found.items()))


def verdict(row: Row) -> str:
    """`.027 [-.015, .069] undecided, 52`."""
    return f"{shown(row)} {row['verdict']}" + (f", {row['needed']}" if row["needed"] else "")


PAGE = """<!-- Written by docs/generator/findings.py from docs/data; do not edit. -->

# Which MT metric orders systems as retrieval does?

{first}

![Differences between metrics, by retriever](pictures/findings-contrasts.svg)

## Differences between metrics

Differences of Kendall's tau with {measure}, with 95 % intervals: the wider of that over collections and that over
groups of collections that share a source or a reference, with what makers of systems add who take part in several.
`different`: p below .05, corrected over the family; `equivalent`: the interval, widened by its own standard error, is
within {margin} of 0; else undecided, with about how many collections would settle it.

{contrasts}

{neural}

## Each metric

Mean tau (collections). {floor} judge no translation and are a floor. COMET is each year's official one, with another
model.

{taus}

## One reference or two

By BM25, {crossed} collections have two references. Where metrics score against the searched one, they share its words
with the judgments.

{references}

![Mean tau of each metric with the same reference and with crossed references](pictures/findings-references.svg)

## The collections

{n} collections with {systems} systems, {copies} of them near-copies, which count once with another. All are submitted
engines; damaged versions are not pooled with them. Documents: {documents}. Topics: {topics}.

{left_out}

Human scores are from {human} collections. The others, with the reason:

{without}

## What engines cost

![RR of engines by processor seconds for a million words](pictures/findings-cost.svg)

Known items of LibreOffice's help, Spanish to English, by Apertium's ways and without a translation; no neural engine
took part. Dense has the encoder static: sums of word vectors, no neural network. Multilingual is the Universal Sentence
Encoder, a neural network, a page at a time. Translate or embed? It reaches 70 % of the English RR by BM25 (40 % by a
page's best line), Apertium 75 % for a fifth of the time; on pages of gnome it reaches 94 % (72 %), Apertium 75 %.

## How this was made

`python docs/generator/findings.py` writes this page from docs/data/findings; `python -m clirbench +experiment=atlas
paths.mirror=DATA`, and `+experiment=atlas_minilm`, write its tables, in 6 decimals. Plan: docs/data/study-plan.yaml
(sha256 {sha}); status: {status}. Relevance is a reference's own ranking. By year, language group and better half:
atlas.tsv. How often such intervals hold the truth: docs/explanation/validity.md.
"""


def page(data: Path) -> str:
    """findings.md; `data`: docs/data."""
    plan, rows = read_plan(data / "study-plan.yaml"), rows_of(data)
    held = records(data / "findings" / "atlas_collections.tsv")
    used = [one for one in held if not one["left_out"]]
    pairs = [pair for name in FAMILIES for pair in family(plan, name)]
    main = [row for row in rows if row["view"] == PRIMARY]
    contrasts = [row for pair in pairs for row in main if (row["metric"], row["other"]) == pair]
    taus = sorted((row for row in main if not row["other"]), key=lambda row: (row["of"], -value(row)))
    by = {(row["metric"], row["view"]): row for row in rows if row["of"] == "BM25" and not row["other"]}
    twice = [metric for metric, view in by if view == CROSSED and (metric, SAME) in by]
    changes = [row for row in rows if row["view"] == CHANGE and row["metric"] == "COMET" and row["other"]]
    neural = "; ".join(f"{row['metric']} less {row['other']} {shown(row)}" for row in changes)
    return PAGE.format(
        first=first_sentence(taus, contrasts, len(used)),
        measure=plan["measure"],
        margin=number(plan["margin"], 2),
        contrasts=by_retriever(("metric", "other"), contrasts, verdict),
        neural=f"Under MiniLM less under BM25, over the same collections: {neural}. {sentences(data)}",
        floor=" and ".join(plan["contrasts"]["floor"]),
        taus=by_retriever(("metric",), taus, lambda row: f"{shown(row)} ({row['collections']})"),
        crossed=sum(int(one["references"]) > 1 for one in used),
        references=table(
            ("metric", "same", "crossed", "same less crossed"),
            ((name, *(shown(by[name, view]) if (name, view) in by else "" for view in (SAME, CROSSED, COST)))
             for name in twice),
        ),
        n=len(used),
        systems=sum(int(one["systems"]) for one in used),
        copies=sum(int(one["near_copies"]) for one in used),
        documents=plan["retrieval"]["documents"],
        topics=plan["retrieval"]["topics"],
        left_out=together("left out", ((one["collection"], one["left_out"]) for one in held)),
        human=sum(not one["human"] for one in used),
        without=together("no human scores", ((one["collection"], one["human"]) for one in used)),
        sha=plan["sha256"][:16],
        status=plan["status"],
    )  # fmt: skip


SENTENCES = (
    "With 500 sentences as topics, the mean over {folders} folders into English (standard errors: folders taken as "
    "independent) of COMET less chrF2 is, by BM25 and by MiniLM, {values}; by folder and metric: minilm.tsv. "
    "Where a folder has no docs.tsv, each line is a document."
)


def sentences(data: Path) -> str:
    """COMET less chrF2 by sentences as topics, in the folders that MiniLM has searched and that have COMET."""
    taus: dict[str, dict[str, dict[str, Row]]] = {}
    for row in records(data / "findings" / "minilm.tsv"):
        folders = taus.setdefault(row["searched"], {})
        folders.setdefault(row["collection"], {})[row["metric"].partition("-")[0]] = row
    said = []
    for searched, folders in sorted(taus.items()):
        both = [of for of in folders.values() if "COMET" in of]
        found = np.array([[value(of["COMET"], by) - value(of["chrF2"], by) for by in RETRIEVERS] for of in both])
        errors = found.std(axis=0, ddof=1) / len(found) ** 0.5
        cells = (
            f"{number(mean, 3)} ({number(error, 3)})" for mean, error in zip(found.mean(axis=0), errors, strict=True)
        )
        said.append(f"{' and '.join(cells)} on {searched}")
    return SENTENCES.format(folders=len(both), values=", ".join(said))


def first_sentence(taus: Sequence[Row], contrasts: Sequence[Row], collections: int) -> str:
    """For a reader of an abstract: the best metric, and neural against lexical by each retriever."""
    best = next(row for row in taus if row["of"] == "BM25")
    share = f"{number(50 + 50 * value(best), 0)} %"
    said = (
        f"Over {collections} collections of WMT's translation tasks, {best['metric']} orders {share} of the pairs of "
    )
    said += "systems as BM25 retrieval of their translations does"
    neural = [row for row in contrasts if row["metric"] == "COMET" and row["other"] == "chrF2"]
    for row in neural:
        if row["of"] in ("BM25", "MiniLM"):
            said += f"; tau of COMET less that of chrF2 is {shown(row)} under {row['of']} ({row['verdict']})"
    return f"{said}."


def together(what: str, held: Iterable[tuple[str, str]]) -> str:
    """A line for each reason that is not empty, with all the names that it is of."""
    found: dict[str, list[str]] = {}
    for name, why in held:
        if why:
            found.setdefault(why, []).append(name)
    return "\n".join(f"- {what}, {why}: {', '.join(names)}" for why, names in found.items())


def figures(data: Path) -> dict[str, str]:
    """The svg of each figure, by its name; `data`: docs/data. Raises `InputError` for a file that is missing."""
    drawn = {
        "Differences of tau between metrics, by retriever": differences(rows_of(data)),
        "Mean tau of each metric where it scores against the searched reference, and against another one": references(
            data / "findings" / "atlas.tsv"
        ),
        "Shares of left-out pairs of systems whose better one was predicted, and seen": exchange(data / "memory.tsv"),
        "Retrieval quality of real engines with known items, by processor seconds for a million words": cost(
            data / "findings" / "frontier.tsv"
        ),
    }
    names = ("contrasts", "references", "exchange", "cost")
    return {name: svg(drawing, title) for name, (title, drawing) in zip(names, drawn.items(), strict=True)}


def differences(rows: Sequence[Row]) -> Drawing:
    """Each contrast by each retriever; a diamond is MiniLM."""
    bars: list[Bar] = []
    for row in rows:
        if row["view"] == PRIMARY and row["other"]:
            shape = "diamond" if row["retriever"] == "minilm" else "square"
            bounds = value(row), value(row, "ci_low"), value(row, "ci_high")
            bars.append((f"{row['metric']} - {row['other']}, {row['of']}", *bounds, shape))
    return forest(bars, "difference of tau")


def references(path: Path) -> Drawing:
    """For each metric its mean tau with the same reference, and, as a diamond, with crossed ones."""
    taus = {(row["view"], row["metric"]): row for row in read_table(path).records() if not row["other"]}
    bars: list[Bar] = []
    for view, metric in taus:
        if view == "same reference" and ("crossed references", metric) in taus:
            for of, words, shape in ((view, metric, "square"), ("crossed references", f"{metric}, crossed", "diamond")):
                numbers = (float(taus[of, metric][name]) for name in ("value", "ci_low", "ci_high"))
                bars.append((words, *numbers, shape))  # type: ignore[arg-type]
    return forest(bars, "mean tau")


def exchange(path: Path) -> Drawing:
    """Seen by predicted share of each metric, language group, band and bin; on the line they are equal."""
    dots: dict[str, list[tuple[float, float]]] = {}
    for row in read_table(path).records():
        dots.setdefault(row["group"], []).append((float(row["predicted"]), float(row["seen"])))
    shares = [share for points in dots.values() for point in points for share in point]
    line = [(min(shares), min(shares)), (max(shares), max(shares))]
    return panels([Panel("predicted share of better systems", "seen share", dots=dots, outlines=[line])])


def cost(path: Path) -> Drawing:
    """The measure by the engine's cost; nothing is placed at .1 seconds."""
    rows = [row for row in read_table(path).records() if row["seconds_per_million_words"]]
    dots = {
        f"{row['system']} ({row['retriever']})": [
            (max(0.1, float(row["seconds_per_million_words"])), float(row["value"]))
        ]
        for row in rows
    }
    measure = rows[0]["measure"].partition("[")[0]
    return panels([Panel("processor seconds for a million words", measure, dots=dots, powers="x")])


if __name__ == "__main__":
    (DOCS / "findings.md").write_text(page(DOCS / "data"), encoding="utf-8", newline="\n")
    for name, drawn in figures(DOCS / "data").items():
        (DOCS / "pictures" / f"findings-{name}.svg").write_text(drawn, encoding="utf-8", newline="\n")
