"""Line-aligned text, in a file or in memory: the one place that knows how lines end and what an encoding error is.

Conventions: UTF-8; a line ends at "\\n" alone (U+2028, form feeds and carriage returns are text); a last line
without "\\n" counts; a file may be plain or gzip (recognised by its first two bytes, not by its name).
"""

import gzip
import hashlib
import os
import re
import stat
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import IO, Any, Protocol, cast

from clirbench.checks import whole_number
from clirbench.errors import UNSEEN, InputError, closest, shorten

BLOCK = 1 << 20
LONGEST_NAME = 1000
"""Characters of a name."""


_view: ContextVar[Any] = ContextVar("view", default=None)


def current_view() -> Any:
    """The `clirbench.store.store.Snapshot` through which every file of a run is read; None outside of one."""
    return _view.get()


@contextmanager
def _within(variable: ContextVar[Any], value: object) -> Iterator[None]:
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def seen_through(view: object) -> AbstractContextManager[None]:
    """Within the block every file is read through this view."""
    return _within(_view, view)


def _limit(default: int, of: str) -> Any:
    return field(default=default, metadata={"of": of})


@dataclass(frozen=True)
class Limits:
    """The most that is read (keys `limits.NAME`): beyond it an error names the key, instead of a machine that stalls.

    `line_bytes`: one line, or one document as JSON. `held_bytes`: a file that is held in memory as a whole
    (topics, tables, mark-up). `unpacked_bytes`, `lines`: a file that is streamed. `json_depth`: lists and
    objects within each other. `topics`: of one set. `pairs`: topics times documents. Raises `ConfigError` for what is
    no whole number; a line may always be as long as a block.
    """

    line_bytes: int = _limit(64 << 20, "of one line, one document as JSON")
    held_bytes: int = _limit(512 << 20, "of a file that is held in memory")
    unpacked_bytes: int = _limit(100 * 10**9, "of a file that is streamed")
    lines: int = _limit(50_000_000, "of a searched text")
    json_depth: int = _limit(100, "lists and objects within each other")
    topics: int = _limit(50_000, "of one set of topics")
    pairs: int = _limit(100 * 10**9, "topics times documents")

    def __post_init__(self) -> None:
        for one in fields(self):
            least = BLOCK if one.name.endswith("bytes") else 1
            whole_number(f"limits.{one.name}", getattr(self, one.name), least)


_DEFAULT = Limits()
_limits: ContextVar[Limits] = ContextVar("limits")


def current_limits() -> Limits:
    """The limits that hold where this is asked."""
    return _limits.get(_DEFAULT)


def set_limits(limits: Limits) -> None:
    """From here on these limits hold."""
    _limits.set(limits)


def within_limits(limits: Limits) -> AbstractContextManager[None]:
    """Within the block these limits hold."""
    return _within(_limits, limits)


def limit_error(where: Path | str, key: str, what: str) -> InputError:
    """The error for what a limit stops; `{}` in `what` stands for the limit."""
    return InputError(f"{where}: {what.format(getattr(current_limits(), key))}; limits.{key}=N allows more")


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

    strings: Sequence[str]

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
        return tuple(replace_lone_surrogates(string.replace("\n", " ")) for string in self.strings)


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
        return sha256_of(read_pieces(self.path)) if view is None else str(view.sha256(self.path))

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
        held: list[bytes] = []  # the beginning of a line: joined once, when its end has come
        for piece in read_pieces(self.path, size):
            end = piece.rfind(b"\n") + 1
            if end:
                rest = b"".join(held)
                held = [piece[end:]]
                yield rest + piece[:end]
            else:
                held.append(piece)
        if rest := b"".join(held):
            yield rest + b"\n"

    def lines(self) -> tuple[str, ...]:
        return split_lines(whole_text(self.path))


def whole_text(path: Path, encoding: str = "utf-8") -> str:
    """A file's text; raises what `whole_content` raises, and `InputError` for bytes that are not UTF-8.

    `encoding`: `utf-8-sig` passes over a byte order mark.
    """
    content = whole_content(path)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise invalid_utf8(path, content, error.start) from None


