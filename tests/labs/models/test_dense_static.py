"""Static vectors: those of the wheel, and folders that the tests write."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import ResourceError
from clirbench.labs.models.dense import Dense, Encoder
from clirbench.labs.models.dense_static import Static, table_of
from clirbench.store.keys import fingerprint


def safetensors(table: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]", kind: str) -> bytes:
    described = {"dtype": kind, "shape": list(table.shape), "data_offsets": [0, table.nbytes]}
    header = json.dumps({"__metadata__": {"format": "np"}, "embeddings": described}).encode()
    return len(header).to_bytes(8, "little") + header + table.tobytes()


def folder_of(path: Path, table: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]", kind: str = "F32") -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers

    path.mkdir(exist_ok=True)
    tokenizer = Tokenizer(
        models.WordLevel({"oil": 0, "price": 1, "pearl": 2, "[UNK]": 3, "odd": 99}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(path / "tokenizer.json"))
    (path / "model.safetensors").write_bytes(safetensors(table, kind))
    return path


TABLE = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 3], [0, 0, 0]], dtype=np.float32)


@pytest.mark.parametrize(("kind", "type_"), [("F32", np.float32), ("F16", np.float16)])
def test_a_text_is_the_sum_of_its_tokens(tmp_path: Path, kind: str, type_: type) -> None:
    made = Static(str(folder_of(tmp_path / kind, TABLE.astype(type_), kind)))
    assert isinstance(made, Encoder)
    found = made.encode(["oil price oil", "", "unknown words", "pearl", "odd"])
    assert found.tolist() == [[2, 2, 0], [0, 0, 0], [0, 0, 0], [0, 0, 3], [0, 0, 0]]
    assert made.encode([]).shape == (0, 3)


def test_a_model_is_its_content(tmp_path: Path) -> None:
    one, same, other = (
        str(folder_of(tmp_path / name, TABLE * factor)) for name, factor in zip("abc", (1, 1, 2), strict=True)
    )
    assert fingerprint(Dense(Static(one))) == fingerprint(Dense(Static(same)))
    assert fingerprint(Dense(Static(one))) != fingerprint(Dense(Static(other)))
    assert one not in Static(one).signature


def test_the_wheels_vectors_are_what_its_library_gives() -> None:
    """From `WordLlamaInference(weights, tokenizer).embed("the price of oil", norm=True)` of wordllama 0.4.0."""
    found = Static().encode(["the price of oil"])[0]
    assert found.shape == (256,)
    assert (found / np.linalg.norm(found))[:6].tolist() == pytest.approx(
        [-0.0041428, -0.1120804, 0.0209636, -0.034741, -0.0097014, 0.0579719], abs=1e-6
    )


def test_nothing_of_the_wheel_is_imported() -> None:
    source = (
        "import sys; from clirbench.labs.models.dense_static import Static; assert 'tokenizers' not in sys.modules; "
        "Static().encode(['oil']); "
        "print({'wordllama', 'torch', 'pydantic', 'requests'} & {*sys.modules})"
    )
    assert (
        subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout == "set()\n"
    )


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"0 files \*\.safetensors"):
        Static(str(tmp_path)).encode(["oil"])
    for content in (
        b"",
        b"\xff" * 8,
        b"\x02" + bytes(7) + b"[]",
        b"\x05" + bytes(7) + b"{}x",
        safetensors(TABLE[0], "F32"),
    ):
        (tmp_path / "x.safetensors").write_bytes(content)
        with pytest.raises(ResourceError, match="x.safetensors"):
            table_of(tmp_path / "x.safetensors")
    (tmp_path / "x.safetensors").write_bytes(safetensors(TABLE, "F32")[:-4])
    with pytest.raises(ResourceError, match="x.safetensors"):
        table_of(tmp_path / "x.safetensors")
    (tmp_path / "x.safetensors").write_bytes(safetensors(TABLE, "F32"))
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ResourceError, match="no tokenizer that can be read"):
        Static(str(tmp_path)).encode(["oil"])
