"""Sweeps on the command line: files by a pattern, models that a command translates with."""

import csv
from pathlib import Path
from typing import Any

import pytest

FAST = ("keep_copies=true", "topics.n=8", "relevance.k=3", "metric=[BLEU]", "measures=[P@10]", "engine=serial")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.slow
def test_a_checkpoint_sweep_of_files(cli: Any, small_folder: Path) -> None:
    for run, drop in (("run1", 3), ("run2", 5)):
        for step in (5, 100):
            (cli.cwd / "exp" / run).mkdir(parents=True, exist_ok=True)
            words = (small_folder / "systems" / f"every{drop if step > 5 else 2}.txt").read_bytes()
            (cli.cwd / "exp" / run / f"ckpt_{step}.txt").write_bytes(words)
    done = cli(
        "folder=small", "systems=checkpoints", "systems.pattern=exp/run*/ckpt_%step%.txt", *FAST, "hydra.run.dir=o"
    )
    assert done.returncode == 0, done.stderr
    rows = table(cli.cwd / "o" / "systems.tsv")
    assert [(row["system"], row["step"], row["replicate"], row["group"]) for row in rows] == [
        ("run1-step5", "5", "run1", "step5"),
        ("run2-step5", "5", "run2", "step5"),
        ("run1-step100", "100", "run1", "step100"),
        ("run2-step100", "100", "run2", "step100"),
    ]
    assert all(float(row["BLEU"]) > 0 for row in rows)


def test_check_lists_models_and_runs_none(cli: Any, small_folder: Path) -> None:
    (cli.cwd / "m_7.sed").write_text("s/a/b/\n", encoding="utf-8")
    options = ("systems=checkpoints", "systems.model=m_%step%.sed", "systems/translator=command", "check=true")
    done = cli("folder=small", *options, "systems.translator.command='sed -f {model}'", *FAST)
    assert done.returncode == 0, done.stderr
    assert "systems: 1: step7" in done.stdout
    assert not (cli.cwd / "runs" / ".cache").exists()
    done = cli("folder=small", *options, "systems.translator.command='sad -f {model}'", *FAST)
    assert done.returncode == 1
    assert "sad: no such program" in done.stderr
