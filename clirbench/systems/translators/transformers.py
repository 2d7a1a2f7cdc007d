"""`systems/translator=transformers`: sequence-to-sequence models of the transformers library, from local folders."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.checks import one_of, require, whole_number
from clirbench.errors import ConfigError, ResourceError
from clirbench.systems.translators.base import Translate
from clirbench.systems.translators.content import model_fingerprint
from clirbench.systems.translators.libraries import version_of

# What the library raises for a folder it cannot make sense of, and while it computes.
LOADING = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError)
RUNNING = (RuntimeError, ValueError, IndexError)
DEVICES = ("auto", "cpu", "cuda")
DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class TransformersTranslator:
    """An encoder-decoder model (Marian, T5, M2M, NLLB, BART, ...) saved with save_pretrained; nothing is downloaded.

    The folder holds config.json and *.safetensors (pickled weights are refused), and the tokenizer unless `tokenizer`
    names another folder. `beam`: hypotheses kept, 1 is greedy. `batch_size`: lines a batch; lines of like length are
    put together. `max_source_tokens`: a longer line is cut there; `max_new_tokens`: an output ends there. `prefix` is
    put before each line (T5). `source_language`, `target_language`: codes of a multilingual model's tokenizer (NLLB,
    M2M). `device`: auto takes a GPU when there is one. `dtype`: float32, float16, bfloat16.

    **Raises** `ConfigError` for a setting that makes no sense; `check` and loading: `ResourceError` for a library or
    a part of the model that is not there; translating: `ResourceError`, for example where memory runs out.
    """

    beam: int = 1
    batch_size: int = 32
    max_source_tokens: int = 512
    max_new_tokens: int = 256
    prefix: str = ""
    source_language: str = ""
    target_language: str = ""
    tokenizer: str | None = None
    device: str = "auto"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name in ("beam", "batch_size", "max_source_tokens", "max_new_tokens"):
            whole_number(name, getattr(self, name))
        one_of("device", self.device, DEVICES)
        one_of("dtype", self.dtype, DTYPES)

    @property
    def signature(self) -> str:
        languages = f"|lang:{self.source_language}>{self.target_language}" if self.target_language else ""
        prefix = f"|prefix:{self.prefix}" if self.prefix else ""
        return (
            f"transformers|beam:{self.beam}|batch:{self.batch_size}|src:{self.max_source_tokens}"
            f"|new:{self.max_new_tokens}|dtype:{self.dtype}{languages}{prefix}|v:{version_of('transformers')}"
        )

    def check(self, model: Path | None) -> None:
        require("translator=transformers", "transformers", "torch", "transformers")
        folder = needed(model)
        if not (folder / "config.json").is_file():
            raise ResourceError(f"{folder}: no config.json; a folder written by save_pretrained was expected")
        if not any(folder.glob("*.safetensors")):
            pickled = any(folder.glob("pytorch_model*.bin"))
            hint = "; its weights are pickled, which is never loaded: save it again with save_pretrained"
            raise ResourceError(f"{folder}: no *.safetensors{hint if pickled else ''}")
        if self.tokenizer is not None and not Path(self.tokenizer).is_dir():
            raise ResourceError(f"tokenizer={self.tokenizer}: no such folder")

    def fingerprint(self, model: Path | None) -> str:
        return model_fingerprint(needed(model), self.tokenizer)

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        self.check(model)
        import torch

        device = "cuda" if self.device != "cpu" and torch.cuda.is_available() else "cpu"
        if self.device == "cuda" and device == "cpu":
            raise ResourceError("device=cuda: torch sees no GPU; device=auto takes the CPU then")
        folder = needed(model)
        tokenizer, network = self._load(folder)
        network.to(device).eval()

        def translate(lines: Sequence[str]) -> list[str]:
            order = sorted(range(len(lines)), key=lambda i: -len(lines[i]))
            written = [""] * len(lines)
            for start in range(0, len(order), self.batch_size):
                batch = order[start : start + self.batch_size]
                try:
                    outputs = self._batch([self.prefix + lines[i] for i in batch], tokenizer, network)
                except RUNNING as error:
                    hint = "a smaller batch_size needs less memory"
                    raise ResourceError(f"{folder}: {_first_line(error)}; {hint}") from error
                for i, output in zip(batch, outputs, strict=True):
                    written[i] = output
            return written

        try:
            yield translate
        finally:
            if device == "cuda":
                network.to("cpu")
                torch.cuda.empty_cache()

    def _load(self, folder: Path) -> tuple[Any, Any]:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
        from transformers.utils import logging

        terminal: Any = logging  # its bars and notes would stand between ours
        terminal.set_verbosity_error()
        terminal.disable_progress_bar()
        local = {"local_files_only": True, "trust_remote_code": False}
        codes = {"src_lang": self.source_language} if self.source_language else {}
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.tokenizer or str(folder), **local, **codes)
            network = AutoModelForSeq2SeqLM.from_pretrained(
                str(folder), use_safetensors=True, dtype=getattr(torch, self.dtype), **local
            )
        except (*LOADING, SafetensorError) as error:
            raise ResourceError(f"{folder}: transformers cannot load it ({_first_line(error)})") from error
        return tokenizer, network

    def _batch(self, lines: Sequence[str], tokenizer: Any, network: Any) -> list[str]:
        import torch

        given = tokenizer(
            list(lines), return_tensors="pt", padding=True, truncation=True, max_length=self.max_source_tokens
        ).to(network.device)
        forced = {}
        if self.target_language:
            code = tokenizer.convert_tokens_to_ids(self.target_language)
            if code is None or code == tokenizer.unk_token_id:
                raise ResourceError(f"target_language={self.target_language}: the tokenizer does not know it")
            forced = {"forced_bos_token_id": code}
        with torch.inference_mode():
            outputs = network.generate(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                num_beams=self.beam,
                do_sample=False,
                max_new_tokens=self.max_new_tokens,
                **forced,
            )
        return [str(text) for text in tokenizer.batch_decode(outputs, skip_special_tokens=True)]


def needed(model: Path | None) -> Path:
    """The folder of a model; raises `ConfigError` for none, `ResourceError` for a path that is no folder."""
    if model is None:
        raise ConfigError("a model is needed: systems.model='/exp/ckpt_%step%'")
    if not model.is_dir():
        raise ResourceError(f"{model}: no such folder; a model's folder on this machine was expected")
    return model


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
