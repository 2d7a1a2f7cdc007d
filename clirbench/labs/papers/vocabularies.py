"""Imbalance of vocabularies, BLEU and the bias by class frequency, beside the published statistics.

**Source:** Gowda 2020, Figures 2 to 6 (imbalance and BLEU) and 8 (bias), and the authors' files behind them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

from clirbench.errors import MissingData
from clirbench.labs.papers.imbalance import divergence_published, mean_length, rank_bias, read_rates
from clirbench.labs.papers.published import PaperCell, PublishedTable, leading, load_published
from clirbench.labs.papers.taus import half_up
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed, short
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.statistics.imbalance import (
    Rows,
    divergence,
    frequency_at,
    read_classes,
    recommendations,
)

RATES = ("rho_precision_dev", "rho_recall_dev")
D_NOTE = "every class that never occurs counts 1 / (2 K), which the printed formula does not say; by the formula {}"


@dataclass(frozen=True, kw_only=True)
class Vocabularies(PublishedTable):
    """Published statistics of vocabularies beside ours, from files of class frequencies and of precision and recall.

    published: a shipped table (columns `group`, `name`, `classes`, mu, D_published, used, F95, BLEU, rho).
    statistics: label to folder; the files there are called `SIZE-NAME.tgt.txt` and belong to the row of group
      `LABEL SIZE` and name NAME (`bpe01k` there is `01k01k` in the table).
    rates: the same for `SIZE-NAME.SET.tsv[.gz]`, tables of Rank, Precision and Recall.
    floor: the recommendation's least F95.
    """

    published: str
    statistics: Mapping[str, str | None]
    rates: Mapping[str, str | None]
    floor: float = 100.0

    def cells(self) -> Iterator[PaperCell]:
        """Every statistic that can be computed from the available files."""
        for path, row, printed in self._files(self.statistics, "*.tgt.txt*"):
            yield from imbalance_cells(path, row, printed)
        for path, row, printed in self._files(self.rates, "*.tsv*"):
            for column, value in zip(RATES, rank_bias(*read_rates(path)), strict=True):
                there, known = leading(float(printed[column])), not isnan(value)
                note = "" if known else "undefined: a side does not vary"
                shown = leading(value) if known else ""
                yield PaperCell(row, column, printed=there, shown=shown, value=value, note=note)

    def further(self) -> Sequence[Table]:
        """What the rule of thumb recommends, and the figures."""
        rows = self._rows
        advice = [
            replace(row, difference=round(row.difference, 2)) for row in recommendations(rows, self.floor, "BLEU_test")
        ]
        biased = [
            (group, name, *(float(row[column]) for column in ("D_published", *RATES)))
            for (group, name), row in rows.items()
            if row[RATES[0]] and row[RATES[1]]
        ]
        return [
            Table(
                f"{self.name}_recommended",
                "Vocabulary recommended by the rule of thumb, and vocabulary with the best BLEU",
                ("group", "recommended", "its BLEU", "best", "best BLEU", "difference"),
                tuple(map(astuple, advice)),
                figure=lambda: sweep_figure(rows),
                said=len(advice),
            ),
            Table(
                f"{self.name}_bias",
                "Bias by class frequency against imbalance (Figure 8)",
                ("group", "name", "D_published", "rho_precision", "rho_recall"),
                tuple(biased),
                figure=lambda: bias_figure([row[2:] for row in biased]),
            ),
        ]

    @cached_property
    def _rows(self) -> Rows:
        return {(record["group"], record["name"]): record for record in load_published(self.published).records()}

    def _files(self, folders: Mapping[str, str | None], pattern: str) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
        """The files of the folders whose vocabulary has a row in the published table, its name and its cells."""
        for label, folder in folders.items():
            for path in _paths(folder, pattern):
                size, name = _key(path)
                if row := self._rows.get((f"{label} {size}", name)):
                    yield path, f"{label} {size} {name}", row


def imbalance_cells(path: Path, row: str, printed: Mapping[str, str]) -> Iterator[PaperCell]:
    """Statistics of the frequency of every class."""
    classes = read_classes(path)
    used, d, f95, mu = len(classes.used), divergence_published(classes), frequency_at(classes), mean_length(classes)
    for measure, column, value, shown in (
        ("classes that occur", "used", float(used), str(used)),
        ("D", "D_published", d, rounded_twice(d)),
        ("F95", "F95", f95, short(f95)),
        ("mu", "mu", mu, fixed(mu, 2)),
    ):
        note = D_NOTE.format(leading(divergence(classes), 4)) if measure == "D" else ""
        there = _same_form(printed[column], shown)
        yield PaperCell(row, measure, printed=there, shown=shown, value=value, note=note)


def rounded_twice(value: float) -> str:
    """Four decimals, then three, halves up both times: the table of three was made from files with four."""
    return leading(half_up(half_up(value, 4), 3))


def _paths(folder: str | None, pattern: str) -> list[Path]:
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
    return fixed(float(printed), digits) if digits else short(float(printed))


def sweep_figure(rows: Rows) -> Drawing:
    """mu, D, F95 and test BLEU by vocabulary size, a line for each group (Figures 2 to 6)."""
    groups = dict.fromkeys(group for group, _ in rows)
    plots = []
    for column, label in (("mu", "mu"), ("D_published", "D"), ("F95", "F95"), ("BLEU_test", "BLEU")):
        lines = {
            group: sorted(
                (float(row["used"]), float(row[column])) for (of, _), row in rows.items() if of == group and row[column]
            )
            for group in groups
        }
        plots.append(Panel("classes", label, lines, powers="xy" if label in ("F95", "mu") else "x"))
    return panels(plots)


def bias_figure(rows: Sequence[Sequence[Any]]) -> Drawing:
    """Correlation of class rank with precision and with recall, by D (Figure 8); rows: D and both."""
    dots = {f"rank and {side}": [(row[0], row[at]) for row in rows] for at, side in ((1, "precision"), (2, "recall"))}
    return panels([Panel("D", "Pearson's r", {}, dots, [sorted((row[0], 0.0) for row in rows)])])
