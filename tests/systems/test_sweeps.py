"""Sweeps on the command line: files by a pattern, commands that translate, runs that are interrupted."""

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FAST = ("keep_copies=true", "topics.n=8", "relevance.k=3", "metric=[BLEU]", "measures=[P@10]", "engine=serial")
# Notes each call, then writes every line backwards (which the small folder's source is of its reference).
SLOWLY = "echo call >> CALLS; sleep 0.3; rev"


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


@pytest.mark.slow
def test_commands_translate_and_one_that_fails_is_a_hole(cli: Any, small_folder: Path) -> None:
    """Reversed twice is what it was: BLEU 100, and the same documents as the reference."""
    commands = "systems.commands={back: rev, source: cat, broken: head -n 3}"
    done = cli("folder=small", "systems=command", commands, *FAST, "hydra.run.dir=o")
    assert done.returncode == 2, done.stderr
    rows = {row["system"]: row for row in table(cli.cwd / "o" / "systems.tsv")}
    assert float(rows["back"]["BLEU"]) == pytest.approx(100.0)
    assert float(rows["source"]["BLEU"]) < 5
    assert (rows["broken"]["BLEU"], rows["broken"]["P@10"]) == ("", "")
    assert "broken: not translated: " in done.stdout
    assert "60 source lines were given, 3 lines came back" in done.stdout
    assert sum("broken" in line for line in done.stdout.splitlines() if line.startswith("note: ")) == 1


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


def started(cwd: Path, *options: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "clirbench", *arguments(cwd), *options],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def arguments(cwd: Path) -> list[str]:
    command = SLOWLY.replace("CALLS", str(cwd / "calls"))
    return [
        "folder=small", "keep_copies=true", "systems=command", f"systems.commands={{slow: '{command}'}}",
        "systems.shell=true", "systems.shard_lines=12", "metric=[BLEU]", "measures=[]", "engine=serial",
    ]  # fmt: skip


def calls(cwd: Path) -> int:
    path = cwd / "calls"
    return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0


def until_it_works(cwd: Path, n_calls: int) -> None:
    for _ in range(3000):
        if calls(cwd) >= n_calls:
            return
        time.sleep(0.02)


def left_over(cwd: Path) -> list[str]:
    return [str(path) for path in (cwd / "runs" / ".cache").rglob("*.tmp")]


def kept(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (cache / "translations").rglob("*.txt")}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_is_completed_by_the_next(cli: Any, small_folder: Path, number: signal.Signals) -> None:
    """60 lines in 5 shards; stopped in the third call, so two shards are kept and three calls remain."""
    process = started(cli.cwd, "hydra.run.dir=first")
    until_it_works(cli.cwd, 3)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (-9 if number is signal.SIGKILL else 130), said
    assert calls(cli.cwd) == 3
    done = cli(*arguments(cli.cwd), "hydra.run.dir=second")
    assert done.returncode == 0, done.stderr
    assert calls(cli.cwd) == 6
    assert left_over(cli.cwd) == []
    done = cli(*arguments(cli.cwd), "hydra.run.dir=undisturbed", "paths.cache=elsewhere")
    assert done.returncode == 0, done.stderr
    assert (cli.cwd / "second" / "systems.tsv").read_bytes() == (cli.cwd / "undisturbed" / "systems.tsv").read_bytes()
    assert kept(cli.cwd / "runs" / ".cache") == kept(cli.cwd / "elsewhere")
