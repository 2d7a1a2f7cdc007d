"""Pooled collections as DataFrames, as tables with a fixed caption, forest plots and a page."""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from clirbench.api.outcome import Outcome, folder_of, in_python
from clirbench.errors import escape_unseen
from clirbench.labs.collections.pooling import Compared, Point, Pooled, Pooling, Stratum, pool as pool_folders
from clirbench.pages import Page, Plots, Points, Section, Table, interval, number, points
from clirbench.report import markdown
from clirbench.report.drawing import COLOURS, Drawing, Label, Line, Mark, svg
from clirbench.report.figures import GREY, Scale, file_stem
from clirbench.report.html.page import write_page

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class PooledOutcome:
    """What several collections say together, as `clirbench pool` finds it.

    >>> import clirbench as cb
    >>> pooled = cb.pool([cb.run("europarl_csen_published"), cb.run("europarl_deen_published")])
    >>> sorted(set(pooled.collections.collection))
    ['europarl_csen_published', 'europarl_deen_published']
    >>> pooled.overview.measure[0], pooled.overview.metric[0]
    ('MAP', 'MacroF1')
    >>> sorted(path.name for path in pooled.save("pooled").glob("*.tsv"))
    ['pooled.tsv', 'pooled_collections.tsv']
    """

    found: Pooling

    @property
    def overview(self) -> "pd.DataFrame":
        """A row for each judge, measure and retriever, which are never averaged: the best metric and its interval."""
        return overview(self.found.strata).load()

    @property
    def table(self) -> "pd.DataFrame":
        """pooled.tsv: a row for each metric, and for each pair of metrics, of each stratum."""
        return table_of("pooled", "", self.found.rows, POOLED).load()

    @property
    def collections(self) -> "pd.DataFrame":
        """pooled_collections.tsv: what each collection says."""
        return table_of("pooled_collections", "", self.found.points, POINTS).load()

    def save(self, folder: "str | Path") -> Path:
        """Write the tables, pooled.md, pooled.html and the forest plots."""
        write(Path(folder), self.found)
        return Path(folder)

    def __repr__(self) -> str:
        return f"<clirbench pooled: {', '.join(self.found.collections)}>"

    def _repr_html_(self) -> str:
        return str(self.overview.to_html(index=False))


@in_python("cb.pool(['RUN1', 'RUN2'])")
def pool(
    runs: "Sequence[Outcome | str | Path]", groups: Sequence[str] = (), apart: Sequence[str] = ()
) -> PooledOutcome:
    """Pool runs, or folders of runs, over different collections, as `clirbench pool` does.

    `groups`: what collections may share, such as `pair`; those with an equal value are kept together. `apart`: runs,
    by name, that count by themselves though they share texts with others.
    Raises `InputError` for the same collection twice, or runs without a common metric or measure.

    >>> import clirbench as cb
    >>> pooled = cb.pool([cb.run("europarl_csen_published"), cb.run("europarl_deen_published")])
    >>> set(pooled.table.metric) >= {"BLEU", "MacroF1"}
    True
    """
    given: Any = runs
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    with tempfile.TemporaryDirectory(prefix="clirbench-") as name:
        folders = [folder_of(run, Path(name) / str(number)) for number, run in enumerate(several)]
        return PooledOutcome(pool_folders(folders, groups, apart=apart))


TITLE = "Many collections: which metric may be trusted?"
TRIVIAL = ("LengthRatio", "TypeCount", "Random")
"""Metrics that do not judge a translation: none of them is the best metric."""
CAPTION = (
    "Kendall's tau of a metric with a measure, between independent systems, and how much higher it is than another "
    "metric's: the mean over collections (random effects, Paule and Mandel) with its 95 % interval (Hartung and Knapp, "
    "factor at least 1). new_low to new_high: the true value of a new collection, with 95 %. p_holm: of a difference, "
    "corrected for all pairs of a measure; in the overview the smallest. Sources of judgments, measures and retrievers "
    "are never averaged. That no difference is shown does not show that metrics are equal: the intervals say how "
    "unequal they may be."
)
POOLED = [one.name for one in fields(Pooled) if one.name not in ("texts", "makers", "view", "verdict", "needed")]
"""Columns of pooled.tsv; then those of the overview, of a stratum, and of pooled_collections.tsv."""
OVERVIEW = ("measure", "judge", "retriever", "collections", "metric", "value", "ci_low", "ci_high", "new_low",
            "new_high", "p_holm")  # fmt: skip
SHOWN = ("metric", "other", "value", "ci_low", "ci_high", "p_holm", "new_low", "new_high", "collections", "settings",
         "systems", "sd_between", "note")  # fmt: skip
POINTS = [one.name for one in fields(Point)]
OF = [one.name for one in fields(Compared)]
WIDTH, LEFT, RIGHT, ROW = 430.0, 150.0, 95.0, 15.0
Bar = tuple[str, float, float, float, Literal["square", "diamond"]]
"""A line of a forest plot: its name, its value (NaN: none), its interval (NaN: none) and the shape of its mark."""


