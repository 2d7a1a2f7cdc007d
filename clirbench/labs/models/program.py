"""Programs of others: a child process that is started once, reads lines and writes as many.

A line of a translator is a translation, of an encoder a vector as a list of JSON numbers, of a scorer a number.
"""

import hashlib
import json
import os
import re
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import clirbench
from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, ResourceError, raise_all
from clirbench.files.run_files import State, is_settled, state_of
from clirbench.text import current_limits, invalid_utf8

MODEL = "{model}"
FILES = ("{hypothesis}", "{reference}", "{source}")
"""Marks of a metric's command that takes files; scripts/through_files.py runs it."""
SCRIPTS = "clirbench.labs.models.scripts"
HOME = str(Path(clirbench.__file__).parents[1])
GRACE = 2.0  # seconds between asking a program to end and ending it
SHOWN_LINES, SHOWN_BYTES = 10, 2000
STOPPED_READING = 141
"""What a shell gives for a pipe whose later program ended first: its lines are counted."""
PASSING = frozenset({"url", "alias", "key", "concurrency", "timeout", "retries", "device", "threads"})
"""Settings of scripts that move no result; what a server is called is in what its script says of itself."""
LOADED = "CLIRBENCH_LOADED"
"""Names the file in which a script of ours notes the processor seconds that its model took to load."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Program:
    """A command that reads lines and writes a line for each, in their order, until its input ends. After an empty line,
    which it answers with any line, all lines before it should be answered.

    `command`: a list of arguments, or a string that is split as a shell would, yet run without one; `{model}` in it
    stands for the path of a model. `about`: a command that writes what the program is (its version) and fails, with the
    reason on stderr, where something is missing. `timeout`: seconds without a line, after which it is killed (None: no
    limit). `environment`: variables beside those of this process. `version`: any text; change it when the program
    changed. `settings`: of a script of ours, its last argument, as JSON. `kind`: `command`,
    `neural`, `rules` (what it makes of a line may depend on those before it) or `server` (nobody measures its cost).

    What it is, for what is kept: its command, in which files (a script, a dictionary) and the model are their content,
    and what `about` writes.

    Raises `ConfigError` for settings that make no sense.
    """

    command: str | Sequence[str]
    about: str | Sequence[str] = ""
    timeout: float | None = 3600.0
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    version: str = ""
    settings: Mapping[str, Any] | None = field(default=None, hash=False)
    kind: str = "command"

    def __post_init__(self) -> None:
        if self.timeout is not None and self.timeout <= 0:
            raise ConfigError(f"{self.name}: timeout={self.timeout} must be above 0 seconds, or null for no limit")
        if not _words(self.command):
            raise ConfigError("command: is empty; name the program that translates, for example 'apertium -u isl-eng'")

    @property
    def name(self) -> str:
        """What a message calls it."""
        if self.settings is not None and "command" not in self.settings:
            return str(_words(self.command)[-1]).removeprefix(f"{SCRIPTS}.")
        command = self.command if self.settings is None else self.settings["command"]
        return f"command {next(iter(_words(command)), '')}"

    def asks_for(self, mark: str) -> bool:
        """Whether a placeholder is part of the command or of its settings."""
        return any(mark in str(part) for part in (*_words(self.command), *(self.settings or {}).values()))

    def check(self, model: Path | None = None) -> None:
        """Raise `ResourceError` for what is missing, `ConfigError` for a model that is, before any work."""
        if model is None and self.settings is None and self.asks_for(MODEL):
            raise ConfigError(f"command: {self.command!r} asks for {MODEL}, but no model is configured")
        if model is not None and not self.asks_for(MODEL):
            raise ConfigError(f"{self.name}: no {MODEL} in it: every model would translate alike")
        program = self.arguments(model)[0]
        if shutil.which(program) is None:
            raise ResourceError(f"command: {program}: no such program; install it, or correct the command")
        self.identity(model)

    def identity(self, model: Path | None = None) -> str:
        """sha256 of all that decides what it writes; raises `InputError` and `ResourceError` for what is missing."""
        words = _words(self.command) if self.settings is None else [self.name]
        # A word may be too long for a name, or hold a NUL: `os.path` says that it is no file, `Path` raises.
        there = {word for word in words if MODEL not in word and os.path.isfile(word)}  # noqa: PTH113
        parts = [_content(Path(word)) if word in there else word for word in words]
        parts += [f"{name}={value}" for name, value in sorted(self.environment.items())]
        for name, value in (self.settings or {}).items():
            if name in PASSING:
                continue
            kept = name in ("folder", "tokenizer") and value and Path(value).exists()
            parts.append(f"{name}={_content(Path(value)) if kept else json.dumps(value)}")
        if self.asks_for(MODEL) and model is not None:
            parts.append(content_fingerprint(model))
        if self.settings is not None:
            parts.append(self._told((*_words(self.command), "--about"), model))
        elif self.about:
            parts.append(self._told(_words(self.about), model))
        return hashlib.sha256("\n".join((*parts, self.version)).encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def signature(self) -> str:
        """A line about it, with its `identity`, for a program without a model."""
        return f"{self.name}|{self.identity()[:16]}"

    def arguments(self, model: Path | None, words: Sequence[str] = ()) -> list[str]:
        """What is run."""
        place = "" if model is None else str(model)
        run = [word.replace(MODEL, place) for word in words or _words(self.command)]
        if self.settings is None:
            return run
        given = {name: (place or None) if value == MODEL else value for name, value in self.settings.items()}
        return [*run, json.dumps(given)]

    def _told(self, words: Sequence[str], model: Path | None) -> str:
        return _about(self.name, tuple(self.arguments(model, words)), tuple(sorted(self._variables().items())))

    def _variables(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (HOME, os.environ.get("PYTHONPATH"))))
        own = {name: str(value) for name, value in self.environment.items()}
        return {"PYTHONUNBUFFERED": "1", **({} if self.settings is None else {"PYTHONPATH": path}), **own}

    @contextmanager
    def started(self, model: Path | None = None) -> Iterator["Child"]:
        """The running program; its whole process group ends with the block, however that ends."""
        child: Child | None = None
        with tempfile.TemporaryFile() as errors, tempfile.NamedTemporaryFile() as loaded:
            try:
                variables = {**os.environ, **self._variables(), LOADED: loaded.name}
                child = Child(self, self.arguments(model), variables, errors, Path(loaded.name))
                yield child
            finally:
                if child is not None:
                    child.end()


@dataclass(frozen=True)
class Chain(Program):
    """Programs each of which reads what the one before it wrote: a pipe of the shell, which fails if one of them does.

    `timeout` is that of its last lines.
    """

    command: str | Sequence[str] = "chain"
    programs: tuple[Program, ...] = ()

    @property
    def name(self) -> str:
        return " | ".join(program.name for program in self.programs)

    def asks_for(self, mark: str) -> bool:
        return any(program.asks_for(mark) for program in self.programs)

    def check(self, model: Path | None = None) -> None:
        errors: list[ClirbenchError] = []
        for number, program in enumerate(self.programs, 1):
            try:
                program.check(model if program.asks_for(MODEL) else None)
            except (ConfigError, ResourceError) as error:
                errors.append(type(error)(f"step {number} of {len(self.programs)}: {error}"))
        raise_all(errors)

    def identity(self, model: Path | None = None) -> str:
        return hashlib.sha256("".join(program.identity(model) for program in self.programs).encode()).hexdigest()

    def arguments(self, model: Path | None, words: Sequence[str] = ()) -> list[str]:
        each = (shlex.join(program.arguments(model)) for program in self.programs)
        return ["bash", "-o", "pipefail", "-c", " | ".join(each)]

    def _variables(self) -> dict[str, str]:
        return {name: value for program in self.programs for name, value in program._variables().items()}


class Child:
    """A program that runs."""

    def __init__(
        self, program: Program, arguments: Sequence[str], variables: dict[str, str], errors: IO[bytes], loaded: Path
    ) -> None:
        self.program, self.errors, self.loaded = program, errors, loaded
        self.given = self.came = 0
        self.before, self.rest = _ended_children(), b""
        self.lines: deque[bytes] = deque()
        self.broken: list[BaseException] = []
        self.feeder: threading.Thread | None = None
        try:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=variables,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ResourceError(f"{arguments[0]}: cannot be started ({error.strerror})") from None

    def feed(self, lines: Iterable[str], last: bool) -> None:
        """Write lines, from a thread; after the last ones its input ends, else an empty line asks it to answer."""

        def write() -> None:
            stream = self.process.stdin
            assert stream is not None
            try:
                for line in lines:
                    stream.write(line.replace("\n", " ").encode("utf-8", "replace") + b"\n")
                    self.given += bool(line)
                if not last:
                    stream.write(b"\n")
                    stream.flush()
            except (BrokenPipeError, ValueError):  # it has ended, which is seen where its lines are read
                pass
            except BaseException as error:  # noqa: BLE001 - it is raised where its lines are read
                self.broken.append(error)
            if last or self.broken:
                with suppress(OSError, ValueError):
                    stream.close()

        self.feeder = threading.Thread(target=write, daemon=True)
        self.feeder.start()

    def read(self) -> str:
        """Its next line; raises `ResourceError` where it fails, `AlignmentError` where it ends before."""
        line = self._line()
        if line is None:
            self._fail()
            raise self.miscounted()
        self.came += 1
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            whole = b"\n" * (self.came - 1) + line
            wrong = invalid_utf8(f"output of {self.program.name}", whole, error.start + self.came - 1)
            raise ResourceError(str(wrong)) from None

    def ask(self, lines: Sequence[str]) -> list[str]:
        """A line for each line, of a program that answers at once and answers an empty line too."""
        self.feed(lines, last=False)
        answers = [self.read() for _ in lines]
        self.answer_empty()
        return answers

    def answer_empty(self) -> None:
        """Read past the line that answers an empty one."""
        self.read()
        self.came -= 1

    def finish(self) -> None:
        """Wait for its end; raises where it has written more lines than it was given, or fails."""
        extra = 0
        while self._line() is not None:
            extra += 1
        self._fail()
        if extra:
            self.came += extra
            raise self.miscounted()

    @property
    def feeds(self) -> bool:
        """Whether lines are still written to it."""
        return self.feeder is not None and self.feeder.is_alive()

    def seconds(self) -> float:
        """Processor seconds of it and of all that it started, but for the loading of its model.

        While it runs they are counted in hundredths, and those of Linux alone; when it has ended, exactly.
        """
        if self.process.returncode is None:
            used = 0.0
            for path in Path("/proc").glob("[0-9]*/stat"):
                with suppress(OSError):
                    numbers = path.read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
                    if int(numbers[3]) == self.process.pid:  # the session: utime, stime, cutime, cstime
                        used += sum(map(int, numbers[11:15])) / os.sysconf("SC_CLK_TCK")
        else:
            used = _ended_children() - self.before
        return max(0.0, used - sum(map(float, self.loaded.read_text(encoding="ascii").split())))

    def _line(self) -> bytes | None:
        while not self.lines:
            stream = self.process.stdout
            assert stream is not None
            if not select.select([stream], [], [], self.program.timeout)[0]:
                raise ResourceError(f"{self.program.name}: ran out of time and was killed{self._last_words()}")
            piece = os.read(stream.fileno(), 1 << 16)
            *whole, self.rest = (self.rest + piece).split(b"\n")
            self.lines.extend(whole)
            if not piece:
                last, self.rest = self.rest, b""
                return last or None  # a last line without a line end
            if len(self.rest) > current_limits().line_bytes:
                said = f"{self.program.name}:"
                raise ResourceError(f"{said} a line of more than {current_limits().line_bytes:,} bytes came back")
        return self.lines.popleft()

    def _fail(self) -> None:
        """Raise unless the program has ended well, and what it was given too."""
        status = self.process.wait(self.program.timeout)
        if self.feeder is not None:
            self.feeder.join()
        for error in self.broken:
            raise error
        if status not in (0, STOPPED_READING):
            how = f"exit status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"
            raise ResourceError(f"{self.program.name}: {how}{self._last_words() or '; nothing on stderr'}")

    def miscounted(self) -> AlignmentError:
        """The error for a program that wrote more or fewer lines than it read."""
        return AlignmentError(
            f"{self.program.name}: {self.given} source lines were given, {self.came} lines came back; a program writes "
            f"exactly one line for each line it reads, and lines end at '\\n' alone{self._last_words()}"
        )

    def _last_words(self) -> str:
        words = _tail(self.errors.fileno())
        return f"; stderr ends: {words}" if words else ""

    def end(self) -> None:
        """Ask its process group to end, then end it."""
        if self.process.poll() is None:
            _signal_group(self.process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
        _signal_group(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.feeder is not None:
            self.feeder.join()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError, ValueError):
                stream.close()  # type: ignore[union-attr]


def preset(script: str, kind: str = "neural", **settings: Any) -> Program:
    """The program of a script of ours, with its settings; `{model}` as a setting is the model's path.

    Raises `ConfigError` for an address of a server that holds a key, or a key in place of its name.
    """
    timeout = None if kind == "server" else settings.pop("timeout", 3600.0)
    if not str(settings.get("key") or "key").isidentifier():
        raise ConfigError("key: is the name of an environment variable, not the key itself")
    if {"@", "?"} & {*str(settings.get("url"))}:
        raise ConfigError("url: holds a name, a key or a query; put the key into an environment variable, key=NAME")
    return Program((sys.executable, "-P", "-m", f"{SCRIPTS}.{script}"), "", timeout, {}, "", settings, kind)


def content_fingerprint(path: Path) -> str:
    """sha256 of a file, or of the names and contents of all files under a folder (hidden ones left out).

    Raises `InputError` for a path that does not exist or cannot be read.
    """
    digest = hashlib.sha256()
    try:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        files = [path]
        if path.is_dir():
            listed = ((Path(top) / name for name in names) for top, _, names in os.walk(path, onerror=_unreadable))
            files = sorted(file for names in listed for file in names)
        for file in files:
            name = file.relative_to(path)
            if not any(part.startswith(".") for part in name.parts):
                digest.update(f"{name}\0{_content(file)}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be read ({error.strerror or error})") from None
    return digest.hexdigest()


def _unreadable(error: OSError) -> None:
    raise error


def _content(path: Path) -> str:
    if path.is_dir():
        return content_fingerprint(path)
    state = state_of(path)
    return _known(path, state) if state is not None and is_settled(state) else _sha256(path)


@lru_cache(maxsize=4096)
def _known(path: Path, state: State) -> str:
    """sha256 of a file's bytes; its state only says when to read it again."""
    return _sha256(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=1024)
def _about(name: str, arguments: tuple[str, ...], variables: tuple[tuple[str, str], ...]) -> str:
    environment = {**os.environ, **dict(variables)}
    try:
        done = subprocess.run(arguments, capture_output=True, env=environment, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ResourceError(f"{name}: {arguments[0]}: {error}") from None
    if done.returncode:
        raise ResourceError(f"{name}: {_shown(done.stderr) or f'exit status {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace")


def _words(command: str | Sequence[str]) -> tuple[str, ...]:
    """The arguments of a command, placeholders still in place."""
    if not isinstance(command, str):
        return tuple(str(word) for word in command)
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigError(f"command: {command!r} cannot be split into arguments ({error})") from None


def _ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tail(descriptor: int) -> str:
    return _shown(os.pread(descriptor, SHOWN_BYTES, max(0, os.fstat(descriptor).st_size - SHOWN_BYTES)))


def _shown(content: bytes) -> str:
    text = _CONTROL.sub("", content.decode("utf-8", "replace"))
    return " / ".join([line for line in text.split("\n") if line.strip()][-SHOWN_LINES:])
