"""Recordings of a terminal as SVG: what a command prints to one, in its colours; a picture refers to no other file."""

import fcntl
import io
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path
from subprocess import PIPE

from rich.console import Console
from rich.text import Text

WIDTH = 92
COMMANDS = {
    "terminal-demo": ["hydra.run.dir=runs/demo"],
    "terminal-check": ["+experiment=scores", "scores.tables=[scores.tsv]", "scores.measures=[MAP]", "check=true"],
}
"""Picture -> arguments of the program. The second is checked against a table with a gap."""
SCORES = "system\tBLEU\tMAP\nbase\t21.0\t.31\nbig\t24.5\tn/a\ndeep\t24.9\t.35\nsmall\t18.3\t.24\n"
FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def recorded(name: str, folder: Path) -> str:
    """The recording of a command that is run in `folder`."""
    (folder / "scores.tsv").write_text(SCORES, encoding="utf-8")
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    arguments = COMMANDS[name]
    console.print(Text(f"$ python -m clirbench {shlex.join(arguments)}", style="bold"))
    console.print(Text.from_ansi(printed(arguments, folder)))
    # The picture needs no font of others: any monospaced one will do.
    return FONTS.sub("", console.export_svg(title="clirbench", unique_id=name))


def printed(arguments: list[str], folder: Path) -> str:
    """What the program writes to a terminal of `WIDTH` columns; the folder's own name stands for itself no more."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(WIDTH), "NO_COLOR": ""}
    root = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join([root, environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "clirbench", *arguments, f"paths.cache={folder}/cache"]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=theirs, stdin=theirs, stderr=PIPE) as program:
        os.close(theirs)
        said = b""
        while chunk := _read(ours):
            said += chunk
        told = program.communicate()[1]
    os.close(ours)
    said += told if program.returncode else b""  # on success that was the progress
    return re.sub(r"(\S*/)?runs/demo", "runs/demo", said.decode("utf-8").replace("\r\n", "\n")).rstrip()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # a terminal that its last writer has closed
        return b""
