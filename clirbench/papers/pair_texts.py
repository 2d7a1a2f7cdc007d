"""The texts of two systems, by language pair: from a data manifest, or from a folder that is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import ConfigError, UnknownName
from clirbench.systems.files import FileSystems
from clirbench.types import TestSet


@dataclass(frozen=True)
class PairTexts:
    """One test set and two systems' translations of it; `first` is the supervised system of the paper."""

    label: str
    test: TestSet
    first: tuple[str, ...]
    second: tuple[str, ...]


def read_pair(
    label: str, sources: Mapping[str, CorpusSource], folders: Mapping[str, str], pair: Sequence[str]
) -> PairTexts | None:
    """The texts of a language pair; None where neither a manifest nor a folder is known for it.

    Raises what reading a corpus raises, and `ConfigError` where `pair` does not name two systems.
    """
    if len(pair) != 2:
        raise ConfigError(f"paper.pair={list(pair)}: name two systems, the supervised one first")
    source = FolderCorpus(folders[label]) if label in folders else sources.get(label)
    if source is None:
        return None
    corpus = source.read()
    found = {t.system: t for t in FileSystems(include=list(pair)).translations(corpus)}
    first, second = (found[name].test for name in pair)
    assert first is not None
    assert second is not None
    return PairTexts(label, corpus.test, first.lines(), second.lines())


def check_labels(folders: Mapping[str, str], labels: Sequence[str]) -> None:
    """Raise `UnknownName` for a folder of a language pair that the table does not have."""
    for label in folders:
        if label not in labels:
            raise UnknownName("language pair of paper.folders", label, labels)


def how_to_give(label: str) -> str:
    """What to tell somebody who has no texts of a language pair."""
    return (
        f"the texts of {label} are not at hand; with a folder that has reference.txt, systems/snmt.txt and "
        f"systems/unmt.txt say 'paper.folders={{{label}: \"DIR\"}}'"
    )
