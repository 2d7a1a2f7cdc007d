"""`systems/translator=command`: any program that reads source lines and writes as many lines."""

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from clirbench.engines.programs import Finished, run_to_end
from clirbench.errors import ClirbenchError, ConfigError, ResourceError
from clirbench.systems.translators.base import Translate, miscounted
from clirbench.systems.translators.content import content_fingerprint
from clirbench.text import invalid_utf8, split_lines

MODEL, SOURCE, OUTPUT = "{model}", "{source}", "{output}"


@dataclass(frozen=True)
class CommandTranslator:
    """A command that translates line by line, run once for each batch.

    `command` is a list of arguments, or a string that is split as a shell would, yet run without one; with
    `shell: true` the string goes to /bin/sh. It reads the source lines on stdin and writes to stdout. `{source}` and
    `{output}` in it stand for files to read and write instead, `{model}` for the path of the model. `batch_lines`:
    lines a call (None: all lines of a shard at once). `timeout`: seconds a call. `retries`: further attempts after a
    failed call. `environment`: variables beside those of this process. `version` is any text: change it when the
    program behaves otherwise and what was translated before must be forgotten.

    The content of the model and of every file that an argument names (a script, a dictionary) is part of what is
    remembered with a translation; a program's own data elsewhere is not: that is what `version` is for.

    **Raises** `ConfigError` for settings that make no sense; `check`: `ResourceError` for a program that is not
    there; translating: `ResourceError` for a call that fails `retries + 1` times, `AlignmentError` where it wrote
    more or fewer lines than it read.
    """

    command: str | Sequence[str] = ""
    shell: bool = False
    batch_lines: int | None = 1000
    timeout: float | None = 3600.0
    retries: int = 1
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    version: str = ""

    def __post_init__(self) -> None:
        if not self.command:
            raise ConfigError("command: is empty; name the program that translates, for example 'apertium isl-eng'")
        if self.shell and not isinstance(self.command, str):
            raise ConfigError("command: with shell: true one string was expected, not a list of arguments")
        if self.batch_lines is not None and self.batch_lines < 1:
            raise ConfigError(f"batch_lines={self.batch_lines}: must be at least 1, or null for all at once")
        if self.timeout is not None and self.timeout <= 0:
            raise ConfigError(f"timeout={self.timeout}: must be above 0 seconds, or null for no limit")
        if self.retries < 0:
            raise ConfigError(f"retries={self.retries}: must be 0 or more")
        if not self.words:
            raise ConfigError(f"command: {self.command!r} holds no program")

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments, placeholders still in place (of a shell's line: its words, to look at)."""
        if not isinstance(self.command, str):
            return tuple(str(word) for word in self.command)
        try:
            return tuple(shlex.split(self.command))
        except ValueError as error:
            if self.shell:
                return (self.command,)
            raise ConfigError(f"command: {self.command!r} cannot be split into arguments ({error})") from None

    @property
    def uses_model(self) -> bool:
        return any(MODEL in word for word in self.words)

    @property
    def signature(self) -> str:
        line = self.command if isinstance(self.command, str) else shlex.join(self.words)
        variables = ",".join(f"{name}={value}" for name, value in sorted(self.environment.items()))
        how = "shell" if self.shell else "exec"
        return f"command|{how}:{line}|batch:{self.batch_lines}|env:{variables}|v:{self.version or '-'}"

    def check(self, model: Path | None) -> None:
        if model is None and self.uses_model:
            raise ConfigError(f"command: {self.command!r} asks for {MODEL}, but no model is configured")
        if model is not None and not self.uses_model:
            raise ConfigError(f"command: {self.command!r} has no {MODEL}: every model would translate alike")
        program = self._arguments(model, {})[0]
        if shutil.which(program) is None:
            raise ResourceError(f"{program}: no such program; install it, or correct the command")

    def fingerprint(self, model: Path | None) -> str:
        named = [Path(word) for word in self.words if MODEL not in word]
        files = [path for path in ([] if model is None else [model]) + named if _is_file(path) or path == model]
        return sha256("\n".join(content_fingerprint(path) for path in files).encode()).hexdigest()

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        def translate(lines: Sequence[str]) -> list[str]:
            size = self.batch_lines or max(1, len(lines))
            batches = [lines[start : start + size] for start in range(0, len(lines), size)]
            return [line for batch in batches for line in self._persistent(batch, model)]

        yield translate

    def _persistent(self, lines: Sequence[str], model: Path | None) -> Sequence[str]:
        for left in range(self.retries, -1, -1):
            try:
                return self._call(lines, model)
            except ClirbenchError:
                if not left:
                    raise
        raise AssertionError("unreachable")

    def _call(self, lines: Sequence[str], model: Path | None) -> Sequence[str]:
        given = "".join(line + "\n" for line in lines).encode("utf-8")
        if any(mark in word for word in self.words for mark in (SOURCE, OUTPUT)):
            with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
                content = self._through_files(given, model, Path(folder) / "source.txt", Path(folder) / "output.txt")
        else:
            content = self._end(self._arguments(model, {}), given).output
        try:
            written = split_lines(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ResourceError(str(invalid_utf8(f"output of {self._named}", content, error.start))) from None
        if len(written) != len(lines):
            raise miscounted(self._named, len(lines), len(written))
        return written

    def _through_files(self, given: bytes, model: Path | None, source: Path, output: Path) -> bytes:
        """What a command with `{source}`, `{output}` or both writes; the other way is stdin or stdout."""
        reads_file = any(SOURCE in word for word in self.words)
        if reads_file:
            source.write_bytes(given)
        arguments = self._arguments(model, {SOURCE: source, OUTPUT: output})
        ended = self._end(arguments, None if reads_file else given)
        if not any(OUTPUT in word for word in self.words):
            return ended.output
        if not output.is_file():
            raise ResourceError(f"{self._named}: ended well but wrote no {OUTPUT} file")
        return output.read_bytes()

    def _end(self, arguments: Sequence[str], given: bytes | None) -> Finished:
        variables = {name: str(value) for name, value in self.environment.items()}
        ended = run_to_end(arguments, given, self.timeout, variables)
        if ended.status != 0:
            attempts = f"{self.retries + 1} attempts failed, the last: " if self.retries else ""
            raise ResourceError(f"{self._named}: {attempts}{ended.ending}")
        return ended

    def _arguments(self, model: Path | None, files: Mapping[str, Path]) -> list[str]:
        places = {**files, **({} if model is None else {MODEL: model})}
        if self.shell:
            return ["/bin/sh", "-c", _filled(str(self.command), {k: shlex.quote(str(p)) for k, p in places.items()})]
        return [_filled(word, {k: str(p) for k, p in places.items()}) for word in self.words]

    @property
    def _named(self) -> str:
        return f"command {self.words[0] if not self.shell else self.command!r}"


def _filled(word: str, places: Mapping[str, str]) -> str:
    for mark, place in places.items():
        word = word.replace(mark, place)
    return word


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a word too long for a name, or with a null byte
        return False
