"""events.jsonl: what happens in a run, in order, whatever ends it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.api.running import recorded
from clirbench.errors import InputError, StoreError
from clirbench.files.run_files import EVENTS, Journal
from tests.conftest import PACKAGE, Cli
from tests.waiting import wait_until

SHORT = ["metric=[BLEU]", "measures=[RBO]", "topics=keyterms", "topics.n=6", "relevance.k=2", "units=none"]
PAGE = PACKAGE / "docs" / "reference" / "files.md"
STEPS = "statistics, score, Retrieve, measured, examined, worded"
ALWAYS = {"event", "at", "peak_mb"}


def of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / EVENTS).read_text(encoding="utf-8").splitlines()]


def documented() -> dict[str, set[str]]:
    """The fields of each event, as the page names them, without what is in brackets; `reason` may be missing."""
    table = PAGE.read_text(encoding="utf-8").partition("| event | when | fields |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    return {row[0].strip("| `"): set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row[2]))) for row in rows}


def test_a_rerun_goes_on_in_the_same_file_and_says_what_the_store_has(cli: Cli, small_folder: Path) -> None:
    for lines in (0, 1):
        done = cli(f"folder={small_folder}", *SHORT, "hydra.run.dir=run")
        assert done.returncode == 0, done.stderr
        if not lines:
            first = (cli.cwd / "run" / EVENTS).read_bytes()
    both = (cli.cwd / "run" / EVENTS).read_bytes()
    assert both.startswith(first)
    assert not (cli.cwd / "run" / "previous-1" / EVENTS).exists()
    told = of(cli.cwd / "run")
    again = next(place for place, event in enumerate(told) if place and event["event"] == "start")
    for events, kept in ((told[:again], 0), (told[again:], 4)):
        begun = next(place for place, event in enumerate(events) if event.get("step") == "systems")
        assert [event["event"] for event in events[begun : begun + 3]] == ["begun", "kept", "done"]
        asked = events[begun + 1]
        assert (asked["of"], asked["items"], asked["kept"]) == (STEPS, 4, kept)
        assert (events[0]["event"], events[-1]["event"], events[-1]["outcome"]) == ("start", "end", "done")
        steps = [[event["step"] for event in events if event["event"] == kind] for kind in ("begun", "done")]
        assert steps[0] == steps[1] == ["systems", "intervals", "analyses"]
    found = json.loads((cli.cwd / "run" / "results.json").read_text(encoding="utf-8"))
    assert [event["text"] for event in told[again:] if event["event"] == "warning"] == found["warnings"]
    assert [event["text"] for event in told[again:] if event["event"] == "answer"] == [found["answer"]]
    for event in told:
        assert {*event} - ALWAYS <= documented()[event["event"]]
        assert documented()[event["event"]] - {*event} <= {"reason"}
    assert cli("verify", "run").returncode == 0
    assert EVENTS not in (cli.cwd / "run" / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_whole_lines_and_the_next_one_goes_on(cli: Cli, small_folder: Path) -> None:
    command = [sys.executable, "-m", "clirbench", f"folder={small_folder}", *SHORT, "hydra.run.dir=run"]
    environment = {**os.environ, "PYTHONPATH": cli.path}
    path = cli.cwd / "run" / EVENTS
    with subprocess.Popen(command, cwd=cli.cwd, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        wait_until(lambda: path.exists() and b'"begun"' in path.read_bytes(), lambda: run.poll() is not None)
        run.kill()
        run.communicate()
    killed = path.read_bytes()
    assert "end" not in [event["event"] for event in of(cli.cwd / "run")]
    path.write_bytes(killed + b'{"event": "do')  # as the kernel may leave what was being written
    assert cli(*command[3:]).returncode == 0
    assert path.read_bytes().startswith(killed + b'{"event": "start"')
    assert of(cli.cwd / "run")[-1]["outcome"] == "done"


def test_an_error_and_a_stop_end_the_stream(tmp_path: Path) -> None:
    for error, outcome in ((StoreError("the disk is\nfull"), "error"), (KeyboardInterrupt(), "stopped")):
        with pytest.raises(type(error)), recorded(tmp_path, ["clirbench"]):
            raise error
        assert of(tmp_path)[-1]["outcome"] == outcome
    assert of(tmp_path)[1]["reason"] == "StoreError: the disk is full"


def test_a_stream_that_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / EVENTS).mkdir()
    with pytest.raises(StoreError, match=r"events.jsonl: not a journal of clirbench \(it is no file\)"):
        recorded(tmp_path, []).__enter__()


def test_python_reads_what_it_saved(small_folder: Path, tmp_path: Path) -> None:
    r = cb.run(
        folder=small_folder, metric=["BLEU"], measures=["RBO"], topics="keyterms", topics__n=6, relevance__k=2,
        paths__cache=str(tmp_path / "cache"),
    )  # fmt: skip
    r.save(tmp_path / "run")
    told = cb.events(tmp_path / "run")
    assert told == list(Journal(tmp_path / "run" / EVENTS))
    assert [told[0]["event"], told[-1]["event"]] == ["start", "end"]
    with (tmp_path / "run" / EVENTS).open("ab") as stream:
        stream.write(b'{"event": "do')
    assert cb.events(tmp_path / "run") == told
    with pytest.raises(InputError, match="has no events.jsonl, so it is not the folder of a run or of a watch"):
        cb.events(tmp_path)
