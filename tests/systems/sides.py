"""Small corpora for the tests of systems: a folder with a source and a reference, and perhaps a test set beside it."""

from pathlib import Path

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from tests.conftest import write_lines as write

GERMAN = ("der Hund ist groß", "die Katze schläft", "", "wo ist das Haus", "ein rotes Buch")
ENGLISH = ("the dog is big", "the cat sleeps", "a silence", "where is the house", "a red book")


def folder_corpus(root: Path, *, source: tuple[str, ...] | None = GERMAN, documents_size: int = 1) -> Corpus:
    """A folder with a reference and (unless None) a source, no systems/."""
    write(root / "reference.txt", ENGLISH)
    if source is not None:
        write(root / "source.txt", source)
    return FolderCorpus(str(root), documents_size=documents_size).read()


def two_sided(root: Path) -> Corpus:
    """The same collection, and a test set of two lines in a folder of its own."""
    folder_corpus(root / "collection")
    write(root / "test" / "reference.txt", ("good morning", "good night"))
    write(root / "test" / "source.txt", ("guten Morgen", "gute Nacht"))
    return FolderCorpus(str(root / "collection"), str(root / "test")).read()
