"""`analysis=[imbalance]`: D, F95 and mu of vocabularies, which one to take, and the bias by class frequency."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.statistics.imbalance import (
    LEARNERS,
    characters,
    divergence_published,
    learn_classes,
    mean_length,
    rank_bias,
    read_rates,
    recommend_vocabulary,
    words,
)
from clirbench.pages.table import Table
from clirbench.pages.wording import short
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.statistics.imbalance import Classes, divergence, frequency_at, read_classes
from clirbench.text import TextFile


@dataclass(frozen=True)
class Imbalance:
    """How unbalanced one vocabulary is; `frequency` is F95, or that of another percentage."""

    name: str
    classes: int
    D: float
    D_published: float
    frequency: float
    mu: float


@dataclass(frozen=True)
class ClassBias:
    """Pearson's r of the rank of a class with its precision and with its recall, over the classes of one file."""

    name: str
    classes: int
    rho_precision: float
    rho_recall: float


@dataclass(frozen=True)
class ImbalanceAnalysis:
    """Imbalance of vocabularies: of files of class frequencies, and of subwords learned from a text.

    `text`: training text of the target language, one segment a line (default: the run's first reference); `sizes`:
    how many subwords to learn from it, besides its characters and words; `statistics`: files of class frequencies;
    `rates`: tables of rank, precision and recall of classes. `floor`, `percent`: the recommendation's least
    frequency, and for which share of the classes. Raises `ConfigError` where there is nothing to measure.
    """

    text: str | None = None
    sizes: Sequence[int] = ()
    learner: str = "sentencepiece"
    statistics: Sequence[str] = ()
    rates: Sequence[str] = ()
    floor: float = 100.0
    percent: float = 95.0

    def __post_init__(self) -> None:
        if self.learner not in LEARNERS:
            raise UnknownName("analyses.imbalance.learner", self.learner, LEARNERS)
        if any(type(size) is not int or size < 1 for size in self.sizes):
            raise ConfigError(f"analyses.imbalance.sizes={list(self.sizes)}: whole numbers, at least 1")
        if not 0 < self.percent <= 100:
            raise ConfigError(f"analyses.imbalance.percent={self.percent}: above 0, at most 100")

    def check(self, result: Result) -> list[Classes]:
        """The vocabularies of the files; raises `ConfigError` where there is none at all, `InputError`."""
        if self.text is None and not self.statistics and result.inputs is None:
            raise ConfigError(
                "analysis imbalance has no vocabulary: name a training text (analyses.imbalance.text=FILE) or "
                "files of class frequencies (analyses.imbalance.statistics=[FILE])"
            )
        if self.text is not None:
            TextFile(Path(self.text)).lines()
        return [read_classes(Path(path)) for path in self.statistics]

    def tables(self, result: Result) -> Sequence[Table]:
        vocabularies = self.vocabularies(result)
        found = [imbalance_table(vocabularies, self.floor, self.percent)]
        if self.rates:
            found.append(bias_table([Path(path) for path in self.rates]))
        return found

    def vocabularies(self, result: Result) -> list[Classes]:
        """Those of the files, then characters, words and subwords of the text."""
        read = self.check(result)
        if self.text is None and (read or result.inputs is None):
            return read
        if self.text is not None:
            lines: Sequence[str] = TextFile(Path(self.text)).lines()
        else:
            assert result.inputs is not None
            lines = result.inputs.corpus.test.references[0]
        return [*read, characters(lines), *(learn_classes(lines, n, self.learner) for n in self.sizes), words(lines)]


def imbalance_table(vocabularies: Sequence[Classes], floor: float, percent: float) -> Table:
    """A row for each vocabulary, the recommendation in words, and the figure."""
    mark = f"F{short(percent)}"
    rows = [
        Imbalance(
            name=classes.name,
            classes=len(classes.used),
            D=divergence(classes),
            D_published=divergence_published(classes),
            frequency=frequency_at(classes, percent),
            mu=mean_length(classes),
        )
        for classes in vocabularies
    ]
    text = [
        f"classes: those that occur. D: distance from a balanced distribution, 0 to 1, lower is better; D_published "
        f"also counts classes that never occur, as the published figures do. {mark}: {short(percent)} % of the classes "
        "occur at least so often, higher is better. mu: classes in a segment, its end counted, lower is better.",
        advice(vocabularies, floor, percent),
    ]
    return Table.of(
        "imbalance",
        "Imbalance of vocabularies",
        Imbalance,
        rows,
        text,
        header=("name", "classes", "D", "D_published", mark, "mu"),
        figure=lambda: figure(rows, mark),
    )


def advice(vocabularies: Sequence[Classes], floor: float, percent: float) -> str:
    """The recommendation as a sentence."""
    best = recommend_vocabulary(vocabularies, floor, percent)
    if best is None:
        return (
            f"No vocabulary has {short(percent)} % of its classes at least {short(floor)} times: all are too large for "
            "the text."
        )
    return (
        f"The largest vocabulary of which {short(percent)} % of the classes occur at least {short(floor)} times is "
        f"{best.name} ({len(best.used)} classes): the rule of thumb recommends it for training."
    )


def bias_table(paths: Sequence[Path]) -> Table:
    """A row for each table of rates: how precision and recall change with the rank of a class."""
    rows = []
    for path in paths:
        ranks, precision, recall = read_rates(path)
        rho_precision, rho_recall = rank_bias(ranks, precision, recall)
        rows.append(ClassBias(path.name, len(ranks), rho_precision, rho_recall))
    text = (
        "Pearson's r of a class's rank by training frequency with its precision and its recall; below 0: rare "
        "classes do worse, above 0: frequent ones do.",
    )
    return Table.of("class_bias", "Bias by class frequency", ClassBias, rows, text)


def figure(rows: Sequence[Imbalance], mark: str) -> Drawing:
    """mu, D and F95 of every vocabulary by the number of classes, one plot each."""
    ordered = sorted(rows, key=lambda row: row.classes)
    return panels(
        [
            Panel("classes", label, {"": [(row.classes, getattr(row, name)) for row in ordered]}, powers=powers)
            for label, name, powers in (("mu", "mu", "xy"), ("D", "D", "x"), (mark, "frequency", "xy"))
        ]
    )
