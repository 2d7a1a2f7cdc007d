"""Line-aligned text, in a file or in memory: the one place that knows how lines end and what an encoding error is.

Conventions: UTF-8; a line ends at "\\n" alone (U+2028, form feeds and carriage returns are text); a last line
without "\\n" counts; a file may be plain or gzip (recognised by its first two bytes, not by its name).
"""

import gzip
import hashlib
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol, cast

from clirbench.errors import UNSEEN, InputError, shortened

BLOCK = 1 << 20
LONGEST_NAME = 1000
"""Characters of a name."""


class View(Protocol):
    """What every file of a run is read through (see `clirbench.store.snapshot`)."""

    def sha256(self, path: Path) -> str:
        """sha256 of the unpacked bytes, hexadecimal: of the file as it was when it was first read."""

    def checked(self, path: Path, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces of a file; raises `Changed` before the last one where they are not those of the first reading."""


_view: ContextVar[View | None] = ContextVar("view", default=None)


def current_view() -> View | None:
    """What files are read through here; None outside a run."""
    return _view.get()


@contextmanager
def seen_through(view: View) -> Iterator[None]:
    """Within the block every file is read through this view."""
    before = _view.set(view)
    try:
        yield
    finally:
        _view.reset(before)


class Text(Protocol):
    """Lines of text that can be streamed any number of times."""

    @property
    def where(self) -> str:
        """What to call this text in a message: a path, or `(memory)`."""

    @property
    def fingerprint(self) -> str:
        """sha256 of the unpacked bytes, hexadecimal."""

    @property
    def size(self) -> int:
        """About how many bytes there are to read: what a step over this text costs."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the user's that it is read from."""

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Whole lines, each ending in a newline byte, in blocks of about `size` bytes."""

    def lines(self) -> tuple[str, ...]:
        """All lines without their newline; raises `InputError` at the first byte that is not UTF-8."""


@dataclass(frozen=True)
class TextLines:
    """Text held in memory: one string a line (a newline inside a string becomes a space)."""

    strings: tuple[str, ...]

    @property
    def where(self) -> str:
        return "(memory)"

    @property
    def fingerprint(self) -> str:
        return sha256_of(self.blocks())

    @property
    def size(self) -> int:
        return sum(map(len, self.strings))

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        return in_blocks((string.encode("utf-8") + b"\n" for string in self.lines()), size)

    def lines(self) -> tuple[str, ...]:
        return tuple(encodable(string.replace("\n", " ")) for string in self.strings)


@dataclass(frozen=True)
class TextFile:
    """Text in a plain or gzip file."""

    path: Path

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def fingerprint(self) -> str:
        view = current_view()
        return sha256_of(read_pieces(self.path)) if view is None else view.sha256(self.path)

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        rest = b""
        for piece in read_pieces(self.path, size):
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end]
                rest = piece[end:]
            else:
                rest += piece
        if rest:
            yield rest + b"\n"

    def lines(self) -> tuple[str, ...]:
        content = b"".join(read_pieces(self.path, BLOCK))
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise invalid_utf8(self.path, content, error.start) from None
        return split_lines(text)


def in_blocks(pieces: Iterable[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """The pieces, joined into blocks of at least `size` bytes; the last block has what is left."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            yield b"".join(held)
            held, length = [], 0
    if held:
        yield b"".join(held)


def sha256_of(pieces: Iterable[bytes]) -> str:
    """sha256 of the joined pieces, hexadecimal."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def check_name(where: Path | str, kind: str, name: str) -> None:
    """The one rule for names of systems, topics, documents and columns, wherever they come in.

    Raises `InputError` for a name with a control character (a tab or newline would break every table that has it, an
    escape sequence the terminal) or with more than `LONGEST_NAME` characters.
    """
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"{where}: {kind} {shortened(name, 60)!r} has {len(name)} characters, {LONGEST_NAME} are allowed"
        )
    if SURROGATE.search(name):
        raise InputError(f"{where}: {kind} {shortened(name, 200)!r} is not UTF-8; rename it")
    if UNSEEN.search(name) or "\t" in name or "\n" in name:
        raise InputError(f"{where}: {kind} {shortened(name, 200)!r} holds a control character; rename it")


def alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of different names that look the same: but for case, spaces, or the form of their Unicode characters."""
    groups: dict[str, dict[str, None]] = {}
    for name in names:
        plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
        groups.setdefault(plain, {})[name] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]


SURROGATE = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with lone surrogates, which JSON escapes can bring in and UTF-8 cannot write, as U+FFFD."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of `text`: "\\n" alone ends a line, a last line without it counts, an empty text has none."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)


def invalid_utf8(where: Path | str, content: bytes, start: int) -> InputError:
    """The error for a byte that is not UTF-8: file, 1-based line, 1-based byte in the line, and the byte."""
    line = content.count(b"\n", 0, start) + 1
    byte = start - (content.rfind(b"\n", 0, start) + 1) + 1
    return InputError(
        f"{where}: line {line}, byte {byte}: 0x{content[start]:02x} is not valid UTF-8; convert the file to UTF-8"
    )


def read_pieces(path: Path, size: int = BLOCK) -> Iterator[bytes]:
    """The unpacked bytes of a plain or gzip file, in pieces of `size`; raises `InputError` for what cannot be read."""
    view = current_view()
    return _pieces(path, size) if view is None else view.checked(path, _pieces(path, size))


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    try:
        with open_binary(path) as stream:
            while piece := stream.read(size):
                yield piece
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, a file was expected") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: the gzip file is damaged or truncated ({error})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def open_binary(path: Path) -> IO[bytes]:
    """Open a plain or gzip file for reading its unpacked bytes; its first two bytes say whether it is gzip."""
    stream = path.open("rb")
    magic = stream.read(2)
    stream.seek(0)
    if magic == b"\x1f\x8b":
        stream.close()
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return stream
