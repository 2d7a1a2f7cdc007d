"""`systems=command`: MT systems that are commands, each with a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.errors import ClirbenchError, ConfigError, gathered, raise_all
from clirbench.labs.models.chain import APERTIUM, ChainTranslator, Command, translator_of
from clirbench.labs.models.translating.base import Translator
from clirbench.labs.models.translating.translation import named_translations
from clirbench.types import Translation

CHAIN = "chain"


@dataclass(frozen=True)
class CommandSystems:
    """One system for each command that reads source lines and writes as many lines.

    `commands` maps a system's name to its command; to `{chain: [COMMAND, COMMAND, ...]}`, commands of which each
    reads what the one before it wrote (`ChainTranslator`); to `{apertium: PAIR}` (`ApertiumTranslator`); or to
    `{apertium: [PAIR, PAIR, ...]}`, a chain of them. `metadata` is a table with further columns by `system`, such as
    `family`; `versions` maps some of the names to the version that
    belongs to the key of what is kept. Everything else is as in `CommandTranslator`, the same for all. `shard_lines`
    and `cache` are as in `CheckpointSystems`.

    **Raises** `ConfigError` for no commands or a setting that makes no sense; `translations`: `ResourceError` for
    programs that are not there, `InputError` for a name with a control character or a slash, or a corpus without a
    source side.
    """

    translates: ClassVar[bool] = True
    commands: Mapping[str, Command | Mapping[str, Any]] | None = field(default=None, hash=False)
    shell: bool = False
    batch_lines: int | None = 1000
    timeout: float | None = 3600.0
    retries: int = 1
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    versions: Mapping[str, str] | None = field(default=None, hash=False)
    metadata: str | None = None
    shard_lines: int = 1000
    cache: str = "runs/.cache"

    def __post_init__(self) -> None:
        if not self.commands:
            raise ConfigError(
                "systems=command: no command; for example 'systems.commands={direct: {apertium: isl-eng}}'"
            )
        whole_number("systems.shard_lines", self.shard_lines)
        if strange := sorted(set(self.versions or {}) - set(self.commands)):
            raise ConfigError(f"systems.versions names systems without a command: {', '.join(strange)}")
        errors: list[ClirbenchError] = []
        for name in self.commands:
            with gathered(errors):
                self.translator(name)
        raise_all(errors)

    def translator(self, name: str) -> Translator:
        """The translator of one system."""
        command = (self.commands or {})[name]
        settings = (self.shell, self.batch_lines, self.timeout, self.retries, self.environment)
        version = str((self.versions or {}).get(name, ""))
        kind, steps = next(iter(command.items())) if isinstance(command, Mapping) and len(command) == 1 else ("", "")
        if isinstance(command, Mapping) and kind not in (CHAIN, APERTIUM):
            raise ConfigError(
                f"systems.commands: {name}: a command was expected, {{{CHAIN}: [COMMAND, COMMAND]}}, "
                f"{{{APERTIUM}: PAIR}} or {{{APERTIUM}: [PAIR, PAIR]}}"
            )
        if kind == APERTIUM and isinstance(steps, Sequence) and not isinstance(steps, str):
            kind, steps = CHAIN, [{APERTIUM: pair} for pair in steps]
        if kind == CHAIN:
            return ChainTranslator(steps, *settings, version, self.cache)
        return translator_of(command, *settings, version)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        translators = {name: self.translator(name) for name in self.commands or {}}
        return named_translations(corpus, "systems.commands", translators, self.cache, self.shard_lines, self.metadata)
