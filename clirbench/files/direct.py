"""What has not changed is not done again: what a run or a sweep printed is printed again, before libraries are loaded.

CACHE/direct/KEY.json, written at the end of a run, has what it said, and what that follows from:

    KEY        sha256 of the arguments (but `fresh=`), the working folder, the environment, the interpreter and its
               options, the terminal, the machine, and the names of all that Python may import
    files      for each file its state, where that was settled before the run began, and its sha256: inputs, what the
               program consists of; libraries without a sha256, files of the run's folder without a state
    folders    the names in each folder of these

Whatever is not found exactly so leads the usual way, as do `fresh=true`, a run that does more than read files and
compute, one in which something failed, and one whose folders changed while it went on.
"""

import gc
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

STARTED = time.time_ns()
SETTLED = 2 * 10**9
"""Nanoseconds after which the times of a file tell its last change from the one before."""
State = tuple[int, int, int, int, int]
"""Device, inode, size, time of the content, time of the entry."""
OF_A_SHELL = ("_", "SHLVL", "PWD", "OLDPWD")
"""Variables that differ from one command to the next, and change nothing."""
KEPT = 20
"""Answers that are kept; each takes some 100 kB."""
MODULE = (".py", ".pyc", ".so", ".pyd", ".pth", "-info", "-link")
OPTIONS, CACHE = ("--json", "--quiet"), "runs/.cache"
asked = ""
"""Where the answer to this start of the program is, or will be; nowhere for a start from Python."""
at_start: dict[str, list[str]] = {}
"""The names in the working folder, to which a first run adds its own, and in folders that arguments name."""


def state_of(path: Any) -> State | None:
    """The operating system's record of a file; None where it has none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def main() -> None:
    """The console script: the same answer again, or else the program."""
    answer()
    import_module("clirbench.__main__").main()


def answer() -> None:
    """Say again what a finished run said, and end the program with its status; nothing where something has changed."""
    global asked  # noqa: PLW0603
    asked = _place(sys.argv[1:])
    at_start[os.getcwd()] = _names(".")
    if asked and not any(map(_is_fresh, sys.argv)):
        with suppress(OSError, ValueError, TypeError, KeyError):
            with open(asked, encoding="utf-8") as file:
                found = json.load(file)
            if _is_as_then(found):
                print(f"nothing has changed since {found['made']}; fresh=true computes it again", file=sys.stderr)
                print(found["aside"], end="", file=sys.stderr)
                sys.stdout.buffer.write(found["said"].encode("latin-1"))
                sys.stdout.flush()
                sys.exit(found["status"])
    given = (one.rpartition("=")[2].strip("\"'") for one in sys.argv[1:])
    for place in (form for one in given if os.path.isdir(one) for form in (one, os.path.abspath(one))):
        at_start.update((inner, _names(inner)) for inner in (place, *_folders(place)))
    # A first start adds byte code beside the modules.
    at_start.update((place, _names(place)) for place, _, _ in os.walk(os.path.dirname(os.path.dirname(__file__))))
    gc.set_threshold(250_000, 20, 20)  # a run makes many objects and few cycles: a twentieth of it was looking for them


def _place(arguments: list[str]) -> str:
    """The file of an answer; no name where none can be kept: an option, a value that is worked out."""
    if sys.stdout is None or any("${" in one or (one[:1] == "-" and one not in OPTIONS) for one in arguments):
        return ""
    caches = [one.partition("=")[2].strip("\"'") for one in arguments if one.lstrip("+").startswith("paths.cache=")]
    terminal = [stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr)]
    with suppress(OSError):
        terminal += os.get_terminal_size() if terminal[0] else ()
    key: Any = (
        [one for one in arguments if not _is_fresh(one)], os.getcwd(), __file__, terminal,
        sorted((name, value) for name, value in os.environ.items() if name not in OF_A_SHELL), sys.stdout.encoding,
        sys.version, sys.executable, list(sys.flags), sys.warnoptions, sorted(sys._xoptions.items()),
        [(path, _importable(path)) for path in sys.path], getattr(os, "uname", tuple)(),
    )  # fmt: skip
    name = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    return os.path.abspath(os.path.join((caches or [CACHE])[-1], "direct", f"{name}.json"))


def _is_fresh(argument: str) -> bool:
    return argument.lstrip("+").startswith("fresh=")


def _importable(folder: str) -> list[str]:
    """What in a folder of `sys.path` is a module, a package, or says that one is installed."""
    return [n for n in _names(folder) if n.endswith(MODULE) or os.path.exists(os.path.join(folder, n, "__init__.py"))]


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder or ".") if name != "__pycache__")
    except OSError:
        return []


def _is_as_then(found: Mapping[str, Any]) -> bool:
    same = all(_names(folder) == names for folder, names in found["folders"].items())
    return same and all(_is_same(path, *known) for path, known in found["files"].items())


def _is_same(path: str, state: list[int] | None, sha256: str | None) -> bool:
    if state is not None and (now := state_of(path)) is not None and list(now) == state:
        return True
    return sha256 is not None and not (state is None and os.path.islink(path)) and _sha256(path) == sha256


def _sha256(path: str) -> str:
    """sha256 of the unpacked bytes of a file."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if packed:
            import gzip

            with gzip.open(file) as unpacked:
                return hashlib.file_digest(unpacked, "sha256").hexdigest()
        return hashlib.file_digest(file, "sha256").hexdigest()


