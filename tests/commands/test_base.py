"""How a run ends: every error in words, with its status; output whose reader leaves, and streams that are closed."""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clirbench.commands.base import FAULT, MENDABLE, NOTHING, command_parser, in_words, run_command
from clirbench.errors import ConfigError, InputError, NothingCompared, Problems
from clirbench.files.run_files import Journal
from tests.conftest import PACKAGE


def test_a_reader_that_leaves_ends_nothing(tmp_path) -> None:
    program = (
        "from clirbench.commands.base import tolerate_closed_output\n"
        "tolerate_closed_output()\n"
        "for number in range(100_000): print(number, 'a line that fills the pipe')\n"
        "open('done.txt', 'w').close()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) == 0
    assert said == b""
    assert (tmp_path / "done.txt").exists()


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_a_standard_stream_that_is_closed_from_the_start_ends_nothing_and_is_no_file_of_ours(
    tmp_path: Path, closed: tuple[int, ...]
) -> None:
    """The first file that is opened would get its number: what libraries print would be in it."""
    program = (
        "import os\n"
        "from clirbench.commands.base import tolerate_closed_output\n"
        "tolerate_closed_output()\n"
        "with open('first.txt', 'w') as first:\n"
        "    print('a line', flush=True)\n"
        "    os.write(1, b'of a library'), os.write(2, b'of a library')\n"
        "    first.write('ours')\n"
    )
    shut = " ".join(f"{number}>&-" if number else "<&-" for number in closed)
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    command = ["/bin/sh", "-c", f'exec "$0" -c "$1" {shut}', sys.executable, program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "first.txt").read_text() == "ours"
    assert done.stdout == ("" if 1 in closed else "a line\nof a library")


def test_the_program_runs_with_no_standard_stream(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    command = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-m", "clirbench", "--version"]
    assert subprocess.run(command, cwd=tmp_path, env=environment, check=False, timeout=120).returncode == 0


@pytest.mark.parametrize(
    ("error", "said", "status"),
    [
        (InputError("a: no such file"), "error: a: no such file", MENDABLE),
        (Problems([InputError("a"), ConfigError("b")]), "error: - a\n- b", MENDABLE),
        (NothingCompared("no topic"), "error: no topic", NOTHING),
        (Problems([NothingCompared("a"), NothingCompared("b")]), "error: - a\n- b", NOTHING),
        (Problems([NothingCompared("a"), InputError("b")]), "error: - a\n- b", MENDABLE),
        (MemoryError(), "error: the memory is not enough. Try fewer workers, engine.workers=1", MENDABLE),
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), "error: /x/y: No space left on device", MENDABLE),
        (OSError(errno.EACCES, "Permission denied"), "error: a file: Permission denied", MENDABLE),
    ],
)
def test_what_is_no_fault_of_ours(error: Exception, said: str, status: int) -> None:
    text, found = in_words(error)
    assert text.startswith(said)
    assert found == status


def fill(path: Path) -> None:
    with path.open("wb") as stream:
        stream.write(b"x" * 100_000)


@pytest.mark.parametrize("write", [lambda path: path.write_text("x" * 9), fill])
def test_a_full_disk_names_the_file(write: Callable[[Path], None], tmp_path: Path) -> None:
    """A write that fails does not say of which file: /dev/full is one that is always full."""
    path = tmp_path / "table.tsv"
    path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as raised:
        write(path)
    assert raised.value.filename is None
    assert in_words(raised.value) == (f"error: {path}: No space left on device", MENDABLE)


def test_a_fault_is_one_line_and_its_details_are_in_a_file(tmp_path: Path) -> None:
    def broken() -> None:
        raise ValueError("ugly\x1b[31m\nlines " + "x" * 5000)

    try:
        broken()
    except ValueError as error:
        text, status = in_words(error, tmp_path)
        elsewhere, _ = in_words(error, tmp_path / "nowhere")
    assert status == FAULT
    assert text.startswith("error: this is a fault of clirbench (ValueError: ugly\\u001b[31m lines xxx")
    assert text.endswith(f"the details are in {tmp_path / 'fault.txt'}")
    assert len(text) <= 600
    assert "in broken\n" in (tmp_path / "fault.txt").read_text()
    found = re.search(r"the details are in (.*clirbench-fault-.*\.txt)$", elsewhere)
    assert found is not None
    assert "in broken\n" in Path(found[1]).read_text()
    Path(found[1]).unlink()


def test_a_command_that_breaks_says_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(_: object) -> int:
        raise KeyError("x")

    assert run_command(command_parser("status", "`clirbench status`: x."), [], broken, failed=2) == FAULT
    said = capsys.readouterr().err
    assert said.startswith("error: this is a fault of clirbench (KeyError: 'x')")
    Path(said.strip().rpartition(" ")[2]).unlink()


@pytest.mark.parametrize("megabytes", [300, 450, 615])
def test_too_little_memory_is_one_line(tmp_path: Path, megabytes: int) -> None:
    """615: OpenBLAS would say so in its own words; 450: it would ask without end; 300: a library would seem to lack."""
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes * 10**6},) * 2);"
        "from clirbench.__main__ import main; main()"
    )
    command = [sys.executable, "-c", program, "engine=serial", "hydra.run.dir=out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith(f"error: the memory is limited to {megabytes} MB (ulimit -v), and a run needs 800 MB")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_while_libraries_are_loaded_prints_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "hydra.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "clirbench"], env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


CONVERTED = """
import os, signal, sys, time
from clirbench.__main__ import main
from hydra.core.override_parser.overrides_parser import OverridesParser
import clirbench.experiment

def converted(*_, **__):
    try:
        os.kill(os.getpid(), signal.{number})
        time.sleep(60)
    except BaseException:
        pass
    raise AttributeError("'NoneType' object has no attribute '_invalidate_flags_cache'")

{place} = converted
main()
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("place", ["OverridesParser.parse_overrides", "clirbench.experiment.run"])
def test_an_error_that_a_library_makes_of_an_interrupt_ends_as_interrupted(
    tmp_path: Path, number: str, place: str
) -> None:
    """While the configuration is composed, where OmegaConf did it, and within a run, whose journal says so."""
    program = CONVERTED.format(number=number, place=place)
    done = subprocess.run(
        [sys.executable, "-c", program, "hydra.run.dir=out"], cwd=tmp_path, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("stopped; a rerun does what is missing\n", 130)
    assert not list(tmp_path.rglob("fault.txt"))
    ends = [
        event["outcome"] for path in tmp_path.rglob("events.jsonl") for event in Journal(path) if "outcome" in event
    ]
    assert ends == (["stopped"] if "experiment" in place else [])
