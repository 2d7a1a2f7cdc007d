"""Output whose reader leaves."""

import os
import subprocess
import sys

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
