"""`analysis=[types]`: precision, recall and F1 of every word type of a system; published reports of them beside ours.

**Source:** Gowda et al. 2021, section 2, Figure 1, and the authors' files behind it.

Imbalance of vocabularies, BLEU and the bias by class frequency, beside the published statistics.

**Source:** Gowda 2020, Figures 2 to 6 (imbalance and BLEU) and 8 (bias), and the authors' files behind them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.errors import ConfigError, MissingData, UnknownName
from clirbench.labs.papers.imbalance import (
    divergence,
    divergence_published,
    frequency_at,
    mean_length,
    rank_bias,
    read_classes,
    read_rates,
)
from clirbench.labs.papers.published import (
    AuthorTable,
    PairTable,
    PaperCell,
    PublishedFiles,
    PublishedTable,
    leading,
    load_published,
    read_author_table,
    texts_of,
)
from clirbench.labs.papers.taus import decimals, half_up
from clirbench.metrics.macrof import MacroF
from clirbench.pages import Table, fixed, short
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Inputs, Result
from clirbench.types import Doubles, Ints, TestSet

LIMITS = (0, 1, 2, 5, 10, 100, 1000)
"""Of occurrences in the reference, where a band of types begins; 0 is "only predicted"."""
BANDS = ("system", "refs", "types", "precision", "recall", "f1")
TYPES = ("system", "type", "refs", "preds", "match", "precision", "recall", "f1")
RATES = (
    "Of the first reference. Precision is 100 where a type is never predicted, recall 100 where it is not in the "
    "reference."
)
COLUMNS = ("Refs", "Preds", "Match", "F1", "Precisn", "Recall")
VOCABULARY = re.compile(r"([^-]*)-(?:bpe)?(?:00(?=\.))?(.*?)(\.newstest2018)?(\.tgt)?(\.tsv)?(\.txt)?(\.gz)?")
CASES = {"lc": True, "mc": False}
"""The name of a case in the authors' files, and whether the texts are lower-cased first."""


@dataclass(frozen=True, eq=False)
class TypeReport:
    """Every type of one system's output and its reference, by falling REFS, then PREDS, then name.

    `refs`, `preds`, `match`: (types,) integers. Rates are on 0-100: precision is 100 where PREDS = 0, recall 100
    where REFS = 0 (nothing was got wrong), F1 is 0 where MATCH = 0.
    """

    system: str
    types: tuple[str, ...]
    refs: Ints
    preds: Ints
    match: Ints

    @property
    def rates(self) -> tuple[Doubles, Doubles, Doubles]:
        """Precision, recall and F1: (types,) each."""
        given = self.preds, self.refs
        precision, recall = (np.where(n > 0, 100.0 * self.match / np.maximum(n, 1), 100.0) for n in given)
        return precision, recall, self.f1

    @property
    def f1(self) -> Doubles:
        return np.asarray(200.0 * self.match / (self.refs + self.preds))


@dataclass(frozen=True)
class TypesAnalysis:
    """Per-type precision, recall and F1 of every system, and their means by frequency in the reference.

    `systems`: whose types (all by default; `pair=[A,B]` too limits them); `only`: these types alone, else all;
    `first`: how many of the most frequent types the figure shows. Raises `UnknownName` for a type that no system's
    report contains, `ConfigError` for a run without texts.
    """

    pair: Sequence[str] | None = None
    only: Sequence[str] = ()
    first: int = 500
    tokenize: str = "13a"
    lowercase: bool = False

    def check(self, result: Result) -> tuple[Inputs, list[str]]:
        """The texts and the systems; raises `ConfigError` where they are not to be had."""
        inputs = result.texts("types")
        systems = [*texts_of(inputs.translations)]
        if not systems:
            raise ConfigError("analysis types: no system translated the MT test set")
        for name in self.pair or ():
            if name not in systems:
                raise UnknownName("system of pair", str(name), systems)
        return inputs, [str(name) for name in self.pair] if self.pair else systems

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, chosen = self.check(result)
        test, texts = inputs.corpus.test, texts_of(inputs.translations)
        reports = [type_report(name, texts[name].lines(), test, self.tokenize, self.lowercase) for name in chosen]
        types = [kind for report in reports for kind in report.types]
        for kind in self.only:
            if kind not in types:
                raise UnknownName("word type", kind, similar_types(kind, types))
        title = "Mean F1 of word types by their frequency in the reference"
        by_frequency = tuple(row for report in reports for row in bands(report))
        every = tuple(row for report in reports for row in word_types(report, frozenset(self.only)))
        return (
            Table("types_by_frequency", title, BANDS, by_frequency, (RATES,), partial(figure, reports, self.first)),
            Table("types", "Every word type", TYPES, every),
        )


