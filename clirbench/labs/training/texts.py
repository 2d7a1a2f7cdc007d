"""The parallel text of a grid, and its first N pairs as files."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from clirbench.checks import name_list
from clirbench.datasets.manifests import manifest_file
from clirbench.errors import AlignmentError, ConfigError, InputError
from clirbench.store.whole import temporary_path
from clirbench.text import TextFile


@dataclass(frozen=True)
class ParallelText:
    """Pairs to train on and pairs held out, of the languages `source` and `target` (the endings of files).

    In `folder`, or in `mirror/folder`, they are called train.SRC, train.TGT, dev.SRC, dev.TGT (or .gz); `train` and
    `valid` name other files, [SOURCE, TARGET], in it or anywhere, or in the data set `manifest` (with `mirror`,
    `cache`, `download`). A line is a segment.

    Raises `ConfigError` for settings that name no text; `files`: `InputError`, `MissingData`.
    """

    folder: str | None = None
    source: str = "fr"
    target: str = "en"
    train: Sequence[str] = ()
    valid: Sequence[str] = ()
    manifest: str | None = None
    mirror: str | None = None
    cache: str | None = None
    download: bool = False

    def __post_init__(self) -> None:
        if not self.folder and not (self.train and self.valid):
            raise ConfigError(
                "grid.data: name a folder with train.SRC, train.TGT, dev.SRC and dev.TGT, grid.data.folder=DIR, or "
                "files, grid.data.train=[SRC,TGT] grid.data.valid=[SRC,TGT]"
            )
        for key in ("train", "valid"):
            names = name_list(f"grid.data.{key}", getattr(self, key))
            if len(names) not in (0, 2):
                raise ConfigError(f"grid.data.{key}={list(names)}: two files were expected, [SOURCE,TARGET]")
        if self.source == self.target or not self.source.isalnum() or not self.target.isalnum():
            raise ConfigError("grid.data.source, grid.data.target: two different endings were expected, such as fr, en")

    @property
    def languages(self) -> tuple[str, str]:
        return self.source, self.target

    def files(self, part: str) -> tuple[TextFile, TextFile]:
        """Source and target of `train` or `valid`."""
        names = getattr(self, part) or [f"{'dev' if part == 'valid' else part}.{end}" for end in self.languages]
        if self.manifest:
            names = manifest_file(self.manifest, list(names), self.mirror, self.cache, self.download)
        source, target = (TextFile(self._found(name)) for name in names)
        return source, target

    def _found(self, name: str) -> Path:
        path = Path(self.folder or "", name).expanduser()
        for place in (path, *([Path(self.mirror, path)] if self.mirror else [])):
            for candidate in (place, place.with_name(f"{place.name}.gz")):
                if candidate.is_file():
                    return candidate
        raise InputError(
            f"{path}: no such file (nor .gz), here or in paths.mirror={self.mirror}; grid.data.folder=DIR says where, "
            "grid.data.train=[SOURCE,TARGET] and grid.data.valid name other files"
        )


def cut_texts(text: ParallelText, size: int, home: Path) -> str:
    """Write the first `size` pairs and all held-out ones to a folder in `home`; its name, made from their content.

    Raises `ConfigError` for a size beyond the text, `AlignmentError` where the two sides of the held-out text, or of
    the training text up to that size, have unequal numbers of lines, `InputError` where no pair is held out.
    """
    digest, place = hashlib.sha256(repr(text.languages).encode()), temporary_path(home / "cut")
    place.mkdir()
    try:
        for part, most in (("train", size), ("valid", None)):
            files, found = text.files(part), 0
            ends = [place / f"{part}.{end}" for end in text.languages]
            with ends[0].open("wb") as source, ends[1].open("wb") as target:
                for pair in islice(_pairs(files), most):
                    found += 1
                    for stream, line in zip((source, target), pair, strict=True):
                        stream.write(line)
                        digest.update(line)
            if not found:
                raise InputError(f"{files[0].where}: no pairs are in it")
            if most and found < most:
                raise ConfigError(f"grid.sizes: {size} pairs are wanted, {files[0].where} has {found}")
            digest.update(str(found).encode())
        key = digest.hexdigest()[:16]
        if not (home / key).is_dir():
            place.rename(home / key)
        return key
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _pairs(files: Sequence[TextFile]) -> Iterator[tuple[bytes, bytes]]:
    """Lines of both sides, each with its newline; raises `AlignmentError` where one ends before the other."""
    for source, target in zip_longest(*map(_lines, files)):
        if source is None or target is None:
            raise AlignmentError(f"{files[0].where} and {files[1].where}: one has more lines than the other")
        yield source, target


def _lines(file: TextFile) -> Iterator[bytes]:
    return (line + b"\n" for block in file.blocks() for line in block.split(b"\n")[:-1])


def read_pairs(folder: Path, part: str, languages: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Source and target lines of `train` or `valid` in a folder that `cut_texts` wrote."""
    source, target = (TextFile(folder / f"{part}.{end}").lines() for end in languages)
    return source, target
