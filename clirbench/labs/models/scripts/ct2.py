"""Translations by a model converted for CTranslate2: a folder with model.bin, config.json, vocabularies.

The tokenizer is in the model's folder or in that of `tokenizer`: SentencePiece models (source.spm and target.spm, or
one for both) or a tokenizer of transformers. `beam`: hypotheses kept, 1 is greedy. `batch_size`: lines a batch.
`max_source_tokens`: a longer line is split at ends of sentences, a longer sentence is cut; `max_new_tokens`: an output
ends there. Both are at most the `max_position_embeddings` of the model's config.json, where it has that.
`source_prefix`, `source_suffix`, `target_prefix`: pieces put around each line (language codes; that of the target is
taken off the output again). `source_suffix` null: the end-of-line piece where the tokenizer is Marian's (source.spm)
and the model's config.json does not have it added, else nothing. `device`: auto takes a GPU when there is one.
`compute_type`: `default` is what the model was saved with. `threads`: of one batch, 0 = the library decides.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clirbench.corpora.sentences import split_line
from clirbench.labs.models.scripts.lines import HINT, ScriptError, Work, folder, main, need, positions, released, whole

SOURCE_NAMES = ("source.spm", "sentencepiece.bpe.model", "sentencepiece.model", "spm.model", "spiece.model")
TARGET_NAMES = ("target.spm", *SOURCE_NAMES[1:])


def about(settings: dict[str, Any]) -> str:
    """The library; fails for what is missing or makes no sense."""
    whole(settings, beam=1, batch_size=1, max_source_tokens=1, max_new_tokens=1, threads=0)
    need("ctranslate2", "ctranslate2")
    model = folder(settings, "model")
    if not (model / "model.bin").is_file():
        raise ScriptError(f"{model}: no model.bin; a folder written by a converter of CTranslate2 was expected")
    place, kind = Path(settings["tokenizer"] or model), tokenizer_kind(settings)
    if kind == "sentencepiece":
        need("ctranslate2", "sentencepiece")
        for names in (SOURCE_NAMES, TARGET_NAMES):
            if not any((place / name).is_file() for name in names):
                raise ScriptError(f"{place}: has none of {', '.join(names)}")
    if kind == "transformers":
        need("transformers", "transformers")
    return f"ct2 1 {released('ctranslate2')}"


def tokenizer_kind(settings: dict[str, Any]) -> str:
    """The kind of tokenizer, by the files of its folder; fails where there is none of a known kind."""
    place = Path(settings["tokenizer"] or settings["model"])
    if (place / "tokenizer_config.json").is_file() or (place / "tokenizer.json").is_file():
        return "transformers"
    if any((place / name).is_file() for name in SOURCE_NAMES):
        return "sentencepiece"
    raise ScriptError(
        f"{place}: no tokenizer: neither tokenizer_config.json nor one of {', '.join(SOURCE_NAMES)}; copy it there, "
        "or name its folder (tokenizer)"
    )


def tokenizer_of(settings: dict[str, Any]) -> tuple[Callable[[str], list[str]], Callable[[Sequence[str]], str]]:
    """A line to pieces, and back."""
    place, kind = Path(settings["tokenizer"] or settings["model"]), tokenizer_kind(settings)
    try:
        if kind == "sentencepiece":
            from sentencepiece import SentencePieceProcessor

            files = [next(place / n for n in names if (place / n).is_file()) for names in (SOURCE_NAMES, TARGET_NAMES)]
            source, target = (SentencePieceProcessor(model_file=str(file)) for file in files)
            return lambda line: source.encode(line, out_type=str), lambda pieces: str(target.decode(list(pieces)))
        from transformers import AutoTokenizer

        known = AutoTokenizer.from_pretrained(str(place), local_files_only=True, trust_remote_code=False)
        ids = known.convert_tokens_to_ids
        return (
            lambda line: list(known.convert_ids_to_tokens(known.encode(line))),
            lambda pieces: str(known.decode(ids(list(pieces)), skip_special_tokens=True)),
        )
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError) as error:
        raise ScriptError(f"{place}: its tokenizer cannot be loaded ({type(error).__name__}: {error})") from None


def suffix_of(settings: dict[str, Any]) -> list[str]:
    """Marian's models are trained with an end-of-line piece, which SentencePiece itself does not add."""
    if settings["source_suffix"] is not None:
        return list(settings["source_suffix"])
    model = Path(settings["model"])
    of_marian = Path(settings["tokenizer"] or model) / "source.spm"
    if tokenizer_kind(settings) != "sentencepiece" or not of_marian.is_file():
        return []
    try:
        held = json.loads((model / "config.json").read_text(encoding="utf-8"))
        return [] if held["add_source_eos"] else [str(held["eos_token"])]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ScriptError(
            f"{model}/config.json: does not say whether an end-of-line piece is added to each source line "
            f"({type(error).__name__}: {error}); set source_suffix, [] for none"
        ) from None


def work(settings: dict[str, Any]) -> Work:
    """The tokenizer and the model, loaded."""
    import ctranslate2

    about(settings)
    model, (split, join), suffix = settings["model"], tokenizer_of(settings), suffix_of(settings)
    before, target, most = list(settings["source_prefix"]), list(settings["target_prefix"]), positions(Path(model))
    limit, new = min(settings["max_source_tokens"], most), min(settings["max_new_tokens"], max(1, most - 1))
    room = limit - len(before) - len(suffix)
    options = {"device": settings["device"], "compute_type": settings["compute_type"]}
    try:
        engine = ctranslate2.Translator(str(model), intra_threads=settings["threads"], **options)
    except (RuntimeError, ValueError) as error:
        raise ScriptError(f"{model}: CTranslate2 cannot load it ({error})") from None

    def translate(lines: Sequence[str]) -> list[str]:
        parts = [split_line(line, lambda text: len(split(text)) <= room) or [""] for line in lines]
        given = [[*before, *split(part), *suffix] for of_line in parts for part in of_line]
        try:
            results = engine.translate_batch(
                given, target_prefix=[target] * len(given) if target else None, beam_size=settings["beam"],
                max_batch_size=settings["batch_size"], max_input_length=limit, max_decoding_length=new,
            )  # fmt: skip
        except (RuntimeError, ValueError) as error:
            raise ScriptError(f"{model}: {error}; {HINT}") from None
        outputs = (result.hypotheses[0] for result in results)
        written = (join(out[len(target) :] if out[: len(target)] == target else out) for out in outputs)
        return [" ".join(next(written) for _ in of_line) for of_line in parts]

    return translate


if __name__ == "__main__":
    main(about, work)
