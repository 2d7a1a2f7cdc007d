"""`systems/translator=command`: any program that reads source lines and writes as many lines."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from clirbench.engines.programs import Finished, Program, as_input
from clirbench.errors import ClirbenchError, ConfigError, ResourceError
from clirbench.labs.models.content import content_fingerprint
from clirbench.labs.models.translating.base import Translate, miscounted
from clirbench.labs.models.translating.translation import OfCheckpoints
from clirbench.text import invalid_utf8, split_lines

MODEL, SOURCE, OUTPUT = "{model}", "{source}", "{output}"


@dataclass(frozen=True)
class CommandTranslator(OfCheckpoints):
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

    kind: ClassVar[str] = "command"
    command: str | Sequence[str] = ""
    shell: bool = False
    batch_lines: int | None = 1000
    timeout: float | None = 3600.0
    retries: int = 1
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    version: str = ""

    def __post_init__(self) -> None:
        if not self.command:
            raise ConfigError("command: is empty; name the program that translates, for example 'apertium -u isl-eng'")
        if self.shell and not isinstance(self.command, str):
            raise ConfigError("command: with shell: true one string was expected, not a list of arguments")
        if self.batch_lines is not None and self.batch_lines < 1:
            raise ConfigError(f"batch_lines={self.batch_lines}: must be at least 1, or null for all at once")
        if self.retries < 0:
            raise ConfigError(f"retries={self.retries}: must be 0 or more")
        _ = self.program

    @property
    def program(self) -> Program:
        return Program("command", self.command, self.shell, self.timeout, self.environment)

    @property
    def signature(self) -> str:
        program = self.program
        how = f"{program.signature}|batch:{self.batch_lines}|env:{program.variables}"
        return f"command|{how}|v:{self.version or '-'}"

    def check(self, model: Path | None) -> None:
        uses_model = self.program.asks_for(MODEL)
        if model is None and uses_model:
            raise ConfigError(f"command: {self.command!r} asks for {MODEL}, but no model is configured")
        if model is not None and not uses_model:
            raise ConfigError(f"command: {self.command!r} has no {MODEL}: every model would translate alike")
        self.program.check_installed(_places(model))

    def fingerprint(self, model: Path | None) -> str:
        named = [Path(word) for word in self.program.words if MODEL not in word]
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
        given = as_input(lines)
        if self.program.asks_for(SOURCE) or self.program.asks_for(OUTPUT):
            with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
                ended = self._through_files(given, model, Path(folder) / "source.txt", Path(folder) / "output.txt")
        else:
            ended = self._run(_places(model), given)
        content = ended.output
        try:
            written = split_lines(content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ResourceError(str(invalid_utf8(f"output of {self._named}", content, error.start))) from None
        if len(written) != len(lines):
            raise miscounted(self._named, len(lines), len(written), ended.last_words)
        return written

    def _through_files(self, given: bytes, model: Path | None, source: Path, output: Path) -> Finished:
        """What a command with `{source}`, `{output}` or both writes; the other way is stdin or stdout."""
        reads_file = self.program.asks_for(SOURCE)
        if reads_file:
            source.write_bytes(given)
        places = {SOURCE: source, OUTPUT: output, **_places(model)}
        ended = self._run(places, None if reads_file else given)
        if not self.program.asks_for(OUTPUT):
            return ended
        if not output.is_file():
            raise ResourceError(f"{self._named}: ended well but wrote no {OUTPUT} file")
        return replace(ended, output=output.read_bytes())

    def _run(self, places: Mapping[str, Path], given: bytes | None) -> Finished:
        attempts = f": {self.retries + 1} attempts failed, the last" if self.retries else ""
        return self.program.run(places, given, f"{self._named}{attempts}")

    @property
    def _named(self) -> str:
        return f"command {self.command!r}" if self.shell else f"command {self.program.words[0]}"


def _places(model: Path | None) -> dict[str, Path]:
    return {} if model is None else {MODEL: model}


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a word too long for a name, or with a null byte
        return False
