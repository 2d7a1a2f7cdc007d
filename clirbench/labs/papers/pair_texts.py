"""The texts of two systems, by language pair: from a data manifest, or from a folder that is given."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.published import PublishedTable
from clirbench.systems.files import FileSystems
from clirbench.types import TestSet


@dataclass(frozen=True)
class PairTexts:
    """One test set and two systems' translations of it; `first` is the supervised system of the paper."""

    label: str
    test: TestSet
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def outputs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.first, self.second


@dataclass(frozen=True, kw_only=True)
class PairTable(PublishedTable):
    """A table about the two systems of `pair`, the supervised one first.

    texts: language pair to corpus; folders: language pair to a folder, in its place.
    """

    texts: Mapping[str, CorpusSource] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    pair: Sequence[str] = ("snmt", "unmt")

    def read_pair(self, label: str) -> PairTexts | None:
        """The texts of a language pair; None where neither a corpus nor a folder is known for it.

        Raises what reading a corpus raises, and `ConfigError` where `pair` does not name two systems.
        """
        if len(self.pair) != 2:
            raise ConfigError(f"paper.pair={list(self.pair)}: name two systems, the supervised one first")
        source = FolderCorpus(self.folders[label]) if label in self.folders else self.texts.get(label)
        if source is None:
            return None
        corpus = source.read()
        found = {t.system: t for t in FileSystems(include=list(self.pair)).translations(corpus)}
        first, second = (found[name].test for name in self.pair)
        assert first is not None
        assert second is not None
        return PairTexts(label, corpus.test, first.lines(), second.lines())

    def check_labels(self, labels: Iterable[str]) -> None:
        """Raise `UnknownName` for a folder of a language pair that is not among the table's `labels`."""
        for label in self.folders:
            if label not in labels:
                raise UnknownName("language pair of paper.folders", label, labels)


def how_to_give(label: str) -> str:
    """What to tell somebody who has no texts of a language pair."""
    return (
        f"the texts of {label} are missing; for a folder that has reference.txt, systems/snmt.txt and "
        f"systems/unmt.txt add 'paper.folders={{{label}: \"DIR\"}}'"
    )
