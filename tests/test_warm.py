"""What a process that forks starts is what `python -m clirbench` starts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PACKAGE, put, warm_processes

MODULE = """import sys, os, __main__
from pathlib import Path
Path("found").write_text(repr([
    sys.argv[1:], sys.path, sys.flags, sys.warnoptions, __main__.__spec__.name, __main__.__file__, sys.argv[0],
    os.getcwd(), {**os.environ}, sys.stdin.read(),
    [(stream.isatty(), stream.encoding, stream.errors) for stream in (sys.stdout, sys.stderr)],
    sorted(name for name in sys.modules if name.startswith("tests")),
]))
"""
"""Named as a metric: what the program's own code finds out about the process."""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["metric=[NOPE]"],
        ["status", "nowhere"],
        ["+experiment=nope"],
        ["folder=nowhere"],
        ["--config-dir=conf", "metric=[mine]", "folder=nowhere"],
    ],
    ids=" ".join,
)
def test_the_same_text_and_status(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    put(tmp_path / "conf" / "metric" / "mine.yaml", "mine:\n  _target_: mine.Mine\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PACKAGE)]), "MINE": "yes"}
    found, command = tmp_path / "found", [sys.executable, "-m", "clirbench", *arguments]
    real = subprocess.run(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    expected = found.read_text() if found.exists() else ""
    assert bool(expected) == ("metric=[mine]" in arguments)
    found.unlink(missing_ok=True)
    warm = next(warm_processes())
    assert warm.can(environment)
    forked = warm.run(arguments, tmp_path, environment, 240)
    assert (found.read_text() if found.exists() else "") == expected
    assert forked.returncode == real.returncode
    assert (hours(forked.stdout), hours(forked.stderr)) == (hours(real.stdout), hours(real.stderr))


def hours(text: str) -> str:
    """The text without the hour, which names the folder of a run."""
    return re.sub(r"\d\d-\d\d-\d\d", "", text)
