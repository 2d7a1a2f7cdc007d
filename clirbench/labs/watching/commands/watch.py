"""`clirbench watch [key=value ...]`: look for new checkpoints while training runs, and keep one report fresh.

The overrides are those of a run. Each checkpoint is computed once, as soon as its file is finished; all results are in
the store and in the run's folder, so a watch that is stopped or killed goes on where it was.
"""

import hashlib
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from clirbench.checks import number as checked, whole_number
from clirbench.columns import scoreboard
from clirbench.commands.base import OF_THE_MACHINE, STOPPED, command_parser, run_command
from clirbench.configuration.advice import mentioned_experiment
from clirbench.configuration.building import build, limits_of
from clirbench.configuration.composing import compose_configuration, plain_configuration
from clirbench.errors import ClirbenchError, ConfigError, StoreError, gathered
from clirbench.experiment import compute_steps, conclude
from clirbench.files.run_files import EVENTS, SETTLED, Journal, State, state_of
from clirbench.inputs import adapt_to_inputs, read_inputs
from clirbench.labs.watching.stopping import GAIN, Outlook, in_words, learning_curve, outlook
from clirbench.pages import fixed, number
from clirbench.report import terminal
from clirbench.report.answer import answered
from clirbench.report.folder import RunFolder
from clirbench.report.html.report import Live
from clirbench.report.provenance import provenance
from clirbench.result import Experiment, Inputs, Result, no_watch
from clirbench.store.cached import PLAN, Cached, Plan
from clirbench.store.keys import fingerprint
from clirbench.store.store import Snapshot, Store, read_through_snapshot
from clirbench.text import set_limits
from clirbench.types import Translation

LOCK = ".watching"
SHAPES: dict[str, dict[str, Any]] = {
    "checkpoint": {"system": str, "metadata": {...: str}, "values": {...: (float, None)}, "made_from?": str},
    "report": {"made_from?": str},
}
"""What a watch reads of its events again."""
DEFAULTS = ("engine=serial", "systems.unfinished=skip")


