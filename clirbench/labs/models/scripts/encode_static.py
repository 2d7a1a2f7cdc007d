"""Vectors of texts without a network: the sum of the vectors of a text's tokens (its mean, but for the length).

`folder`: one with `tokenizer.json` and one `*.safetensors` that holds a single table of tokens (tokens x dimensions,
float16 or float32), as model2vec writes them; null: those in the wheel of the library wordllama (256 dimensions,
English), of which nothing is imported.

**Source:** D. L. Miller, WordLlama (2024): https://github.com/dleemiller/WordLlama.
"""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from clirbench.labs.models.scripts.lines import ScriptError, Work, files, main, need, released, splitter, vectors

FILES = "*.safetensors", (("wordllama", "weights/*.safetensors"), ("wordllama", "tokenizers/*.json"))
"""Weights in a folder of one's own; and in the wheel, with the tokenizer."""


def about(settings: dict[str, Any]) -> str:
    """sha256 of weights and tokenizer, and the library of the tokenizer; fails where one is missing."""
    from clirbench.labs.models.program import content_fingerprint

    need("dense", "tokenizers", "safetensors", *(() if settings.get("folder") else ("wordllama",)))
    return " ".join([*map(content_fingerprint, files(settings, *FILES)), released("tokenizers")])


def work(settings: dict[str, Any]) -> Work:
    """The tokenizer and the table, loaded."""
    import numpy as np
    from scipy.sparse import csr_array

    weights, tokenizer = files(settings, *FILES)
    known = splitter(tokenizer)
    table = table_of(weights)

    def encode(texts: Sequence[str]) -> list[str]:
        ids = [found.ids for found in known.encode_batch_fast(list(texts), add_special_tokens=False)]
        starts = np.cumsum([0, *map(len, ids)])
        flat = np.fromiter(chain.from_iterable(ids), dtype=np.int32, count=int(starts[-1]))
        np.minimum(flat, len(table) - 1, out=flat)
        counts = csr_array((np.ones(len(flat), dtype=np.float32), flat, starts), shape=(len(ids), len(table)))
        return list(vectors(counts @ table))

    return encode


def table_of(file: Path) -> Any:
    """The one table of a safetensors file, as float32."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tables = list(load_file(file).values())
    except (OSError, ValueError, SafetensorError) as error:
        raise ScriptError(f"{file}: no safetensors file that can be read ({error})") from None
    if len(tables) != 1 or tables[0].dtype.kind != "f" or tables[0].ndim != 2:
        raise ScriptError(f"{file}: one table of tokens in float16 or float32 was expected")
    return tables[0].astype("float32")


if __name__ == "__main__":
    main(about, work)
