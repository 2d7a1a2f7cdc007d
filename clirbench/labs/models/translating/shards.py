"""A source text cut into shards of whole documents, and where the translation of a shard is kept.

A shard's file is named by what it was made from: translator, model content and source lines, never paths or times.
Its first line is the sha256 of the rest, so a damaged file is found and made again.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path

from clirbench.errors import InputError, StoreError
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents


@dataclass(frozen=True, eq=False)
class Shards:
    """Consecutive documents of a source text, at least `size` lines a shard (the last one has what is left)."""

    text: Text
    map: DocumentMap
    size: int

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def n_lines(self) -> int:
        return self.map.n_lines

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Lines of each shard; a document is never cut, however long it is."""
        bounds = [0]
        for end in self.map.starts[1:].tolist():
            if end - bounds[-1] >= self.size:
                bounds.append(end)
        if bounds[-1] < self.n_lines:
            bounds.append(self.n_lines)
        return tuple(end - start for start, end in pairwise(bounds))

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """sha256 of the lines of each shard; raises `InputError` where the text has not the lines of its documents."""
        return tuple(map(digest_of, self))

    @cached_property
    def n_full(self) -> int:
        """Lines that are not blank."""
        return sum(bool(line.strip()) for shard in self for line in shard)

    def __iter__(self) -> Iterator[Sequence[str]]:
        """The lines of each shard, in order; the text is streamed."""
        lines = Documents(self.text, self.map).lines()
        for length in self.lengths:
            shard = list(islice(lines, length))
            if len(shard) < length:
                raise InputError(f"{self.text.where}: has fewer than {self.n_lines} lines; did it change?")
            yield shard


def digest_of(lines: Sequence[str]) -> str:
    """sha256 of lines."""
    return hashlib.sha256(pack_lines(lines)).hexdigest()


def pack_lines(lines: Sequence[str]) -> bytes:
    """Lines as bytes, each ending in a newline."""
    return "".join(line + "\n" for line in lines).encode("utf-8", "replace")


def write_shard(path: Path, lines: Sequence[str]) -> None:
    """Write a shard so that it is there whole or not at all; raises `StoreError` where it cannot be written."""
    body = pack_lines(lines)
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.stem[:16]}-", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        temporary.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path.parent}: a translation cannot be kept there ({error.strerror or error}); "
            "free space, or name another folder with paths.cache=DIR"
        ) from None
    finally:
        if temporary is not None:
            with suppress(OSError):  # gone already where all went well
                temporary.unlink()


def read_shard(path: Path, n_lines: int | None = None) -> bytes | None:
    """The lines of a shard, of which there must be `n_lines`, as bytes; None where its file is missing or damaged."""
    if not path.is_file():  # a pipe would be waited for
        return None
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    whole = hashlib.sha256(body).hexdigest().encode() == digest and n_lines in (None, body.count(b"\n"))
    return body if whole else None
