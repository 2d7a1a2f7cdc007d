"""A run computed again from its inputs and nothing else, and compared with a folder that somebody sent.

`recompute` makes the run in a new folder. While it does, this process can start no program, reach no other machine and
write only there: only components that conf/ of the core and of our laboratories name take part
(`configuration.building.effects`), and an audit hook (`Confinement`), the second lock of one door, refuses the rest.

`walk` goes over what both folders hold: each entry follows, does not, or is not checked. Texts are equal, and so are
cells of numbers but for 1e-12 relative.
"""

import errno
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn

from clirbench.commands.rerun import names_input
from clirbench.configuration.building import build, complete, effects, has_own_folders, limits_of, refusals
from clirbench.configuration.composing import CONF, compose_configuration, plain_configuration, relocate
from clirbench.errors import ClirbenchError, ConfigError, ResourceError, shorten
from clirbench.experiment import run, with_store
from clirbench.files.run_files import MANIFEST, MARKER, PROVENANCE, RESULTS, RESULTS_SHAPE, is_free, read_object
from clirbench.report.folder import RunFolder
from clirbench.report.html.page import plain
from clirbench.report.html.report import WHERE
from clirbench.report.provenance import COMMAND, PACKAGE, record
from clirbench.store.cached import PLAN
from clirbench.text import set_limits

RELATIVE = 1e-12
"""Of the larger number: what another processor may add up otherwise."""
BROKEN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)", re.ASCII)
"""A number that is no count: with decimals or an exponent."""
APART = (MANIFEST, PROVENANCE, ".hydra/")
"""What is compared with the seal and with the record of the run."""
BESIDE = (MARKER, ".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml", "plan.tsv")
"""What Hydra and the store write: the names of the files, what the run was asked, and where its results are kept."""
PICTURES = (".pdf", ".png", ".parquet")
"""Other versions of libraries write them otherwise; each is also there as a text."""
UNCHECKED = "not checked"
NUMBER_CELL = re.compile(r'(<td class="num[^"]*" data-sort=)"([^"]*)"')
Cells = Callable[[str], list[tuple[bool, str]]]


