"""The stream of events of a run, which its journal keeps while bars show it."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from clirbench import __version__
from clirbench.api.outcome import checked_path
from clirbench.engines.base import leave_clusters
from clirbench.errors import InputError, StoreError, interrupted, shorten
from clirbench.experiment import run as work
from clirbench.experiment import with_store
from clirbench.files.journal import EVENTS, Journal
from clirbench.files.run_files import path_inside
from clirbench.report.answer import answered
from clirbench.report.decision import decision_sentences
from clirbench.report.facts import warnings as notes
from clirbench.report.terminal import progress
from clirbench.result import Experiment, Result, Watch, no_watch
from clirbench.store.plan import PLAN

Value = TypeVar("Value")


@dataclass(frozen=True)
class Events:
    """The events of one run. As a `Watch` it tells when a step begins and ends; `shown` shows the values between."""

    tell: Callable[..., None]
    shown: Watch = no_watch

    def __call__(
        self, title: str, values: Iterable[Value], total: int, so_far: Callable[[], Result] | None = None
    ) -> Iterator[Value]:
        self.tell("begun", step=title, items=total)
        begun = time.perf_counter()
        yield from self.shown(title, values, total, so_far)
        self.tell("done", step=title, items=total, seconds=_since(begun))

    def found(self, result: Result) -> None:
        """What the run found: its warnings, the systems that failed, and the answer."""
        for line in notes(result):
            self.tell("warning", text=line)
        for system in result.failed:
            self.tell("failed", system=system)
        if result.correlations:
            answer = answered(result)
            self.tell("answer", text=str(answer), measure=answer.measure, decision=" ".join(decision_sentences(result)))


@contextmanager
def recorded(folder: Path, command: Sequence[str]) -> Iterator[Events]:
    """The events of a run in this folder, from its start to its end, however it ends; a rerun goes on in the same file.

    Raises `StoreError` where they cannot be written.
    """
    journal = Journal(folder / EVENTS)
    journal.mend()
    journal.add("start", clirbench=__version__, command=list(command), process=os.getpid())
    begun = time.perf_counter()
    try:
        yield Events(journal.add)
    except BaseException as error:
        outcome = "stopped" if interrupted(error) else "error"
        with suppress(StoreError):  # what ended the run may be a full disk
            reason = shorten(" ".join(f"{type(error).__name__}: {error}".split()), 500)
            journal.add("end", outcome=outcome, seconds=_since(begun), reason=reason)
        raise
    journal.add("end", outcome="done", seconds=_since(begun))


@contextmanager
def running(experiment: Experiment, cache: Path, folder: Path, command: Sequence[str]) -> Iterator[Result]:
    """What an experiment finds, with its plan and its events in this folder; within the block results can be kept."""
    try:
        with (
            recorded(folder, command) as events,
            with_store(experiment, cache, folder / PLAN, events.tell) as ready,
        ):
            with progress() as bars:
                result = work(ready, replace(events, shown=bars))
            events.found(result)
            yield result
    finally:
        leave_clusters()


def _since(begun: float) -> float:
    return round(time.perf_counter() - begun, 3)


def events(folder: str | Path) -> list[dict[str, Any]]:
    """What happened so far in a run, or in a watch, by its folder: `event`, `at` and the fields of its kind.

    Raises `InputError` where there are none.

        >>> import clirbench as cb
        >>> folder = cb.run("europarl_csen_published").save("published")
        >>> [event["step"] for event in cb.events(folder) if event["event"] == "done"]
        ['intervals', 'analyses']
    """
    path = path_inside(checked_path(folder), EVENTS)
    if not path.is_file():
        raise InputError(f"{folder}: has no {EVENTS}, so it is not the folder of a run or of a watch")
    return list(Journal(path))
