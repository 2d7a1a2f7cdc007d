"""Output whose reader leaves, and streams that are closed from the start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
