"""What a run has read is what it goes on with: every file has one hash for the whole run.

with read_through_snapshot() as snapshot:     every reading inside is checked (`clirbench.text.read_pieces`)
    ...                                       the first one gives the hash; a later one of other bytes is `Changed`
    snapshot.changed()                        which files are no longer what was read
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.errors import Changed, InputError
from clirbench.files.state import State, state_of
from clirbench.text import current_view, read_pieces, seen_through


@dataclass(frozen=True)
class Seen:
    """A file as it was first read: its hash, and its state then (None where it changed meanwhile)."""

    sha256: str
    state: State | None = None


@dataclass
class Snapshot:
    """The files that a run has read, by absolute path."""

    seen: dict[str, Seen] = field(default_factory=dict)

    def sha256(self, path: Path) -> str:
        """sha256 of the unpacked bytes as they were when the file was first read, which may be now."""
        if _place(path) not in self.seen:
            self._read(path)
        return self.seen[_place(path)].sha256

    def checked(self, path: Path, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces; raises `Changed` before the last one where they are not those of the first reading.

        Whoever has the last piece has read the right bytes, whether or not it asks for more.
        """
        before, digest = state_of(path), hashlib.sha256()
        held: bytes | None = None
        for piece in pieces:
            if held is not None:
                yield held
            digest.update(piece)
            held = piece
        found = Seen(digest.hexdigest(), before if state_of(path) == before else None)
        if self.seen.setdefault(_place(path), found).sha256 != found.sha256:
            raise Changed(path)
        self.seen[_place(path)] = found
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
            self._read(path)
        except InputError:
            return True
        return False

    def _read(self, path: Path) -> None:
        with seen_through(self):
            for _ in read_pieces(path):
                pass


@contextmanager
def read_through_snapshot() -> Iterator[Snapshot]:
    """Within the block files are read through one snapshot: the one that holds here already, or a new one."""
    current = current_view()
    if isinstance(current, Snapshot):
        yield current
        return
    snapshot = Snapshot()
    with seen_through(snapshot):
        yield snapshot


def current_snapshot() -> Snapshot:
    """The snapshot that holds here, or one that begins here."""
    current = current_view()
    return current if isinstance(current, Snapshot) else Snapshot()


def _place(path: Path) -> str:
    return str(path.absolute())
