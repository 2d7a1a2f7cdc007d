"""Data sets that are not ours to ship: a manifest says what each file is, and where it can be found.

A file is looked for in three places: under `paths.mirror` (plain or .gz), in the cache of downloads, and, with
`download=true`, at its public address. Whatever is found is verified: size and sha256 are those of the unpacked
content. Nothing is downloaded unless it was asked for; a file that is packed at its address stays so in the cache.
"""

import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from clirbench.checks import PACKAGE
from clirbench.errors import ClirbenchError, ConfigError, InputError, MissingData, UnknownName, gathered, raise_all
from clirbench.files.run_files import leads_inside
from clirbench.files.score_tables import manifest_folder
from clirbench.files.tables import shape_error
from clirbench.text import TextFile, read_pieces

SHA256 = re.compile("[0-9a-f]{64}")
TEXTS = ("title", "origin", "licence", "citation", "by_hand")
SHAPE = {
    **dict.fromkeys((*TEXTS, "mirror", "url"), str),
    "files": [{"path": str, "url": str, "bytes": int, "packing?": str, "by_hand?": bool}],
    "shipped?": {...: str}, "facts?": (str, None), "http?": (str, None),
}  # fmt: skip


@dataclass(frozen=True)
class DataFile:
    """One file of a data set: its name here, its public address, and size and sha256 of its unpacked content.

    `by_hand`: nothing at the address is this file (it is made by a script, or behind a registration), its content has
    no published sha256, and `bytes` is about its size. `packing=gzip`: what is sent is packed, and the other two are of
    that.
    """

    path: str
    url: str
    bytes: int
    sha256: str = ""
    by_hand: bool = False
    packing: str = "none"
    packed_bytes: int = 0
    packed_sha256: str = ""

    @property
    def sent(self) -> tuple[int, str]:
        """Size and sha256 of what comes from the address."""
        return (self.bytes, self.sha256) if self.packing == "none" else (self.packed_bytes, self.packed_sha256)


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
class ManifestFiles:
    """The files of a data set, where they may lie, and whether missing ones may be downloaded."""

    manifest: Manifest
    mirror: str | None = None
    cache: str | None = None
    download: bool = False

    def found(self, file: DataFile) -> Path | None:
        """Where a file lies, unverified: in the mirror, else the cache, plain or .gz; None where no place has it."""
        homes = [Path(self.mirror).expanduser() / self.manifest.mirror] if self.mirror else []
        homes += [cache_folder(self.cache, self.manifest)] if self.cache else []
        places = (home / name for home in homes for name in (file.path, file.path + ".gz"))
        return next((path for path in places if path.is_file()), None)

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
            path = self.found(files[name])
            if path is None:
                missing.append(files[name])
                continue
            with gathered(errors):
                verify(path, files[name])
                paths[name] = path
        raise_all(errors)
        if not missing:
            return paths
        if not self.download or not self.cache or any(file.by_hand for file in missing):
            raise missing_data(self)
        return paths | download(self.manifest, missing, self.cache)


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
    located = ManifestFiles(load_manifest(manifest), mirror, cache, download).locate(wanted)
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
    if wrong := shape_error(record, SHAPE) or ("" if record["files"] else "'files' is empty"):
        raise ConfigError(f"{path}: {wrong}")
    shipped, facts, mirror = record.get("shipped", {}), record.get("facts"), record["mirror"]
    names = [mirror, *shipped, *shipped.values(), *filter(None, [facts]), *(one["path"] for one in record["files"])]
    if outside := [name for name in names if not leads_inside(str(name))]:
        raise ConfigError(f"{path}: {outside[0]!r} points outside the data set")
    texts = {key: " ".join(record[key].split()) for key in TEXTS}
    files = tuple(_data_file(path, entry, record["url"], record.get("http") or "") for entry in record["files"])
    beside = {str(key): home / value for key, value in shipped.items()}
    return Manifest(name, **texts, mirror=mirror, files=files, shipped=beside, facts=home / facts if facts else None)


