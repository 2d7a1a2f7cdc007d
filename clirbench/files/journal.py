"""What a run or a watch reports, for programs: RUN/events.jsonl, one JSON object a line, which is only appended to."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clirbench.errors import StoreError, escape_unseen
from clirbench.files.tables import read_json, shape_error
from clirbench.text import whole_content

EVENTS = "events.jsonl"


@dataclass(frozen=True)
class Journal:
    """Events, each a JSON object with `event` (its kind) and `at` (UTC); the page of files lists all kinds.

    `shapes`: what a reader needs of an event of a kind, as in `shape_error`.
    """

    path: Path
    shapes: Mapping[str, Mapping[Any, Any]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The events so far, without half a line that is being written or that a killed process left.

        Raises `StoreError` for what is no journal: the folder may have come from somebody else.
        """
        lines = self.whole_lines().split(b"\n")[:-1]
        yield from [self._event(number, line) for number, line in enumerate(lines, start=1)]

    def whole_lines(self) -> bytes:
        """The lines so far that are whole, with their ends."""
        content = self._content()
        return content[: content.rfind(b"\n") + 1]

    def mend(self) -> None:
        """Cut off half a line that a killed process left; a writer does so before its first event."""
        if (whole := self.whole_lines()) != self._content():
            try:
                os.truncate(self.path, len(whole))
            except OSError as error:
                raise self._unwritable(error) from error

    def add(self, event: str, **values: Any) -> None:
        """Append one event by one write; raises `StoreError` where it cannot be written, and leaves no half a line."""
        row = {"event": event, "at": datetime.now(UTC).isoformat(timespec="milliseconds"), **values}
        row |= {"peak_mb": peak} if (peak := peak_mb()) is not None else {}
        text = escape_unseen(json.dumps(row, ensure_ascii=False, allow_nan=False))
        self.append(text.encode("utf-8", "replace") + b"\n")

    def append(self, lines: bytes) -> None:
        """Append whole lines, of another journal."""
        try:
            end = self.path.stat().st_size if self.path.exists() else 0
            try:
                with self.path.open("ab") as stream:
                    stream.write(lines)
            except OSError:
                os.truncate(self.path, end)  # no half a line, that the next one would follow
                raise
        except OSError as error:
            raise self._unwritable(error) from error

    def _content(self) -> bytes:
        try:
            if self.path.exists() and not self.path.is_file():
                raise self._foreign("it is no file")
            return whole_content(self.path) if self.path.exists() else b""
        except OSError as error:
            raise self._foreign(error.strerror or str(error)) from None

    def _event(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            row: Any = read_json(f"line {number}", line)
            wrong = shape_error(row, {"event": str}) or shape_error(row, self.shapes.get(row["event"], {}))
        except ValueError as error:
            wrong = str(error)
        if wrong:
            raise self._foreign(f"line {number}: {wrong}")
        return dict(row)

    def _foreign(self, why: str) -> StoreError:
        return StoreError(f"{self.path}: not a journal of clirbench ({why}); remove it to begin another")

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(f"{self.path}: cannot be written ({error.strerror or error})")


def peak_mb() -> int | None:
    """The most memory that this process has had so far, in MiB; None where the system does not count it."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
