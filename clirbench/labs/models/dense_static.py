"""Static token vectors: a text is the mean of its tokens', so that a processor encodes thousands a second."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clirbench.checks import require
from clirbench.errors import ResourceError
from clirbench.labs.models.content import content_fingerprint
from clirbench.types import Floats

KINDS: dict[str, "np.dtype[Any]"] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}
AT_ONCE = 4096  # texts


@dataclass(frozen=True)
class Static:
    """The sum of the vectors of a text's tokens (its mean, but for the length), with weights read from files.

    `folder`: one with `tokenizer.json` and one `*.safetensors` that holds a single table of tokens (tokens x
    dimensions; float16 or float32), as model2vec writes them; None: those in the wheel of the library wordllama (256
    dimensions, English), of which nothing is imported. Needs the extra `dense`; raises `ResourceError` without it or
    for files that are not such.

    **Source:** D. L. Miller, WordLlama (2024): https://github.com/dleemiller/WordLlama.
    """

    folder: str | None = field(default=None, compare=False)  # the signature names its content

    @property
    def signature(self) -> str:
        files = self._files()
        require("retrieval=dense", "dense", "tokenizers")
        content = sha256("".join(map(content_fingerprint, files)).encode()).hexdigest()[:16]
        return f"static|w:{content}|tokenizers:{version('tokenizers')}"

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) float32."""
        tokenizer, table = _loaded(*self._files())
        parts = [
            _sums(tokenizer, table, some) for some in (texts[at : at + AT_ONCE] for at in range(0, len(texts), AT_ONCE))
        ]
        return np.concatenate([np.empty((0, table.shape[1]), dtype=np.float32), *parts])

    def _files(self) -> tuple[Path, Path]:
        """(weights, tokenizer)."""
        if self.folder is not None:
            return _only(Path(self.folder), "*.safetensors"), _only(Path(self.folder), "tokenizer.json")
        require("retrieval=dense", "dense", "wordllama")
        spec = find_spec("wordllama")
        home = Path((spec.submodule_search_locations or [""])[0] if spec else "")
        return _only(home / "weights", "*.safetensors"), _only(home / "tokenizers", "*.json")


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise ResourceError(f"{folder}: {len(found)} files {pattern}; a folder of static vectors has one")
    return found[0]


@lru_cache(maxsize=2)
def _loaded(weights: Path, tokenizer: Path) -> tuple[Any, Floats]:
    require("retrieval=dense", "dense", "tokenizers")
    from tokenizers import Tokenizer

    try:
        known = Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception
        raise ResourceError(f"{tokenizer}: no tokenizer that can be read ({error})") from None
    known.no_padding()
    known.no_truncation()
    return known, table_of(weights)


def table_of(file: Path) -> Floats:
    """The one table of a safetensors file, as float32.

    **Source:** the format: 8 bytes with the length of a JSON header (name -> dtype, shape, data_offsets), then data.
    """
    try:
        with file.open("rb") as stream:
            header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
            start = stream.tell()
        tables = [one for name, one in header.items() if name != "__metadata__"]
        if len(tables) != 1 or tables[0]["dtype"] not in KINDS or len(tables[0]["shape"]) != 2:
            raise ResourceError(f"{file}: one table of tokens in float16 or float32 was expected")
        kind, shape, (begin, _) = KINDS[tables[0]["dtype"]], tables[0]["shape"], tables[0]["data_offsets"]
        held: NDArray[Any] = np.fromfile(file, dtype=kind, count=shape[0] * shape[1], offset=start + begin)
        table: Floats = held.reshape(shape).astype(np.float32)
        return table
    except (OSError, ValueError, KeyError, TypeError, AttributeError, MemoryError, OverflowError) as error:
        raise ResourceError(f"{file}: no safetensors file that can be read ({error})") from None


def _sums(tokenizer: Any, table: Floats, texts: Sequence[str]) -> Floats:
    from scipy.sparse import csr_array

    ids = [found.ids for found in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    starts = np.cumsum([0, *map(len, ids)])
    flat = np.fromiter(chain.from_iterable(ids), dtype=np.int32, count=int(starts[-1]))
    np.minimum(flat, len(table) - 1, out=flat)
    counts = csr_array((np.ones(len(flat), dtype=np.float32), flat, starts), shape=(len(ids), len(table)))
    return np.asarray(counts @ table, dtype=np.float32)
