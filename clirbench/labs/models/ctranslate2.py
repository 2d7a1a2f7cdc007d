"""`systems/translator=ctranslate2`: models converted for CTranslate2, from local folders."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from clirbench.checks import one_of, require, version_of, whole_number
from clirbench.corpora.sentences import split_line
from clirbench.errors import ResourceError
from clirbench.labs.models.content import model_fingerprint
from clirbench.labs.models.libraries import DEVICES, model_folder, positions
from clirbench.labs.models.pieces import KINDS, kind_of, load_pieces, require_pieces
from clirbench.labs.models.translating.base import Translate
from clirbench.labs.models.translating.translation import OfCheckpoints

COMPUTE_TYPES = (
    "default", "auto", "int8", "int8_float32", "int8_float16", "int8_bfloat16",
    "int16", "float16", "bfloat16", "float32",
)  # fmt: skip


@dataclass(frozen=True)
class CTranslate2Translator(OfCheckpoints):
    """A model folder written by one of CTranslate2's converters: model.bin, config.json, vocabularies.

    The tokenizer is in the model's folder or in that of `tokenizer`: SentencePiece models (source.spm and
    target.spm, or one for both), a tokenizer of transformers, or plain words; `tokenizer_kind` auto takes what is
    there. `beam`: hypotheses kept, 1 is greedy. `batch_size`: lines a batch. `max_source_tokens`: a longer line is
    split at ends of sentences, a longer sentence is cut; `max_new_tokens`: an output ends there. Both are at most
    the `max_position_embeddings` of the model's config.json, where it has that.
    `source_prefix`, `source_suffix`, `target_prefix`: pieces put around each line (language codes; that of the
    target is taken off the output again). `source_suffix` None: the end-of-line piece where the tokenizer is
    Marian's (source.spm) and the model's config.json does not have it added, else nothing. `device`: auto takes a
    GPU when there is one. `compute_type`: `default` is what the model was saved with. `threads`: of one batch, 0 =
    the library decides.

    **Raises** `ConfigError` for a setting that makes no sense; `check` and loading: `ResourceError` for a library or
    a part of the model that is not there; translating: `ResourceError`, for example where memory runs out.
    """

    kind: ClassVar[str] = "neural"
    beam: int = 1
    batch_size: int = 32
    max_source_tokens: int = 512
    max_new_tokens: int = 256
    source_prefix: Sequence[str] = ()
    source_suffix: Sequence[str] | None = None
    target_prefix: Sequence[str] = ()
    tokenizer: str | None = None
    tokenizer_kind: str = "auto"
    device: str = "auto"
    compute_type: str = "default"
    threads: int = 0

    def __post_init__(self) -> None:
        for name in ("beam", "batch_size", "max_source_tokens", "max_new_tokens"):
            whole_number(name, getattr(self, name))
        whole_number("threads", self.threads, least=0)
        one_of("device", self.device, DEVICES)
        one_of("compute_type", self.compute_type, COMPUTE_TYPES)
        one_of("tokenizer_kind", self.tokenizer_kind, KINDS)

    @property
    def signature(self) -> str:
        suffix = ["auto"] if self.source_suffix is None else self.source_suffix
        marks = (("pre", self.source_prefix), ("post", suffix), ("target", self.target_prefix))
        around = "".join(f"|{name}:{' '.join(pieces)}" for name, pieces in marks if pieces)
        return (
            f"ctranslate2|beam:{self.beam}|batch:{self.batch_size}|src:{self.max_source_tokens}"
            f"|new:{self.max_new_tokens}|tok:{self.tokenizer_kind}|type:{self.compute_type}{around}"
            f"|v:{version_of('ctranslate2')}"
        )

    def check(self, model: Path | None) -> None:
        require("translator=ctranslate2", "ctranslate2", "ctranslate2")
        folder = model_folder(model)
        if not (folder / "model.bin").is_file():
            raise ResourceError(f"{folder}: no model.bin; a folder written by a converter of CTranslate2 was expected")
        require_pieces(self._tokenizer_folder(folder), self.tokenizer_kind)

    def fingerprint(self, model: Path | None) -> str:
        return model_fingerprint(model_folder(model), self.tokenizer)

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        self.check(model)
        import ctranslate2

        folder = model_folder(model)
        pieces = load_pieces(self._tokenizer_folder(folder), self.tokenizer_kind)
        suffix = self._suffix(folder) if self.source_suffix is None else self.source_suffix
        most = positions(folder)
        limit, new = min(self.max_source_tokens, most), min(self.max_new_tokens, max(1, most - 1))
        room = limit - len(self.source_prefix) - len(suffix)
        try:
            engine = ctranslate2.Translator(
                str(folder), device=self.device, compute_type=self.compute_type, intra_threads=self.threads
            )
        except (RuntimeError, ValueError) as error:
            raise ResourceError(f"{folder}: CTranslate2 cannot load it ({error})") from error

        def translate(lines: Sequence[str]) -> list[str]:
            parts = [split_line(line, lambda text: len(pieces.split(text)) <= room) or [""] for line in lines]
            given = [[*self.source_prefix, *pieces.split(part), *suffix] for of_line in parts for part in of_line]
            try:
                results = self._run(engine, given, limit, new)
            except (RuntimeError, ValueError) as error:
                raise ResourceError(f"{folder}: {error}; {_cure(str(error))}") from error
            written = iter(pieces.join(self._without_prefix(result.hypotheses[0])) for result in results)
            return [" ".join(next(written) for _ in of_line) for of_line in parts]

        try:
            yield translate
        finally:
            engine.unload_model()

    def _suffix(self, model: Path) -> Sequence[str]:
        """Marian's models are trained with an end-of-line piece, which SentencePiece itself does not add."""
        tokenizer = self._tokenizer_folder(model)
        if kind_of(tokenizer, self.tokenizer_kind) != "sentencepiece" or not (tokenizer / "source.spm").is_file():
            return ()
        try:
            settings = json.loads((model / "config.json").read_text(encoding="utf-8"))
            return () if settings["add_source_eos"] else (str(settings["eos_token"]),)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResourceError(
                f"{model}/config.json: does not say whether an end-of-line piece is added to each source line "
                f"({type(error).__name__}: {error}); set source_suffix, [] for none"
            ) from None

    def _run(self, engine: Any, given: list[list[str]], limit: int, new: int) -> Any:
        target = [list(self.target_prefix)] * len(given) if self.target_prefix else None
        return engine.translate_batch(
            given,
            target_prefix=target,
            beam_size=self.beam,
            max_batch_size=self.batch_size,
            max_input_length=limit,
            max_decoding_length=new,
        )

    def _without_prefix(self, pieces: Sequence[str]) -> Sequence[str]:
        prefix = list(self.target_prefix)
        return pieces[len(prefix) :] if prefix and list(pieces[: len(prefix)]) == prefix else pieces

    def _tokenizer_folder(self, model: Path) -> Path:
        return model if self.tokenizer is None else Path(self.tokenizer)


def _cure(message: str) -> str:
    """What helps against an error of CTranslate2."""
    if known := re.search(r"No position encodings are defined for positions >= (\d+)", message):
        most = int(known[1])
        return f"set systems.translator.max_source_tokens={most} systems.translator.max_new_tokens={max(1, most - 1)}"
    return "a smaller batch_size needs less memory"
