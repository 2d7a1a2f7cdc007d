"""Checkpoint sweeps: names, order, groups, both sides, and everything that can be wrong at once."""

from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, InputError
from clirbench.systems.base import SystemSource
from clirbench.systems.checkpoints import CheckpointSystems
from tests.systems.sides import ENGLISH, folder_corpus, two_sided, write


def sweep(root: Path, *names: str) -> None:
    for name in names:
        write(root / name, ENGLISH)


def test_the_readme_sweep(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "data")
    sweep(tmp_path, "run1/ckpt_200.txt", "run1/ckpt_1000.txt", "run2/ckpt_200.txt")
    systems = CheckpointSystems(pattern=f"{tmp_path}/run*/ckpt_%step%.txt")
    assert isinstance(systems, SystemSource)
    found = systems.translations(corpus)
    assert [t.system for t in found] == ["run1-step200", "run2-step200", "run1-step1000"]
    assert [dict(t.metadata) for t in found] == [
        {"step": "200", "replicate": "run1", "group": "step200"},
        {"step": "200", "replicate": "run2", "group": "step200"},
        {"step": "1000", "replicate": "run1", "group": "step1000"},
    ]
    assert all(t.test is t.collection for t in found)
    assert found[0].collection is not None
    assert found[0].collection.lines() == ENGLISH


def test_conditions_are_in_the_group_and_seeds_are_not(tmp_path: Path) -> None:
    sweep(tmp_path, "big_s1_10.txt", "big_s2_10.txt", "small_s1_10.txt", "big_s1_9.txt")
    found = CheckpointSystems(pattern=f"{tmp_path}/%size%_s%seed%_%step%.txt").translations(
        folder_corpus(tmp_path / "d")
    )
    assert [(t.system, t.metadata["group"]) for t in found] == [
        ("big-seed1-step9", "big-step9"),
        ("big-seed1-step10", "big-step10"),
        ("big-seed2-step10", "big-step10"),
        ("small-seed1-step10", "small-step10"),
    ]


def test_stars_alone_name_the_systems_and_make_no_columns(tmp_path: Path) -> None:
    sweep(tmp_path, "ckpt_10.txt", "ckpt_9.txt")
    found = CheckpointSystems(pattern=f"{tmp_path}/ckpt_*.txt").translations(folder_corpus(tmp_path / "d"))
    assert [(t.system, dict(t.metadata)) for t in found] == [("ckpt_9", {}), ("ckpt_10", {})]


def test_the_system_placeholder_is_the_name(tmp_path: Path) -> None:
    sweep(tmp_path, "Online-A/out.en", "42/out.en")
    found = CheckpointSystems(pattern=f"{tmp_path}/{{system}}/out.en").translations(folder_corpus(tmp_path / "d"))
    assert [(t.system, dict(t.metadata)) for t in found] == [("42", {}), ("Online-A", {})]


def test_names_do_not_change_when_checkpoints_are_added(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    systems = CheckpointSystems(pattern=f"{tmp_path}/run*/ckpt_%step%.txt")
    sweep(tmp_path, "run1/ckpt_9.txt")
    before = {t.system for t in systems.translations(corpus)}
    sweep(tmp_path, "run1/ckpt_100000.txt", "run2/ckpt_9.txt")
    assert before < {t.system for t in systems.translations(corpus)}


def test_a_test_set_elsewhere_has_a_pattern_of_its_own(tmp_path: Path) -> None:
    corpus = two_sided(tmp_path)
    sweep(tmp_path, "run1/ckpt_1.txt", "run2/ckpt_1.txt")
    write(tmp_path / "dev_run1/1.hyp", ["morning", "night"])
    write(tmp_path / "dev_run2/01.hyp", ["morn", "nite"])
    pattern = f"{tmp_path}/run*/ckpt_%step%.txt"
    found = CheckpointSystems(pattern=pattern, test_pattern=f"{tmp_path}/dev_run*/%step%.hyp").translations(corpus)
    assert [t.test.lines() for t in found if t.test] == [("morning", "night"), ("morn", "nite")]
    with pytest.raises(InputError, match="the collection has 5 lines and the test set 2: .* systems.test_pattern"):
        CheckpointSystems(pattern=pattern).translations(corpus)
    (tmp_path / "dev_run2/01.hyp").unlink()
    with pytest.raises(InputError, match=r"systems.test_pattern=.*: no file of run2-step1, which the other side has"):
        CheckpointSystems(pattern=pattern, test_pattern=f"{tmp_path}/dev_run*/%step%.hyp").translations(corpus)


def test_two_files_for_one_system(tmp_path: Path) -> None:
    sweep(tmp_path, "ckpt_7.txt", "ckpt_007.txt", "ckpt_8.txt")
    with pytest.raises(InputError, match=r"2 files give the same system 'step7': .*ckpt_007.txt, .*ckpt_7.txt"):
        CheckpointSystems(pattern=f"{tmp_path}/ckpt_%step%.txt").translations(folder_corpus(tmp_path / "d"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "name either translations that exist"),
        ({"pattern": "/e/%step%.txt", "model": "/m/%step%"}, "not both"),
        ({"model": "/m/%step%", "test_pattern": "/t/%step%"}, "models translate the test set themselves"),
        ({"pattern": "/e/%step%.txt", "shard_lines": 0}, "shard_lines=0"),
        ({"pattern": "/e/%step%_%step%.txt"}, "stands twice"),
        ({"pattern": "/e/%step%.txt", "test_pattern": "/t/%run%.txt"}, "the placeholders run, systems.pattern step"),
        ({"model": "/m/%step%", "translator": 3}, "systems.translator: 3 is not a OfModels"),
    ],
)
def test_settings_that_contradict_each_other(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CheckpointSystems(**settings)
