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


@dataclass(frozen=True)
class Journal:
    """watch.jsonl: one JSON object a line; its `event` is checkpoint, pending, report, outlook, failed or error."""

    path: Path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The events so far; half a line that a killed process left is cut off first."""
        content = self.path.read_bytes() if self.path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            self.path.write_bytes(whole)
        try:
            yield from [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise StoreError(f"{self.path}: not a journal of a watch; remove it to watch from the start") from None

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
