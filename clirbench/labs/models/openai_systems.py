"""`systems=openai`: models of a server, each with a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from clirbench.checks import one_of, whole_number
from clirbench.corpora.base import Corpus
from clirbench.errors import ClirbenchError, ConfigError, gathered, raise_all
from clirbench.labs.models.openai_translator import OpenAITranslator
from clirbench.labs.models.server import Server
from clirbench.labs.models.translating.base import PROMPT
from clirbench.labs.models.translating.translation import TRANSLATIONS, named_translations
from clirbench.types import Translation

OF_ONE = ("model", "prompt", "instructions", "batch_lines", "temperature", "max_tokens", "extra", "version")


@dataclass(frozen=True)
class OpenAISystems:
    """One system for each entry of `models`: a model of the server, or settings of its own (`model` and others).

    `url`, `alias`, `key`, `concurrency`, `timeout`, `retries` are as in `Server`, `prompt` to `version` as in
    `OpenAITranslator`; `metadata` is a table with further columns by `system`; `shard_lines` and `cache` as in
    `CheckpointSystems`.

    **Raises** `ConfigError` for no models or a setting that makes no sense; `translations`: `InputError` for a name
    with a control character or a slash, or a corpus without a source side.
    """

    translates: ClassVar[bool] = True
    url: str | None = None
    models: Mapping[str, str | Mapping[str, Any]] | None = field(default=None, hash=False)
    key: str = ""
    prompt: str = PROMPT
    instructions: str = ""
    batch_lines: int = 1
    temperature: float | None = 0.0
    max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    version: str = ""
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5
    shard_lines: int = 100
    cache: str = "runs/.cache"
    alias: str = ""
    metadata: str | None = None

    def __post_init__(self) -> None:
        if not self.models or not self.url:
            raise ConfigError(
                "systems=openai: no model or no server; for example systems.url=http://127.0.0.1:8000/v1 "
                "'systems.models={small: \"name-of-a-model\"}'"
            )
        whole_number("systems.shard_lines", self.shard_lines)
        errors: list[ClirbenchError] = []
        for name in self.models:
            with gathered(errors):
                self.translator(name)
        raise_all(list({str(error): error for error in errors}.values()))  # an error of all models once

    def translator(self, name: str) -> OpenAITranslator:
        """The translator of one system."""
        own = (self.models or {})[name]
        settings = {"model": own} if isinstance(own, str) else dict(own)
        for setting in settings:
            one_of(f"systems.models.{name}", setting, OF_ONE)
        shared = {setting: getattr(self, setting) for setting in OF_ONE if setting != "model"}
        server = Server(str(self.url), self.key, self.concurrency, self.timeout, self.retries, self.alias)
        folder = Path(self.cache) / TRANSLATIONS / "answers"
        return OpenAITranslator(server, **{"model": "", **shared, **settings}, folder=folder)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        translators = {name: self.translator(name) for name in self.models or {}}
        return named_translations(corpus, "systems.models", translators, self.cache, self.shard_lines, self.metadata)
