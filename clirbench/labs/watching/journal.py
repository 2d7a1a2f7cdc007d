"""What a long-running command has told, for machines: one JSON object a line, whole at any time."""

import json
import os
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clirbench.errors import StoreError
from clirbench.files.run_files import read_json, shape_error
from clirbench.text import whole_content

SHAPES: dict[str, dict[str, Any]] = {
    "checkpoint": {"system": str, "metadata": {...: str}, "values": {...: (float, None)}, "made_from?": str},
    "report": {"made_from?": str},
}
"""What a watch reads of an event again."""


@dataclass(frozen=True)
class Journal:
    """watch.jsonl: one JSON object a line; its `event` is checkpoint, pending, report, outlook, failed or error."""

    path: Path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The events so far; half a line that a killed process left is cut off first.

        Raises `StoreError` for what is no journal: the folder may have come from somebody else.
        """
        try:
            if self.path.exists() and not self.path.is_file():
                raise self._foreign("it is no file")
            content = whole_content(self.path) if self.path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if whole != content:
                os.truncate(self.path, len(whole))
        except OSError as error:
            raise self._foreign(error.strerror or str(error)) from None
        yield from [self._event(number, line) for number, line in enumerate(whole.split(b"\n")[:-1], start=1)]

    def _event(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            row: Any = read_json(f"line {number}", line)
            wrong = shape_error(row, {"event": str}) or shape_error(row, SHAPES.get(row["event"], {}))
        except ValueError as error:
            wrong = str(error)
        if wrong:
            raise self._foreign(f"line {number}: {wrong}")
        return dict(row)

    def _foreign(self, why: str) -> StoreError:
        return StoreError(f"{self.path}: not a journal of a watch ({why}); remove it to watch from the start")

    def add(self, event: str, **values: Any) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
        row = {"event": event, "at": datetime.now(UTC).isoformat(timespec="seconds"), **values, "peak_mb": peak}
        line = json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
        try:
            end = self.path.stat().st_size if self.path.exists() else 0
            try:
                with self.path.open("ab") as stream:
                    stream.write(line)
            except OSError:
                os.truncate(self.path, end)  # no half a line, that the next one would follow
                raise
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written ({error.strerror or error})") from error
