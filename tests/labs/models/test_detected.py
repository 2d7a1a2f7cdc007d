"""The translator of a folder by what lies in it."""

from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.models.ctranslate2 import CTranslate2Translator
from clirbench.labs.models.detected import Detected
from clirbench.labs.models.transformers import TransformersTranslator


def test_by_the_files(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"neither model.bin .* but nothing; choose"):
        Detected().of(tmp_path)
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(ResourceError, match=r"pickled weights are not loaded.* but pytorch_model.bin; choose"):
        Detected().of(tmp_path)
    (tmp_path / "model-00001-of-00002.safetensors").touch()
    assert Detected().of(tmp_path) == TransformersTranslator()
    (tmp_path / "model.bin").touch()
    assert Detected().of(tmp_path) == CTranslate2Translator()


def test_a_file_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ResourceError, match=r"notes.txt: is no folder of a model"):
        Detected().of(tmp_path / "notes.txt")