def walk(sealed: Path, made: Path, renamed: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Each file of a run and how it is: nothing where it is as computed again, `UNCHECKED`, or the first difference.

    Tables come first. Not checked are journals, hidden and earlier files, and pictures. renamed: a text of the new
    files as the old ones have it. Raises `InputError` for a results.json that is none.
    """
    there, new = ({*_entries(folder)} - {*APART, *BESIDE} for folder in (sealed, made))
    tables = read_object(made / RESULTS, RESULTS_SHAPE).get("tables", {})
    for name in sorted(
        there | new, key=lambda name: (name in there & new, not name.endswith(".tsv"), name != RESULTS, name)
    ):
        if name not in there:
            yield name, "is missing; the inputs give it"
        elif name not in new:
            yield name, "the inputs do not give this"
        elif name.endswith(PICTURES):
            yield name, UNCHECKED
        elif name == RESULTS:
            old, again = (read_object(folder / name, RESULTS_SHAPE) for folder in (sealed, made))
            again = {**json.loads(renamed(json.dumps(again, ensure_ascii=False))), "clirbench": old.get("clirbench")}
            lines = list(differences(old, again))
            yield from ((name, line) for line in lines or [""])
        elif not name.endswith("/"):
            yield name, _difference(sealed / name, made / name, renamed, _cells(name, tables))
    aside = (entry.name for entry in sealed.iterdir() if is_free(entry.name) and entry.name != MANIFEST)
    yield from ((name, UNCHECKED) for name in (*aside, *(name for name in BESIDE if (sealed / name).is_file())))


def _entries(folder: Path) -> Iterator[str]:
    """Each file and folder (with a slash) below the folder of a run that is part of the run."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if not is_free(name.partition("/")[0]):
            yield f"{name}/" if path.is_dir() else name


def _cells(name: str, tables: Mapping[str, Any]) -> Cells:
    """How a line of a file falls into pieces, each with whether it is a cell of a column of numbers."""
    table = tables.get(name.removesuffix(".tsv"))
    if table and name.endswith(".tsv"):
        numeric = {at for at, column in enumerate(table["columns"]) if column not in table["text"]}
        return lambda line: [(at in numeric, cell) for at, cell in enumerate(line.split("\t"))]
    if name.endswith(".html"):
        return lambda line: [(at % 3 == 2, piece) for at, piece in enumerate(NUMBER_CELL.split(line))]
    return lambda line: [(False, line)]


def _difference(sealed: Path, made: Path, renamed: Callable[[str], str], cells: Cells) -> str:
    """Where two files first differ by more than the last bits of numbers."""
    before = sealed.read_bytes()
    if before == made.read_bytes():
        return ""
    texts = before.decode("utf-8", "backslashreplace"), renamed(made.read_text(encoding="utf-8"))
    for number, (old, new) in enumerate(zip_longest(*(text.split("\n") for text in texts)), 1):
        if old == new:
            continue
        if old is None or new is None:
            return f"line {number}: {'is missing' if old is None else 'is one too many'}"
        ours, theirs = cells(old), cells(new)
        same = all(a == b or (is_cell and _alike(a, b)) for (is_cell, a), (_, b) in zip(ours, theirs, strict=False))
        if number == 1 or len(ours) != len(theirs) or not same:  # the first line has the names of columns
            return f"line {number}: {_around(old, new)}"
    return ""


def _alike(old: str, new: str) -> bool:
    return bool(BROKEN_NUMBER.fullmatch(old) and BROKEN_NUMBER.fullmatch(new) and close(float(old), float(new)))


def close(a: float, b: float) -> bool:
    """Whether two numbers are equal but for their last bits."""
    return a == b or abs(a - b) <= RELATIVE * max(abs(a), abs(b)) < float("inf")


def _around(old: str, new: str) -> str:
    """The parts of two lines around the first difference."""
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    begin = max(old.rfind("\t", 0, at) + 1, at - 40)
    return f"is {shorten(old[begin : at + 60], 100)!r}; the inputs give {shorten(new[begin : at + 60], 100)!r}"


def differences(old: Any, new: Any, key: str = "") -> Iterator[str]:
    """A line for each value of two JSON values that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name not in old or name not in new:
                yield f"{key}{name}: {'is missing' if name not in old else 'the inputs do not give it'}"
            else:
                yield from differences(old[name], new[name], f"{key}{name}.")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{key}{at}.")
    elif type(old) is not type(new) or not (old == new or (isinstance(old, float) and close(old, new))):
        shown = [shorten(json.dumps(value, ensure_ascii=False), 100) for value in (old, new)]
        yield f"{key.rstrip('.')}: is {shown[0]}; the inputs give {shown[1]}"


RUN = "run"
SYSTEM = ("/usr", "/lib", "/lib64", "/opt", "/etc", "/proc", "/sys", "/dev/null", "/dev/urandom")
"""Where libraries, fonts and time zones are."""
CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
MAKING = ("clirbench", "python", "unicode", "platform", "libraries", "made", "directory")
"""Keys of provenance.json that say with what, when and where a run was made."""
REFUSED = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn", "socket.connect",
    "socket.bind", "socket.getaddrinfo", "socket.gethostby", "socket.sendto", "socket.sendmsg",
)  # fmt: skip
MOVES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.truncate", "os.chmod",
         "os.chown", "os.utime")  # fmt: skip


class CannotCheck(Exception):
    """Why a run cannot be computed again: a line each."""


class DoesNotFollow(Exception):
    """Where a run is not what its inputs give: a line each."""


def follow(lines: Iterable[str]) -> None:
    """Raises `DoesNotFollow` where there is any line."""
    if found := list(lines):
        raise DoesNotFollow(*found)


def recompute(recorded: Mapping[str, Any], places: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """Compute a run again from its recorded provenance, its files in `folder`/run.

    places: the new place of each folder or file that the configuration names, by its absolute path. Returns paths of
    inputs in the new files, and what stands for them in the old ones. Raises `CannotCheck`, `DoesNotFollow` where the
    inputs do not give the record, and what of the machine stops it.
    """
    words = recorded["command"][len(COMMAND) :]
    try:
        cfg = compose_configuration(words)
        complete(cfg)
        composed = plain_configuration(cfg)
        renamed = _with_places(cfg, recorded, places, folder)
        if elsewhere := [f"{key} {what}" for key, what, _ in effects(plain_configuration(cfg), CONF)]:
            raise CannotCheck(*elsewhere)
        set_limits(limits_of(cfg))
        # Texts too short to tell their language have it from the name that their folder had.
        called = str(composed.get("folder") or "")
        experiment = build(cfg, str(Path(recorded["directory"]) / called) if called else "")
    except ConfigError as error:
        raise CannotCheck(f"this clirbench cannot make its configuration: {error}") from None
    inputs = [placed(path, places) for path in recorded["read"]]
    with chdir(folder), confined(folder, [*inputs, folder / "cache"]) as refused:
        try:
            with with_store(experiment, folder / "new", folder / PLAN) as ready:
                result = run(ready)
                made = plain(record(composed, result))
            RunFolder.claim(folder / RUN).write(result, recorded)
        except ResourceError as error:
            raise CannotCheck(str(error)) from None
        except (ClirbenchError, PermissionError) as error:
            wrong = [f"{PROVENANCE}: the run that it describes ends with an error: {error}"]
        else:
            wrong = list(_other_record(recorded, made, renamed))
    if wrong and refused:
        raise CannotCheck(f"a part of it asked for what is not allowed here: {refused[0]}")
    follow(wrong)
    return renamed


def no_command_line(command: Sequence[str]) -> str:
    """Why the command of a run cannot be given again, nothing where it can."""
    if tuple(command[: len(COMMAND)]) != COMMAND:
        return "the run was made in Python, or by another command than a run"
    words = command[len(COMMAND) :]
    if has_own_folders(words):
        return "configurations of another folder took part, and they can run anything"
    return next(map(str, refusals(words)), "")


def _with_places(cfg: Any, recorded: Mapping[str, Any], places: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Put new places into a configuration, and what only says where to compute; returns new names and the old ones.

    The cache has the downloads and translations of the old one, and not its results.
    """
    home, cache = Path(recorded["directory"]), folder / "cache"
    kept = str(home / str(cfg.paths.cache))
    old = places.get(kept, kept)
    cache.mkdir()
    for entry in Path(old).absolute().iterdir() if os.path.isdir(old) else ():  # noqa: PTH112 - nor for a NUL
        if entry.name != "store":
            (cache / entry.name).symlink_to(entry)
    renamed = relocate(cfg, home, {**places, kept: str(cache)})
    return {**{new: old for old, new in places.items()}, **renamed}


def input_places(recorded: Mapping[str, Any], data: Path | None) -> dict[str, str]:
    """Where the files and folders are now that the recorded configuration names and the run read.

    By absolute path; in `data` each is looked for by its last names: DIR itself, DIR/c, DIR/b/c, ... of a/b/c. Where a
    path names no file, as folder/A-B for two references of a folder or as a pattern, the folder that it is in is looked
    for. Without `data` they are where they were.
    """
    home, places = Path(recorded["directory"]), dict[str, str]()
    for value in {text for text in _texts(recorded["configuration"]) if text and "\0" not in text}:
        root = home / value
        if data is None:
            places |= {str(root): str(root)} if names_input(home, value, recorded["read"]) else {}
        elif found := _place_of(root, recorded["read"], data):
            places[str(root)] = str(found)
        elif "/" in value and (found := _place_of(root.parent, recorded["read"], data)):
            places |= {str(root.parent): str(found), str(root): str(found / root.name)}
    return places


def _place_of(root: Path, read: Iterable[str], data: Path) -> Path | None:
    """The absolute place of a file or folder in `data`: all that was read of it is there; else None."""
    below = [Path(path).relative_to(root) for path in read if Path(path).is_relative_to(root)]
    parts = root.parts[1:]
    candidates = [data, *(data.joinpath(*parts[-n:]) for n in range(1, len(parts) + 1))]
    found = next((place for place in candidates if below and all((place / name).is_file() for name in below)), None)
    return found.absolute() if found else None


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)


