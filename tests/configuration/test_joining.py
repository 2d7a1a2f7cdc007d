"""Which analyses join a run that did not ask for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clirbench.configuration import composing as joining
from clirbench.retrieval.bm25 import BM25
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.files import FileSystems

MODELS = CheckpointSystems(model="/exp/ckpt_%step%")
TEXTS = CheckpointSystems(pattern="/exp/ckpt_%step%.txt")


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        ({}, ["always"]),
        ({"systems": None, "also_retriever": {}}, ["always"]),
        ({"systems": FileSystems()}, ["always"]),  # declares nothing
        ({"systems": TEXTS}, ["always"]),
        ({"systems": MODELS}, ["always", "priced"]),
        ({"systems": FileSystems(), "also_retriever": {"dense": BM25()}}, ["always", "priced"]),
    ],
)
def test_a_condition_names_parts_of_the_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: Mapping[str, Any], joined: list[str]
) -> None:
    text = "always:\nnever:\n  _when_: []\npriced:\n  _when_: [systems.translates, also_retriever]\n  deep: 3\n"
    (tmp_path / "joining.yaml").write_text(text)
    monkeypatch.setattr(joining, "config_folders", lambda: [tmp_path])
    assert joining.joins(parts) == joined
    assert joining.joining() == {"always": {}, "never": {}, "priced": {"deep": 3}}