def whole_content(path: Path) -> bytes:
    """The unpacked bytes of a file, held in memory; raises `InputError` for more than `limits.held_bytes`."""
    content = bytearray()
    for piece in read_pieces(path):
        content += piece
        if len(content) > current_limits().held_bytes:
            raise limit_error(path, "held_bytes", "more than {:,} bytes of text, which would be held in memory at once")
    return bytes(content)


def in_blocks(pieces: Iterable[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """The pieces, joined into blocks of at least `size` bytes; the last block has what is left."""
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= size:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def sha256_of(pieces: Iterable[bytes]) -> str:
    """sha256 of the joined pieces, hexadecimal."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def check_name(where: Path | str, kind: str, name: str) -> None:
    """The one rule for names of systems, topics, documents and columns, wherever they come in.

    Raises `InputError` for a name with a control character (a tab or newline would break every table that has it, an
    escape sequence the terminal), that is not UTF-8, or with more than `LONGEST_NAME` characters.
    """
    if len(name) > LONGEST_NAME or SURROGATE.search(name) or UNSEEN.search(name) or "\t" in name or "\n" in name:
        said = f"{where}: {kind} {shorten(name, 200)!r} holds a control character, is not UTF-8, or has more than"
        raise InputError(f"{said} {LONGEST_NAME} characters; rename it{' without its TAB' if chr(9) in name else ''}")


def lookalike_names(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of different names that look the same: but for case, spaces, or the form of their Unicode characters."""
    groups: dict[str, dict[str, None]] = {}
    for name in names:
        plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
        groups.setdefault(plain, {})[name] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]


HELD = 1 << 16
"""Names of so few documents are made once."""


@lru_cache(maxsize=2)
def _names(n: int) -> tuple[str, ...]:
    return tuple(f"{number:0{len(str(n))}d}" for number in range(1, n + 1))


class Numbers(Sequence[str]):
    """The names of `n` documents that have none, made when asked for: 1-based numbers, zero-padded to one width."""

    def __init__(self, n: int) -> None:
        self._n = n
        self.fingerprint = f"numbers to {n}"

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, at: Any) -> Any:
        if self._n <= HELD:
            return _names(self._n)[at]
        found, width = range(1, self._n + 1)[at], len(str(self._n))
        return f"{found:0{width}d}" if isinstance(found, int) else tuple(f"{one:0{width}d}" for one in found)

    def __eq__(self, other: object) -> bool:
        return self[:] == other if isinstance(other, tuple) else isinstance(other, Numbers) and self._n == other._n

    def __hash__(self) -> int:
        return hash(self.fingerprint)


SURROGATE = re.compile("[\ud800-\udfff]")
DIGITS = re.compile(r"\d+")
CP1252 = re.compile(rb"(?s)(?!.*[\x81\x8d\x8f\x90\x9d]).*[\x80-\x9f]")
"""Text of Windows: it has characters where LATIN1 has controls, and none of the bytes that it leaves open."""


def replace_lone_surrogates(text: str) -> str:
    """The text with lone surrogates, which JSON escapes can bring in and UTF-8 cannot write, as U+FFFD."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of `text`: "\\n" alone ends a line, a last line without it counts, an empty text has none."""
    lines = text.split("\n")
    return tuple(lines if lines[-1] else lines[:-1])


