"""Steps one after another: each reads what the one before it wrote, and what a step wrote is kept."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, TypeAlias

from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, ResourceError, gathered, raise_all
from clirbench.labs.models.apertium import ApertiumTranslator
from clirbench.labs.models.command_translator import MODEL, CommandTranslator
from clirbench.labs.models.translating.base import Translate, translate_lines
from clirbench.labs.models.translating.cost import metered, read_cost, recall, write_cost
from clirbench.labs.models.translating.shards import digest_of, read_shard, write_shard
from clirbench.labs.models.translating.translation import TRANSLATIONS, OfCheckpoints
from clirbench.text import split_lines

STEP = "step of a chain 1"
APERTIUM = "apertium"
Command: TypeAlias = str | Sequence[str] | Mapping[str, str]
"""A string, a list of arguments, or `{apertium: PAIR}`."""


@dataclass(frozen=True)
class ChainTranslator(OfCheckpoints):
    """Two or more commands; a model, where there is one, goes to the steps that ask for `{model}`.

    `commands` are as that of `CommandTranslator`, or `{apertium: PAIR}` (`ApertiumTranslator`), and so is everything
    else, the same for all steps. What each step but the last writes is kept in `cache` under its command, the content
    of its files and the lines that it read. So systems with the same first steps run them once, and a killed run goes
    on after the last whole step.

    **Raises** `ConfigError` for fewer than two commands, or a model that no step asks for; `check` and translating: as
    `CommandTranslator`, with the number of the step.
    """

    kind: ClassVar[str] = "chain"
    commands: Sequence[Command] = field(default=(), hash=False)
    shell: bool = False
    batch_lines: int | None = 1000
    timeout: float | None = 3600.0
    retries: int = 1
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    version: str = ""
    cache: str = "runs/.cache"

    def __post_init__(self) -> None:
        if isinstance(self.commands, str) or len(self.commands) < 2:
            raise ConfigError("chain: two or more commands were expected, each reads what the one before it wrote")
        _ = self.steps

    @property
    def steps(self) -> tuple[CommandTranslator | ApertiumTranslator, ...]:
        """A translator for each command."""
        alike = (self.shell, self.batch_lines, self.timeout, self.retries, self.environment, self.version)
        return tuple(translator_of(command, *alike) for command in self.commands)

    @property
    def signature(self) -> str:
        return "chain|" + "|then:".join(step.signature for step in self.steps)

    def check(self, model: Path | None) -> None:
        if model is not None and not any(_model_of(step, model) for step in self.steps):
            raise ConfigError(f"chain: no step has {MODEL}: every model would translate alike")
        errors: list[ClirbenchError] = []
        for number, step in enumerate(self.steps, 1):
            with gathered(errors), self._numbered(number):
                step.check(_model_of(step, model))
        raise_all(errors)

    def fingerprint(self, model: Path | None) -> str:
        parts = [step.fingerprint(_model_of(step, model)) for step in self.steps]
        return sha256("\n".join(parts).encode()).hexdigest()

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        def translate(lines: Sequence[str]) -> Sequence[str]:
            for number, step in enumerate(self.steps, 1):
                with self._numbered(number):
                    lines = self._step(step, lines, _model_of(step, model), keep=number < len(self.commands))
            return lines

        yield translate

    def _step(
        self, step: CommandTranslator | ApertiumTranslator, lines: Sequence[str], model: Path | None, keep: bool
    ) -> Sequence[str]:
        """What a step makes of the lines; from `cache` where it is there, and kept there."""
        made_by = (STEP, step.signature, step.fingerprint(model), digest_of(lines))
        key = sha256("\n".join(made_by).encode()).hexdigest()
        path = Path(self.cache) / TRANSLATIONS / key[:2] / f"{key}.txt"
        found = read_shard(path, len(lines)) if keep else None
        if found is not None:
            recall(read_cost(path)[0])
            return split_lines(found.decode("utf-8"))
        with metered() as meter, step.loaded(model) as engine:
            written = translate_lines(engine, lines, "its lines")
        if keep:
            write_cost(path, meter.seconds, lines)
            write_shard(path, written)
        return written

    @contextmanager
    def _numbered(self, number: int) -> Iterator[None]:
        """Errors of a step begin with its place."""
        try:
            yield
        except (AlignmentError, ResourceError) as error:
            raise type(error)(f"step {number} of {len(self.commands)}: {error}") from None


def translator_of(
    command: Command,
    shell: bool,
    batch_lines: int | None,
    timeout: float | None,
    retries: int,
    environment: Mapping[str, str],
    version: str,
) -> CommandTranslator | ApertiumTranslator:
    """The translator of one command; raises `ConfigError` for a mapping that is no `{apertium: PAIR}`."""
    if not isinstance(command, Mapping):
        return CommandTranslator(command, shell, batch_lines, timeout, retries, environment, version)
    if set(command) != {APERTIUM}:
        raise ConfigError(f"a command was expected, or {{{APERTIUM}: PAIR}}")
    return ApertiumTranslator(str(command[APERTIUM]), batch_lines, timeout, retries, environment)


def _model_of(step: CommandTranslator | ApertiumTranslator, model: Path | None) -> Path | None:
    """The model for the steps that ask for it; a pair of Apertium has its own data."""
    return model if isinstance(step, CommandTranslator) and step.program.asks_for(MODEL) else None
