"""A Ray cluster; an extra.

Workers on other machines must see the input files and the store under the same paths.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from clirbench.checks import require
from clirbench.engines.base import CLOSERS, Chunk, Task
from clirbench.engines.local import available_cores
from clirbench.errors import ResourceError
from clirbench.labs.clusters.queued import Cluster


@dataclass(frozen=True)
class Ray(Cluster):
    """Workers of a Ray cluster. `address`: where it is (`auto`: found by Ray); None starts one on this machine.
    `options`: of `ray.remote`; {num_gpus: 1} asks for a GPU.

    Raises `ResourceError` where ray is not installed, the cluster cannot be reached, or it has too few GPUs for a task.
    """

    address: str | None = None

    def death(self) -> type[Exception]:
        killed: type[Exception] = import_module("ray.exceptions").RayActorError
        return killed

    def join(self) -> int:
        size = _ray(self.address, self.workers)
        wanted, there = (self.options or {}).get("num_gpus", 0), _library().cluster_resources().get("GPU", 0)
        if there < wanted:
            raise ResourceError(
                f"engine.options: num_gpus={wanted}, so tasks would never start: this Ray cluster has {there:g} GPUs"
            )
        return size

    def send(self, task: Task) -> Any:
        return _library().remote(Task.__call__).options(**(self.options or {})).remote(task)

    def first_of(self, sent: list[Any]) -> Any:
        return _library().wait(sent)[0][0]

    def result_of(self, done: Any) -> Chunk:
        raised = _library().exceptions
        try:
            result: Chunk = _library().get(done)
        except raised.RayTaskError as error:  # of the step itself
            raise error.cause from error
        except raised.RayError as error:
            why = str(error).partition("\n")[0]
            raise ResourceError(f"engine=ray: {why}; a rerun does only what is missing") from error
        return result


def _library() -> Any:
    return import_module("ray")


@lru_cache(maxsize=1)
def _ray(address: str | None, workers: int | None) -> int:
    """Connect to Ray, or start it here; how many CPUs it has."""
    require("engine=ray", "ray", "ray")
    ray: Any = import_module("ray")
    try:
        ray.init(
            address=address,
            num_cpus=None if address else workers or available_cores(),
            include_dashboard=None if address else False,
            ignore_reinit_error=True,
            log_to_driver=False,
        )
    except Exception as error:  # a node that is too slow to start raises just that
        what = (
            f"engine.address={address}: no Ray cluster answers there" if address else "engine=ray: Ray does not start"
        )
        raise ResourceError(f"{what} ({error})") from error
    CLOSERS.append(_ray.cache_clear)
    CLOSERS.append(ray.shutdown)
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