def table_of(name: str, title: str, rows: Sequence[object], columns: Sequence[str]) -> Table:
    """The table of these fields of rows, all of them shown."""
    cells = tuple(tuple(getattr(row, one) for one in columns) for row in rows)
    return Table(name, title, tuple(columns), cells, shown=len(cells), said=len(cells))


def overview(strata: Mapping[Stratum, Sequence[Pooled]]) -> Table:
    """A row for each measure, source of judgments and retriever: the metric with the highest tau."""
    found = []
    for rows in strata.values():
        taus = [row for row in rows if not row.other]
        p = [row.p_holm for row in rows if row.other and not {row.metric, row.other} & {*TRIVIAL}]
        best = max([row for row in taus if row.metric not in TRIVIAL] or taus, key=lambda row: row.value)
        found.append(replace(best, p_holm=min((value for value in p if not isnan(value)), default=nan)))
    return table_of("overview", "The metric with the highest tau", found, OVERVIEW)


def forest(bars: Sequence[Bar], title: str, limit: float = 1.0) -> Drawing:
    """A line for each bar, cut at -limit and limit."""
    drawing, bottom = Drawing(WIDTH, 40 + ROW * len(bars)), 10 + ROW * len(bars)
    held = [(name, value, max(low, -limit), min(high, limit), shape) for name, value, low, high, shape in bars]
    ends = [value for _, *values, _ in held for value in values if not isnan(value)] + [0.0]
    scale = Scale(min(ends), max(ends), LEFT, WIDTH - RIGHT)
    for value in scale.ticks():
        drawing.lines.append(Line(((scale(value), 4), (scale(value), bottom)), GREY, 0.4 if abs(value) > 1e-9 else 1.2))
        drawing.labels.append(Label(scale(value), bottom + 11, scale.text(value), 7.5, "middle"))
    drawing.labels.append(Label((LEFT + WIDTH - RIGHT) / 2, bottom + 24, title, 8.5, "middle", bold=True))
    for at, (name, value, low, high, shape) in enumerate(held):
        y, mean = 14 + ROW * at, shape == "diamond"
        said = ["" if isnan(value) else number(value, 2), "" if isnan(low) else interval(low, high, 2)]
        drawing.labels.append(Label(4, y + 3, name if len(name) < 32 else f"{name[:30]}..", 8, bold=mean))
        drawing.labels.append(Label(WIDTH - 4, y + 3, " ".join(filter(None, said)), 8, "end", bold=mean))
        if not isnan(low):
            drawing.lines.append(Line(((scale(low), y), (scale(high), y)), COLOURS[mean], 1.6 if mean else 0.9))
        if not isnan(value):
            drawing.marks.append(Mark(scale(value), y, shape, COLOURS[mean], 3.0 + 1.2 * mean, 1.0))
    return drawing


def plot(row: Pooled, every: Sequence[Point]) -> tuple[str, str]:
    """(words, svg): what each collection says, the mean, and a new collection."""
    title = f"tau with {row.measure}: {row.name}"
    own = [one for one in every if all(getattr(one, name) == getattr(row, name) for name in OF)]
    bars: list[Bar] = [
        (one.collection, one.value, one.value - 1.96 * one.error, one.value + 1.96 * one.error, "square") for one in own
    ]
    bars.append(("mean", row.value, row.ci_low, row.ci_high, "diamond"))
    if not isnan(row.new_low):
        bars.append(("a new collection", nan, row.new_low, row.new_high, "diamond"))
    return title, svg(forest(bars, title, 2.0 if row.other else 1.0), title)


def write(folder: Path, pooling: Pooling) -> list[Path]:
    """pooled.tsv, pooled_collections.tsv, pooled.md, pooled.html, and a forest plot for each row."""
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    table_of("pooled", TITLE, pooling.rows, POOLED).write(folder)
    table_of("pooled_collections", TITLE, pooling.points, POINTS).write(folder)
    what = Points((f"Collections: {', '.join(pooling.collections)}.", *pooling.merged))
    sections = [Section("short", "", (what, overview(pooling.strata), CAPTION))]
    for at, (stratum, rows) in enumerate(pooling.strata.items(), 1):
        table = table_of(f"stratum{at}", str(stratum), rows, SHOWN).compact()
        drawn = {row: plot(row, pooling.points) for row in rows}
        for row, (_, figure) in drawn.items():
            name = file_stem("-".join(filter(None, ("pooled", *(getattr(row, part) for part in OF)))))
            (folder / "figures" / f"{name}.svg").write_text(figure, encoding="utf-8", newline="\n")
        plots = [
            Plots(f"{kind}: forest plots", [drawn[row] for row in rows if bool(row.other) == pairs], open=not pairs)
            for kind, pairs in (("Each metric", False), ("Each difference", True))
        ]
        sections.append(Section(f"part{at}", str(stratum), (table, *table.text, *plots)))
    page = Page(TITLE, (*sections, *points("notes", "Notes", pooling.notes)))
    (folder / "pooled.md").write_text(escape_unseen(markdown.page(page)), encoding="utf-8", newline="\n")
    write_page(folder / "pooled.html", page)
    return [folder / "pooled.html", folder / "pooled.tsv"]
