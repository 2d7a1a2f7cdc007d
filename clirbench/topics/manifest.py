"""`topics=gov2`: TREC topics that a data manifest finds in a mirror, in the cache, or by download."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.datasets.manifests import Manifest, ManifestFiles, Places, load_manifest
from clirbench.topics.files import FieldedTopics, RawTopic
from clirbench.topics.trec import field_names, read_trec


@dataclass(frozen=True)
class ManifestTopics(FieldedTopics):
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

    @property
    def kind(self) -> str:
        return "trec"

    @property
    def names(self) -> tuple[str, ...]:
        return field_names(self.fields)

    @property
    def contents(self) -> Iterable[str]:
        # The manifest promises the content, so that the signature is known before the file is here.
        return [file.content.sha256 for file in self._manifest.files]

    def entries(self) -> Iterator[RawTopic]:
        files = ManifestFiles(self._manifest, Places(self.mirror, self.cache, self.download))
        paths = files.locate(list(self._manifest.by_path)).values()
        return (entry for path in paths for entry in read_trec(path))

    @property
    def _manifest(self) -> Manifest:
        return load_manifest(self.name, Path(self.manifests) if self.manifests else None)
