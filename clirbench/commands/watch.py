"""`clirbench watch [key=value ...]`: look for new checkpoints while training runs, and keep one report fresh.

The overrides are those of a run. Each checkpoint is computed once, as soon as its file is finished; everything lies in
the store and in the run's folder, so a watch that is stopped or killed goes on where it was.
"""

import hashlib
import json
import os
import resource
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

from clirbench.analyses.wording import number
from clirbench.columns import scoreboard
from clirbench.commands.base import command_parser, run_command
from clirbench.commands.faults import STOPPED
from clirbench.config import build, composed, limits_of, plain_configuration
from clirbench.configuration.spelling import spoken_of
from clirbench.errors import ClirbenchError, ConfigError, StoreError
from clirbench.experiment import computed, concluded
from clirbench.files.tensorboard import EventFiles
from clirbench.inputs.reading import fitted, read_inputs
from clirbench.report import terminal
from clirbench.report.answer import answered
from clirbench.report.folder import RunFolder
from clirbench.report.html.report import Live
from clirbench.report.outlook import in_words, learning_curve
from clirbench.report.provenance import provenance
from clirbench.result import Experiment, Inputs, Result, unwatched
from clirbench.statistics.model.stopping import Outlook, outlook
from clirbench.store.cached import Cached
from clirbench.store.plan import PLAN, Plan
from clirbench.store.snapshot import taken
from clirbench.store.store import Store
from clirbench.text import set_limits

JOURNAL = "watch.jsonl"
LOCK = ".watching"
DEFAULTS = ("engine=serial", "systems.unfinished=skip")
RECENT = 2_000_000_000
"""Nanoseconds within which two changes of a folder may carry one time."""


