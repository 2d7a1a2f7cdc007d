"""A corpus whose texts are found by a data manifest: in a mirror, in the cache, or by download.

The demo's corpus, which ships with the package; clirbench/data/demo/README.md describes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.layout import layout_of, translations_layout
from clirbench.corpora.sides import read_corpus
from clirbench.datasets.manifests import ManifestFiles, load_manifest, manifest_names
from clirbench.errors import ConfigError, InputError


@dataclass(frozen=True)
class ManifestCorpus:
    """A data set as a corpus; only what a run reads must be there.

    `manifest` is the name of the data set. `references`, `documents_size` and `collection` are those of
    `FolderCorpus`; `collection` names the searched side while it is the data set's own test set. With
    `translations`, a folder of translated documents (`clirbench.corpora.layout`: line-aligned or JSON-lines, one file
    for each system) is searched instead, and has no name; its English side is in it, or is `english`.
    `read_source` is for metrics that need the source.
    `manifests` is a folder of other manifests than those that are shipped.

    `read` raises `UnknownName`, `MissingData`, `DownloadError`, and what `FolderCorpus` raises.
    """

    manifest: str = ""
    mirror: str | None = None
    cache: str | None = None
    download: bool = False
    references: str | Sequence[str] = "first"
    documents_size: int = 1
    collection: str = ""
    translations: str | None = None
    english: str | None = None
    read_source: bool = False
    manifests: str | None = None

    def __post_init__(self) -> None:
        if not self.manifest:
            known = ", ".join(manifest_names())
            raise ConfigError(f"corpus.manifest is not set: name a data set ({known})")
        whole_number("documents.size", self.documents_size)

    def read(self) -> Corpus:
        manifest = load_manifest(self.manifest, Path(self.manifests) if self.manifests else None)
        files = ManifestFiles(manifest, self.mirror, self.cache, self.download)
        test = layout_of(f"data set {manifest.name}", (*manifest.by_path, *manifest.shipped), files.locate)
        searched, collection = test, self.collection
        if self.translations:
            searched, collection = translations_layout(self.translations, self.english), ""
        corpus = read_corpus(test, searched, self.references, collection, self.documents_size, self.read_source)
        return replace(corpus, notes=(*corpus.notes, f"data set {manifest.name}: {manifest.citation}"))


FOLDER = Path(__file__).resolve().parents[1] / "data" / "demo"


def demo_file(name: str) -> str:
    """The path of one of the demo's files, for readers that take a path (topics, qrels).

    name: `topics.jsonl`, `qrels.txt`, ... Raises `InputError` for a file that the demo does not have.
    """
    if name not in (choices := sorted(path.name for path in FOLDER.iterdir())):
        raise InputError(f"the demo has no file {name!r}; it has {', '.join(choices)}")
    return str(FOLDER / name)


@dataclass(frozen=True)
class DemoCorpus(FolderCorpus):
    """112 short speeches, English and Czech: MT test set and searched collection at once."""

    folder: str = str(FOLDER)