def type_report(
    system: str, hypotheses: Sequence[str], test: TestSet, tokenize: str = "13a", lowercase: bool = False
) -> TypeReport:
    """REFS, PREDS and MATCH of every type of V = V_h U V_y, summed over all segments.

    The first reference; tokens as MacroF has them. **Source:** Gowda et al. 2021, section 2.
    """
    metric = MacroF(tokenize=tokenize, lowercase=lowercase)
    totals = np.asarray(metric.statistics(hypotheses, test).sum(axis=0), dtype=np.int64).reshape(-1, 3)
    types = metric.types(hypotheses, test)
    order = sorted(range(len(types)), key=lambda t: (-totals[t, 0], -totals[t, 1], types[t]))
    refs, preds, match = totals[order].T
    return TypeReport(system, tuple(types[t] for t in order), refs, preds, match)


def similar_types(kind: str, types: Sequence[str]) -> list[str]:
    """A few types to choose from: those that begin like the missing one."""
    alike = [name for name in types if name[:2].lower() == kind[:2].lower()]
    return alike[:20] or list(types[:20])


def bands(report: TypeReport) -> Iterator[tuple[Any, ...]]:
    """The columns of `BANDS`: mean precision, recall and F1 of types by their occurrences in the reference."""
    for low, high in zip(LIMITS, (*LIMITS[1:], np.inf), strict=True):
        inside = (report.refs >= low) & (report.refs < high)
        if inside.any():
            label = f"{low}+" if high == np.inf else str(low) if high == low + 1 else f"{low}-{int(high) - 1}"
            yield report.system, label, int(inside.sum()), *(float(rate[inside].mean()) for rate in report.rates)


def word_types(report: TypeReport, only: frozenset[str]) -> Iterator[tuple[Any, ...]]:
    """The columns of `TYPES` for every type, or those of `only`."""
    columns = (column.tolist() for column in (report.refs, report.preds, report.match, *report.rates))
    for kind, *values in zip(report.types, *columns, strict=True):
        if not only or kind in only:
            yield report.system, kind, *values


def figure(reports: Sequence[TypeReport], first: int) -> Drawing:
    """Running mean of F1 over the most frequent types of the reference, one line for each system."""
    found = {report.system: report.f1[report.refs > 0][:first] for report in reports}
    return running_figure({name: np.cumsum(f1) / np.arange(1, len(f1) + 1) for name, f1 in found.items()})


def running_figure(curves: Mapping[str, Doubles]) -> Drawing:
    """The running mean of F1 of each system, by rank of the type."""
    lines = {name: list(enumerate(values.tolist(), 1)) for name, values in curves.items()}
    below, beside = "rank of the word type by frequency in the reference", "mean F1 of the types up to that rank"
    return panels([Panel(below, beside, lines)])


def running_f1(ours: Mapping[str, float], theirs: Mapping[str, float], first: int = 500) -> tuple[Doubles, Doubles]:
    """Mean F1 of the first k types for k = 1..first, over the types that both have, in the order of the first.

    `ours`, `theirs`: type -> F1 of a system, by falling REFS, then PREDS, then name.
    **Source:** Gowda et al. 2021, figure 1, whose text is lower-cased first.
    """
    both = [kind for kind in ours if kind in theirs][:first]
    steps = np.arange(1, len(both) + 1)
    a, b = (np.cumsum([f1[kind] for kind in both]) / steps for f1 in (ours, theirs))
    return a, b


