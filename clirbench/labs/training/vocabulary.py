"""The vocabularies of a grid, learned by SentencePiece: their names, their files, and how often each class occurs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.checks import version_of
from clirbench.errors import ClirbenchError, ConfigError
from clirbench.labs.training.texts import read_pairs
from clirbench.statistics.imbalance import KINDS, divergence, frequency_at, piece_counts, read_classes, subword_model
from clirbench.store.keys import fingerprint
from clirbench.store.whole import whole_folder

NAME = re.compile(rf"({'|'.join(KINDS)})([1-9]\d*)?(-shared)?")
SOURCE, TARGET, CLASSES = "source.spm", "target.spm", "classes.tgt.txt"


def parse_vocabulary(name: str) -> tuple[str, int, bool]:
    """Kind, number of pieces and whether both languages have one, of `bpe2000`, `unigram8000-shared`, `char`.

    A character vocabulary has as many pieces as the text has characters. Raises `ConfigError` for another name.
    """
    found = NAME.fullmatch(name)
    if found is None or (found[1] == "char") != (found[2] is None):
        raise ConfigError(
            f"grid.vocabularies: {name!r}: bpe2000, unigram2000 or char was expected, with -shared behind it "
            "where both languages have one vocabulary"
        )
    return found[1], int(found[2] or 0), bool(found[3])


def vocabulary_key(name: str, texts: str, coverage: float) -> str:
    """The folder of the vocabulary of a text."""
    return fingerprint(name, texts, coverage, version_of("sentencepiece"))[:16]


@dataclass(frozen=True)
class Learn:
    """Step: learn a vocabulary, (name, key of the text), in a grid's folder; gives why it cannot be, or nothing.

    `coverage`: the share of the characters that get classes (see `subword_model`).
    """

    folder: str
    languages: tuple[str, str]
    coverage: float

    def __call__(self, item: tuple[str, str]) -> str:
        (kind, size, shared), known = parse_vocabulary(item[0]), self.coverage
        home = Path(self.folder, "vocabularies", vocabulary_key(*item, known))
        try:
            if not home.is_dir():
                source, target = read_pairs(Path(self.folder, "texts", item[1]), "train", self.languages)
                of_target = subword_model([*source, *target] if shared else target, size, kind, known)
                of_source = of_target if shared else subword_model(source, size, kind, known)
                with whole_folder(home) as unfinished:
                    (unfinished / SOURCE).write_bytes(of_source)
                    (unfinished / TARGET).write_bytes(of_target)
                    _write_classes(unfinished / CLASSES, of_target, [line for line in target if line.strip()])
        except ClirbenchError as error:
            return str(error)
        return ""


def _write_classes(place: Path, model: bytes, lines: Sequence[str]) -> None:
    """How often each class of the target vocabulary occurs in the training text, the end of a line among them."""
    counts = enumerate(piece_counts(model, lines).items())
    rows = (f"{number}\t{piece}\t{count}\n" for number, (piece, count) in counts)
    place.write_text(f"# n_seqs: {len(lines)}\n{''.join(rows)}", encoding="utf-8")


def processor(model: Path) -> Any:
    """The pieces of a model; `</s>` ends a line, id 0 is unknown."""
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=str(model))


def imbalance(home: Path) -> tuple[str, ...]:
    """Of a vocabulary the classes that occur in the target training text, their F95 and D."""
    classes = read_classes(home / CLASSES)
    return tuple(f"{value:.6g}" for value in (len(classes.used), frequency_at(classes), divergence(classes)))
