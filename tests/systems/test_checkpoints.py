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


@pytest.mark.parametrize(
    ("files", "pattern", "systems"),
    [
        (
            "run1/ckpt_200.txt run1/ckpt_1000.txt run2/ckpt_200.txt",
            "run*/ckpt_%step%.txt",
            {
                "run1-step200": {"step": "200", "replicate": "run1", "group": "step200"},
                "run2-step200": {"step": "200", "replicate": "run2", "group": "step200"},
                "run1-step1000": {"step": "1000", "replicate": "run1", "group": "step1000"},
            },
        ),
        (
            "big_s2_10.txt small_s1_10.txt big_s1_9.txt",
            "%size%_s%seed%_%step%.txt",
            {
                "big-seed1-step9": {"size": "big", "seed": "1", "step": "9", "group": "big-step9"},
                "big-seed2-step10": {"size": "big", "seed": "2", "step": "10", "group": "big-step10"},
                "small-seed1-step10": {"size": "small", "seed": "1", "step": "10", "group": "small-step10"},
            },
        ),
        ("ckpt_10.txt ckpt_9.txt", "ckpt_*.txt", {"ckpt_9": {}, "ckpt_10": {}}),
        ("Online-A/out.en 42/out.en", "{system}/out.en", {"42": {}, "Online-A": {}}),
    ],
)
def test_values_make_names_and_columns(
    tmp_path: Path, files: str, pattern: str, systems: dict[str, dict[str, str]]
) -> None:
    """Conditions are in the group, seeds are not; stars alone name the systems and make no columns."""
    sweep(tmp_path, *files.split())
    source = CheckpointSystems(pattern=f"{tmp_path}/{pattern}")
    assert isinstance(source, SystemSource)
    found = source.translations(folder_corpus(tmp_path / "data"))
    assert [(t.system, dict(t.metadata)) for t in found] == list(systems.items())
    assert all(t.test is t.collection and t.test and t.test.lines() == ENGLISH for t in found)


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
        ({"pattern": "/e/%step%.txt", "quiet": -1}, r"systems\.quiet"),
        ({"pattern": "/e/%step%.txt", "unfinished": "skp"}, "systems.unfinished='skp' is not one of error, skip"),
        ({"pattern": "/e/%step%_%step%.txt"}, "stands twice"),
        ({"pattern": "/e/%step%.txt", "test_pattern": "/t/%run%.txt"}, "the placeholders run, systems.pattern step"),
        ({"model": "/m/%step%", "translator": 3}, "systems.translator: 3 is not a OfModels"),
    ],
)
def test_settings_that_contradict_each_other(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CheckpointSystems(**settings)