@dataclass(frozen=True, kw_only=True)
class TypeReports(PairTable, PublishedFiles):
    """Every cell of the published per-type reports against ours, and the running mean of F1 over frequent types.

    `label`: the language pair of `texts`, unless `folders` gives another one; `manifest`: the data set (or the folder
    given, as far as it has them) whose files `typeperf.SYSTEM.tsv.CASE.macrof` are the reports, for the two systems of
    `pair` and both cases (lc: lower-cased first, as in Figure 1; mc: mixed). `first`: how many types the figure shows;
    `ranks`: where its curves are written down.
    """

    label: str
    first: int = 500
    ranks: Sequence[int] = (1, 10, 50, 100, 200, 300, 400, 500)

    def cells(self) -> Iterator[PaperCell]:
        """How many cells of each report are equal, and the curves of the figure at some ranks."""
        reports = {case: found for case in CASES if (found := self._published(case))}
        for case, published in reports.items():
            for ours, theirs in zip(self._ours[case], published, strict=True):
                yield from report_cells(f"{ours.system} {case}", ours, theirs)
        curves: Sequence[Sequence[float]] = ((), ())
        if "lc" in reports:
            a, b = map(published_f1, reports["lc"])
            curves = [curve.tolist() for curve in running_f1(a, b, self.first)]
        for system, mine, printed in zip(self.pair, self._curves, curves, strict=True):
            for rank in self.ranks:
                if rank <= len(mine):
                    there = leading(printed[rank - 1], 1) if rank <= len(printed) else ""
                    value, row = float(mine[rank - 1]), f"{self._pair} first {rank} types"
                    yield PaperCell(row, "mean F1", system, printed=there, shown=leading(value, 1), value=value)

    def further(self) -> Sequence[Table]:
        """The curves of the figure from the texts."""
        a, b = self._curves
        title = f"{self.title}: mean F1 of the most frequent types"
        rows = tuple(zip(range(1, len(a) + 1), a.tolist(), b.tolist(), strict=True))
        curves = dict(zip(self.pair, (a, b), strict=True))
        return [Table(f"{self.name}_curves", title, ("rank", *self.pair), rows, figure=partial(running_figure, curves))]

    @property
    def _pair(self) -> str:
        """The language pair: that of the folder, where one is given."""
        if len(self.folders) > 1:
            raise ConfigError(f"paper.folders: one language pair was expected, not {', '.join(self.folders)}")
        return next(iter(self.folders), self.label)

    @cached_property
    def _curves(self) -> tuple[Doubles, Doubles]:
        a, b = (dict(zip(report.types, report.f1.tolist(), strict=True)) for report in self._ours["lc"])
        return running_f1(a, b, self.first)

    @cached_property
    def _ours(self) -> Mapping[str, Sequence[TypeReport]]:
        """Our reports of both systems, for each case."""
        read = self.read_pair(self._pair, [self._pair])
        if read is None:
            raise UnknownName("language pair with texts", self._pair, self.texts)
        test, outputs = read
        named = list(zip(self.pair, outputs, strict=True))
        return {
            case: [type_report(system, lines, test, lowercase=lowercase) for system, lines in named]
            for case, lowercase in CASES.items()
        }

    def _published(self, case: str) -> tuple[AuthorTable, AuthorTable] | None:
        """The authors' reports of both systems; None where a folder has none."""
        names = [f"typeperf.{system}.tsv.{case}.macrof" for system in self.pair]
        if self.folders:
            paths: Mapping[str, Path] = {name: Path(self.folders[self._pair]) / name for name in names}
            if not all(path.is_file() for path in paths.values()):
                return None
        else:
            paths = self.locate(*names)
        first, second = (read_author_table(paths[name], first="Type") for name in names)
        return first, second


def report_cells(row: str, ours: TypeReport, theirs: AuthorTable) -> Iterator[PaperCell]:
    """How many types there are, and for each column of a report how many of them have the printed cell."""
    place = {name: i for i, name in enumerate(ours.types)}
    precision, recall, f1 = ours.rates
    cells = [[str(n) for n in count.tolist()] for count in (ours.refs, ours.preds, ours.match)]
    cells += [[fixed(x, 2) for x in rate.tolist()] for rate in (f1, precision, recall)]
    types = theirs.text("Type")
    printed = str(len(types))
    yield PaperCell(row, "types", printed=printed, shown=str(len(place)), value=len(place))
    for name, column in zip(COLUMNS, cells, strict=True):
        agree = sum(
            kind in place and column[place[kind]] == cell for kind, cell in zip(types, theirs.text(name), strict=True)
        )
        yield PaperCell(row, "types that agree", name, printed=printed, shown=str(agree), value=agree)


