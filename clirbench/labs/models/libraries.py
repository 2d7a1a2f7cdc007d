"""What those that run local models share: versions, folders, devices, loading by transformers, batches by length."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from clirbench.checks import require
from clirbench.errors import ConfigError, ResourceError

# What the library raises for a folder it cannot make sense of, and while it computes.
LOADING = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError)
RUNNING = (RuntimeError, ValueError, IndexError, MemoryError)
NO_MEMORY = ("out of memory", "allocate memory", "alloc_failed", "memoryerror")
DEVICES = ("auto", "cpu", "cuda")
DTYPES = ("float32", "float16", "bfloat16")

Result = TypeVar("Result")


def model_folder(model: Path | None) -> Path:
    """The folder of a model; raises `ConfigError` for none, `ResourceError` for a path that is no folder."""
    if model is None:
        raise ConfigError("a model is needed: systems.model='/exp/ckpt_%step%'")
    if not model.is_dir():
        raise ResourceError(f"{model}: no such folder; a model's folder on this machine was expected")
    return model


def check_folder(key: str, model: Path | None, tokenizer: str | None = None) -> None:
    """Raise `ResourceError` unless transformers is there and can find its files in a folder."""
    require(key, "transformers", "torch", "transformers")
    folder = model_folder(model)
    if not (folder / "config.json").is_file():
        raise ResourceError(f"{folder}: no config.json; a folder written by save_pretrained was expected")
    if not any(folder.glob("*.safetensors")):
        pickled = any(folder.glob("pytorch_model*.bin"))
        hint = "; its weights are pickled, which is never loaded: save it again with save_pretrained"
        raise ResourceError(f"{folder}: no *.safetensors{hint if pickled else ''}")
    if tokenizer is not None and not Path(tokenizer).is_dir():
        raise ResourceError(f"tokenizer={tokenizer}: no such folder")


def positions(model: Path) -> int:
    """How many tokens a text of this model may have, as far as its config.json tells."""
    try:
        most = json.loads((model / "config.json").read_text(encoding="utf-8")).get("max_position_embeddings")
    except (OSError, ValueError, AttributeError):
        return sys.maxsize
    return most if type(most) is int and most > 0 else sys.maxsize


def device_of(wanted: str) -> str:
    """`cuda` or `cpu`; raises `ResourceError` where a GPU is wanted and there is none."""
    import torch

    device = "cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and device == "cpu":
        raise ResourceError("device=cuda: torch sees no GPU; device=auto takes the CPU then")
    return device


def pretrained(
    kinds: tuple[str, str], folder: Path, tokenizer: str | None, dtype: str, codes: Mapping[str, str] | None = None
) -> tuple[Any, Any]:
    """(tokenizer, network) of a folder, the network by an `Auto` class of transformers: the first of `kinds` for an
    encoder-decoder, else the second. Nothing is downloaded, no code of the folder is run. Raises `ResourceError`."""
    import torch
    import transformers
    from safetensors import SafetensorError
    from transformers.utils import logging

    terminal: Any = logging  # its bars and notes would stand between ours
    terminal.set_verbosity_error()
    terminal.disable_progress_bar()
    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(str(folder), **local)
        pieces = transformers.AutoTokenizer.from_pretrained(tokenizer or str(folder), **local, **(codes or {}))
        network = getattr(transformers, kinds[not config.is_encoder_decoder]).from_pretrained(
            str(folder), use_safetensors=True, dtype=getattr(torch, dtype), **local
        )
    except (*LOADING, SafetensorError) as error:
        raise ResourceError(f"{folder}: transformers cannot load it ({_first_line(error)})") from error
    return pieces, network


def by_length(
    lines: Sequence[str], batch_size: int, folder: Path, limits: str, work: Callable[[Sequence[str]], Sequence[Result]]
) -> list[Result]:
    """`work` of batches of lines of like length, a result for each line, in the order of the lines.

    `limits` are the keys that bound the tokens of a text. Raises `ResourceError`, for example where memory runs out.
    """
    order = sorted(range(len(lines)), key=lambda i: -len(lines[i]))
    found: dict[int, Result] = {}
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        try:
            found.update(zip(batch, work([lines[i] for i in batch]), strict=True))
        except RUNNING as error:
            raise ResourceError(f"{folder}: {_first_line(error)}{_cure(error, folder, limits)}") from error
    return [found[i] for i in range(len(lines))]


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def _cure(error: Exception, folder: Path, limits: str) -> str:
    """What helps against an error of a model that computes; nothing where clirbench does not know."""
    if any(words in _first_line(error).lower() for words in NO_MEMORY):
        return "; a smaller batch_size needs less memory"
    if not isinstance(error, IndexError):
        return ""
    most = positions(folder)
    bound = f" (its config.json: {most})" if most < sys.maxsize else ""
    return (
        f"; a token or a position is unknown to the model: take the tokenizer that it was trained with, "
        f"or lower {limits} to its positions{bound}"
    )
