"""The demo's corpus, which ships with the package; clirbench/data/demo/README.md describes it."""

from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.sides import SideTexts
from clirbench.errors import InputError

FOLDER = Path(__file__).resolve().parents[1] / "data" / "demo"


def demo_file(name: str) -> str:
    """The path of one of the demo's files, for readers that take a path (topics, qrels).

    name: `topics.jsonl`, `qrels.txt`, ... Raises `InputError` for a file that the demo does not have.
    """
    if name not in (choices := sorted(path.name for path in FOLDER.iterdir())):
        raise InputError(f"the demo has no file {name!r}; it has {', '.join(choices)}")
    return str(FOLDER / name)


@dataclass(frozen=True)
class DemoCorpus:
    """112 short speeches, English and Czech: MT test set and searched collection at once."""

    def read(self) -> Corpus:
        return FolderCorpus(str(FOLDER)).read()

    def side_texts(self) -> SideTexts:
        """What tells the languages."""
        return FolderCorpus(str(FOLDER)).side_texts()
