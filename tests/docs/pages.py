"""The commands of README.md and docs/: read from the pages, run as a reader would run them, outputs compared.

In docs/ a page is a session in an empty folder, from its first line to its last:

* a block with `title="NAME"` is a file that the reader writes;
* in a `console` block, a line after `$ ` is run (continued by `\\` at its end, or by lines after `> `) and the lines
  below it are what it prints, on standard output and standard error alike. `...` on a line of its own stands for any
  lines, inside a line for any text;
* `<!-- materials: NAME ... -->` puts files there that the reader has already (`materials.py`);
* `<!-- small: KEY=VALUE ... -->` before a block adds overrides that make its runs short;
* `<!-- exit: N -->` before a block: its last command ends with that code.
"""

import errno
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}) *(?P<language>[\w+-]*) *(?P<options>.*)$")
DIRECTIVE = re.compile(r"^<!-- (?P<name>materials|small|exit): (?P<value>.*?) -->$")
STYLE = re.compile(r"\x1b\[[0-9;]*m")
PROGRAM = ("python -m clirbench ", "PYTHONPATH=. python -m clirbench ", "make")
TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fenced block, where it begins, and the directives that stand before it."""

    where: str
    language: str
    title: str
    lines: tuple[str, ...]
    directives: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Command:
    """A command and what the page says that it prints."""

    where: str
    text: str
    shown: tuple[str, ...]


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page; raises `ValueError` for one that is not closed."""
    lines = page.read_text(encoding="utf-8").split("\n")
    directives: dict[str, str] = {}
    number = 0
    while number < len(lines):
        line = lines[number]
        if found := DIRECTIVE.match(line.strip()):
            directives[found["name"]] = found["value"]
        elif fence := FENCE.match(line):
            closing = fence["indent"] + fence["ticks"]
            try:
                end = next(n for n in range(number + 1, len(lines)) if lines[n].rstrip() == closing)
            except StopIteration:
                raise ValueError(f"{page}:{number + 1}: the block is not closed") from None
            width = len(fence["indent"])
            held = tuple(text[width:] for text in lines[number + 1 : end])
            title = TITLE.search(fence["options"])
            where = f"{page.relative_to(ROOT)}:{number + 1}"
            yield Block(where, fence["language"], title[1] if title else "", held, directives)
            directives = {}
            number = end
        number += 1


def commands(block: Block) -> list[Command]:
    """The commands of a console block with their outputs; raises `ValueError` for output before any command."""
    found: list[tuple[str, list[str]]] = []
    continued = False
    for line in block.lines:
        if continued or (found and not found[-1][1] and line.startswith("> ")):
            found[-1] = (f"{found[-1][0]}\n{line.removeprefix('> ')}", [])
        elif line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
        elif line.strip():
            raise ValueError(f"{block.where}: output before a command: {line}")
        continued = bool(found) and not found[-1][1] and found[-1][0].endswith("\\")
    return [Command(block.where, text, tuple(shown)) for text, shown in found]


@dataclass(frozen=True)
class Session:
    """A folder in which a reader follows a page; `.venv/bin` holds what `make` would have put there."""

    folder: Path

    def open(self) -> None:
        bin_folder = self.folder / ".venv" / "bin"
        bin_folder.mkdir(parents=True)
        # The project is found as if it were installed; what else PYTHONPATH holds is the page's own affair.
        python = f'env PYTHONPATH="$PYTHONPATH:{ROOT}" {shlex.quote(sys.executable)}'
        # make finds its stamp in place, so it installs nothing and runs the program.
        make = f'exec /usr/bin/env -u MAKEFLAGS make -f {shlex.quote(str(ROOT / "Makefile"))} BASE= STAMP= "$@"'
        scripts = {"python": f'exec {python} "$@"', "clirbench": f'exec {python} {bin_folder}/.console.py "$@"'}
        for name, line in scripts.items():
            _script(bin_folder / name, f"#!/bin/sh\n{line}\n")
        (bin_folder / ".console.py").write_text(
            f"import sys\nsys.argv[0] = {str(bin_folder / 'clirbench')!r}\n"
            "from clirbench.__main__ import main\nsys.exit(main())\n",
            encoding="utf-8",
        )
        shims = self.folder / ".venv" / "shims"
        shims.mkdir()
        _script(shims / "make", f"#!/bin/sh\nPATH={shlex.quote(os.environ['PATH'])}\n{make}\n")

    def run(self, text: str, timeout: float = 280) -> tuple[int, str]:
        """Run a command line in the folder: its exit code, and what a reader at a terminal would see.

        The program itself has a terminal for its standard output, 80 columns wide and without colours.
        """
        path = f"{self.folder}/.venv/shims:{self.folder}/.venv/bin:{os.environ['PATH']}"
        # A make inside `make test-slow` would say which folder it enters.
        ours = ("PYTHONPATH", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKE_TERMOUT", "MAKE_TERMERR")
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        # Both sizes: rich takes 80 columns of a dumb terminal unless it finds both, and pytest-xdist sets LINES.
        environment = {**kept, "PATH": path, "COLUMNS": "80", "LINES": "25", "TERM": "dumb"}
        if text.startswith(PROGRAM) and "|" not in text:
            return _at_terminal(["bash", "-c", text], self.folder, environment, timeout)
        done = subprocess.run(
            ["bash", "-c", text],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout,
        )
        return done.returncode, done.stdout


def _at_terminal(command: list[str], folder: Path, environment: dict[str, str], timeout: float) -> tuple[int, str]:
    """Standard output goes to a terminal, then comes standard error."""
    reader, writer = pty.openpty()
    held = b""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=writer, stderr=errors)
        os.close(writer)
        end = time.monotonic() + timeout
        try:
            while True:
                if not select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
                    process.kill()
                    raise subprocess.TimeoutExpired(command, timeout, held)
                if not (read := os.read(reader, 65536)):
                    break
                held += read
        except OSError as error:
            if error.errno != errno.EIO:  # how Linux says that the last writer has gone
                raise
        finally:
            os.close(reader)
            process.wait()
        errors.seek(0)
        printed = held + errors.read()
    return process.returncode, STYLE.sub("", printed.decode("utf-8").replace("\r\n", "\n"))


def _script(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def matches(shown: tuple[str, ...], printed: str) -> bool:
    """Whether what a page shows is what was printed; `...` as told at the head of this module."""
    lines = [line.rstrip() for line in shown]
    while lines and not lines[-1]:
        lines.pop()
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else f"{'.*'.join(re.escape(part) for part in line.split('...'))}\\n"
        for line in lines
    )
    text = "".join(f"{line.rstrip()}\n" for line in printed.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, text) is not None
