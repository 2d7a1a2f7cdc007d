"""`relevance=pyserini`: judgments by pyserini's name for them."""

from dataclasses import dataclass, field
from pathlib import Path

from clirbench.errors import ConfigError
from clirbench.labs.search.pyserini_names import file_named
from clirbench.relevance.qrels import Judgments
from clirbench.types import Judge


@dataclass(frozen=True)
class PyseriniQrels(Judgments):
    """The judgments that `pyserini.search.get_qrels(name)` gives; raises as `topics=pyserini` does.

    `download`: whether pyserini may fetch them.
    """

    name: str = ""
    judged_by: Judge | None = field(default="people", kw_only=True)
    download: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            raise ConfigError("relevance.name is not set: one of pyserini's names, such as relevance.name=robust04")

    @property
    def files(self) -> tuple[Path, ...]:
        return (file_named("qrels", self.name, self.download),)
