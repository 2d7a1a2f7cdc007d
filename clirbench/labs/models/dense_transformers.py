"""Encoders that are neural networks: folders of transformers or sentence-transformers on this machine."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from clirbench.checks import one_of, version_of, whole_number
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.content import content_fingerprint
from clirbench.labs.models.libraries import (
    DEVICES,
    DTYPES,
    by_length,
    check_folder,
    device_of,
    pretrained,
)
from clirbench.types import Floats

LIMIT = "retrieval.encoder.max_tokens"
POOLINGS = ("auto", "mean", "cls", "last")
MODE = "pooling_mode_"
OF_SENTENCE_TRANSFORMERS = {"mean_tokens": "mean", "cls_token": "cls", "lasttoken": "last"}
_ONE = threading.Lock()  # a network is used by one thread at a time: it takes all cores, or the GPU, by itself


@dataclass(frozen=True)
class Transformers:
    """A network's last layer, pooled over a text's tokens: BERT and its kin, E5, BGE, GTE, LaBSE, encoders of T5, ...

    `folder`: what save_pretrained of either library wrote (config.json, *.safetensors, a tokenizer). `pooling`: mean of
    the tokens, the first one (cls) or the last; auto: what sentence-transformers' files say, else mean. `max_tokens`: a
    longer text is cut there. `batch_size`: texts of like length at a time. `device`: auto takes a GPU when there is
    one. `dtype`: float32, float16, bfloat16. Nothing is downloaded, no code of the folder is run.

    Raises `ConfigError` for settings that make no sense, `ResourceError` for what is missing or cannot be loaded.

    **Source:** N. Reimers, I. Gurevych (2019), Sentence-BERT, section 3 (mean and CLS pooling).
    """

    alone: ClassVar[bool] = True

    folder: str | None = field(default=None, compare=False)  # the signature names its content
    pooling: str = "auto"
    max_tokens: int = 512
    batch_size: int = 32
    device: str = field(default="auto", compare=False)
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if not self.folder:
            raise ConfigError("retrieval.encoder.folder: the folder of a model on this machine was expected")
        one_of("retrieval.encoder.pooling", self.pooling, POOLINGS)
        one_of("retrieval.encoder.device", self.device, DEVICES)
        one_of("retrieval.encoder.dtype", self.dtype, DTYPES)
        whole_number("retrieval.encoder.max_tokens", self.max_tokens)
        whole_number("retrieval.encoder.batch_size", self.batch_size)

    @property
    def signature(self) -> str:
        folder = Path(str(self.folder))
        check_folder("retrieval.encoder.folder", folder)
        return (
            f"transformers|w:{content_fingerprint(folder)[:16]}|pooling:{self._pooling()}|tokens:{self.max_tokens}"
            f"|batch:{self.batch_size}|dtype:{self.dtype}|v:{version_of('transformers')}"
        )

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) float32."""
        folder = Path(str(self.folder))
        with _ONE:
            tokenizer, network = _loaded(folder, content_fingerprint(folder), self.dtype, device_of(self.device))
            rows: list[Floats] = by_length(
                texts, self.batch_size, folder, LIMIT, lambda some: list(self._vectors(some, tokenizer, network))
            )
        return np.stack(rows) if rows else np.empty((0, 1), dtype=np.float32)

    def _vectors(self, texts: Sequence[str], tokenizer: Any, network: Any) -> Floats:
        import torch

        options = {"return_tensors": "pt", "padding": True, "truncation": True, "max_length": self.max_tokens}
        # Places are counted from the left: padding there would move a text's tokens.
        given = tokenizer(list(texts), padding_side="right", **options).to(network.device)
        mask = given["attention_mask"]
        with torch.inference_mode():
            states = network(input_ids=given["input_ids"], attention_mask=mask).last_hidden_state.float()
        if (pooling := self._pooling()) == "mean":
            found = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        else:
            place = mask.sum(1).clamp(min=1) - 1 if pooling == "last" else 0
            found = states[torch.arange(len(texts)), place]
        rows: Floats = found.cpu().numpy()
        return rows

    def _pooling(self) -> str:
        """How tokens are pooled; raises `ResourceError` where sentence-transformers' files ask for more than that."""
        folder = Path(str(self.folder))
        modules = _json(folder / "modules.json") or []
        kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
        if strange := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
            raise ResourceError(f"{folder}: modules.json asks for {', '.join(strange)}, which is not computed here")
        if self.pooling != "auto":
            return self.pooling
        asked = _json(folder / "1_Pooling" / "config.json") or {"pooling_mode_mean_tokens": True}
        modes = [name.removeprefix(MODE) for name, on in asked.items() if name.startswith(MODE) and on]
        if len(modes) != 1 or modes[0] not in OF_SENTENCE_TRANSFORMERS:
            raise ResourceError(f"{folder}: its pooling ({', '.join(modes)}) is not computed here; choose pooling=mean")
        return OF_SENTENCE_TRANSFORMERS[modes[0]]


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path}: cannot be read ({type(error).__name__})") from None


@lru_cache(maxsize=1)
def _loaded(folder: Path, content: str, dtype: str, device: str) -> tuple[Any, Any]:
    tokenizer, network = pretrained(("AutoModel", "AutoModel"), folder, None, dtype)
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer, network.to(device).eval()
