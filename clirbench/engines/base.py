"""Engines: ways to map a pure step over items. The line knows only `pmap(step, items)`, never where it runs.

    engine.pmap(step, items) -> one result for each item, in the order of the items

Results are the same bytes from every engine: a step is a pure function of its named inputs. `clirbench.store.cached`
puts the store before any engine.
"""

import logging
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from clirbench.errors import ClirbenchError, ResourceError
from clirbench.text import Limits, current_limits, within_limits

LOG = logging.getLogger(__name__)

CLOSERS: list[Callable[[], None]] = []
"""How to leave what was joined or started, the last first."""


def leave_clusters() -> None:
    """Leave the clusters, and end those that were started here."""
    while CLOSERS:
        CLOSERS.pop()()


Done = tuple[int, Any]
"""The number of an item, and its result."""


class Lost(ResourceError):
    """A worker died with what it had in hand."""


@runtime_checkable
class Engine(Protocol):
    """A way to run steps; a frozen dataclass whose fields are its configuration."""

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        """Apply `step` to every item; yields in the order of the items.

        A step may have `cost(item)`, in bytes of text that it reads: the most expensive are then begun first. A step
        that is `alone` takes all cores of a machine, or its GPU, by itself: a machine does one item at a time, and not
        in the process of the run. `names` say whose items they are, to an engine that keeps a record.
        """


def dispatch(
    step: Callable[[Any], Any], items: Sequence[Any], work: Callable[[Sequence["Task"]], Iterator[Done]]
) -> Iterator[Any]:
    """Hand items out, the most expensive first, and yield their results in the items' own order.

    `work` calls each of the tasks it is given somewhere, and yields what they return in any order. What a worker had
    in hand when it died is handed out again, unless nothing at all has ended since the last death.
    """
    cost: Callable[[Any], float] = getattr(step, "cost", lambda _: 0.0)
    costs = [cost(item) for item in items]
    tasks = [Task(step, i, items[i]) for i in sorted(range(len(items)), key=lambda i: -costs[i])]
    ready: dict[int, Any] = {}
    due, fruitless = 0, 0
    while tasks:
        ended: set[int] = set()
        try:
            for number, result in work(tasks):
                ended.add(number)
                ready[number] = result
                while due in ready:
                    yield ready.pop(due)
                    due += 1
            return
        except Lost as loss:
            fruitless = 0 if ended else fruitless + 1
            if fruitless == 2:
                raise
            LOG.warning("what a worker had in hand is done again: %s", loss)
            tasks = [task for task in tasks if task.number not in ended]


@dataclass(frozen=True, eq=False)
class Task:
    """A step, and the numbered item that a worker does in one go."""

    step: Callable[[Any], Any]
    number: int
    item: Any
    limits: Limits = field(default_factory=current_limits)

    def __call__(self) -> Done:
        with within_limits(self.limits):  # those of the process that handed the work out
            return self.number, self.step(self.item)


def answer(task: Task) -> tuple[Done | None, Exception | None]:
    """In a worker: what a task gives, or its error, which the process of the run raises."""
    try:
        return task(), None
    except Exception as error:  # noqa: BLE001
        if not isinstance(error, ClirbenchError):
            error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        return None, error


def killed(how: object) -> str:
    """The message of a `Lost`."""
    said = "a worker process was killed (most often: memory ran out). Try fewer workers, engine.workers=1"
    return f"{said}; a rerun does only what is missing. ({str(how).partition(chr(10))[0]})"


def nested() -> bool:
    """Whether this process is a worker of multiprocessing, be it another program's: cores are shared out already, and
    workers of its own would keep it from ending."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def available_cores() -> int:
    """Cores this process may use (containers and affinity masks count)."""
    from joblib import cpu_count

    return int(cpu_count())