class Watching:
    """The looks of one watch, as the options of the command line ask for them: its experiment, folder and store."""

    def __init__(self, options: Namespace) -> None:
        keys = options.overrides
        if mentioned_experiment(keys) != "folder" and not any("experiment=" in one for one in keys):
            raise ConfigError("watch: there are no systems to wait for; name a corpus, folder=DIR")
        whole_number("--every", options.every)
        whole_number("--horizon", options.horizon, or_null=True)
        checked("--gain", options.gain, least=0)
        given = [key.lstrip("+").partition("=")[0] for key in keys]
        added = [default for default in DEFAULTS if default.partition("=")[0] not in given]
        cfg = compose_configuration([one for one in (*keys, *added) if not one.startswith("hydra.")])
        set_limits(limits_of(cfg))
        name = hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:8]
        named = [key.partition("=")[2].strip("\"'") for key in keys if key.startswith("hydra.run.dir=")]
        self.options = options
        self.experiment = build(cfg)
        self.folder = RunFolder.claim(Path(named[-1]) if named else Path("runs") / str(cfg.name) / f"watch-{name}")
        self.store = Store(Path(cfg.paths.cache) / "store")
        self.store.sweep()
        self.configuration = plain_configuration(cfg)
        self.said = ""
        self._begin()

    def _begin(self) -> None:
        """Hold the folder, and go on where its journal ends."""
        self.lock = lock(self.folder.path)
        self.journal = Journal(self.folder.path / EVENTS, SHAPES)
        self.journal.mend()
        self.done: dict[str, str] = {}
        self.state: dict[Path, State | None] = {}
        self.reported = ""
        for row in self.journal:
            if row["event"] == "checkpoint":
                self.done[row["system"]] = row.get("made_from", "")
            elif row["event"] == "report" and (self.folder.path / "report.html").exists():
                self.reported = row.get("made_from", "")

    def look(self) -> Outlook | None:
        """Compute what is new, tell of it, write the report; None where nothing is new, or it is too early to judge.

        Where somebody has removed the run's folder it is made again, and what the store holds is told again.
        """
        if state_of(self.folder.path / LOCK) != self.lock:
            self.folder = RunFolder.claim(self.folder.path)
            self._begin()
        if self.state and self.state == states(self.state):
            return None
        begun = time.time_ns()
        self.state = {}
        with self.store.used(), read_through_snapshot() as snapshot:
            kept = Cached(self.experiment.engine, self.store)
            experiment = replace(self.experiment, engine=kept)
            experiment, inputs = adapt_to_inputs(experiment, read_inputs(experiment))
            if inputs is None:
                raise ClirbenchError("watch: there are no systems to wait for; name a corpus, folder=DIR")
            self._tell_pending(inputs.pending)
            shared = fingerprint(self.configuration, inputs.corpus.english, inputs.corpus.test, inputs.topics)
            contents = {t.system: content_of(t, shared) for t in inputs.translations}
            for translation in inputs.translations:
                if self.done.get(translation.system) != contents[translation.system]:
                    alone = replace(inputs, translations=(translation,), pending={})
                    self._compute(replace(experiment, tables=None), alone, contents[translation.system], snapshot)
            made = fingerprint(contents)
            found = None
            if made != self.reported:
                plan = Plan.begin(self.folder.path / PLAN, self.store.path)
                experiment = replace(experiment, engine=replace(kept, plan=plan), plan=plan)
                result = conclude(compute_steps(experiment, inputs), no_watch)
                if not snapshot.changed():  # else the next look reports
                    found = self._report(result, made)
        if not inputs.pending and self.reported == made:
            files = {file for translation in inputs.translations for file in translation.files}
            files |= {file.absolute() for file in inputs.corpus.english.text.files}
            now = states({*files, *(folder for file in files for folder in file.parents)})
            if inputs.translations[0].files and all(s and begun - max(s[3:]) > SETTLED for s in now.values()):
                self.state = now
        return found

    def _compute(self, experiment: Experiment, inputs: Inputs, content: str, snapshot: Snapshot) -> None:
        """One checkpoint: its steps, and a line about it. One that cannot be computed stops no other."""
        begun = time.perf_counter()
        (translation,) = inputs.translations
        errors: list[ClirbenchError] = []
        with gathered(errors):
            work = compute_steps(experiment, inputs)
        if any(map(snapshot.differs, translation.files)):
            self._tell_pending({translation.system: "its file changed while it was read"})
            return
        if errors and isinstance(errors[0], StoreError):
            raise errors[0]  # nothing can be kept, of whichever checkpoint
        if errors:
            tell(f"{translation.system}  failed: {errors[0]}")
            self.journal.add("failed", system=translation.system, reason=str(errors[0]))
            self.done[translation.system] = content
            return
        board, _ = scoreboard(experiment, work.inputs, work.scores, work.retrieval)
        values = {column.name: float(column.values[0]) for column in (*board.measures, *board.metrics)}
        seconds = time.perf_counter() - begun
        shown = "  ".join(f"{name} {number(value)}" for name, value in values.items())
        tell(f"{translation.system}  {shown}  ({fixed(seconds, 1)} s)")
        kept = {name: value if isfinite(value) else None for name, value in values.items()}
        told = {"metadata": dict(translation.metadata), "values": kept, "seconds": round(seconds, 3)}
        self.journal.add("checkpoint", system=translation.system, **told, made_from=content)
        self.done[translation.system] = content

    def _tell_pending(self, pending: Mapping[str, str]) -> None:
        if pending and self.tell_once(f"pending: {', '.join(f'{name} ({why})' for name, why in pending.items())}"):
            self.journal.add("pending", systems=dict(pending))

    def tell_once(self, text: str) -> bool:
        """Print the text unless it was also the last one printed; returns whether it was printed."""
        new = text != self.said
        if new:
            tell(text)
        self.said = text
        return new

    def _report(self, result: Result, content: str) -> Outlook | None:
        measure = self.options.measure or answered(result).measure or next((c.name for c in result.board.measures), "")
        values, steps = learning_curve(result, measure)
        found = outlook(values, steps, gain=self.options.gain, horizon=self.options.horizon)
        sentence = in_words(found, measure, len(steps))
        live = Live(max(5, self.options.every), (sentence,), measure)
        command = ["clirbench", "watch", *self.options.overrides]
        self.folder.write(result, provenance(self.configuration, command, result), live)
        self.journal.add("report", systems=len(result.board.systems), made_from=content)
        self.reported = content
        self.tell_once(sentence)
        if found is not None:
            self.journal.add("outlook", measure=measure, verdict=found.verdict, **asdict(found))
        return found


