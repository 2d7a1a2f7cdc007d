"""The keys of components: all that is shipped fits, and what does not is named."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from clirbench.__main__ import CONF
from clirbench.configuration.building import misfit, wrong_settings
from clirbench.configuration.composing import config_parts
from clirbench.configuration.laboratories import config_folders
from clirbench.corpora.folder import FolderCorpus

EXPERIMENTS = sorted(path.stem for folder in config_parts("experiment") for path in folder.glob("*.yaml"))
FILES = sorted(path for folder in (CONF, *config_folders()) for path in folder.glob("*/**/*.yaml"))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_shipped_experiment_fits(experiment: str) -> None:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose("config", overrides=[f"+experiment={experiment}", "folder=wmt22/de-fr"])
    plain = OmegaConf.to_container(cfg, resolve=True)
    assert list(map(str, wrong_settings(plain, "run"))) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_shipped_choice_has_keys_that_exist(path: Path) -> None:
    node = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    node.pop("defaults", None)
    assert [str(one) for one in wrong_settings(node, path.stem) if "unknown key" in str(one)] == []


TOP_K = {"_target_": "clirbench.relevance.top_k.TopK", "k": 10}


def test_what_is_not_ours_is_not_imported() -> None:
    assert list(wrong_settings({"_target_": "os.system", "command": "false"}, "x")) == []


@pytest.mark.parametrize(
    ("value", "hint", "fitting"),
    [
        (1, int, True), (True, int, False), ("1", int, False), (1, float, True), (True, float, False),
        (1, str, False), (1, str | Path | None, False), (1, str | Sequence[str], True),
        (True, str, False), (None, str, False), (None, str | None, True), (["a"], Sequence[str], True),
        ("a", Sequence[str], False), ("a", str | Sequence[str], True), ([1], Sequence[str], True),
        ({"a": 1}, Mapping[str, str], True), ([], Mapping[str, str], False), ("a", Literal["a", "b"], True),
        ("c", Literal["a", "b"], False), (TOP_K, int, False), (TOP_K, str, True), (3, Any, True),
        (3, FolderCorpus, False), (TOP_K, FolderCorpus, True), (None, FolderCorpus | None, True),
    ],
)  # fmt: skip
def test_fits(value: object, hint: Any, fitting: bool) -> None:
    assert bool(misfit(value, hint)) != fitting
