"""Another choice than the experiment's begins with its own settings: every shipped experiment, every choice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration, replaced_nodes
from clirbench.configuration.laboratories import CONF, config_folders, config_parts
from clirbench.errors import ClirbenchError, gathered
from tests.conftest import Cli, put

GROUPS = ("corpus", "systems", "topics", "retrieval", "relevance")
EXPERIMENT_FILES = {path.stem: path for folder in config_parts("experiment") for path in folder.glob("*.yaml")}
EXPERIMENTS = sorted(EXPERIMENT_FILES.keys() - {"study"})
HOMES = [CONF, *config_folders()]


def choices(group: str) -> list[str]:
    return sorted(path.stem for folder in config_parts(group) for path in folder.glob("*.yaml"))


def node(*overrides: str, key: str) -> Any:
    return OmegaConf.to_container(compose_configuration(overrides))[key]  # type: ignore[call-overload, index]


def configured() -> Iterator[tuple[str, str]]:
    """(experiment, group) of each node in which a shipped experiment sets keys; read without the code under test."""
    for name in EXPERIMENTS:
        content = yaml.safe_load(EXPERIMENT_FILES[name].read_text(encoding="utf-8"))
        yield from ((name, group) for group in GROUPS if group in content)


OTHERS = {"corpus": "europarl", "systems": "checkpoints", "topics": "tsv", "relevance": "top_share"}
"""Of each group that experiments configure, a choice that none of these makes, with keys of the same names."""


@pytest.mark.parametrize(
    "group",
    [
        "topics",
        pytest.param("relevance", marks=pytest.mark.slow),
        pytest.param("relevance@also", marks=pytest.mark.release),
    ],
)
def test_any_choice_fits_the_demo_or_says_what_it_needs_in_one_line(group: str) -> None:
    """A leftover is an unknown key in the words of our own check."""
    for choice in choices(group.partition("@")[0]):
        errors: list[ClirbenchError] = []
        with gathered(errors):
            build(compose_configuration(["+experiment=demo", f"{group}={choice}"]))
        assert [str(error) for error in errors if "unknown key" in str(error)] == []
        assert len(errors) <= 1


def test_a_program_that_hydra_started_keeps_its_own(tmp_path: Path) -> None:
    with initialize_config_dir(str(tmp_path), version_base="1.3"):
        theirs = GlobalHydra.instance().hydra
        assert compose_configuration(["+experiment=demo"]).name == "demo"
        assert GlobalHydra.instance().hydra is theirs


CONFIGURED = list(configured())
QUICK = [("hc4_rus", "corpus"), ("neuclir_zho", "relevance"), ("study_ladder", "systems")]


@pytest.mark.parametrize(
    ("name", "group"), [pytest.param(*pair, marks=() if pair in QUICK else pytest.mark.release) for pair in CONFIGURED]
)
def test_every_node_that_an_experiment_configures_is_replaced_whole(name: str, group: str) -> None:
    """What is expected is the choice as it is without what an experiment says of it."""
    choice = f"{group}={OTHERS[group]}"
    ours, expected = (node(f"+experiment={one}", choice, key=group) for one in (name, "folder"))
    assert expected == ours


def test_the_experiments_own_choice_keeps_its_settings() -> None:
    plain = node("+experiment=demo", key="topics")
    assert node("+experiment=demo", "topics=jsonl", key="topics") == plain
    assert plain["path"]["_target_"].endswith("demo_file")
    ladder = node("+experiment=study_ladder", "systems=files", key="systems")
    assert ladder["metadata"].endswith("systems.tsv"), "its choice is that of the default configuration"
    assert not list(replaced_nodes(["+experiment=help_caen", "topics=jsonl"], HOMES)), "its choice is that of help_esen"


def test_settings_of_ones_own_and_what_is_about_the_run_stay() -> None:
    made = node("+experiment=demo", "topics=keyterms", "topics.n=7", key="topics")
    assert (made["n"], "path" in made) == (7, False)
    assert node("+experiment=demo", "topics=tsv", "topics.path=x.tsv", key="topics")["path"] == "x.tsv"
    relevance = node("+experiment=demo", "relevance=top_share", key="relevance")
    assert relevance == {"_target_": "clirbench.relevance.top_k.TopShare", "share": 0.2}
    assert node("+experiment=demo", "~relevance@also", key="also") is None


def test_experiments_of_ones_own_and_the_command_line(cli: Cli, tmp_path: Path) -> None:
    mine = "# @package _global_\ndefaults:\n  - demo\n  - override /retrieval: rank_bm25\nretrieval:\n  epsilon: .7\n"
    put(tmp_path / "experiment" / "mine.yaml", mine)
    for way in (f"--config-dir={tmp_path}", f"hydra.searchpath=[file://{tmp_path}]"):
        base = [way, "+experiment=mine", "--cfg", "job", "-p", "retrieval"]
        assert "epsilon: 0.7" in cli(*base).stdout
        gone = cli(*base, "retrieval=bm25")
        assert "epsilon" not in gone.stdout
        assert "bm25" in gone.stdout
