"""`analysis=[types]`: precision, recall and F1 of every word type of a system, and how they change with frequency."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clirbench.computed import Inputs
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.analyses.two_systems import test_lines, with_test_text
from clirbench.metrics.macrof import MacroF
from clirbench.pages.table import Table
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.types import Doubles, Ints, TestSet

BANDS = (1, 2, 5, 10, 100, 1000)


@dataclass(frozen=True)
class WordType:
    """One word type of one system: how often the reference has it, the system has it, both agree; rates on 0-100."""

    system: str
    type: str
    refs: int
    preds: int
    match: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Band:
    """The word types with `refs` occurrences in the reference (`2-4`, `1000+`): how many, and their mean rates."""

    system: str
    refs: str
    types: int
    precision: float
    recall: float
    f1: float


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
    def precision(self) -> Doubles:
        return _rate(self.match, self.preds)

    @property
    def recall(self) -> Doubles:
        return _rate(self.match, self.refs)

    @property
    def f1(self) -> Doubles:
        return np.asarray(200.0 * self.match / (self.refs + self.preds))


def _rate(match: Ints, all_: Ints) -> Doubles:
    rate: Doubles = np.divide(100.0 * match, all_, out=np.full(len(match), 100.0), where=all_ > 0)
    return rate


def similar_types(kind: str, types: Sequence[str]) -> list[str]:
    """A few types to choose from: those that begin like the missing one."""
    alike = [name for name in types if name[:2].lower() == kind[:2].lower()]
    return alike[:20] or list(types[:20])


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


def running_f1(ours: TypeReport, theirs: TypeReport, first: int = 500) -> tuple[tuple[str, ...], Doubles, Doubles]:
    """Mean F1 of the k most frequent types for k = 1..first, over the types that both reports contain.

    Returns the types by falling REFS (in the first report's order where equal) and the two curves, 0-100.
    **Source:** Gowda et al. 2021, figure 1, whose text is lower-cased first.
    """
    place = {name: i for i, name in enumerate(theirs.types)}
    both = [(i, place[name]) for i, name in enumerate(ours.types) if name in place][:first]
    if not both:
        return (), np.empty(0), np.empty(0)
    a, b = np.array(both).T
    steps = np.arange(1, len(both) + 1)
    return tuple(ours.types[i] for i in a), np.cumsum(ours.f1[a]) / steps, np.cumsum(theirs.f1[b]) / steps


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
        systems = with_test_text(inputs)
        if not systems:
            raise ConfigError("analysis types: no system translated the MT test set")
        for name in self.pair or ():
            if name not in systems:
                raise UnknownName("system of pair", str(name), systems)
        return inputs, [str(name) for name in self.pair] if self.pair else list(systems)

    def tables(self, result: Result) -> Sequence[Table]:
        inputs, chosen = self.check(result)
        reports = [
            type_report(system, test_lines(inputs, system), inputs.corpus.test, self.tokenize, self.lowercase)
            for system in chosen
        ]
        for kind in self.only:
            if not any(kind in report.types for report in reports):
                raise UnknownName(
                    "word type", kind, similar_types(kind, [t for report in reports for t in report.types])
                )
        text = (
            f"Tokens: {self.tokenize}, {'lower-cased' if self.lowercase else 'mixed case'}, the first reference. "
            "Precision is 100 where a type is never predicted, recall 100 where it is not in the reference.",
        )
        return (
            Table.of(
                "types_by_frequency",
                "Mean F1 of word types by their frequency in the reference",
                Band,
                [band for report in reports for band in bands(report)],
                text,
                figure=lambda: figure(reports, self.first),
            ),
            Table.of("types", "Every word type", WordType, word_types(reports, frozenset(self.only))),
        )


def bands(report: TypeReport) -> list[Band]:
    """Mean precision, recall and F1 of types by their occurrences in the reference; 0 is "only predicted"."""
    found = []
    precision, recall, f1 = report.precision, report.recall, report.f1
    limits = (0, *BANDS)
    for low, high in zip(limits, (*limits[1:], None), strict=True):
        inside = (report.refs >= low) & (report.refs < (high if high is not None else np.iinfo(np.int64).max))
        if inside.any():
            band = Band(
                system=report.system,
                refs=_label(low, high),
                types=int(inside.sum()),
                precision=float(precision[inside].mean()),
                recall=float(recall[inside].mean()),
                f1=float(f1[inside].mean()),
            )
            found.append(band)
    return found


def _label(low: int, high: int | None) -> str:
    """`1`, `2-4`, `1000+` for the numbers from `low` to below `high`."""
    if high is None:
        return f"{low}+"
    return str(low) if high == low + 1 else f"{low}-{high - 1}"


def word_types(reports: Sequence[TypeReport], only: frozenset[str]) -> Iterator[WordType]:
    """Every type of every report, or those of `only`."""
    for report in reports:
        precision, recall, f1 = report.precision.tolist(), report.recall.tolist(), report.f1.tolist()
        for at, kind in enumerate(report.types):
            if not only or kind in only:
                yield WordType(
                    system=report.system,
                    type=kind,
                    refs=int(report.refs[at]),
                    preds=int(report.preds[at]),
                    match=int(report.match[at]),
                    precision=precision[at],
                    recall=recall[at],
                    f1=f1[at],
                )


def figure(reports: Sequence[TypeReport], first: int) -> Drawing:
    """Running mean of F1 over the most frequent types of the reference, one line for each system."""
    found = {report.system: report.f1[report.refs > 0][:first] for report in reports}
    return running_figure({name: np.cumsum(f1) / np.arange(1, len(f1) + 1) for name, f1 in found.items()})


def running_figure(curves: Mapping[str, Doubles]) -> Drawing:
    """The running mean of F1 of each system, by rank of the type."""
    lines = {name: list(enumerate(values.tolist(), 1)) for name, values in curves.items()}
    below, beside = "rank of the word type by frequency in the reference", "mean F1 of the types up to that rank"
    return panels([Panel(below, beside, lines)])
