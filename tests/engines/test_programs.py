"""Programs of others end with their call: on success, failure, time-out, and when Ctrl-C is pressed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from clirbench.engines import programs as processes
from clirbench.engines.programs import Program, as_input, run_to_end
from clirbench.errors import ConfigError, ResourceError

PROJECT = Path(__file__).resolve().parents[2]
# Notes its own process id and that of a child, both of which would run for a minute.
LINGERS = "sleep 60 & echo $! > $PIDS; echo $$ >> $PIDS; echo 'I am waiting' >&2; wait"


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def noted(path: Path) -> list[int]:
    """The process ids in a file, once both are there."""
    for _ in range(1000):
        if path.is_file() and path.read_text(encoding="utf-8").count("\n") == 2:
            break
        time.sleep(0.02)
    return [int(pid) for pid in path.read_text(encoding="utf-8").split()]


def all_gone(pids: list[int]) -> bool:
    """Whether the processes end; one that was killed may need a moment."""
    for _ in range(500):
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


def test_output_status_and_last_words() -> None:
    ended = run_to_end(["sh", "-c", "tr a-z A-Z; echo oops >&2; exit 3"], b"abc\n", 60, {})
    assert (ended.status, ended.output, ended.ending) == (3, b"ABC\n", "exit status 3; stderr ends: oops")
    ended = run_to_end(["sh", "-c", "kill -9 $$"], b"", 60, {})
    assert ended.ending == "killed by SIGKILL; nothing on stderr"


def test_the_last_words_are_the_end_of_stderr_without_control_characters() -> None:
    script = r"i=0; while [ $i -lt 500 ]; do echo line $i >&2; i=$((i+1)); done; printf 'red \033[31m\n' >&2; exit 1"
    words = run_to_end(["sh", "-c", script], None, 60, {}).last_words
    assert words.endswith("line 499 / red [31m")
    assert words.count(" / ") == processes.SHOWN_LINES - 1


def test_much_is_given_and_much_comes_back() -> None:
    given = b"x" * 99 + b"\n"
    assert run_to_end(["cat"], given * 20_000, 60, {}).output == given * 20_000


def test_a_program_that_does_not_read_its_input() -> None:
    assert run_to_end(["true"], b"x\n" * 1_000_000, 60, {}).status == 0


def test_variables_are_handed_on() -> None:
    assert run_to_end(["sh", "-c", "echo $GREETING"], None, 60, {"GREETING": "hi"}).output == b"hi\n"


def test_no_such_program() -> None:
    with pytest.raises(ResourceError, match="no-such-program: cannot be started"):
        run_to_end(["no-such-program"], None, 60, {})


def test_a_program_out_of_time_goes_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    ended = run_to_end(["sh", "-c", LINGERS], b"x\n", 0.5, {"PIDS": str(pids)})
    assert ended.ending == "ran out of time and was killed; stderr ends: I am waiting"
    assert all_gone(noted(pids))


def test_a_program_that_will_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.1)
    pids = tmp_path / "pids"
    ended = run_to_end(["sh", "-c", "trap '' TERM; " + LINGERS], b"", 0.5, {"PIDS": str(pids)})
    assert ended.status is None
    assert all_gone(noted(pids))


def test_children_that_a_program_leaves_behind_are_ended(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = "sleep 60 > /dev/null 2>&1 & echo $! > $PIDS; echo $! >> $PIDS; cat"
    assert run_to_end(["sh", "-c", script], b"x\n", 60, {"PIDS": str(pids)}).output == b"x\n"
    assert all_gone(noted(pids))


def test_ctrl_c_ends_the_program_and_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it\n"
        "from clirbench.engines.programs import run_to_end\n"
        f"run_to_end(['sh', '-c', {LINGERS!r}], b'', None, {{'PIDS': {str(pids)!r}}})\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    running = noted(pids)
    assert all(alive(pid) for pid in running)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert all_gone(running)


def test_ctrl_c_while_a_program_is_started_ends_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes when the program runs already, and before the caller knows of it."""
    begun: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **settings: Any) -> "subprocess.Popen[bytes]":
        begun.append(POPEN(*arguments, **settings))
        signal.raise_signal(signal.SIGINT)
        return begun[0]

    POPEN = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            run_to_end(["sleep", "60"], None, None, {})
        assert begun[0].poll() is not None
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def program(command: str | list[str], *, shell: bool = False, timeout: float | None = 5.0) -> Program:
    return Program("mine", command, shell, timeout, {"B": "2", "A": "1"})


def test_placeholders_stand_for_paths() -> None:
    places = {"{source}": Path("/a b/s.txt")}
    assert program("wc -l {source}").arguments(places) == ["wc", "-l", "/a b/s.txt"]
    assert program(["wc", "--in={source}"]).arguments(places) == ["wc", "--in=/a b/s.txt"]
    assert program("wc < {source}", shell=True).arguments(places) == ["/bin/sh", "-c", "wc < '/a b/s.txt'"]
    assert program("wc -l {source}").asks_for("{source}")
    assert not program("wc -l").asks_for("{source}")


def test_a_signature_says_what_is_run_and_how() -> None:
    assert program("wc -l").signature == program(["wc", "-l"]).signature == "exec:wc -l"
    assert program("wc -l", shell=True).signature == "shell:wc -l"
    assert program("wc").variables == "A=1,B=2"


def test_commands_that_make_no_sense() -> None:
    with pytest.raises(ConfigError, match="mine: ' ' holds no program"):
        program(" ")
    with pytest.raises(ConfigError, match="mine: .* cannot be split into arguments"):
        program("wc 'x")
    with pytest.raises(ConfigError, match="mine: timeout=0 must be above 0 seconds"):
        program("wc", timeout=0)
    with pytest.raises(ResourceError, match="mine: no-such-program: no such program; install it"):
        program("no-such-program").check_installed({})


def test_a_program_runs_with_its_variables_or_says_how_it_was_called() -> None:
    assert program("echo $A $B", shell=True).run({}, None, "counting").output == b"1 2\n"
    assert program("cat").run({}, as_input(["a\nb", "c"]), "counting").output == b"a b\nc\n"
    with pytest.raises(ResourceError, match="counting: exit status 3; nothing on stderr"):
        program("exit 3", shell=True).run({}, None, "counting")
