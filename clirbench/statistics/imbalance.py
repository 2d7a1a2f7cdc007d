"""How unbalanced the classes of a vocabulary are: divergence D, frequency at a rank. Their files; learned subwords."""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np

from clirbench.errors import ConfigError, InputError, ResourceError
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
    """F_P%: the least frequency among the most frequent P % of the classes that occur.

    The one at index min(m - 1, floor(P / 100 * m)) of the m frequencies sorted falling. Raises `ConfigError` for a
    percentage outside (0, 100]. **Source:** Gowda 2020, section 2.1.
    """
    if not 0 < percent <= 100:
        raise ConfigError(f"percent={percent}: above 0, at most 100")
    used = classes.used
    return float(used[min(len(used) - 1, int(percent * len(used) / 100))])


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


def subword_model(lines: Sequence[str], size: int) -> bytes:
    """A BPE model of SentencePiece learned from the lines, the same bytes each time; unknown is 0, the end of a line 1.

    Raises `ResourceError` without the package, `ConfigError` for a size that the text cannot give.
    """
    try:
        import sentencepiece
    except ImportError:
        raise ResourceError("learner=sentencepiece needs a package: pip install '.[subwords]'") from None
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(line for line in lines if line.strip()), model_writer=model, model_type="bpe",
            character_coverage=1.0, num_threads=1, bos_id=-1, eos_id=1, unk_id=0, minloglevel=2,
            max_sentence_length=1 << 20, vocab_size=size,
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