def tell(text: str) -> None:
    """A line with the time, at once."""
    terminal.say(f"{datetime.now():%H:%M:%S}  {text}")
    sys.stdout.flush()


def content_of(translation: Translation, shared: str) -> str:
    """What a line about a checkpoint is made from: its texts, or the model that makes them, and what all share."""
    texts = [text for text in (translation.test, translation.collection) if text is not None and text.files]
    made = () if translation.maker is None else tuple(translation.maker.files([translation]))
    return fingerprint(shared, dict(translation.metadata), made, texts)


def states(paths: Iterable[Path]) -> dict[Path, State | None]:
    """What the system says of each path: a new file changes its folder."""
    return {path: state_of(path) for path in paths}


def main(arguments: Sequence[str] | None = None) -> int:
    """0; 10: `--stop-rule` says that training may stop; the statuses of a run where it cannot begin."""
    parser = command_parser("watch", __doc__)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="the keys of a run; hydra.run.dir=DIR too")
    parser.add_argument("--every", type=int, default=30, metavar="SECONDS", help="between two looks (default 30)")
    parser.add_argument("--once", action="store_true", help="look once, for cron")
    parser.add_argument("--stop-rule", action="store_true", help="end with status 10 where no gain is to be expected")
    parser.add_argument(
        "--gain", type=float, default=GAIN, help=f"worth the wait, in units of the measure (default {GAIN})"
    )
    parser.add_argument("--horizon", type=int, help="checkpoints ahead (default: a fifth of those so far, at least 5)")
    parser.add_argument("--measure", default="", help="that the rule goes by (default: that of the answer)")
    return run_command(parser, arguments, _watch)


def _watch(options: Namespace) -> int:
    be_nice()
    watching = Watching(options)
    while True:
        try:
            found = watching.look()
        except (ClirbenchError, OSError) as error:
            if options.once or (isinstance(error, OSError) and error.errno not in OF_THE_MACHINE):
                raise
            if watching.tell_once(f"waiting: {error}"):
                with suppress(StoreError):  # a full disk keeps nothing of it either
                    watching.journal.add("error", reason=str(error))
            found = None
        if options.stop_rule and found is not None and found.stop:
            terminal.show_folder(watching.folder.path)
            return STOPPED
        if options.once:
            terminal.show_folder(watching.folder.path)
            return 0
        time.sleep(options.every)


def lock(folder: Path) -> State | None:
    """Keep the folder for this process until it ends, however it ends; the state of the lock file.

    Raises `StoreError` where another watch has it, or it cannot be locked.
    """
    import fcntl

    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise StoreError(f"{folder}: another watch writes there; end it, or choose hydra.run.dir=DIR") from None
    except OSError as error:
        raise StoreError(f"{folder / LOCK}: cannot be locked ({error.strerror}); choose hydra.run.dir=DIR") from None
    return state_of(folder / LOCK)


def be_nice() -> None:
    """Low priority, and one core where the system can do that: training goes first."""
    os.nice(10)
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
