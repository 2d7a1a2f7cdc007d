"""Checkpoints as TensorBoard shows them: event files with a scalar for every column, at the step of the training."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clirbench.checks import require
from clirbench.files.run_files import is_plain
from clirbench.report.figures import file_stem


@dataclass(frozen=True, eq=False)
class EventFiles:
    """Event files in `folder`, with a folder below it for each training run.

    Values are there as soon as `add` returns; one that is added twice, after a kill, shows once. Raises `ResourceError`
    without the library.
    """

    folder: Path
    writers: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        require("--tensorboard", "tensorboard", "tensorboardX")

    def add(self, system: str, metadata: Mapping[str, str], values: Mapping[str, float | None]) -> None:
        """The values of a checkpoint; nothing where it has no step, or a value is None."""
        # Not its SummaryWriter: a thread of that writes, and its flush() does not wait for the thread.
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.proto.summary_pb2 import Summary

        try:
            step = round(float(metadata["step"]))
        except (KeyError, ValueError, OverflowError):
            return
        run = run_of(system, metadata)
        if run not in self.writers:
            (self.folder / run).mkdir(parents=True, exist_ok=True)
            self.writers[run] = EventsWriter(str(self.folder / run / "events"), f".{os.getpid()}")
        shown = [
            Summary.Value(tag=f"clirbench/{name}", simple_value=value)
            for name, value in values.items()
            if value is not None
        ]
        self.writers[run].write_event(Event(wall_time=time.time(), step=step, summary=Summary(value=shown)))
        self.writers[run].flush()

    def close(self) -> None:
        """Close the files; what was added is there already."""
        for writer in self.writers.values():
            writer.close()


def run_of(system: str, metadata: Mapping[str, str]) -> str:
    """The name of a checkpoint without its step: `run1` of `run1-step500`; `training` where nothing is left.

    It names a folder, so that a name from a journal that somebody sent leads nowhere else.
    """
    steps = {f"{name}{metadata[name]}" for name in ("step", "epoch") if name in metadata}
    run = "-".join(piece for piece in system.split("-") if piece not in steps)
    return run if is_plain(run) else file_stem(run).strip(".")[:60] or "training"