def invalid_utf8(where: Path | str, content: bytes, start: int) -> InputError:
    """The error for a byte that is not UTF-8: file, 1-based line, 1-based byte in the line, and the byte."""
    line = content.count(b"\n", 0, start) + 1
    byte = start - (content.rfind(b"\n", 0, start) + 1) + 1
    said = f"{where}: line {line}, byte {byte}: 0x{content[start]:02x} is not valid UTF-8;"
    if content[:4] == b"\xd0\xcf\x11\xe0" or (content[:4] == b"PK\x03\x04" and b"xl/" in content):
        return InputError(f"{where}: is an Excel file; save it as CSV (or TSV) and name that file here")
    if content[:4] == b"PK\x03\x04":
        return InputError(f"{where}: is a zip archive; unpack it (unzip {quote(str(where))}) and name what was in it")
    narrow = "CP1252" if CP1252.match(content) else "LATIN1"
    wide = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}.get(content[:2], narrow)  # the first bytes of a file
    return InputError(f"{said} convert it: {to_new_file(f'iconv -f {wide} -t UTF-8', where)}")


def to_new_file(command: str, where: Path | str) -> str:
    """What to type to pass a file, unpacked, through a command; the file stays as it is."""
    name = quote(str(where))
    return f"gzip -dc {name} | {command} > new.txt" if str(where).endswith(".gz") else f"{command} {name} > new.txt"


def decoded(blocks: Iterable[bytes], where: Path | str) -> Iterator[tuple[int, bytes, str]]:
    """(lines before it, block of whole lines, the same as a string); raises `InputError` for what is not UTF-8."""
    before = 0
    for block in blocks:
        try:
            string = block.decode("utf-8")
        except UnicodeDecodeError as error:
            raise invalid_utf8(where, b"\n" * before + block, before + error.start) from None
        yield before, block, string
        before += block.count(b"\n")


def read_pieces(path: Path, size: int = BLOCK) -> Iterator[bytes]:
    """The unpacked bytes of a plain or gzip file, in pieces of `size`.

    Raises `InputError` for what cannot be read, and for what is longer than `Limits` allow.
    """
    view = current_view()
    pieces: Iterator[bytes] = _pieces(path, size) if view is None else view.checked(path, _pieces(path, size))
    return pieces


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    limits = current_limits()
    line = unpacked = 0  # bytes since the last newline, and in all
    try:
        with open_binary(path) as stream:
            while piece := stream.read(size):
                end = piece.rfind(b"\n") + 1
                if line + (piece.find(b"\n") if end else len(piece)) > limits.line_bytes:
                    raise limit_error(path, "line_bytes", "a line of more than {:,} bytes")
                line = len(piece) - end if end else line + len(piece)
                unpacked += len(piece)
                if unpacked > limits.unpacked_bytes:
                    raise limit_error(path, "unpacked_bytes", "more than {:,} bytes, unpacked")
                yield piece
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{did_you_mean(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, a file was expected") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        name = path.name.removesuffix(".gz").removesuffix(".txt")
        out = f", or leave the system out: 'systems.exclude=[{name}]'" if path.parent.name == "systems" else ""
        raise InputError(f"{path}: the gzip file is damaged or truncated ({error}); copy it again{out}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


@contextmanager
def open_binary(path: Path) -> Iterator[IO[bytes]]:
    """Open a plain or gzip file for reading its unpacked bytes; its first two bytes say whether it is gzip.

    Raises `InputError` for what is no regular file: a pipe would be waited for without end.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise InputError(f"{path}: is no regular file; copy what it gives to a file")
        magic = stream.read(2)
        stream.seek(0)
        if magic == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield cast("IO[bytes]", unpacked)
        else:
            yield stream


def near_path(path: Path) -> Path:
    """What lies beside a path and has a name close to its own; the path itself where nothing has.

    A name that differs in its number alone is another system's.
    """
    names = list[str]()
    with suppress(OSError):
        names = [entry.name for entry in islice(path.parent.iterdir(), 1000) if not entry.name.startswith(".")]
    names = [name for name in names if DIGITS.sub("", name) != DIGITS.sub("", path.name)]
    close = closest(path.name, names, 0.65)  # cs-en for cz-en, not zh-en
    return path.with_name(close) if close else path


def did_you_mean(path: Path) -> str:
    """`; did you mean 'talks'?` for a path with another near it, nothing where there is none."""
    return "" if (near := near_path(path)) == path else f"; did you mean {str(near)!r}?"
