"""How unbalanced the classes of a vocabulary are: divergence D, frequency at a rank, mean sequence length.

Vocabularies come from files of class frequencies, or are counted in a text: its words, its characters, and subwords
that byte-pair encoding learns from it.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np

from clirbench.errors import ConfigError, InputError, ResourceError, UnknownName
from clirbench.text import TextFile
from clirbench.types import Doubles

LEARNERS = ("sentencepiece", "tokenizers")
KINDS = ("bpe", "unigram", "char")
END = "</s>"
SPACE = "▁"


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


def divergence_published(classes: Classes) -> float:
    """D as its published values were computed: every class that never occurs adds 1 / (2 K).

    The sum runs over all class ids, 1/K is still that of the K classes that occur. Equal to `divergence` where all
    classes occur. **Source:** the figures behind Gowda 2020; the formula printed there does not give them.
    """
    used = classes.used
    return divergence(classes) + (len(classes.frequencies) - len(used)) / len(used) / 2


def frequency_at(classes: Classes, percent: float = 95.0) -> float:
    """F_P%: the least frequency among the most frequent P % of the classes that occur.

    The one at index min(m - 1, floor(P / 100 * m)) of the m frequencies sorted falling. Raises `ConfigError` for a
    percentage outside (0, 100]. **Source:** Gowda 2020, section 2.1.
    """
    if not 0 < percent <= 100:
        raise ConfigError(f"percent={percent}: above 0, at most 100")
    used = classes.used
    return float(used[min(len(used) - 1, int(percent * len(used) / 100))])


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


Rows = Mapping[tuple[str, str], Mapping[str, str]]
"""(group, vocabulary) -> the figures of the vocabulary: `F95`, `used` (classes that occur), scores."""


@dataclass(frozen=True)
class Recommendation:
    """Of one group, the vocabulary that the rule of thumb takes (or `none`), and the one with the best score."""

    group: str
    taken: str
    value: float
    best: str
    best_value: float
    difference: float


def recommendations(rows: Rows, floor: float, score: str) -> list[Recommendation]:
    """For each group with scores the largest vocabulary with F95 >= floor, and the best one; more is better."""
    found = []
    for group in dict.fromkeys(group for group, _ in rows):
        inside = {name: row for (here, name), row in rows.items() if here == group}
        scored = {name: float(row[score]) for name, row in inside.items() if row[score]}
        if not scored:
            continue
        best = max(scored, key=lambda name: scored[name])
        enough = [name for name, row in inside.items() if float(row["F95"]) >= floor]
        taken = max(enough, key=lambda name: float(inside[name]["used"]), default="none")
        value = scored.get(taken, nan)
        found.append(Recommendation(group, taken, value, best, scored[best], scored[best] - value))
    return found


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


def subword_model(lines: Sequence[str], size: int, kind: str = "bpe", coverage: float = 1.0) -> bytes:
    """A SentencePiece model learned from the lines, the same bytes each time; unknown is 0, the end of a line 1.

    `kind`: one of `KINDS`; of `char` the text gives the `size`. `coverage`: of the text's characters, the most frequent
    ones up to this share, .98 to 1, are known, others are `<unk>`. Raises `ResourceError` without the package,
    `ConfigError` for a size that the text cannot give.
    """
    try:
        import sentencepiece
    except ImportError:
        raise ResourceError("learner=sentencepiece needs a package: pip install 'clirbench[subwords]'") from None
    model = io.BytesIO()
    many = size if kind != "char" else 1 << 20
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(line for line in lines if line.strip()), model_writer=model, model_type=kind,
            character_coverage=coverage, num_threads=1, bos_id=-1, eos_id=1, unk_id=0, minloglevel=2,
            max_sentence_length=1 << 20, vocab_size=many, hard_vocab_limit=kind != "char",
            use_all_vocab=kind == "char" and coverage == 1,
        )  # fmt: skip
    except RuntimeError as error:
        raise ConfigError(f"{size} subwords cannot be learned from {len(lines)} lines: {error}") from None
    return model.getvalue()


def piece_counts(model: bytes, lines: Sequence[str]) -> Mapping[str, int]:
    """How often a SentencePiece model writes each of its pieces in the lines, `</s>` behind each."""
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_proto=model)
    counts = np.zeros(processor.get_piece_size(), np.int64)
    for ids in processor.encode(list(lines), out_type=int, add_eos=True):
        np.add.at(counts, ids, 1)
    return {processor.id_to_piece(number): int(count) for number, count in enumerate(counts)}


def _tokenizers(lines: Sequence[str], size: int) -> Doubles:
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    except ImportError:
        raise ResourceError("learner=tokenizers needs a package: pip install 'clirbench[subwords]'") from None
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
