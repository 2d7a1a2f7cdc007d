"""Tokenizers that lie beside a CTranslate2 model: SentencePiece models, those of transformers, or plain words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from clirbench.checks import require
from clirbench.corpora.alignment import first_ten
from clirbench.errors import ResourceError, UnknownName

KINDS = ("auto", "sentencepiece", "transformers", "words")
SOURCE_NAMES = ("source.spm", "sentencepiece.bpe.model", "sentencepiece.model", "spm.model", "spiece.model")
TARGET_NAMES = ("target.spm", *SOURCE_NAMES[1:])


@dataclass(frozen=True, eq=False)
class Pieces:
    """A line to pieces, and back."""

    split: Callable[[str], list[str]]
    join: Callable[[Sequence[str]], str]


def kind_of(folder: Path, kind: str) -> str:
    """The kind of tokenizer in a folder; raises `ResourceError` where there is none of a known kind."""
    if kind not in KINDS:
        raise UnknownName("tokenizer kind", kind, KINDS)
    if kind != "auto":
        return kind
    if (folder / "tokenizer_config.json").is_file() or (folder / "tokenizer.json").is_file():
        return "transformers"
    if any((folder / name).is_file() for name in SOURCE_NAMES):
        return "sentencepiece"
    raise ResourceError(
        f"{folder}: no tokenizer: neither tokenizer_config.json nor one of {first_ten(SOURCE_NAMES)}; copy it there, "
        "name its folder (tokenizer), or say tokenizer_kind=words where the text is tokenised already"
    )


def require_pieces(folder: Path, kind: str) -> None:
    """Raise `ResourceError` for a tokenizer, or the library of it, that is not there."""
    found = kind_of(folder, kind)
    if found == "sentencepiece":
        require("tokenizer_kind=sentencepiece", "ctranslate2", "sentencepiece")
        _sentencepiece_file(folder, SOURCE_NAMES)
        _sentencepiece_file(folder, TARGET_NAMES)
    if found == "transformers":
        require("tokenizer_kind=transformers", "transformers", "transformers")


def load_pieces(folder: Path, kind: str) -> Pieces:
    """Load the tokenizer of a folder; raises `ResourceError`."""
    require_pieces(folder, kind)
    found = kind_of(folder, kind)
    if found == "words":  # the model was trained on text that is tokenised already
        return Pieces(str.split, " ".join)
    try:
        if found == "sentencepiece":
            from sentencepiece import SentencePieceProcessor

            names = (_sentencepiece_file(folder, SOURCE_NAMES), _sentencepiece_file(folder, TARGET_NAMES))
            source, target = (SentencePieceProcessor(model_file=str(name)) for name in names)
            return Pieces(partial(source.encode, out_type=str), lambda pieces: str(target.decode(list(pieces))))
        from transformers import AutoTokenizer

        known = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        ids = known.convert_tokens_to_ids
        return Pieces(
            lambda line: list(known.convert_ids_to_tokens(known.encode(line))),
            lambda pieces: str(known.decode(ids(list(pieces)), skip_special_tokens=True)),
        )
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError) as error:
        raise ResourceError(f"{folder}: its tokenizer cannot be loaded ({type(error).__name__}: {error})") from error


def _sentencepiece_file(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ResourceError(f"{folder}: none of {first_ten(names)} lies there")