def placed(path: str, places: Mapping[str, str]) -> Path:
    """Where an input is now: below the longest of the places that hold it."""
    held = [place for place in places if Path(path).is_relative_to(place)]
    root = max(held, key=len, default=None)
    return Path(path) if root is None else Path(places[root]) / Path(path).relative_to(root)


def _other_record(recorded: Mapping[str, Any], made: Mapping[str, Any], renamed: Mapping[str, str]) -> Iterator[str]:
    """A line for each value of provenance.json that its inputs and its command line do not give."""
    home = Path(recorded["directory"])
    back = {new: str(home / old) for new, old in renamed.items()}
    read = {with_names(path, back): sha256 for path, sha256 in made["read"].items()}
    made = {**made, "read": read}
    yield from (
        f"{PROVENANCE}: {key}: no run writes it" for key in recorded if key not in (*made, *MAKING, "command", "files")
    )
    old, new = ({key: _what(key, of.get(key)) for key in made} for of in (recorded, made))
    for line in differences(old, new):
        yield f"{PROVENANCE}: {line}"


def _what(key: str, value: Any) -> Any:
    """What of a configuration moves numbers; any other value as it is."""
    if key != "configuration" or not isinstance(value, Mapping):
        return value
    return {name: part for name, part in value.items() if name not in WHERE}


