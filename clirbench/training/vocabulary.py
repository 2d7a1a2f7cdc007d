"""The vocabularies of a grid, learned by SentencePiece: their names, their files, and how often each class occurs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.errors import ClirbenchError, ConfigError
from clirbench.statistics.imbalance import KINDS, Classes, divergence, frequency_at, read_classes, subword_model
from clirbench.store.keys import fingerprint
from clirbench.store.whole import beside
from clirbench.systems.translators.libraries import version_of
from clirbench.training.texts import read_pairs

NAME = re.compile(rf"(?P<kind>{'|'.join(KINDS)})(?P<size>[1-9]\d*)?(?P<shared>-shared)?")
SOURCE, TARGET, CLASSES = "source.spm", "target.spm", "classes.tgt.txt"


@dataclass(frozen=True)
class Vocabulary:
    """`bpe2000`, `unigram8000-shared`, `char`: its kind, how many pieces, and whether both languages have one.

    A character vocabulary has as many pieces as the text has characters. Raises `ConfigError` for another name.
    """

    name: str

    def __post_init__(self) -> None:
        found = NAME.fullmatch(self.name)
        if found is None or (found["kind"] == "char") != (found["size"] is None):
            raise ConfigError(
                f"grid.vocabularies: {self.name!r}: bpe2000, unigram2000 or char was expected, with -shared behind it "
                "where both languages have one vocabulary"
            )

    def key(self, texts: str) -> str:
        return fingerprint(self.name, texts, version_of("sentencepiece"))[:16]

    def learn(self, texts: Path, languages: Sequence[str], home: Path) -> None:
        """Learn it from the training text in a folder, and keep it in another, whole or not at all.

        Raises `ConfigError` for a size that the text cannot give, `ResourceError` without sentencepiece.
        """
        found = NAME.fullmatch(self.name)
        assert found is not None
        sides = read_pairs(texts, "train", languages)
        size, kind = int(found["size"] or 0), found["kind"]
        if found["shared"]:
            models = [subword_model([*sides[0], *sides[1]], size, kind)] * 2
        else:
            models = [subword_model(side, size, kind) for side in sides]
        unfinished = beside(home)
        unfinished.mkdir(parents=True)
        for name, model in zip((SOURCE, TARGET), models, strict=True):
            (unfinished / name).write_bytes(model)
        _write_classes(unfinished, sides[1])
        unfinished.rename(home)


@dataclass(frozen=True)
class Learn:
    """Step: learn a vocabulary in a grid's folder; gives why it cannot be learned, or nothing."""

    folder: str
    languages: tuple[str, str]

    def __call__(self, item: tuple[str, str]) -> str:
        name, texts = item
        vocabulary, folder = Vocabulary(name), Path(self.folder)
        home = folder / "vocabularies" / vocabulary.key(texts)
        if not home.is_dir():
            try:
                vocabulary.learn(folder / "texts" / texts, self.languages, home)
            except ClirbenchError as error:
                return str(error)
        return ""


def _write_classes(home: Path, lines: Sequence[str]) -> None:
    """How often each class of the target vocabulary occurs in the training text, the end of a line among them."""
    pieces = processor(home / TARGET)
    counts = [0] * pieces.get_piece_size()
    kept = [line for line in lines if line.strip()]
    for ids in pieces.encode(kept, out_type=int, add_eos=True):
        for number in ids:
            counts[number] += 1
    rows = (f"{number}\t{pieces.id_to_piece(number)}\t{count}\n" for number, count in enumerate(counts))
    (home / CLASSES).write_text(f"# n_seqs: {len(kept)}\n{''.join(rows)}", encoding="utf-8")


def processor(model: Path) -> Any:
    """The pieces of a model; `</s>` ends a line, id 0 is unknown."""
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=str(model))


def imbalance(home: Path) -> dict[str, str]:
    """The columns of a vocabulary: classes that occur in the target training text, their F95 and D."""
    classes: Classes = read_classes(home / CLASSES)
    values = {"classes": len(classes.used), "F95": frequency_at(classes), "D": divergence(classes)}
    return {name: f"{value:.6g}" for name, value in values.items()}