def verify(path: Path, file: DataFile) -> None:
    """Raise `InputError` where a file's unpacked content is not the promised one."""
    if not file.by_hand and (found := TextFile(path).fingerprint) != file.sha256:
        said = f"{path}: not the content that the manifest promises: its sha256 is {found}, {file.sha256} was"
        raise InputError(f"{said} promised; delete it and get it again")


def download(manifest: Manifest, files: Sequence[DataFile], cache: str | Path) -> dict[str, Path]:
    """Fetch files into the cache, verified; raises `DownloadError` (all of them, as `Problems`)."""
    from clirbench.datasets.downloads import fetch  # here, because few runs reach another machine

    home = cache_folder(cache, manifest)
    errors: list[ClirbenchError] = []
    paths: dict[str, Path] = {}
    for file in files:
        with gathered(errors):
            paths[file.path] = home / f"{file.path}{'.gz' if file.packing == 'gzip' else ''}"
            fetch(file.url, paths[file.path], *file.sent)
            verify(paths[file.path], file)
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


def missing_data(files: ManifestFiles) -> MissingData:
    """What is missing of a data set, its size, origin and licence, and the two ways out."""
    manifest = files.manifest
    lacking = [file for file in manifest.files if files.found(file) is None]
    by_hand = [file for file in lacking if file.by_hand]
    way_1 = f"let it be downloaded: download=true, or clirbench fetch {manifest.name} --yes"
    if by_hand:
        way_1 += f" (all but {', '.join(file.path for file in by_hand)})"
    if len(by_hand) == len(lacking):
        way_1 = "none: nothing that is missing can be downloaded from here"
    # Way 1 knows the other addresses: with all of them the message would lose its middle.
    where = (
        f"\n           DIR/{manifest.mirror}/{file.path}  "
        f"{megabytes(file.bytes) if file.bytes else '(size not published)'}  {file.url}"
        for file in by_hand
    )
    return MissingData(
        f"data set {manifest.name} is not here: {len(lacking)} of {len(manifest.files)} files "
        f"({megabytes(sum(file.bytes for file in lacking))}) found neither under "
        f"paths.mirror={files.mirror or '(not set)'} nor in the cache {files.cache or '(not set)'}.\n"
        f"  what:    {manifest.title}\n"
        f"  terms:   {manifest.licence}; origin: {manifest.origin}; cite: {manifest.citation}\n"
        f"  way 1:   {way_1}\n"
        f"  way 2:   put the files under a folder DIR (DIR/{manifest.mirror}/{lacking[0].path}, ..., "
        f"plain or .gz) and say paths.mirror=DIR. {manifest.by_hand}{''.join(where)}"
    )


def megabytes(n_bytes: int) -> str:
    """A size for people."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:.1f} kB"


def _data_file(path: Path, entry: Mapping[str, Any], base: str, insecure: str) -> DataFile:
    url = entry["url"] if "://" in entry["url"] else f"{base.rstrip('/')}/{entry['url']}"
    packing = entry.get("packing", "none")
    shape = {} if entry.get("by_hand") else {"sha256": SHA256}
    wrong = shape_error(entry, shape | ({"packed_bytes": int, "packed_sha256": SHA256} if packing == "gzip" else {}))
    if not url.startswith(("https://", "http://", PACKAGE)):
        wrong = f"{url}: only https and http addresses, and packages of Debian (apt://NAME=VERSION), are fetched"
    elif url.startswith("http://") and not insecure.strip():
        wrong = f"{url}: use https; where a server has none, a key http: of the manifest says why"
    elif packing not in ("none", "gzip"):
        wrong = f"packing={packing}: is none or gzip; a file out of another archive is got by hand, by_hand: true"
    if wrong:
        raise ConfigError(f"{path}: {entry['path']}: {wrong}")
    known = {field.name for field in fields(DataFile)} & entry.keys()
    return DataFile(**{key: entry[key] for key in known} | {"url": url})
