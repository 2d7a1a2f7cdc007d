"""`analysis=[imbalance]`: D, F95 and mu of vocabularies, and the bias by class frequency.

Vocabularies are counted in a text: its words, its characters, and subwords that byte-pair encoding learns from it; or
read from files of class frequencies.

How unbalanced the classes of a vocabulary are: divergence D, frequency at a rank. Their files; learned subwords.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.checks import require
from clirbench.errors import ConfigError, InputError
from clirbench.labs.papers.published import read_author_table
from clirbench.pages import Table, short
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.text import TextFile
from clirbench.types import Doubles


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of one vocabulary in training data: how often each occurs (0: never), and how many sequences.

    `sequences` 0: not known. Raises `ConfigError` for a vocabulary of which no class occurs.
    """

    name: str
    frequencies: Doubles
    sequences: int = 0

    def __post_init__(self) -> None:
        if not (self.frequencies > 0).any():
            raise ConfigError(f"vocabulary {self.name}: it is empty, no class occurs")

    @property
    def used(self) -> Doubles:
        """The frequencies that are not 0, falling."""
        return np.asarray(np.sort(self.frequencies[self.frequencies > 0])[::-1])


def divergence(classes: Classes) -> float:
    """D = 1/2 sum over the K classes that occur of |p_i - 1/K|: 0 (balanced) to 1.

    **Source:** Gowda 2020, section 2.1.
    """
    used = classes.used
    return float(np.abs(used / used.sum() - 1 / len(used)).sum() / 2)


def frequency_at(classes: Classes, percent: float = 95.0) -> float:
    """F_P%: the least frequency among the most frequent P % of the classes that occur, P in (0, 100].

    The one at index min(m - 1, floor(P / 100 * m)) of the m frequencies sorted falling.
    **Source:** Gowda 2020, section 2.1.
    """
    used = classes.used
    return float(used[min(len(used) - 1, int(percent * len(used) / 100))])


def read_classes(path: Path) -> Classes:
    """A file of class frequencies: `id, name, frequency` or `name, frequency`, tab-separated, one class a line.

    Lines before the first class that begin with `#` are remarks; one that says `n_seqs: N` gives the number of
    sequences. Raises `InputError` with the line that is wrong.
    """
    frequencies: list[float] = []
    sequences = 0
    for number, line in enumerate(TextFile(path).lines(), start=1):
        if line.startswith("#") and not frequencies and "\t" not in line:
            if found := re.search(r"n_seqs:\s*([\d,]+)", line):
                sequences = int(found[1].replace(",", ""))
            continue
        if not line.strip("\r"):
            continue
        cells = line.rstrip("\r").split("\t")
        try:
            frequency = float(cells[-1])
        except ValueError:
            raise InputError(f"{path}: line {number}: {cells[-1]!r} is not a frequency") from None
        if len(cells) < 2 or not frequency >= 0:
            raise InputError(f"{path}: line {number}: a name and a frequency of at least 0 were expected")
        frequencies.append(frequency)
    name = re.sub(r"(\.tgt|\.src)?(\.txt|\.tsv)?(\.gz)?$", "", path.name)
    if not frequencies:
        raise InputError(f"{path}: no class frequencies: the vocabulary is empty")
    return Classes(name, np.array(frequencies), sequences)


IMBALANCE = (
    "classes: those that occur. D: distance from a balanced distribution, 0 to 1, lower is better; D_published also "
    "counts classes that never occur, as the published figures do. F95: 95 % of the classes occur at least so often, "
    "higher is better; a rule of thumb recommends the largest vocabulary of which it is at least 100. mu: classes in a "
    "segment, its end counted, lower is better."
)
BIAS = (
    "Pearson's r of a class's rank by training frequency with its precision and its recall; below 0: rare "
    "classes do worse, above 0: frequent ones do."
)


@dataclass(frozen=True)
class ImbalanceAnalysis:
    """Imbalance of vocabularies: of files of class frequencies, and of subwords learned from a text.

    `text`: training text of the target language, one segment a line (default: the run's first reference); `sizes`:
    how many subwords to learn from it, besides its characters and words; `statistics`: files of class frequencies;
    `rates`: tables of rank, precision and recall of classes. `percent`: of the classes, for F95. Raises `ConfigError`
    where there is nothing to measure.
    """

    text: str | None = None
    sizes: Sequence[int] = ()
    statistics: Sequence[str] = ()
    rates: Sequence[str] = ()
    percent: float = 95.0

    def __post_init__(self) -> None:
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
        mark = f"F{short(self.percent)}"
        rows = tuple(
            (
                classes.name,
                len(classes.used),
                divergence(classes),
                divergence_published(classes),
                frequency_at(classes, self.percent),
                mean_length(classes),
            )
            for classes in self.vocabularies(result)
        )
        header = ("name", "classes", "D", "D_published", mark, "mu")
        title = "Imbalance of vocabularies"
        found = [Table("imbalance", title, header, rows, (IMBALANCE,), partial(figure, rows, mark))]
        if self.rates:
            read = [(Path(path).name, read_rates(Path(path))) for path in self.rates]
            biases = tuple((name, len(rates[0]), *rank_bias(*rates)) for name, rates in read)
            columns = ("name", "classes", "rho_precision", "rho_recall")
            found.append(Table("class_bias", "Bias by class frequency", columns, biases, (BIAS,)))
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
        return [*read, characters(lines), *(subwords(lines, n) for n in self.sizes), words(lines)]


