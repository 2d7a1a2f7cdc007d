"""Figures 2 to 6 and 8 of Gowda 2020: imbalance of vocabularies, BLEU and the bias by class frequency."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.analyses.types import COLORS
from clirbench.errors import MissingData
from clirbench.files.tables import read_table
from clirbench.papers.cells import PaperCell, cells_table, compared, leading, without
from clirbench.papers.tau_table import embedded
from clirbench.result import AnalysisTable
from clirbench.statistics.imbalance import (
    divergence,
    divergence_published,
    frequency_at,
    mean_length,
    rank_bias,
    read_classes,
    read_rates,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from clirbench.result import Result

Published = Mapping[tuple[str, str], Mapping[str, str]]
RATES = ("rho_precision_dev", "rho_recall_dev")
D_NOTE = "every class that never occurs counts 1 / (2 K), which the printed formula does not say; by the formula {}"


@dataclass(frozen=True)
class Vocabularies:
    """Published statistics of vocabularies beside ours, from files of class frequencies and of precision and recall.

    published: a shipped table (columns `group`, `name`, `classes`, mu, D_published, used, F95, BLEU, rho). files: label
    to folder; the files there are called `SIZE-NAME.tgt.txt` and belong to the row of group `LABEL SIZE` and name NAME
    (`bpe01k` there is `01k01k` in the table). rates: the same for `SIZE-NAME.SET.tsv[.gz]`, tables of Rank, Precision
    and Recall. `floor`: the recommendation's least F95.
    """

    name: str
    title: str
    published: str
    statistics: Mapping[str, str | None]
    rates: Mapping[str, str | None]
    floor: float = 100.0

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """Every statistic that can be computed, what the rule of thumb recommends, and the figures."""
        rows = published_rows(self.published)
        cells = [*self._imbalance(rows), *self._bias(rows)]
        advice = recommendations(rows, self.floor)
        return [
            cells_table(self.name, self.title, cells),
            AnalysisTable(
                f"{self.name}_recommended", "Which vocabulary the rule of thumb takes, and which had the best BLEU",
                ("group", "recommended", "its BLEU", "best", "best BLEU", "difference"), advice,
                (in_words(advice, self.floor),), figure=lambda: sweep_figure(rows), said=len(advice),
            ),
            AnalysisTable(
                f"{self.name}_bias", "Bias by class frequency against imbalance (Figure 8)",
                ("group", "name", "D_published", "rho_precision", "rho_recall"), bias_rows(rows),
                figure=lambda: bias_figure(rows),
            ),
        ]  # fmt: skip

    def _imbalance(self, rows: Published) -> Iterator[PaperCell]:
        for label, folder in self.statistics.items():
            for path in _files(folder, "*.tgt.txt*"):
                size, name = _key(path)
                row = rows.get((f"{label} {size}", name))
                if row is None:
                    continue
                classes = read_classes(path)
                where = f"{label} {size} {name}"
                note = D_NOTE.format(leading(divergence(classes), 4))
                values = [
                    ("classes that occur", "used", float(len(classes.used)), f"{len(classes.used)}", ""),
                    ("D", "D_published", divergence_published(classes), twice(divergence_published(classes)), note),
                    ("F95", "F95", frequency_at(classes), f"{frequency_at(classes):g}", ""),
                    ("mu", "mu", mean_length(classes), f"{mean_length(classes):.2f}", ""),
                ]
                for measure, column, value, shown, said in values:
                    printed = _same_form(row[column], shown)
                    yield compared(self.name, where, measure, "", value, shown, printed, note=said)

    def _bias(self, rows: Published) -> Iterator[PaperCell]:
        for label, folder in self.rates.items():
            for path in _files(folder, "*.tsv*"):
                size, name = _key(path)
                row = rows.get((f"{label} {size}", name))
                if row is None:
                    continue
                for column, value in zip(RATES, rank_bias(*read_rates(path)), strict=True):
                    shown, printed = leading(value), leading(float(row[column]))
                    where = f"{label} {size} {name}"
                    if value != value:
                        yield without(self.name, where, column, "", printed, "undefined: a side does not vary")
                    else:
                        yield compared(self.name, where, column, "", value, shown, printed)


def published_rows(name: str) -> dict[tuple[str, str], dict[str, str]]:
    """(group, vocabulary) -> the published figures."""
    return {(record["group"], record["name"]): record for record in read_table(embedded(name)).records()}


def recommendations(rows: Published, floor: float) -> tuple[tuple[Any, ...], ...]:
    """For each group the largest vocabulary with F95 >= floor, the one with the best test BLEU, and both BLEUs."""
    found: list[tuple[Any, ...]] = []
    for group in dict.fromkeys(group for group, _ in rows):
        inside = {name: row for (here, name), row in rows.items() if here == group}
        scored = {name: float(row["BLEU_test"]) for name, row in inside.items() if row["BLEU_test"]}
        if not scored:
            continue
        best = max(scored, key=lambda name: scored[name])
        enough = [name for name, row in inside.items() if float(row["F95"]) >= floor]
        if enough:
            taken = max(enough, key=lambda name: float(inside[name]["used"]))
            score = scored.get(taken, nan)
            found.append((group, taken, score, best, scored[best], round(scored[best] - score, 2)))
        else:
            found.append((group, "none", nan, best, scored[best], nan))
    return tuple(found)


def in_words(advice: Sequence[tuple[Any, ...]], floor: float) -> str:
    """How good the rule of thumb was on the published scores."""
    given = [row for row in advice if row[1] != "none"]
    hits = sum(row[1] == row[3] for row in given)
    worst = max((row[5] for row in given), default=nan)
    return (
        f"Largest vocabulary with F95 >= {floor:g}: in {hits} of {len(given)} settings it is the one with the best "
        f"test BLEU, at worst it is {worst:.1f} BLEU below; {len(advice) - len(given)} settings have no such "
        "vocabulary."
    )


def bias_rows(rows: Published) -> tuple[tuple[Any, ...], ...]:
    """D and both correlations of every vocabulary that has them (of the development set)."""
    return tuple(
        (group, name, float(row["D_published"]), float(row[RATES[0]]), float(row[RATES[1]]))
        for (group, name), row in rows.items()
        if row[RATES[0]] and row[RATES[1]]
    )


def twice(value: float) -> str:
    """Four decimals, then three, halves up both times: the table of three was made from files with four."""
    half_up = Decimal(str(value)).quantize(Decimal("0.0001"), ROUND_HALF_UP)
    return leading(float(half_up.quantize(Decimal("0.001"), ROUND_HALF_UP)))


def _files(folder: str | None, pattern: str) -> list[Path]:
    if folder is None:
        return []
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise MissingData(
            f"{path}: no such folder; it holds the files behind the published statistics "
            "(github.com/thammegowda/005-nmt-imbalance): paths.mirror=DIR, or paper.statistics and paper.rates"
        )
    return sorted(path.glob(pattern))


def _key(path: Path) -> tuple[str, str]:
    """`030k-bpe00.5k.tgt.txt` -> ("030k", ".5k.5k")."""
    stem = path.name
    for end in (".gz", ".txt", ".tsv", ".tgt", ".newstest2018"):
        stem = stem.removesuffix(end)
    size, _, name = stem.partition("-")
    name = name.removeprefix("bpe")
    short = name.removeprefix("00") if name.startswith("00.") else name
    return size, name if name == "chars" else short + short


def _same_form(printed: str, shown: str) -> str:
    """The published number with the decimals that we show; files print `30` for 30.00."""
    if not printed:
        return ""
    if shown.lstrip("-").startswith("."):
        return leading(float(printed))
    digits = len(shown.partition(".")[2])
    return f"{float(printed):.{digits}f}" if digits else f"{float(printed):g}"


def sweep_figure(rows: Published) -> "Figure":
    """mu, D, F95 and test BLEU by vocabulary size, a line for each group (Figures 2 to 6)."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9, 7), layout="constrained")
    axes = drawn.subplots(2, 2).ravel()
    panels = [("mu", "mu"), ("D_published", "D"), ("F95", "F95"), ("BLEU_test", "BLEU")]
    groups = list(dict.fromkeys(group for group, _ in rows))
    for axis, (column, label) in zip(axes, panels, strict=True):
        for at, group in enumerate(groups):
            points = sorted(
                (float(row["used"]), float(row[column]))
                for (here, _), row in rows.items()
                if here == group and row[column]
            )
            style = "-" if at < len(COLORS) else "--"
            axis.plot(*zip(*points, strict=True), style, color=COLORS[at % len(COLORS)], label=group, linewidth=1)
        axis.set_xscale("log")
        axis.set_yscale("log" if label in ("F95", "mu") else "linear")
        axis.set_xlabel("classes")
        axis.set_ylabel(label)
        axis.grid(alpha=0.25, linewidth=0.5)
    axes[0].legend(fontsize=6)
    return drawn


def bias_figure(rows: Published) -> "Figure":
    """Correlation of class rank with precision and with recall, by D (Figure 8)."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6, 4), layout="constrained")
    axis = drawn.subplots()
    points = bias_rows(rows)
    for at, label in ((3, "rank and precision"), (4, "rank and recall")):
        axis.scatter([p[2] for p in points], [p[at] for p in points], s=14, color=COLORS[at - 3], label=label)
    axis.axhline(0, color="#999999", linewidth=0.7)
    axis.set_xlabel("D")
    axis.set_ylabel("Pearson's r")
    axis.grid(alpha=0.25, linewidth=0.5)
    axis.legend()
    return drawn
