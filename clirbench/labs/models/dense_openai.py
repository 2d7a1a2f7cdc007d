"""Encoders behind a server that speaks OpenAI's interface (/v1/embeddings): vLLM, TEI, llama.cpp, Ollama, ..."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clirbench.checks import whole_number
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.server import Ask, Server
from clirbench.types import Floats

PROBE = "In 1997 the Commission's 25 members (see http://example.org) voted: Wie geht es? Привет, мир! 你好，世界。"
"""What is encoded with the first texts, and again with later ones; many scripts, so that tokenizers differ in it."""
NOISE = 1e-3
"""1 - cosine of two vectors of one text by one model is less. A server sums in the order that a batch gives: over 24
layers in bfloat16 that moves it by up to 3e-4 (simulated, large weights), rounding alone by 6e-4; float16 by 1e-5.
Other models differ by .01 (the same one in 4 bits) to 1."""


@dataclass(frozen=True)
class OpenAIEncoder:
    """What a server's model makes of texts, `batch_size` texts in a request.

    `model`: the server's name of it. `version` is any text: change it when the server's model changed, to encode again.
    `url`, `alias`, `key`, `concurrency`, `timeout`, `retries`: as in `Server`.

    Raises `ConfigError` for settings that make no sense, `ResourceError` where the server fails or has another model.

    **Source:** OpenAI API reference, "Create embeddings".
    """

    alone: ClassVar[bool] = True
    works_elsewhere: ClassVar[bool] = True

    url: str | None = field(default=None, compare=False)
    model: str = ""
    version: str = ""
    batch_size: int = 32
    key: str = field(default="", compare=False)
    concurrency: int = field(default=8, compare=False)
    timeout: float = field(default=120.0, compare=False)
    retries: int = field(default=5, compare=False)
    alias: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.url or not self.model:
            raise ConfigError("retrieval.encoder: url and model of the server were expected")
        whole_number("retrieval.encoder.batch_size", self.batch_size)
        _ = self._server

    @property
    def _server(self) -> Server:
        return Server(str(self.url), self.key, self.concurrency, self.timeout, self.retries, self.alias)

    @property
    def signature(self) -> str:
        return (
            f"openai|server:{self._server.identity}|model:{self.model}|batch:{self.batch_size}|v:{self.version or '-'}"
        )

    def probe(self) -> Floats:
        """(dimensions,) the vector that the server gives for `PROBE` now."""
        vector: Floats = self.encode([PROBE])[0]
        return vector

    def check_probe(self, kept: Floats) -> None:
        """Raise `ResourceError` unless the server gives the vector of `PROBE` that was kept with earlier vectors."""
        given = self.probe()
        if len(given) != len(kept):
            differs = f"{len(given)} dimensions, {len(kept)} were kept"
        elif (distance := _distance(given, kept)) > NOISE:
            differs = f"1 - cosine is {distance:.2g}, more than {NOISE:g}"
        else:
            return
        raise ResourceError(
            f"{self.url}: model {self.model} gives another vector for a probe text than when vectors were kept "
            f"({differs}), so they cannot be compared; did the server change its model? Start the earlier one, or "
            "encode all texts again: retrieval.encoder.version=TEXT, any new text"
        )

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) float32."""

        def work(ask: Ask, some: Sequence[str]) -> Floats:
            return ask("/embeddings", {"model": self.model, "input": some}, lambda said: _rows(said, len(some)))

        batches = [list(texts[at : at + self.batch_size]) for at in range(0, len(texts), self.batch_size)]
        parts = self._server.each(work, batches)
        if len(lengths := list(dict.fromkeys(part.shape[1] for part in parts))) > 1:
            raise ResourceError(
                f"{self.url}: model {self.model} gives vectors of {lengths[0]} dimensions for some texts and of "
                f"{lengths[1]} for others, which cannot be compared"
            )
        return np.concatenate(parts) if parts else np.empty((0, 1), dtype=np.float32)


def _distance(one: Floats, other: Floats) -> float:
    """1 - the cosine of two vectors; 0.5 where one of them alone is 0, 0 where both are."""
    lengths = [np.linalg.norm(vector) or 1.0 for vector in (one, other)]
    return float(np.sum((one / lengths[0] - other / lengths[1]).astype(np.float64) ** 2) / 2)


def _rows(said: Any, n: int) -> Floats:
    """The vectors of an answer, in the order of the texts; raises ValueError and the like where it is none."""
    vectors = {one["index"]: one["embedding"] for one in said["data"]}
    if any(type(value) not in (int, float) for vector in vectors.values() for value in vector):
        raise ValueError("numbers")
    with np.errstate(over="ignore"):  # what is beyond a float32 is not finite, which is refused below
        found = np.array([vectors[at] for at in range(n)], dtype=np.float32)
    if found.ndim != 2 or len(vectors) != n or not np.isfinite(found).all():
        raise ValueError("a vector of finite numbers for each text")
    return found
