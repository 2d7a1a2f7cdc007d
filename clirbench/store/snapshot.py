"""What a run has read is what it goes on with: every file has one hash for the whole run.

    with taken(STORE) as snapshot:       every reading inside is checked (`clirbench.text.read_pieces`)
        ...                              the first one gives the hash; a later one that finds other bytes is `Changed`
        snapshot.changed()               which files are no longer what was read

Hashes are kept in the store by what the system says of a file (`files/state.py`). Where results are made and kept, no
file is trusted by that: what a step reads is hashed while it reads.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.errors import Changed, InputError
from clirbench.files.state import State, is_settled, state_of
from clirbench.store.whole import write_whole
from clirbench.text import current_view, read_pieces, seen_through

LOG = logging.getLogger(__name__)
HASHES = "hashes.tsv"
"""In the store: hashes of files that were read before, one a line, and a sum of the line."""
MOST = 100_000
"""Hashes that are kept, those that were used last."""


@dataclass(frozen=True)
class Seen:
    """A file as it was first read: its hash, its state then (None where it changed meanwhile), and whether that
    state will do to know it again."""

    sha256: str
    state: State | None = None
    settled: bool = False


@dataclass
class Snapshot:
    """The files that a run has read, by absolute path; `known` are hashes of earlier runs, by state.

    A `strict` one hashes whatever is read through it, whatever the state of the file says.
    """

    known: dict[State, str] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    strict: bool = False
    forgotten: bool = False

    @property
    def for_steps(self) -> "Snapshot":
        """The same files, for the process that makes results of them."""
        return Snapshot(seen=self.seen, strict=True)

    def sha256(self, path: Path) -> str:
        """sha256 of the unpacked bytes as they were when the file was first read, which may be now."""
        if (seen := self._expected(path)) is None:
            with seen_through(self):
                _read(path)
            seen = self.seen[_place(path)]
        return seen.sha256

    def checked(self, path: Path, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces; raises `Changed` before the last one where they are not those of the first reading.

        Whoever has the last piece has read the right bytes, whether or not it asks for more.
        """
        expected = self._expected(path)
        before = state_of(path)
        old = is_settled(before)
        known = not self.strict and expected is not None and expected.settled and expected.state == before
        digest = None if known else hashlib.sha256()
        held: bytes | None = None
        for piece in pieces:
            if held is not None:
                yield held
            if digest is not None:
                digest.update(piece)
            held = piece
        after = state_of(path)
        if digest is not None:
            found = Seen(digest.hexdigest(), before if after == before else None, old and after == before)
            expected = expected or found
            if found.sha256 != expected.sha256:
                raise Changed(path)
            self.seen[_place(path)] = found
        elif after != before and self.differs(path):
            raise Changed(path)
        if held is not None:
            yield held

    def changed(self) -> list[Path]:
        """The files that have other content now, or none."""
        return [path for path in map(Path, list(self.seen)) if self.differs(path)]

    def differs(self, path: Path) -> bool:
        """Whether a file that was read has other content now; it is read only where its state is another."""
        seen = self.seen.get(_place(path))
        if seen is None or (seen.state is not None and state_of(path) == seen.state):
            return False
        try:
            with seen_through(self.for_steps):
                _read(path)
        except InputError:
            return True
        return False

    def forget(self, paths: Iterable[Path]) -> None:
        """Trust no kept hash of these files in the next run."""
        self.forgotten = True
        for path in paths:
            seen = self.seen.pop(_place(path), None)
            if seen is not None and seen.state is not None:
                self.known.pop(seen.state, None)

    def _expected(self, path: Path) -> Seen | None:
        place = _place(path)
        if place not in self.seen and (state := state_of(path)) in self.known:
            self.seen[place] = Seen(self.known[state], state, settled=True)
        return self.seen.get(place)


@contextmanager
def read_through_snapshot(store: Path | None = None) -> Iterator[Snapshot]:
    """Within the block files are read through one snapshot: the one that holds here already, or a new one.

    `store`: the folder that keeps hashes from run to run.
    """
    current = current_view()
    if isinstance(current, Snapshot):
        yield current
        return
    snapshot = Snapshot({} if store is None else read_hashes(store / HASHES))
    with seen_through(snapshot):
        try:
            yield snapshot
        finally:
            if store is not None:
                write_hashes(store / HASHES, snapshot)


def current_snapshot() -> Snapshot:
    """The snapshot that holds here, or one that begins here."""
    current = current_view()
    return current if isinstance(current, Snapshot) else Snapshot()


def read_hashes(path: Path) -> dict[State, str]:
    """The hashes that are kept; none where the file cannot be read, and without the lines that are damaged."""
    try:
        lines = path.read_text(encoding="ascii", errors="replace").split("\n") if path.is_file() else []
    except OSError:
        return {}
    found: dict[State, str] = {}
    for line in lines:
        row, _, check = line.rpartition("\t")
        if row and _check(row) == check:
            *numbers, sha256 = row.split("\t")
            device, inode, size, content, entry = map(int, numbers)
            found[device, inode, size, content, entry] = sha256
    return found


def write_hashes(path: Path, snapshot: Snapshot) -> None:
    """Keep what is known of files that have not been touched just before they were read."""
    settled = {seen.state: seen.sha256 for seen in snapshot.seen.values() if seen.settled and seen.state}
    if settled.items() <= snapshot.known.items() and not snapshot.forgotten:
        return
    kept = list({**snapshot.known, **settled}.items())[-MOST:]
    rows = ("\t".join((*map(str, state), sha256)) for state, sha256 in kept)
    content = "".join(f"{row}\t{_check(row)}\n" for row in rows)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content.encode())
    except OSError as error:
        LOG.debug("%s: hashes are not kept: %s", path, error)


def _read(path: Path) -> None:
    for _ in read_pieces(path):
        pass


def _place(path: Path) -> str:
    return str(path.absolute())


def _check(row: str) -> str:
    return hashlib.sha256(row.encode()).hexdigest()[:16]
