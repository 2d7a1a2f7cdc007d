"""From a configuration to an experiment: what is built, what is refused, what joins, what can run code."""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from clirbench.configuration import composing as joining
from clirbench.configuration.building import build, limits_of, listed_components, misfit, wrong_settings
from clirbench.configuration.laboratories import CONF, config_folders, config_parts
from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import ConfigError, UnknownName
from clirbench.retrieval.bm25 import BM25
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.files import FileSystems
from clirbench.text import Limits
from tests.test_architecture import SOURCES, imports


def composed(*overrides: str) -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", list(overrides))


def test_further_retrievers_go_by_the_names_that_they_are_given() -> None:
    one = build(composed("+experiment=folder", "folder=x", "retrieval@also_retrieval=bm25s"))
    assert list(one.retrievers) == ["", "bm25s"]
    chosen = ("+retrieval@also_retrieval.short=bm25", "+retrieval@also_retrieval.both=dense")
    two = build(composed("+experiment=folder", "folder=x", *chosen, "also_retrieval.short.depth=7"))
    assert list(two.retrievers) == ["", "short", "both"]
    assert [found.depth for found in two.also_retriever.values()] == [7, 1000]
    with pytest.raises(ConfigError, match=r"also_retrieval\.depth: no component is configured there"):
        build(composed("+experiment=folder", "folder=x", "+also_retrieval.depth=7"))


def test_a_nested_override_of_a_dropped_entry_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"metric\.chrF2: no component is configured there"):
        build(composed("+experiment=folder", "folder=x", "metric=[BLEU]", "+metric.chrF2.beta=3"))


def test_an_unknown_format_of_figures_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match=r"'pdf'.*svg"):
        build(composed("+experiment=folder", "folder=x", "output.figures=[svg,pdf]"))


def test_limits_are_those_of_the_configuration() -> None:
    assert limits_of(composed("limits.topics=7")) == Limits(topics=7)
    with pytest.raises(UnknownName, match=r"limit 'topic'\. Did you mean 'topics'"):
        limits_of(composed("+limits.topic=7"))
    with pytest.raises(ConfigError, match=r"limits\.pairs='x' must be a whole number"):
        limits_of(composed("limits.pairs=x"))


def test_a_value_that_another_key_needs_is_asked_for() -> None:
    cfg = composed("+experiment=demo", "languages=???", "++title=${languages}")
    with pytest.raises(ConfigError, match=r"languages is not set; give it a value, languages=\.\.\."):
        build(cfg)


EXPERIMENTS = sorted(path.stem for folder in config_parts("experiment") for path in folder.glob("*.yaml"))
FILES = sorted(path for folder in (CONF, *config_folders()) for path in folder.glob("*/**/*.yaml"))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_shipped_experiment_fits(experiment: str) -> None:
    plain = OmegaConf.to_container(composed(f"+experiment={experiment}", "folder=wmt22/de-fr"), resolve=True)
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


OPENS = re.compile(r"subprocess|clirbench\.labs\.models\.program|urllib\.request|http\.client|ray|dask")
TARGETS, REACHES = listed_components(CONF)
SHIPPED = {f"clirbench.labs.models.{name}" for name in ("dense.Dense", "dense.encoder", "systems.scripted")}
"""They start only scripts that come with the program, which read models of the folder that is named."""


def opens(module: str) -> bool:
    source = SOURCES[module.removeprefix("clirbench.")]
    named = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    return any(OPENS.fullmatch(name) for name in imports(source)) or bool({"ray", "distributed"} & named)


def test_each_component_that_starts_programs_or_connects_is_listed() -> None:
    found = {target for target in TARGETS if opens(target.rpartition(".")[0])}
    assert len(found) > 5
    assert found - SHIPPED <= set(REACHES)
    assert found >= SHIPPED


def test_what_is_listed_is_what_conf_names() -> None:
    assert set(REACHES) <= TARGETS
