"""The folders of mt-metrics-eval (version 2): one test set, one language pair.

    sources/PAIR.txt  references/PAIR.NAME.txt  documents/PAIR.docs  system-outputs/PAIR/NAME.txt

**Source:** README.md of google-research/mt-metrics-eval, file organisation and naming convention.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.alignment import survey, unequal
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import Layout, NamedFiles, chosen_references
from clirbench.corpora.released import document_map
from clirbench.corpora.sides import Choice, read_test_set
from clirbench.errors import ConfigError, InputError
from clirbench.text import TextFile
from clirbench.types import Documents


@dataclass(frozen=True)
class MtmeCorpus:
    """A test set in mt-metrics-eval's layout as test set and collection; its systems take part by `systems=files`.

    `folder` is the test set (`.../wmt22`), `pair` the language pair (`de-en`). `references` is `first`, `all`, or
    names as the files have them (`refA`). References that are scored as systems too are no systems here. `read`
    raises `InputError` naming file and line, `AlignmentError` for unequal line counts.
    """

    folder: str | Path | None = None
    pair: str | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""

    def __post_init__(self) -> None:
        if not str(self.folder or "") or not self.pair:
            raise ConfigError("corpus.folder and corpus.pair are not set: name a test set and a pair such as de-en")

    def read(self) -> Corpus:
        root = Path(self.folder or "")
        layout = self._layout(root)
        test = read_test_set(layout, Choice(self.references))
        english = layout.text(layout.references[chosen_references(layout, self.references)[0]])
        doc_ids = read_docs(root / "documents" / f"{self.pair}.docs")
        n_lines = survey(english).n_lines
        if len(doc_ids) != n_lines:
            raise unequal(str(root / "documents" / f"{self.pair}.docs"), len(doc_ids), english.where, n_lines)
        return Corpus(
            test=test,
            english=Documents(english, document_map(str(root / "documents" / f"{self.pair}.docs"), doc_ids)),
            source=layout.text(layout.singles["source.txt"]) if layout.singles else None,
            collection=self.collection,
            test_layout=layout,
            collection_layout=layout,
        )

    def _layout(self, root: Path) -> Layout:
        if not root.is_dir():
            raise InputError(f"{root}: no such folder; a test set of mt-metrics-eval was expected")
        pair = str(self.pair)
        references = {
            path.stem.removeprefix(f"{pair}."): path
            for path in text_files(root / "references")
            if path.name.startswith(f"{pair}.")
        }
        systems = {
            path.stem: path for path in text_files(root / "system-outputs" / pair) if path.stem not in references
        }
        if not references or not systems:
            raise InputError(f"{root}: no references/{pair}.NAME.txt or no system-outputs/{pair}/NAME.txt in it")
        source = root / "sources" / f"{pair}.txt"
        singles = {"source.txt": "source.txt"} if source.is_file() else {}
        paths = {f"reference-{name}.txt": path for name, path in references.items()}
        paths |= {f"systems/{name}.txt": path for name, path in systems.items()} | {"source.txt": source}
        return Layout(
            where=str(root),
            files=NamedFiles(paths),
            references={name: f"reference-{name}.txt" for name in references},
            systems={name: f"systems/{name}.txt" for name in systems},
            singles=singles,
        )


def text_files(folder: Path) -> list[Path]:
    """The .txt files of a folder, sorted; none where there is no such folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix == ".txt" and path.is_file())


def read_docs(path: Path) -> list[str]:
    """The document of each line: `DOMAIN DOCNAME`, separated by white space; raises `InputError` naming the line."""
    doc_ids: list[str] = []
    for number, line in enumerate(TextFile(path).lines(), start=1):
        fields = line.split()
        if len(fields) != 2:
            raise InputError(f"{path}: line {number}: {len(fields)} fields, expected 2: DOMAIN DOCNAME")
        doc_ids.append(fields[1])
    return doc_ids