def figure(rows: Sequence[Sequence[Any]], mark: str) -> Drawing:
    """mu, D and F95 of every vocabulary by the number of classes, one plot each."""
    plots = []
    for label, at, powers in (("mu", 5, "xy"), ("D", 2, "x"), (mark, 4, "xy")):
        line = sorted((row[1], row[at]) for row in rows)
        plots.append(Panel("classes", label, {"": line}, powers=powers))
    return panels(plots)


def divergence_published(classes: Classes) -> float:
    """D as its published values were computed: every class that never occurs adds 1 / (2 K).

    The sum runs over all class ids, 1/K is still that of the K classes that occur. Equal to `divergence` where all
    classes occur. **Source:** the figures behind Gowda 2020; the formula printed there does not give them.
    """
    used = classes.used
    return divergence(classes) + (len(classes.frequencies) - len(used)) / len(used) / 2


def mean_length(classes: Classes) -> float:
    """mu: classes in a sequence on average, its end counted as one; NaN where the number of sequences is not known."""
    return float(classes.frequencies.sum() / classes.sequences) if classes.sequences else nan


def rank_bias(ranks: Doubles, precision: Doubles, recall: Doubles) -> tuple[float, float]:
    """rho(R, P) and rho(R, R): Pearson's r of class rank with precision and with recall, over classes.

    Rank 1 is the most frequent class of the training data, so a negative value means that rare classes do worse.
    NaN where a side does not vary. **Source:** Gowda 2020, section 6.1.
    """

    def pearson(values: Doubles) -> float:
        if len(values) < 2 or np.ptp(values) == 0 or np.ptp(ranks) == 0:
            return nan
        return float(np.corrcoef(ranks, values)[0, 1])

    return pearson(precision), pearson(recall)


def read_rates(path: Path) -> tuple[Doubles, Doubles, Doubles]:
    """Rank, precision and recall of every class from a table with these columns (`Rank`, `Precision`, `Recall`).

    Raises `InputError`, `UnknownName` for a table without them.
    """
    table = read_author_table(path)
    if not table.lines:
        raise InputError(f"{path}: no classes: the vocabulary is empty")
    ranks, precision, recall = (np.array(table.numbers(name)) for name in ("Rank", "Precision", "Recall"))
    return ranks, precision, recall


def words(lines: Sequence[str]) -> Classes:
    """Words split at white space, and the end of each line."""
    return _count_classes("words", (line.split() for line in lines), len(lines))


def characters(lines: Sequence[str]) -> Classes:
    """Characters, a space included, and the end of each line."""
    return _count_classes("characters", lines, len(lines))


def _count_classes(name: str, lines: Iterable[Iterable[str]], n: int) -> Classes:
    counts = Counter(symbol for line in lines for symbol in line)
    if not counts:
        raise ConfigError(f"vocabulary {name}: the text is empty")
    return Classes(name, np.array([n, *counts.values()], dtype=np.float64), n)


def subwords(lines: Sequence[str], size: int) -> Classes:
    """The classes of `size` that byte-pair encoding learns from the lines, as often as it writes them there.

    All ids count as classes, unused ones with frequency 0 among them; `</s>` ends each line. Needs the package
    sentencepiece (`ResourceError`); raises `ConfigError` for a size that the text cannot give, with what it says.
    """
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise ConfigError(f"a vocabulary of {size} subwords: the text is empty")
    require("analyses.imbalance.sizes", "subwords", "sentencepiece")
    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=iter(kept), model_writer=model, model_type="bpe", character_coverage=1.0, num_threads=1,
            bos_id=-1, eos_id=1, unk_id=0, minloglevel=2, max_sentence_length=1 << 20, vocab_size=size,
        )  # fmt: skip
    except RuntimeError as error:
        raise ConfigError(f"{size} subwords cannot be learned from {len(kept)} lines: {error}") from None
    processor = SentencePieceProcessor(model_proto=model.getvalue())
    numbers = np.concatenate(processor.encode(kept, out_type=int, add_eos=True))
    return Classes(f"bpe{size}", np.bincount(numbers, minlength=processor.get_piece_size()).astype(float), len(kept))
