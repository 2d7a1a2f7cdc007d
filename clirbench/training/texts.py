"""The parallel text of a grid, and its first N pairs as files."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO

from clirbench.checks import name_list
from clirbench.datasets.manifests import manifest_file
from clirbench.errors import AlignmentError, ConfigError, InputError
from clirbench.store.whole import beside
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

    def files(self, part: str) -> tuple[TextFile, TextFile]:
        """Source and target of `train` or `valid`."""
        names = getattr(self, part) or [f"{'dev' if part == 'valid' else part}.{end}" for end in self.languages]
        if self.manifest:
            names = manifest_file(self.manifest, list(names), self.mirror, self.cache, self.download)
        source, target = (TextFile(self._found(name)) for name in names)
        return source, target

    @property
    def languages(self) -> tuple[str, str]:
        return self.source, self.target

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


def cut(text: ParallelText, sizes: Sequence[int], folder: Path) -> Mapping[int, str]:
    """Write the first N pairs for each size, each with all held-out pairs; their keys, by content.

    Raises `ConfigError` for a size beyond the text, `AlignmentError` where the two sides of the held-out text, or of
    the training text up to the largest size, have unequal numbers of lines.
    """
    held = list(_pairs(text, "valid"))
    if not held:
        raise InputError(f"{text.files('valid')[0].where}: no pairs are held out")
    wanted, keys, place = sorted(set(sizes)), {}, beside(folder / "texts" / "cut")
    digests = [hashlib.sha256(), hashlib.sha256()]
    place.mkdir(parents=True)
    try:
        with ExitStack() as stack:
            streams = [stack.enter_context((place / f"train.{end}").open("wb")) for end in text.languages]
            pairs, done = _pairs(text, "train", wanted[-1]), 0
            for size in wanted:
                for pair in islice(pairs, size - done):
                    done += 1
                    for stream, digest, line in zip(streams, digests, pair, strict=True):
                        stream.write(line)
                        digest.update(line)
                if done < size:
                    raise ConfigError(f"grid.sizes: {size} pairs are wanted, {text.files('train')[0].where} has {done}")
                contents = [
                    *(digest.hexdigest() for digest in digests),
                    *(b"".join(side) for side in zip(*held, strict=True)),
                ]
                keys[size] = hashlib.sha256(repr((text.languages, contents)).encode()).hexdigest()[:16]
                _kept(folder / "texts" / keys[size], streams, held, text.languages)
    finally:
        for path in place.iterdir():
            path.unlink()
        place.rmdir()
    return keys


def _kept(home: Path, streams: Sequence[IO[bytes]], held: Sequence[Sequence[bytes]], languages: Sequence[str]) -> None:
    """The text so far, in a folder that is there whole or not at all."""
    if home.is_dir():
        return
    unfinished = beside(home)
    unfinished.mkdir()
    for stream, side, end in zip(streams, zip(*held, strict=True), languages, strict=True):
        stream.flush()
        with (unfinished / f"train.{end}").open("wb") as written, Path(stream.name).open("rb") as read:
            while block := read.read(1 << 20):
                written.write(block)
        (unfinished / f"valid.{end}").write_bytes(b"".join(side))
    unfinished.rename(home)


def _pairs(text: ParallelText, part: str, most: int | None = None) -> Iterator[tuple[bytes, bytes]]:
    """The first pairs of lines, each with its newline; raises `AlignmentError` where one side ends before the other."""
    files = text.files(part)
    for source, target in islice(zip_longest(*map(_lines, files)), most):
        if source is None or target is None:
            raise AlignmentError(f"{files[0].where} and {files[1].where}: one has more lines than the other")
        yield source, target


def _lines(file: TextFile) -> Iterator[bytes]:
    return (line + b"\n" for block in file.blocks() for line in block.split(b"\n")[:-1])


def read_pairs(folder: Path, part: str, languages: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Source and target lines of `train` or `valid` in a folder that `cut` wrote."""
    source, target = (TextFile(folder / f"{part}.{end}").lines() for end in languages)
    return source, target
