"""`python docs/generator/findings.py` draws the figures of the findings from the tables in docs/data."""

from pathlib import Path

from clirbench.files.tables import read_table
from clirbench.labs.collections.outcome import Bar, forest
from clirbench.report.drawing import Drawing, svg
from clirbench.report.figures import Panel, panels

DOCS = Path(__file__).resolve().parents[1]


def figures(data: Path) -> dict[str, str]:
    """The svg of each figure, by its name; `data`: docs/data. Raises `InputError` for a file that is missing."""
    drawn = {
        "Mean tau of each metric where it scores against the searched reference, and against another one": references(
            data / "findings" / "atlas.tsv"
        ),
        "Shares of left-out pairs of systems whose better one was predicted, and seen": exchange(data / "memory.tsv"),
        "Retrieval quality of real engines with known items, by processor seconds for a million words": cost(
            data / "findings" / "frontier.tsv"
        ),
    }
    names = ("references", "exchange", "cost")
    return {name: svg(drawing, title) for name, (title, drawing) in zip(names, drawn.items(), strict=True)}


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
    for name, drawn in figures(DOCS / "data").items():
        (DOCS / "pictures" / f"findings-{name}.svg").write_text(drawn, encoding="utf-8", newline="\n")
