"""`topics=gov2`: TREC topics that a data manifest finds in a mirror, in the cache, or by download."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.datasets.manifests import Manifest, ManifestFiles, Places, load_manifest
from clirbench.topics.files import check_fields, files_signature
from clirbench.topics.rewriting import Rewriting
from clirbench.topics.trec import TrecTopics, field_names
from clirbench.types import Documents, Topic


@dataclass(frozen=True)
class ManifestTopics(Rewriting):
    """TREC topics of a data set: all files of the manifest `name`; `fields` and `weights` as in `TrecTopics`.

    Raises `MissingData` where the file is not found and must not be downloaded, and what `TrecTopics` raises.
    """

    name: str = "gov2"
    fields: str | Sequence[str] = ("title",)
    weights: Sequence[float] | None = None
    mirror: str | None = None
    cache: str | None = None
    download: bool = False
    manifests: str | None = None

    def __post_init__(self) -> None:
        check_fields(field_names(self.fields), self.weights)

    @property
    def signature(self) -> str:
        # The manifest promises the content, so that the signature is known before the file is here.
        promised = (file.content.sha256 for file in self._manifest.files)
        return self.signed(files_signature("trec", promised, field_names(self.fields), self.weights))

    def topics(self, documents: Documents) -> Sequence[Topic]:
        files = ManifestFiles(self._manifest, Places(self.mirror, self.cache, self.download))
        paths = files.locate(list(self._manifest.by_path))
        read = TrecTopics([str(path) for path in paths.values()], self.fields, self.weights)
        return self.rewritten(read.topics(documents))

    @property
    def _manifest(self) -> Manifest:
        return load_manifest(self.name, Path(self.manifests) if self.manifests else None)