@dataclass(frozen=True)
class Journal:
    """watch.jsonl: one JSON object a line; its `event` is checkpoint, pending, report, outlook or error."""

    path: Path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The events so far; half a line that a killed process left is cut off first."""
        content = self.path.read_bytes() if self.path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            self.path.write_bytes(whole)
        yield from map(json.loads, whole.splitlines())

    def add(self, event: str, **values: Any) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
        row = {"event": event, "at": datetime.now(UTC).isoformat(timespec="seconds"), **values, "peak_mb": peak}
        text = json.dumps(row, ensure_ascii=False, allow_nan=False)
        with self.path.open("ab") as stream:
            stream.write(text.encode("utf-8", "replace") + b"\n")


@dataclass
class Watching:
    """The looks of one watch, `seconds` apart; `gain`, `horizon` and `measure` are what the stop rule asks for."""

    experiment: Experiment
    folder: RunFolder
    store: Store
    configuration: Mapping[str, Any]
    command: Sequence[str]
    seconds: int = 30
    gain: float | None = None
    horizon: int | None = None
    measure: str = ""
    events: EventFiles | None = None
    done: set[str] = field(default_factory=set)
    state: dict[Path, tuple[int, ...]] = field(default_factory=dict)
    said: str = ""
    stale: bool = True

    def __post_init__(self) -> None:
        self.journal = Journal(self.folder.path / JOURNAL)
        told = [row for row in self.journal if row["event"] in ("checkpoint", "report")]
        # What was computed before a kill may not be in the report yet.
        self.stale = not told or told[-1]["event"] != "report" or not (self.folder.path / "report.html").exists()
        checkpoints = [row for row in told if row["event"] == "checkpoint"]
        self.done |= {row["system"] for row in checkpoints}
        if self.events and not self.events.folder.exists():
            for row in checkpoints:
                self.events.add(row["system"], row["metadata"], row["values"])

    def look(self) -> Outlook | None:
        """Compute what is new, tell of it, write the report; None where nothing is new, or it is too early to judge."""
        if self.state and self.state == states(self.state):
            return None
        begun = time.time_ns()
        self.state = {}
        with self.store.used(), taken(self.store.path) as snapshot:
            fit, inputs = fitted(self.experiment, read_inputs(self.experiment))
            assert inputs is not None
            self._tell_pending(inputs.pending)
            new = [t for t in inputs.translations if t.system not in self.done]
            for translation in new:
                self._compute(fit, replace(inputs, translations=(translation,), pending={}))
            found = None
            if self.stale:
                plan = Plan.begin(self.folder.path / PLAN, self.store.path)
                experiment = self._cached(fit, plan)
                work = computed(experiment, inputs)
                found = self._report(concluded(experiment, work.without(work.changed(snapshot)), snapshot, unwatched))
        if not inputs.pending:
            files = {file for translation in inputs.translations for file in translation.files}
            state = states({*files, *(folder for file in files for folder in file.parents)})
            if files and all(begun - changed > RECENT for _, changed, _ in state.values()):
                self.state = state
        return found

    def _cached(self, experiment: Experiment, plan: Plan | None = None) -> Experiment:
        return replace(experiment, engine=Cached(experiment.engine, self.store, plan), plan=plan)

    def _compute(self, fit: Experiment, inputs: Inputs) -> None:
        """One checkpoint: its steps, and a line about it."""
        begun = time.perf_counter()
        experiment = replace(self._cached(fit), tables=None)
        work = computed(experiment, inputs)
        board, _ = scoreboard(experiment, work.inputs, work.scores, work.retrieval)
        (translation,) = inputs.translations
        values = {column.name: float(column.values[0]) for column in (*board.measures, *board.metrics)}
        seconds = time.perf_counter() - begun
        shown = "  ".join(f"{name} {number(value)}" for name, value in values.items())
        tell(f"{translation.system}  {shown}  ({seconds:.1f} s)")
        kept = {name: value if isfinite(value) else None for name, value in values.items()}
        metadata = dict(translation.metadata)
        if self.events:
            self.events.add(translation.system, metadata, kept)
        self.journal.add(
            "checkpoint", system=translation.system, metadata=metadata, values=kept, seconds=round(seconds, 3)
        )
        self.done.add(translation.system)
        self.stale = True

    def _tell_pending(self, pending: Mapping[str, str]) -> None:
        if pending and self.tell_once(f"pending: {', '.join(f'{name} ({why})' for name, why in pending.items())}"):
            self.journal.add("pending", systems=dict(pending))

    def tell_once(self, text: str) -> bool:
        """Say what was not the last thing said; whether it was said."""
        new = text != self.said
        if new:
            tell(text)
        self.said = text
        return new

    def _report(self, result: Result) -> Outlook | None:
        measure = self.measure or answered(result).measure or next((c.name for c in result.board.measures), "")
        values, steps = learning_curve(result, measure)
        found = outlook(values, steps, gain=self.gain, horizon=self.horizon, seed=self.experiment.seed)
        sentence = in_words(found, measure, len(steps))
        made = provenance(self.configuration, self.command, result)
        self.folder.write(result, made, Live(max(5, self.seconds), (sentence,)))
        self.journal.add("report", systems=len(result.board.systems))
        self.stale = False
        self.tell_once(sentence)
        if found is not None:
            values_of = {
                name: getattr(found, name) for name in ("verdict", "p_gain", "p_past", "best", "gain", "horizon")
            }
            self.journal.add("outlook", measure=measure, **values_of)
        return found


def tell(text: str) -> None:
    """A line with the time, at once."""
    terminal.say(f"{datetime.now():%H:%M:%S}  {text}")
    sys.stdout.flush()


def states(paths: Iterable[Path]) -> dict[Path, tuple[int, ...]]:
    """What the system says of each path: a new file changes its folder."""
    found: dict[Path, tuple[int, ...]] = {}
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            found[path] = (status.st_ino, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """0; 10: `--stop-rule` says that training may stop; the statuses of a run where it cannot begin."""
    parser = command_parser("watch", __doc__)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="the keys of a run; hydra.run.dir=DIR too")
    parser.add_argument("--every", type=int, default=30, metavar="SECONDS", help="between two looks (default 30)")
    parser.add_argument("--once", action="store_true", help="look once, for cron")
    parser.add_argument("--stop-rule", action="store_true", help="end with status 10 where no gain is to be expected")
    parser.add_argument("--gain", type=float, help="what is worth the wait, in units of the measure (default: a fifth "
                        "of what training has moved it so far)")  # fmt: skip
    parser.add_argument("--horizon", type=int, help="checkpoints ahead (default: a fifth of those so far, at least 5)")
    parser.add_argument("--tensorboard", type=Path, metavar="DIR", help="write TensorBoard's event files there too")
    parser.add_argument("--measure", default="", help="that the rule goes by (default: that of the answer)")
    return run_command(parser, arguments, _watch)


def _watch(options: Namespace) -> int:
    be_nice()
    watching = begun(options)
    while True:
        try:
            found = watching.look()
        except StoreError:
            raise
        except ClirbenchError as error:
            if options.once:
                raise
            if watching.tell_once(f"waiting: {error}"):
                watching.journal.add("error", reason=str(error))
            found = None
        if options.stop_rule and found is not None and found.stop:
            terminal.show_folder(watching.folder.path)
            return STOPPED
        if options.once:
            terminal.show_folder(watching.folder.path)
            return 0
        time.sleep(options.every)


def begun(options: Namespace) -> Watching:
    """The watch that the arguments ask for: its experiment, and its folder."""
    if spoken_of(options.overrides) != "folder" and not any("experiment=" in one for one in options.overrides):
        raise ConfigError("watch: there are no systems to wait for; name a corpus, folder=DIR")
    keys = [override.lstrip("+").partition("=")[0] for override in options.overrides]
    added = [default for default in DEFAULTS if default.partition("=")[0] not in keys]
    cfg = composed([one for one in (*options.overrides, *added) if not one.startswith("hydra.")])
    set_limits(limits_of(cfg))
    name = hashlib.sha256("\n".join(sorted(options.overrides)).encode()).hexdigest()[:8]
    named = [o.partition("=")[2].strip("\"'") for o in options.overrides if o.startswith("hydra.run.dir=")]
    path = Path(named[-1]) if named else Path("runs") / str(cfg.name) / f"watch-{name}"
    experiment = build(cfg)
    folder = RunFolder.claim(path)
    lock(folder.path)
    store = Store(Path(cfg.paths.cache) / "store")
    store.sweep()
    command = ["clirbench", "watch", *options.overrides]
    events = EventFiles(options.tensorboard) if options.tensorboard else None
    return Watching(
        experiment, folder, store, plain_configuration(cfg), command, options.every, options.gain, options.horizon,
        options.measure, events,
    )  # fmt: skip


def lock(folder: Path) -> None:
    """Keep the folder for this process until it ends, however it ends; `StoreError` where another watch has it."""
    import fcntl

    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise StoreError(f"{folder}: another watch writes there; end it, or choose hydra.run.dir=DIR") from None


def be_nice() -> None:
    """Low priority, and one core where the system can do that: training goes first."""
    os.nice(10)
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


if __name__ == "__main__":
    sys.exit(main())