class Unsettled(Exception):
    """Something changed while the run went on, or just before."""


def keep(
    folder: str,
    runs: Iterable[str],
    said: tuple[bytes, str, int],
    read: Mapping[str, tuple[str, State | None]],
    program: Iterable[str],
    named: Iterable[str],
) -> None:
    """Keep what a run or a sweep said, unless something that it follows from changed meanwhile.

    folder: of the run, or of the sweep, and `runs`, those of its jobs. said: on standard output and on standard error,
    and its exit status. read: the sha256 of each input, and its state when it was read. program: folders of code and
    configurations, and files. named: what a configuration may call a file or folder.
    """
    with suppress(OSError, Unsettled):
        named, program = {*named}, [*program]
        read = {path: known for path, known in read.items() if not path.startswith(os.path.join(folder, ""))}
        inputs = {os.path.dirname(path) for path in read}
        inputs |= {place for begun in map(_beginning, named) if begun for place in (begun, *_folders(begun))}
        code = {place for folder in program for place, _, _ in os.walk(folder) if "__pycache__" not in place}
        of_sweep = [] if folder in (runs := [*runs]) else [os.path.join(folder, name) for name in _names(folder)]
        made = {path: (None, _sha256(path)) for path in of_sweep if os.path.isfile(path)}
        for place in runs:
            with open(os.path.join(place, "manifest.json"), encoding="utf-8") as file:
                listed = json.load(file)["files"].items()
            made |= {os.path.join(place, name): (None, one["sha256"]) for name, one in listed}
            made[file.name] = (None, _sha256(file.name))
        libraries = [*map(_file_of, [*sys.modules.values()]), sys.executable, *_installed()]
        ours = [os.path.join(place, name) for place in code for name in _names(place)]
        ours = [path for path in (*ours, *named, *program) if os.path.isfile(path) and path not in read]
        files: dict[str, Any]
        files = {path: (_settled(state_of(path)), None) for path in libraries if path and os.path.isfile(path)}
        files |= {path: (_settled(state_of(path)), _sha256(path)) for path in ours}
        files |= {path: (_known(path, state), sha256) for path, (sha256, state) in read.items()}
        own = {os.path.relpath(path, cwd).split(os.sep)[0] for cwd in at_start for path in (folder, asked)}
        for place in inputs | code:
            if {*at_start.get(place, ())} - own != {*_names(place)} - own:
                _settled(state_of(place))
        folders = {place: _names(place) for place in inputs | code}
        folders |= {place: _names(place) for place in {folder, *map(os.path.dirname, made)}}
        text = json.dumps({
            "made": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()), "said": said[0].decode("latin-1"),
            "aside": said[1], "status": said[2], "folders": folders, "files": files | made,
        })  # fmt: skip
        os.makedirs(os.path.dirname(asked), exist_ok=True)
        unfinished = f"{asked}.{os.getpid()}"
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, asked)
        others = sorted(os.scandir(os.path.dirname(asked)), key=lambda entry: entry.stat().st_mtime_ns)
        for entry in others[:-KEPT]:
            os.unlink(entry.path)


def _beginning(text: str) -> str:
    """The folder that a text names, or that a pattern begins with; none for most texts."""
    if os.path.isdir(text):
        return text
    return os.path.dirname(re.split(r"[*?[%{]", text)[0]) if os.sep in text else ""


def _folders(place: str) -> list[str]:
    return [entry.path for entry in os.scandir(place) if entry.is_dir()] if os.path.isdir(place) else []


def _file_of(module: Any) -> str:
    return getattr(module, "__file__", None) or ""


def _installed() -> list[str]:
    """What says which laboratories there are, and where packages lie."""
    beside = [os.path.join(folder, name) for folder in sys.path for name in _names(folder)]
    points = (os.path.join(path, "entry_points.txt") for path in beside if path.endswith("-info"))
    return [*points, *(path for path in beside if path.endswith(".pth"))]


def _settled(state: State | None) -> State | None:
    if state is None or STARTED - max(state[3:]) <= SETTLED:
        raise Unsettled
    return state


def _known(path: str, state: State | None) -> State | None:
    """The state by which an input is known again; None where only its content tells."""
    return state if state is not None and state_of(path) == state and STARTED - max(state[3:]) > SETTLED else None
