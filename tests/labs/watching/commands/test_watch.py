"""Watching a training: what is new is computed once, pending files wait, nothing is lost by a kill."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, InputError, StoreError
from clirbench.experiment import compute_steps
from clirbench.labs.watching.commands.watch import STOPPED, Watching, main, states
from clirbench.result import Experiment, Inputs, Result
from tests.conftest import PACKAGE, Cli, put, write_lines
from tests.lines import made_lines
from tests.waiting import begun, wait_until

LINES = 60
KEYS = ("metric=[BLEU,chrF2]", "measures=[MAP,RBO]", "topics.n=10", "relevance.k=5")


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """Those of the reference, which is there."""
    made = made_lines(LINES, seed=5)
    (tmp_path / "ckpt").mkdir(exist_ok=True)
    write_lines(tmp_path / "data" / "reference.txt", made)
    return made


def checkpoint(lines: list[str], step: int, loss: float) -> str:
    chosen = random.Random(step)
    return "".join(" ".join(w if chosen.random() > loss else "x" for w in line.split()) + "\n" for line in lines)


def write(root: Path, lines: list[str], step: int, loss: float, seed: int | None = None) -> Path:
    """A checkpoint as careful programs write it: beside its place, then renamed."""
    unfinished = root / "ckpt" / f".step_{step}.tmp"
    unfinished.write_text(checkpoint(lines, step if seed is None else seed, loss), encoding="utf-8")
    return unfinished.replace(root / "ckpt" / f"step_{step}.txt")


def saved(root: Path, lines: list[str], *steps: int) -> None:
    for step in steps:
        write(root, lines, step, 0.5 / step)


def arguments(root: Path, out: str, *more: str, quiet: int = 0) -> list[str]:
    return [
        f"folder={root / 'data'}",
        "systems=checkpoints",
        f"systems.pattern='{root}/ckpt/step_%step%.txt'",
        f"systems.quiet={quiet}",
        "keep_copies=true",  # checkpoints without a loss are the reference
        f"paths.cache={root / 'cache'}",
        f"hydra.run.dir={root / out}",
        *KEYS,
        *more,
    ]


def watching(root: Path, *more: str, measure: str = "") -> Watching:
    options = Namespace(overrides=arguments(root, "out", *more), every=1, gain=0.005, horizon=10, measure=measure)
    return Watching(options)


def events(root: Path, kind: str = "checkpoint") -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (root / "out" / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["event"] == kind]


def test_looks(tmp_path: Path, lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    saved(tmp_path, lines, 1, 2)
    (tmp_path / "ckpt" / "step_3.txt").write_text("half a\nfile\n", encoding="utf-8")
    watch = watching(tmp_path)
    assert watch.look() is None
    said = capsys.readouterr().out
    assert [line.split()[1] for line in said.splitlines()] == ["pending:", "step1", "step2", "Go"]
    assert "2 of 60 lines" in said.splitlines()[0]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "are too few to judge, 12 are needed" in page
    assert 'data-reload="5"' in page
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step2"]
    assert len(events(tmp_path, "pending")) == 1
    # The file is finished: it is computed, and the report is of three; the look before is not kept.
    write(tmp_path, lines, 3, 0.1)
    watch.look()
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step2", "step3"]
    assert "step3" in (tmp_path / "out" / "systems.tsv").read_text()
    assert not list((tmp_path / "out").glob("previous-*"))
    # Another watch of the same folder knows what was told.
    capsys.readouterr()
    watching(tmp_path).look()
    assert capsys.readouterr().out == ""


def test_a_look_with_nothing_new_reads_no_file(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, lines, 1, 2)
    watch = watching(tmp_path)
    watch.look()
    assert not watch.state, "folders that have just changed may change again unseen"
    monkeypatch.setattr("clirbench.labs.watching.commands.watch.SETTLED", -10_000_000_000_000)
    watch.look()
    assert watch.state
    before = states(watch.state)
    monkeypatch.setattr(
        "clirbench.labs.watching.commands.watch.read_inputs", lambda experiment: pytest.fail("it was read")
    )
    assert watch.look() is None
    (tmp_path / "ckpt" / "step_3.txt").write_text("new", encoding="utf-8")
    assert states(watch.state) != before


def test_the_rule_ends_it(tmp_path: Path, lines: list[str], cli: Cli) -> None:
    losses = [0.6, 0.4, 0.25, 0.15, 0.1, 0.08, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.7, 0.75]
    for step, loss in enumerate(losses, start=1):
        write(tmp_path, lines, step, loss, seed=7)
    done = cli("watch", "--once", "--stop-rule", "--horizon", "3", *arguments(tmp_path, "out"))
    assert done.returncode == STOPPED, done.stderr + done.stdout
    assert "Past the peak" in done.stdout
    (row,) = events(tmp_path, "outlook")
    assert row["verdict"] == "past the peak"
    assert 4 <= float(str(row["best"])) <= 7


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--every", "0"], "--every=0 must be a whole number of at least 1"),
        (["--horizon", "0"], "--horizon=0 must be"),
        (["--gain", "-1"], "--gain=-1.0 must be"),
        (["--gain", "inf"], "--gain=inf must be"),
    ],
)
def test_options_that_cannot_be(option: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("clirbench.labs.watching.commands.watch.be_nice", lambda: None)
        assert main(["--once", *option, "folder=x"]) == 1
    assert message in capsys.readouterr().err


def test_nothing_to_wait_for() -> None:
    with pytest.raises(ConfigError, match="there are no systems to wait for; name a corpus, folder=DIR"):
        Watching(Namespace(overrides=["metric=[BLEU]"]))


def test_what_was_computed_before_a_kill_comes_into_the_report(tmp_path: Path, lines: list[str]) -> None:
    saved(tmp_path, lines, 1, 2)
    watch = watching(tmp_path)
    watch._report = lambda result, content: (_ for _ in ()).throw(KeyboardInterrupt)  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        watch.look()
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step2"]
    assert not (tmp_path / "out" / "systems.tsv").exists()
    watching(tmp_path).look()
    assert "step2" in (tmp_path / "out" / "systems.tsv").read_text()
    assert len(events(tmp_path)) == 2, "each was computed once"
    (row,) = events(tmp_path, "report")
    assert row["systems"] == 2


def test_one_folder_is_for_one_watch(tmp_path: Path, lines: list[str]) -> None:
    watching(tmp_path)
    module = "clirbench.labs.watching.commands.watch"
    other = f"from pathlib import Path; from {module} import lock; lock(Path({str(tmp_path / 'out')!r}))"
    done = subprocess.run([sys.executable, "-c", other], cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert "StoreError" in done.stderr
    assert "another watch writes there" in done.stderr


def test_a_run_folder_that_is_removed_is_made_again(
    tmp_path: Path, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    saved(tmp_path, lines, 1, 2)
    watch = watching(tmp_path)
    watch.look()
    shutil.rmtree(tmp_path / "out")
    watch.look()
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step2"]
    assert (tmp_path / "out" / "report.html").exists()
    # A file in its place: nothing is computed for nowhere, and the watch goes on when the place is free.
    shutil.rmtree(tmp_path / "out")
    (tmp_path / "out").write_text("something else", encoding="utf-8")
    write(tmp_path, lines, 3, 0.1)
    capsys.readouterr()
    for _ in range(2):
        with pytest.raises(StoreError, match=r"out: cannot be written \(File exists\); choose hydra.run.dir=DIR"):
            watch.look()
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == "something else"
    (tmp_path / "out").unlink()
    watch.look()
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step2", "step3"]
    assert "step3" in (tmp_path / "out" / "systems.tsv").read_text()
    # It is locked as the first one was.
    (tmp_path / "out" / ".watching").unlink()
    (tmp_path / "out" / ".watching").mkdir()
    with pytest.raises(StoreError, match="cannot be locked"):
        watch.look()


def test_whatever_happens_to_files_the_tables_are_those_of_a_plain_run(
    tmp_path: Path, lines: list[str], cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(tmp_path, lines, 1, 2, 3)
    watch = watching(tmp_path)
    watch.look()
    # Another text under the same name, of the same age.
    before = (tmp_path / "ckpt" / "step_2.txt").stat()
    os.utime(write(tmp_path, lines, 2, 0.4, seed=9), ns=(before.st_atime_ns, before.st_mtime_ns))
    watch.look()
    # A link, which is pointed elsewhere later; and one that leads nowhere.
    for name, loss in (("a", 0.3), ("b", 0.05)):
        put(tmp_path / "elsewhere" / name, checkpoint(lines, 4, loss))
    link = tmp_path / "ckpt" / "step_4.txt"
    link.symlink_to(tmp_path / "elsewhere" / "a")
    (tmp_path / "ckpt" / "step_5.txt").symlink_to(tmp_path / "elsewhere" / "nowhere")
    watch.look()
    link.unlink()
    link.symlink_to(tmp_path / "elsewhere" / "b")
    watch.look()
    told = [row["system"] for row in events(tmp_path)]
    assert told == ["step1", "step2", "step3", "step2", "step4", "step4"]
    # The folder is away for a while, and another watch takes over.
    (tmp_path / "ckpt").rename(tmp_path / "away")
    with pytest.raises(InputError, match="nothing matches"):
        watch.look()
    (tmp_path / "away").rename(tmp_path / "ckpt")
    capsys.readouterr()
    watching(tmp_path).look()
    assert capsys.readouterr().out == ""
    # One that is deleted leaves the report.
    (tmp_path / "ckpt" / "step_1.txt").unlink()
    watching(tmp_path).look()
    assert [row["system"] for row in events(tmp_path)] == told
    cli.succeed(*arguments(tmp_path, "plain", f"paths.cache={tmp_path / 'apart'}", "systems.unfinished=skip"))
    assert tables(tmp_path / "out") == tables(tmp_path / "plain")


def test_a_checkpoint_that_is_deleted_while_it_is_read(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(tmp_path, lines, 1, 2, 3)

    def meddled(experiment: Experiment, inputs: Inputs) -> Result:
        if [translation.system for translation in inputs.translations] == ["step2"]:
            (tmp_path / "ckpt" / "step_2.txt").rename(tmp_path / "kept")
        return compute_steps(experiment, inputs)

    monkeypatch.setattr("clirbench.labs.watching.commands.watch.compute_steps", meddled)
    watch = watching(tmp_path)
    watch.look()
    assert "pending: step2 (its file changed while it was read)" in capsys.readouterr().out
    monkeypatch.undo()
    (tmp_path / "kept").rename(tmp_path / "ckpt" / "step_2.txt")
    watch.look()
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step3", "step2"]
    rows = (tmp_path / "out" / "systems.tsv").read_text().splitlines()
    assert [row.split("\t")[0] for row in rows] == ["system", "step1", "step2", "step3"]
    assert all("" not in row.split("\t") for row in rows)


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs a limit of a file's size")
def test_a_full_disk_loses_nothing(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, lines, 1, 0.5)
    watch = watching(tmp_path)
    watch.look()
    write(tmp_path, lines, 2, 0.2)
    journal = (tmp_path / "out" / "events.jsonl").read_bytes()

    def waited(seconds: float) -> None:
        """After the first look there is room again; after the second one it ends."""
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        if limits[0] == limits[1]:
            raise KeyboardInterrupt
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits[1], limits[1]))

    monkeypatch.setattr("clirbench.labs.watching.commands.watch.Watching", lambda options: watch)
    monkeypatch.setattr("clirbench.labs.watching.commands.watch.be_nice", lambda: None)
    monkeypatch.setattr("clirbench.labs.watching.commands.watch.time.sleep", waited)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(journal) + 40, hard))
        with pytest.raises(KeyboardInterrupt):
            main(["folder=x"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    said = capsys.readouterr().out
    assert "waiting: " in said
    assert "File too large" in said
    rows = [json.loads(line) for line in (tmp_path / "out" / "events.jsonl").read_bytes().splitlines()]
    assert [row["system"] for row in rows if row["event"] == "checkpoint"] == ["step1", "step2"]
    assert "step2" in (tmp_path / "out" / "systems.tsv").read_text()


def test_a_model_that_cannot_translate_stops_no_other(
    tmp_path: Path, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(tmp_path / "data" / "source.txt", [*lines[:-1], "x"])
    for step in (1, 2, 3):
        put(tmp_path / "models" / f"step_{step}" / "drop", "e" if step == 1 else "a" * (step == 3))
    options = Namespace(
        overrides=[
            f"folder={tmp_path / 'data'}", "systems=checkpoints", f"systems.model='{tmp_path}/models/step_%step%'",
            "systems/translator=command", 'systems.translator.command=["sh","-c","tr -d $(cat {model}/drop)"]',
            "systems.quiet=0", "keep_copies=true", f"paths.cache={tmp_path / 'cache'}",
            f"hydra.run.dir={tmp_path / 'out'}", *KEYS,
        ],
        every=1, gain=0.005, horizon=None, measure="",
    )  # fmt: skip
    watch = Watching(options)
    watch.look()
    said = capsys.readouterr().out
    assert [line.split()[1:3] for line in said.splitlines()][1] == ["step2", "failed:"]
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step3"]
    watch.look()
    assert capsys.readouterr().out == "", "it is told once"
    (tmp_path / "models" / "step_2" / "drop").write_text("o")
    watch.look()
    assert [row["system"] for row in events(tmp_path)] == ["step1", "step3", "step2"]


@pytest.mark.slow
def test_a_slow_writer_a_kill_and_the_tables_of_a_plain_run(tmp_path: Path, lines: list[str], cli: Cli) -> None:
    steps = [1, 2, 3, 4, 5, 6]

    def slowly() -> None:
        """Some files are seen half-written: one before the kill, one after it."""
        for step in steps:
            text = checkpoint(lines, step, 0.5 / step).encode()
            with (tmp_path / "ckpt" / f"step_{step}.txt").open("wb") as stream:
                stream.write(text[: len(text) // 3])
                stream.flush()
                if step in (2, 4):
                    assert until(lambda: any(f"step{step}" in row["systems"] for row in events(tmp_path, "pending")))  # noqa: B023
                stream.write(text[len(text) // 3 :])

    words = ["watch", "--every", "1", *arguments(tmp_path, "out", quiet=1)]

    def until(true: Callable[[], bool]) -> bool:
        wait_until(lambda: (tmp_path / "out" / "events.jsonl").exists() and true())
        return True

    writer = threading.Thread(target=slowly)
    with begun(tmp_path, *words) as killed:
        writer.start()
        assert until(lambda: len(events(tmp_path)) >= 2)
        killed.send_signal(signal.SIGKILL)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.part")}
    assert kept
    with begun(tmp_path, *words) as again:
        writer.join()
        assert until(lambda: any(row["systems"] == len(steps) for row in events(tmp_path, "report")))
        again.send_signal(signal.SIGINT)
        said, _ = again.communicate(timeout=60)
    assert again.returncode == 130, said
    assert [row["system"] for row in events(tmp_path)] == [f"step{step}" for step in steps], "each was computed once"
    assert kept == {path: path.stat().st_mtime_ns for path in kept}, "nothing was computed again after the kill"
    cli.succeed(*arguments(tmp_path, "plain", f"paths.cache={tmp_path / 'apart'}"))
    assert tables(tmp_path / "out") == tables(tmp_path / "plain")


def tables(run: Path) -> dict[str, bytes]:
    files = [*run.glob("*.tsv"), *run.glob("trec/*"), *run.glob("latex/*"), *run.glob("figures/*"), run / "report.md"]
    found = {str(path.relative_to(run)): path.read_bytes() for path in files if path.name != "plan.tsv"}
    assert {"systems.tsv", "correlations.tsv", "per_topic.tsv", "report.md"} <= set(found)
    return found
