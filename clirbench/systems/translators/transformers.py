"""`systems/translator=transformers`: sequence-to-sequence models of the transformers library, from local folders."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.checks import one_of, whole_number
from clirbench.errors import ResourceError
from clirbench.systems.translators.base import Translate
from clirbench.systems.translators.content import model_fingerprint
from clirbench.systems.translators.libraries import (
    DEVICES,
    DTYPES,
    by_length,
    check_folder,
    device_of,
    needed,
    pretrained,
    version_of,
)


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
        check_folder("translator=transformers", needed(model), self.tokenizer)

    def fingerprint(self, model: Path | None) -> str:
        return model_fingerprint(needed(model), self.tokenizer)

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        self.check(model)
        folder = needed(model)
        device = device_of(self.device)
        codes = {"src_lang": self.source_language} if self.source_language else {}
        tokenizer, network = pretrained("AutoModelForSeq2SeqLM", folder, self.tokenizer, self.dtype, codes)
        network.to(device).eval()

        def translate(lines: Sequence[str]) -> list[str]:
            return by_length(lines, self.batch_size, folder, lambda batch: self._batch(batch, tokenizer, network))

        try:
            yield translate
        finally:
            if device == "cuda":
                import torch

                network.to("cpu")
                torch.cuda.empty_cache()

    def _batch(self, lines: Sequence[str], tokenizer: Any, network: Any) -> list[str]:
        import torch

        given = tokenizer(
            [self.prefix + line for line in lines],
            return_tensors="pt",
            padding=True,
            truncation=True,
            max_length=self.max_source_tokens,
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
