"""The demo's corpus, which ships with the package; what it is stands in clirbench/data/demo/README.md."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.errors import InputError
from clirbench.text import TextFile
from clirbench.types import DocumentMap, Documents, TestSet

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
        source, reference = TextFile(FOLDER / "source.txt"), TextFile(FOLDER / "reference.txt")
        return Corpus(
            test=TestSet((reference.lines(),), source.lines()),
            english=Documents(reference, _document_map()),
            source=source,
        )


def _document_map() -> DocumentMap:
    rows = [line.split("\t")[1] for line in TextFile(FOLDER / "docs.tsv").lines()[1:]]
    lengths = {doc_id: len(list(lines)) for doc_id, lines in groupby(rows)}
    return DocumentMap(tuple(lengths), np.fromiter(lengths.values(), dtype=np.int64))
