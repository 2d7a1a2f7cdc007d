"""Encoders behind a server that speaks OpenAI's interface (/v1/embeddings): vLLM, TEI, llama.cpp, Ollama, ..."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clirbench.checks import whole_number
from clirbench.errors import ConfigError
from clirbench.labs.models.server import Ask, Server
from clirbench.types import Floats


@dataclass(frozen=True)
class OpenAIEncoder:
    """What a server's model makes of texts, `batch_size` texts in a request.

    `model`: the server's name of it. `version` is any text: change it when the server's model changed, to encode again.
    `url`, `key`, `concurrency`, `timeout`, `retries`: as in `Server`.

    Raises `ConfigError` for settings that make no sense, `ResourceError` where the server fails.

    **Source:** OpenAI API reference, "Create embeddings".
    """

    releases_gil: ClassVar[bool] = True

    url: str | None = field(default=None, compare=False)
    model: str = ""
    version: str = ""
    batch_size: int = 32
    key: str = field(default="", compare=False)
    concurrency: int = field(default=8, compare=False)
    timeout: float = field(default=120.0, compare=False)
    retries: int = field(default=5, compare=False)

    def __post_init__(self) -> None:
        if not self.url or not self.model:
            raise ConfigError("retrieval.encoder: url and model of the server were expected")
        whole_number("retrieval.encoder.batch_size", self.batch_size)
        _ = self._server

    @property
    def _server(self) -> Server:
        return Server(str(self.url), self.key, self.concurrency, self.timeout, self.retries)

    @property
    def signature(self) -> str:
        return f"openai|model:{self.model}|batch:{self.batch_size}|v:{self.version or '-'}"

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) float32."""

        def work(ask: Ask, some: Sequence[str]) -> Floats:
            return ask("/embeddings", {"model": self.model, "input": some}, lambda said: _rows(said, len(some)))

        batches = [list(texts[at : at + self.batch_size]) for at in range(0, len(texts), self.batch_size)]
        parts = self._server.each(work, batches)
        return np.concatenate(parts) if parts else np.empty((0, 1), dtype=np.float32)


def _rows(said: Any, n: int) -> Floats:
    """The vectors of an answer, in the order of the texts; raises ValueError and the like where it is none."""
    vectors = {int(one["index"]): one["embedding"] for one in said["data"]}
    found = np.array([vectors[at] for at in range(n)], dtype=np.float32)
    if found.ndim != 2 or len(vectors) != n or not np.isfinite(found).all():
        raise ValueError("a vector of finite numbers for each text")
    return found
