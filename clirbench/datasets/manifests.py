"""Data sets that are not ours to ship: a manifest says what each file is, and where it can be found.

A file is looked for in three places: under `paths.mirror` (plain or .gz), in the cache of downloads, and, with
`download=true`, at its public address. Whatever is found is verified: size and sha256 are those of the unpacked
content. Nothing is downloaded unless it was asked for.
"""

import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from clirbench.datasets.archives import unsafe
from clirbench.datasets.downloads import Packed, Promise, fetch
from clirbench.errors import ClirbenchError, ConfigError, InputError, MissingData, UnknownName, gathered, raise_all
from clirbench.text import TextFile, read_pieces

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("title", "origin", "licence", "citation", "by_hand")


@dataclass(frozen=True)
class DataFile:
    """One file of a data set: its name here, its public address, and what its unpacked content is.

    `by_hand`: nothing at the address is this file (it is made by a script, or behind a registration), and its content
    has no published sha256; its size is about that of the promise.
    """

    path: str
    url: str
    content: Promise
    packed: Packed | None = None
    by_hand: bool = False

    @property
    def download_bytes(self) -> int:
        return self.packed.content.n_bytes if self.packed else self.content.n_bytes


@dataclass(frozen=True)
class Manifest:
    """A data set: what it is, its terms, and its files. `mirror` is its folder under a mirror.

    `shipped` maps names of files to ones beside the manifest, which need not be found anywhere. `facts` is a tar beside
    it, whose members belong among the files.
    """

    name: str
    title: str
    origin: str
    licence: str
    citation: str
    by_hand: str
    mirror: str
    files: tuple[DataFile, ...]
    shipped: Mapping[str, Path] = field(default_factory=lambda: MappingProxyType({}))
    facts: Path | None = None

    @property
    def by_path(self) -> Mapping[str, DataFile]:
        return {file.path: file for file in self.files}


@dataclass(frozen=True)
class Places:
    """Where files of data sets may lie, and whether missing ones may be downloaded."""

    mirror: str | None = None
    cache: str | None = None
    download: bool = False

    def candidates(self, manifest: Manifest, file: DataFile) -> tuple[Path, ...]:
        """Where a file may lie, best first: the mirror, then the cache, each plain or .gz."""
        homes = [Path(self.mirror).expanduser() / manifest.mirror] if self.mirror else []
        homes += [cache_folder(self.cache, manifest)] if self.cache else []
        return tuple(home / name for home in homes for name in (file.path, file.path + ".gz"))

    def found(self, manifest: Manifest, file: DataFile) -> Path | None:
        """The first place that has the file, not yet verified; None where no place has it."""
        return next((path for path in self.candidates(manifest, file) if path.is_file()), None)


@dataclass(frozen=True)
class ManifestFiles:
    """The files of a data set as a layout reads them (`clirbench.corpora.layout.Files`)."""

    manifest: Manifest
    places: Places

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.manifest.by_path, *self.manifest.shipped)

    def locate(self, names: Sequence[str]) -> Mapping[str, Path]:
        """The verified path of each name; downloads what is missing where that is allowed.

        Raises `MissingData` (one error for all that is missing, with the ways out), `InputError` for a file of
        other content than promised, `DownloadError`.
        """
        files = self.manifest.by_path
        paths = {name: self.manifest.shipped[name] for name in names if name in self.manifest.shipped}
        errors: list[ClirbenchError] = []
        missing: list[DataFile] = []
        for name in dict.fromkeys(names):
            if name in paths:
                continue
            if name not in files:
                raise UnknownName(f"file of data set {self.manifest.name}", name, files)
            path = self.places.found(self.manifest, files[name])
            if path is None:
                missing.append(files[name])
                continue
            with gathered(errors):
                verify(path, files[name])
                paths[name] = path
        raise_all(errors)
        if missing:
            paths.update(self._downloaded(missing))
        return paths

    def _downloaded(self, missing: Sequence[DataFile]) -> Mapping[str, Path]:
        if not self.places.download or not self.places.cache or any(file.by_hand for file in missing):
            raise missing_data(self.manifest, self.places)
        return download(self.manifest, missing, self.places.cache)


def manifest_folder() -> Path:
    """Where the manifests lie: in the package (a wheel) or beside it (a checkout)."""
    package = Path(__file__).parents[1]
    inside = package / "data_manifests"
    return inside if inside.is_dir() else package.parent / "data_manifests"