def with_names(text: str, renamed: Mapping[str, str]) -> str:
    """A text with the old names of inputs in the places of the new ones, the longest first."""
    for new in sorted(renamed, key=len, reverse=True):
        text = text.replace(new, renamed[new])
    return text


class Confinement:
    """An audit hook; while it is on it refuses to start programs, to reach machines, and to read or write elsewhere."""

    def __init__(self) -> None:
        self.writable: tuple[str, ...] = ()
        self.readable: tuple[str, ...] = ()
        self.refused: list[str] = []
        self.on = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event.startswith(REFUSED):
            self.refuse(event)
        elif event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            writes = bool((arguments[2] or 0) & CHANGES)
            self.judge(os.path.realpath(os.fsdecode(arguments[0])), writes)
        elif event in MOVES:
            for path in arguments[: 2 if event in ("os.rename", "os.link") else 1]:
                if isinstance(path, str | bytes | os.PathLike):
                    place = Path(os.fsdecode(path))  # a link itself is moved, not what it leads to
                    self.judge(f"{os.path.realpath(place.parent)}/{place.name}", True)

    def judge(self, place: str, writes: bool) -> None:
        roots = self.writable if writes else self.readable
        if "/__pycache__" not in place and not any(f"{place}/".startswith(f"{root.rstrip('/')}/") for root in roots):
            self.refuse(f"{'write' if writes else 'read'} {place}")

    def refuse(self, what: str) -> NoReturn:
        self.refused.append(what)
        raise PermissionError(errno.EACCES, "is not allowed while a run is verified", what)


@cache
def confinement() -> Confinement:
    """The hook of this process; Python keeps it until the process ends."""
    hook = Confinement()
    sys.addaudithook(hook)
    return hook


@contextmanager
def confined(folder: Path, inputs: Sequence[Path]) -> Iterator[list[str]]:
    """Within the block only `folder` is written to, and only it, the inputs and installed programs are read."""
    hook = confinement()
    if hook.on:
        raise RuntimeError("a run is verified in this process already")
    installed = {sys.prefix, sys.base_prefix, *filter(None, sys.path), str(PACKAGE), *SYSTEM}
    caches = [str(Path.home() / name) for name in (".cache/matplotlib", ".config/matplotlib")]
    writable = [str(folder), tempfile.gettempdir(), os.devnull, *caches, os.environ.get("MPLCONFIGDIR") or os.devnull]
    hook.writable = tuple(map(os.path.realpath, writable))
    hook.readable = (*hook.writable, *map(os.path.realpath, (*installed, *map(str, inputs))))
    hook.refused, hook.on = [], True
    try:
        yield hook.refused
    finally:
        hook.on = False
