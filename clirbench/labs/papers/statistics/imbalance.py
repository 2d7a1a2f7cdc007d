"""What papers say of vocabularies beyond D and F95: mean sequence length, bias by class frequency, learned subwords.

Vocabularies are counted in a text: its words, its characters, and subwords that byte-pair encoding learns from it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import nan
from pathlib import Path

import numpy as np

from clirbench.errors import ConfigError, InputError, ResourceError, UnknownName
from clirbench.statistics.imbalance import Classes, divergence, frequency_at, piece_counts, subword_model
from clirbench.text import TextFile
from clirbench.types import Doubles

LEARNERS = ("sentencepiece", "tokenizers")


END = "</s>"


SPACE = "▁"


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


def recommend_vocabulary(
    vocabularies: Sequence[Classes], floor: float = 100.0, percent: float = 95.0
) -> Classes | None:
    """The largest vocabulary of which `percent` of the classes occur at least `floor` times; None if there is none.

    **Source:** Gowda 2020, section 9.
    """
    enough = [classes for classes in vocabularies if frequency_at(classes, percent) >= floor]
    return max(enough, key=lambda classes: len(classes.used), default=None)


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

    Rows are split at tabs as they are: class names may hold any other character. Raises `InputError`.
    """
    lines = [line for line in TextFile(path).lines() if line]
    header = lines[0].split("\t") if lines else []
    if missing := [name for name in ("Rank", "Precision", "Recall") if name not in header]:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    at = [header.index(name) for name in ("Rank", "Precision", "Recall")]
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        try:
            rows.append([float(cells[i]) for i in at])
        except (ValueError, IndexError):
            raise InputError(f"{path}: line {number}: numbers were expected in Rank, Precision and Recall") from None
    if not rows:
        raise InputError(f"{path}: no classes: the vocabulary is empty")
    ranks, precision, recall = np.array(rows).T
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
