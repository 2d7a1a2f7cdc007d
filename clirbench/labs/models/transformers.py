"""`systems/translator=transformers`: models of the transformers library, from local folders."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from clirbench.checks import one_of, version_of, whole_number
from clirbench.errors import ResourceError
from clirbench.labs.models.content import model_fingerprint
from clirbench.labs.models.libraries import (
    DEVICES,
    DTYPES,
    by_length,
    check_folder,
    device_of,
    model_folder,
    positions,
    pretrained,
)
from clirbench.labs.models.translating.base import PROMPT, TEXT, Translate, answer_lines, check_prompt
from clirbench.labs.models.translating.translation import OfCheckpoints

LIMITS = "systems.translator.max_source_tokens and systems.translator.max_new_tokens"


@dataclass(frozen=True)
class TransformersTranslator(OfCheckpoints):
    """An encoder-decoder model (Marian, T5, M2M, NLLB, mBART, ...) or one that only decodes (Llama, Qwen, ...).

    Saved with save_pretrained; nothing is downloaded, no code of the folder is run.

    The folder holds config.json and *.safetensors (pickled weights are refused), and the tokenizer unless `tokenizer`
    names another folder. `beam`: hypotheses kept, 1 is greedy. `batch_size`: lines a batch; lines of like length are
    put together. `max_source_tokens`: a longer line is cut there; `max_new_tokens`: an output ends there; both at the
    latest where an encoder-decoder model has no more positions. `prefix` is put before each line (T5).
    `source_language`, `target_language`: codes of a multilingual model's tokenizer (`deu_Latn` for NLLB, `de` for M2M,
    `de_DE` for mBART). A model that only decodes is asked `prompt`, in which `{text}` stands for a line, through its
    tokenizer's chat template where it has one (`template`: further arguments of it); the lines of its answer are joined
    by spaces. `device`: auto takes a GPU when there is one. `dtype`: float32, float16, bfloat16.

    **Raises** `ConfigError` for a setting that makes no sense; `check` and loading: `ResourceError` for a library or
    a part of the model that is not there; translating: `ResourceError`, for example where memory runs out.
    """

    kind: ClassVar[str] = "neural"
    beam: int = 1
    batch_size: int = 32
    max_source_tokens: int = 512
    max_new_tokens: int = 256
    prefix: str = ""
    source_language: str = ""
    target_language: str = ""
    prompt: str = PROMPT
    template: Mapping[str, Any] = field(default_factory=dict, hash=False)
    tokenizer: str | None = None
    device: str = "auto"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name in ("beam", "batch_size", "max_source_tokens", "max_new_tokens"):
            whole_number(name, getattr(self, name))
        check_prompt(self.prompt)
        one_of("device", self.device, DEVICES)
        one_of("dtype", self.dtype, DTYPES)

    @property
    def signature(self) -> str:
        languages = f"|lang:{self.source_language}>{self.target_language}" if self.target_language else ""
        prefix = f"|prefix:{self.prefix}" if self.prefix else ""
        return (
            f"transformers|beam:{self.beam}|batch:{self.batch_size}|src:{self.max_source_tokens}"
            f"|new:{self.max_new_tokens}|dtype:{self.dtype}{languages}{prefix}"
            f"|chat:{json.dumps([self.prompt, dict(self.template)])}|v:{version_of('transformers')}"
        )

    def check(self, model: Path | None) -> None:
        check_folder("translator=transformers", model, self.tokenizer)

    def fingerprint(self, model: Path | None) -> str:
        return model_fingerprint(model_folder(model), self.tokenizer)

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        self.check(model)
        folder = model_folder(model)
        device = device_of(self.device)
        codes = {"src_lang": self.source_language} if self.source_language else {}
        kinds = "AutoModelForSeq2SeqLM", "AutoModelForCausalLM"
        tokenizer, network = pretrained(kinds, folder, self.tokenizer, self.dtype, codes)
        most = positions(folder)
        bounded = replace(
            self,
            max_source_tokens=min(self.max_source_tokens, most),
            max_new_tokens=min(self.max_new_tokens, max(1, most - 1)),
        )
        work = bounded._batch if network.config.is_encoder_decoder else self._chat
        network.to(device).eval()

        def translate(lines: Sequence[str]) -> list[str]:
            return by_length(lines, self.batch_size, folder, LIMITS, lambda batch: work(batch, tokenizer, network))

        try:
            yield translate
        finally:
            if device == "cuda":
                import torch

                network.to("cpu")
                torch.cuda.empty_cache()

    def _batch(self, lines: Sequence[str], tokenizer: Any, network: Any) -> list[str]:
        """What an encoder-decoder model writes."""
        options = {"padding": True, "truncation": True, "max_length": self.max_source_tokens, "return_tensors": "pt"}
        given = tokenizer([self.prefix + line for line in lines], **options)
        outputs = self._generated(given, network, **self._first_token(tokenizer))
        return [str(text) for text in tokenizer.batch_decode(outputs, skip_special_tokens=True)]

    def _chat(self, lines: Sequence[str], tokenizer: Any, network: Any) -> list[str]:
        """What a model that only decodes answers."""
        asked = [self.prompt.replace(TEXT, self._cut(self.prefix + line, tokenizer)) for line in lines]
        if tokenizer.chat_template:
            chat = {"tokenize": False, "add_generation_prompt": True, **self.template}
            asked = [tokenizer.apply_chat_template([{"role": "user", "content": text}], **chat) for text in asked]
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        options = {"padding": True, "padding_side": "left", "return_tensors": "pt"}
        given = tokenizer(asked, add_special_tokens=not tokenizer.chat_template, **options)
        outputs = self._generated(given, network, pad_token_id=tokenizer.pad_token_id)
        answers = tokenizer.batch_decode(outputs[:, given["input_ids"].shape[1] :], skip_special_tokens=True)
        return [" ".join(answer_lines(str(answer))) for answer in answers]

    def _generated(self, given: Any, network: Any, **settings: Any) -> Any:
        import torch

        given = given.to(network.device)
        with torch.inference_mode():
            return network.generate(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                num_beams=self.beam,
                do_sample=False,
                max_new_tokens=self.max_new_tokens,
                **settings,
            )

    def _first_token(self, tokenizer: Any) -> dict[str, int]:
        """How a model of many languages is told the target: mBART begins with its code, the others go on with it."""
        if not self.target_language:
            return {}
        for name in (self.target_language, f"__{self.target_language}__"):  # M2M's codes are pieces such as __en__
            code = tokenizer.convert_tokens_to_ids(name)
            if code is not None and code != tokenizer.unk_token_id:
                mbart = type(tokenizer).__name__ in ("MBartTokenizer", "MBartTokenizerFast")
                return {"decoder_start_token_id" if mbart else "forced_bos_token_id": code}
        raise ResourceError(f"target_language={self.target_language}: the tokenizer does not know it")

    def _cut(self, line: str, tokenizer: Any) -> str:
        ids = tokenizer(line, add_special_tokens=False)["input_ids"]
        return str(tokenizer.decode(ids[: self.max_source_tokens])) if len(ids) > self.max_source_tokens else line
