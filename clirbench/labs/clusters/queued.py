"""What clusters share: tasks are sent a few at a time, and the next when one has ended."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from clirbench.checks import whole_number
from clirbench.engines.base import Chunk, Item, Result, Task, dispatch


@dataclass(frozen=True, kw_only=True)
class Cluster(ABC):
    """A cluster with a queue of its own. `workers`: how many tasks are sent at a time; None = as many as it has cores.
    `options`: of each task, which is how it asks for a GPU.

    Its machines must see the input files and the store under the same paths.
    """

    workers: int | None = None
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        whole_number("engine.workers", self.workers, or_null=True)

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if items:
            workers = self.join()
            workers = self.workers or workers
            yield from dispatch(step, items, workers, lambda tasks: self._work(tasks, workers))

    def _work(self, tasks: Sequence[Task], workers: int) -> Iterator[Chunk]:
        left = iter(tasks)
        sent = [self.send(task) for task in islice(left, workers)]
        while sent:
            done = self.first_of(sent)
            sent = [one for one in sent if one is not done]
            yield self.result_of(done)
            sent += [self.send(task) for task in islice(left, 1)]

    @abstractmethod
    def join(self) -> int:
        """Connect to the cluster, or start one on this machine; returns how many cores it has."""

    @abstractmethod
    def send(self, task: Task) -> Any:
        """Have it called somewhere; returns what stands for its result."""

    @abstractmethod
    def first_of(self, sent: list[Any]) -> Any:
        """Wait until one of them has ended."""

    @abstractmethod
    def result_of(self, done: Any) -> Chunk:
        """What it returned; raises what it raised, and `ResourceError` where its workers died again and again."""
