"""`analysis=[imbalance]`: D, F95 and mu of vocabularies, and the bias by class frequency.

Vocabularies are counted in a text: its words, its characters, and subwords that byte-pair encoding learns from it; or
read from files of class frequencies.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.errors import ConfigError, InputError, ResourceError, UnknownName
from clirbench.labs.papers.published import read_author_table
from clirbench.pages.table import Table
from clirbench.pages.wording import short
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.statistics.imbalance import Classes, divergence, frequency_at, piece_counts, read_classes, subword_model
from clirbench.text import TextFile
from clirbench.types import Doubles

LEARNERS = ("sentencepiece", "tokenizers")
END, SPACE = "</s>", "▁"
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
    learner: str = "sentencepiece"
    statistics: Sequence[str] = ()
    rates: Sequence[str] = ()
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
        found = [Table("imbalance", title, header, rows, (IMBALANCE,), lambda: figure(rows, mark))]
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
        return [*read, characters(lines), *(learn_classes(lines, n, self.learner) for n in self.sizes), words(lines)]


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


def learn_classes(lines: Sequence[str], size: int, learner: str = "sentencepiece") -> Classes:
    """The classes of `size` that byte-pair encoding learns from the lines, as often as it writes them there.

    All ids count as classes, unused ones with frequency 0 among them; `</s>` ends each line. Needs the learner's
    package (`ResourceError` names it); raises `UnknownName` for another learner, `ConfigError` for a size that the
    text cannot give, naming what the learner says.
    """
    if learner not in LEARNERS:
        raise UnknownName("learner of subwords", learner, LEARNERS)
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise ConfigError(f"a vocabulary of {size} subwords: the text is empty")
    if learner == "sentencepiece":
        counts = np.array([*piece_counts(subword_model(kept, size), kept).values()], np.float64)
    else:
        counts = _tokenizers(kept, size)
    return Classes(f"bpe{size}", counts, len(kept))


def _tokenizers(lines: Sequence[str], size: int) -> Doubles:
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    except ImportError:
        raise ResourceError("learner=tokenizers needs a package: pip install '.[subwords]'") from None
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE)
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>", END], show_progress=False)
    tokenizer.train_from_iterator(iter(lines), trainer)
    counts = np.zeros(tokenizer.get_vocab_size())
    if len(counts) > size:
        raise ConfigError(f"{size} subwords cannot be learned: {len(counts)} classes are needed for the characters")
    for encoded in tokenizer.encode_batch(list(lines)):
        np.add.at(counts, encoded.ids, 1)
    counts[tokenizer.token_to_id(END)] += len(lines)
    return counts