def manifest_names(folder: Path | None = None) -> tuple[str, ...]:
    """The names of all manifests, sorted."""
    return tuple(sorted(path.stem for path in (folder or manifest_folder()).glob("*.yaml")))


def manifest_file(
    manifest: str,
    path: str | Sequence[str],
    mirror: str | None = None,
    cache: str | None = None,
    download: bool = False,
    folder: bool = False,
) -> str | list[str]:
    """Where a file of a data set lies (or several, or the `folder` of one), for a key of the configuration.

    Raises as `ManifestFiles.locate` does.
    """
    wanted = [path] if isinstance(path, str) else path
    located = ManifestFiles(load_manifest(manifest), Places(mirror, cache, download)).locate(wanted)
    found = [str(located[name].parent if folder else located[name]) for name in wanted]
    return found[0] if isinstance(path, str) else found


def load_manifest(name: str, folder: Path | None = None) -> Manifest:
    """Read and check a manifest; raises `UnknownName`, or `ConfigError` naming the entry that is wrong."""
    home = folder or manifest_folder()
    if name not in manifest_names(home):
        raise UnknownName("data set", name, manifest_names(home))
    import yaml

    path = home / f"{name}.yaml"
    try:
        record = yaml.safe_load(b"".join(read_pieces(path)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML ({error})") from None
    if not isinstance(record, dict):
        raise ConfigError(f"{path}: a mapping was expected")
    texts = {key: " ".join(_text(path, record, key).split()) for key in _TEXTS}
    mirror = _text(path, record, "mirror")
    if unsafe(mirror):
        raise ConfigError(f"{path}: mirror: {mirror!r} points outside")
    base = _text(path, record, "url")
    entries = record.get("files")
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{path}: files: a list was expected")
    files = tuple(_data_file(path, entry, base, str(record.get("http") or "")) for entry in entries)
    shipped = record.get("shipped", {})
    if not isinstance(shipped, dict) or any(unsafe(str(part)) for pair in shipped.items() for part in pair):
        raise ConfigError(f"{path}: shipped: names of files beside the manifest were expected")
    beside = {str(key): home / str(value) for key, value in shipped.items()}
    facts = record.get("facts")
    if facts is not None and (not isinstance(facts, str) or unsafe(facts)):
        raise ConfigError(f"{path}: facts: the name of a tar beside the manifest was expected")
    return Manifest(
        name=name, mirror=mirror, files=files, shipped=beside, facts=home / facts if facts else None, **texts
    )


def verify(path: Path, file: DataFile) -> None:
    """Raise `InputError` where a file's unpacked content is not the promised one."""
    if file.by_hand or TextFile(path).fingerprint == file.content.sha256:
        return
    n_bytes = sum(len(piece) for piece in read_pieces(path))
    size = (
        f"it has {n_bytes:,} bytes, {file.content.n_bytes:,} were promised"
        if n_bytes != file.content.n_bytes
        else f"its sha256 is {TextFile(path).fingerprint}, {file.content.sha256} was promised"
    )
    raise InputError(f"{path}: not the content that the manifest promises: {size}; delete it and get it again")


def download(manifest: Manifest, files: Sequence[DataFile], cache: str | Path) -> Mapping[str, Path]:
    """Fetch files into the cache, verified; raises `DownloadError` (all of them, as `Problems`)."""
    home = cache_folder(cache, manifest)
    errors: list[ClirbenchError] = []
    paths: dict[str, Path] = {}
    for file in files:
        with gathered(errors):
            fetch(file.url, home / file.path, file.content, file.packed)
            paths[file.path] = home / file.path
    raise_all(errors)
    return paths


def unpack_facts(manifest: Manifest, cache: str | Path) -> int:
    """Put what is shipped as `facts` among the files in the cache, so that its folder is complete; how many files."""
    if manifest.facts is None:
        return 0
    with tarfile.open(manifest.facts) as archive:
        archive.extractall(cache_folder(cache, manifest), filter="data")
        return len(archive.getnames())


def cache_folder(cache: str | Path, manifest: Manifest) -> Path:
    """Where downloads of a data set are kept."""
    return Path(cache).expanduser() / "data" / manifest.name


def missing_data(manifest: Manifest, places: Places) -> MissingData:
    """What is missing of a data set, its size, origin and licence, and the two ways out."""
    lacking = [file for file in manifest.files if places.found(manifest, file) is None]
    mirror = f"paths.mirror={places.mirror}" if places.mirror else "paths.mirror (not set)"
    if places.mirror and not Path(places.mirror).expanduser().is_dir():
        mirror += " (no such folder)"
    size = sum(file.content.n_bytes for file in lacking)
    to_fetch = sum(file.download_bytes for file in lacking if not file.by_hand)
    example = f"{manifest.mirror}/{lacking[0].path}" if lacking else manifest.mirror
    by_hand = [file.path for file in lacking if file.by_hand]
    way_1 = f"let it be downloaded: download=true, or python -m clirbench.fetch {manifest.name} --yes"
    if by_hand:
        way_1 += f" (all but {', '.join(by_hand)})"
    if len(by_hand) == len(lacking):
        way_1 = "none: nothing that is missing can be downloaded from here"
    # Way 1 knows the other addresses: with all of them the message would lose its middle.
    places_of = (f"{file.path}  {_about(file)}{f'  {file.url}' if file.by_hand else ''}" for file in lacking)
    where = (f"\n           DIR/{manifest.mirror}/{place}" for place in places_of)
    return MissingData(
        f"data set {manifest.name} is not here: {len(lacking)} of {len(manifest.files)} files found neither under "
        f"{mirror} nor in the cache {places.cache or '(not set)'}.\n"
        f"  what:    {manifest.title}\n"
        f"  size:    {megabytes(size)} ({megabytes(to_fetch)} to download)\n"
        f"  origin:  {manifest.origin}\n"
        f"  licence: {manifest.licence}\n"
        f"  cite:    {manifest.citation}\n"
        f"  way 1:   {way_1}\n"
        f"  way 2:   put the files under a folder DIR (DIR/{example}, ..., plain or .gz) and say paths.mirror=DIR. "
        f"{manifest.by_hand}{''.join(where) if by_hand else ''}"
    )


def _about(file: DataFile) -> str:
    return megabytes(file.content.n_bytes) if file.content.n_bytes else "(size not published)"


def megabytes(n_bytes: int) -> str:
    """A size for people."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:.1f} kB"


def _text(path: Path, record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{path}: {key}: a text was expected")
    return value


def _data_file(path: Path, entry: Any, base: str, insecure: str) -> DataFile:
    if not isinstance(entry, dict):
        raise ConfigError(f"{path}: files: an entry is a mapping with path, url, bytes and sha256")
    name = _text(path, entry, "path")
    if unsafe(name):
        raise ConfigError(f"{path}: files: {name!r} points outside the data set")
    where = f"{path}: {name}"
    url = _text(path, entry, "url")
    url = url if "://" in url else base.rstrip("/") + "/" + url
    if not url.startswith(("https://", "http://")):
        raise ConfigError(f"{where}: {url}: only https and http addresses are fetched")
    if url.startswith("http://") and not insecure.strip():
        raise ConfigError(f"{where}: {url}: use https; where a server has none, a key http: of the manifest says why")
    if entry.get("by_hand") is True:
        return DataFile(name, url, _promise(where, {**entry, "sha256": "0" * 64}, ""), by_hand=True)
    content = _promise(where, entry, "")
    packing = str(entry.get("packing", "none"))
    if packing == "none":
        return DataFile(name, url, content)
    member = entry.get("member")
    if packing not in ("gzip", "zip", "tar") or (packing != "gzip" and not isinstance(member, str)):
        raise ConfigError(f"{where}: packing is none, gzip, zip or tar; zip and tar name their member")
    if member is not None and unsafe(str(member)):
        raise ConfigError(f"{where}: member {member!r} points outside the archive")
    packed = Packed(packing, _promise(where, entry, "packed_"), None if member is None else str(member))
    return DataFile(name, url, content, packed)


def _promise(where: str, entry: Mapping[str, Any], prefix: str) -> Promise:
    n_bytes, sha256 = entry.get(f"{prefix}bytes"), str(entry.get(f"{prefix}sha256"))
    if type(n_bytes) is not int or n_bytes < 0:
        raise ConfigError(f"{where}: {prefix}bytes: a whole number was expected")
    if not _SHA256.fullmatch(sha256):
        raise ConfigError(f"{where}: {prefix}sha256: 64 hexadecimal digits were expected")
    return Promise(n_bytes, sha256)