def published_f1(report: AuthorTable) -> dict[str, float]:
    """Type -> F1 of a published report, in the order of our own: a curve read between equal Refs depends on it."""
    numbers = (report.numbers(name) for name in ("Refs", "Preds", "F1"))
    rows = sorted(
        (-refs, -preds, kind, f1) for kind, refs, preds, f1 in zip(report.text("Type"), *numbers, strict=True)
    )
    return {kind: f1 for _, _, kind, f1 in rows}


Rows = Mapping[tuple[str, str], Mapping[str, str]]
"""(group, vocabulary) -> the figures of the vocabulary: `F95`, `used` (classes that occur), scores."""
SHOWN_RATES = ("rho_precision_dev", "rho_recall_dev")
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
            for column, value in zip(SHOWN_RATES, rank_bias(*read_rates(path)), strict=True):
                there, known = leading(float(printed[column])), not isnan(value)
                note = "" if known else "undefined: a side does not vary"
                shown = leading(value) if known else ""
                yield PaperCell(row, column, printed=there, shown=shown, value=value, note=note)

    def further(self) -> Sequence[Table]:
        """What the rule of thumb recommends, and the figures."""
        rows = self._rows
        advice = tuple(recommendations(rows, self.floor))
        biased = [
            (group, name, *(float(row[column]) for column in ("D_published", *SHOWN_RATES)))
            for (group, name), row in rows.items()
            if row[SHOWN_RATES[0]] and row[SHOWN_RATES[1]]
        ]
        return [
            Table(
                f"{self.name}_recommended",
                "Vocabulary recommended by the rule of thumb, and vocabulary with the best BLEU",
                ("group", "recommended", "its BLEU", "best", "best BLEU", "difference"),
                advice,
                figure=partial(sweep_figure, rows),
                said=len(advice),
            ),
            Table(
                f"{self.name}_bias",
                "Bias by class frequency against imbalance (Figure 8)",
                ("group", "name", "D_published", "rho_precision", "rho_recall"),
                tuple(biased),
                figure=partial(bias_figure, [row[2:] for row in biased]),
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
        ("D", "D_published", d, decimals(half_up(d, 4))),  # the table of three decimals was made from files with four
        ("F95", "F95", f95, short(f95)),
        ("mu", "mu", mu, fixed(mu, 2)),
    ):
        note = D_NOTE.format(leading(divergence(classes), 4)) if measure == "D" else ""
        there = _same_form(printed[column], shown)
        yield PaperCell(row, measure, printed=there, shown=shown, value=value, note=note)


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
    found = VOCABULARY.fullmatch(path.name)
    size, name = found.group(1, 2) if found else (path.name, "")
    return size, name if name == "chars" else name + name


def _same_form(printed: str, shown: str) -> str:
    """The published number with the decimals that we show; files print `30` for 30.00."""
    if not printed:
        return ""
    if shown.lstrip("-").startswith("."):
        return leading(float(printed))
    digits = len(shown.partition(".")[2])
    return fixed(float(printed), digits) if digits else short(float(printed))


def recommendations(rows: Rows, floor: float) -> Iterator[tuple[Any, ...]]:
    """Of each group with BLEU the largest vocabulary with F95 >= floor (or `none`) and the best one, with its lead."""
    for group in dict.fromkeys(group for group, _ in rows):
        inside = {name: row for (here, name), row in rows.items() if here == group}
        scored = {name: float(row["BLEU_test"]) for name, row in inside.items() if row["BLEU_test"]}
        if scored:
            best = max(scored, key=lambda name: scored[name])
            enough = [name for name, row in inside.items() if float(row["F95"]) >= floor]
            taken = max(enough, key=lambda name: float(inside[name]["used"]), default="none")
            value = scored.get(taken, nan)
            yield group, taken, value, best, scored[best], round(scored[best] - value, 2)


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
