"""A Dask cluster; an extra.

Workers on other machines must see the input files and the store under the same paths.
"""

import time
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
class Dask(Cluster):
    """Workers of a Dask cluster. `scheduler`: its address; None starts one on this machine with `workers` processes.
    `options`: of `Client.submit`; {resources: {GPU: 1}} asks for a GPU.

    Raises `ResourceError` where dask is not installed, the scheduler does not answer within `patience` seconds, or no
    worker has the resources.
    """

    scheduler: str | None = None
    patience: float = 30.0

    def death(self) -> type[Exception]:
        killed: type[Exception] = import_module("distributed").KilledWorker
        return killed

    def join(self) -> int:
        client = self._client
        for name, wanted in ((self.options or {}).get("resources") or {}).items():
            there = client.run_on_scheduler(_resources).get(name, {})
            if client.ncores() and max(there.values(), default=0) < wanted:
                raise ResourceError(
                    f"engine.options: no Dask worker has {name}={wanted}, so tasks would never start: name the "
                    f"scheduler of workers that were started with --resources {name}={wanted}"
                )
        return max(1, int(sum(client.ncores().values())))

    @property
    def _client(self) -> Any:
        return _dask_client(self.scheduler, self.workers, self.patience)

    def send(self, task: Task) -> Any:
        return self._client.submit(task, pure=False, **(self.options or {}))

    def first_of(self, sent: list[Any]) -> Any:
        return next(iter(import_module("distributed").wait(sent, return_when="FIRST_COMPLETED").done))

    def result_of(self, done: Any) -> Chunk:
        try:
            result: Chunk = done.result()
        except import_module("distributed").KilledWorker as error:
            raise ResourceError(f"engine=dask: {error}; a rerun does only what is missing") from error
        return result


def _resources(dask_scheduler: Any) -> dict[str, dict[str, float]]:
    """What workers have besides cores: name -> worker -> how much."""
    return {name: dict(held) for name, held in dask_scheduler.resources.items()}


@lru_cache(maxsize=1)
def _dask_client(scheduler: str | None, workers: int | None, patience: float) -> Any:
    """The connection to a scheduler, or to a cluster of worker processes started here."""
    require("engine=dask", "dask", "distributed")
    distributed: Any = import_module("distributed")
    CLOSERS.append(_dask_client.cache_clear)
    try:
        if scheduler is None:
            cluster = distributed.LocalCluster(
                n_workers=workers or available_cores(), threads_per_worker=1, dashboard_address=None
            )
            CLOSERS.append(lambda: close_cluster(cluster))
            scheduler = cluster.scheduler_address
        client = distributed.Client(scheduler, timeout=patience)
        CLOSERS.append(client.close)
        return client
    except (OSError, TimeoutError) as error:
        raise ResourceError(f"engine.scheduler={scheduler}: no Dask scheduler answers there ({error})") from error


def close_cluster(cluster: Any) -> None:
    """End a cluster that was started here. One whose killed worker is still being started again cannot be closed
    (distributed asserts that each worker is closing or closed), so such workers are waited for, 5 s at most."""
    running = import_module("distributed").Status.running
    patience = time.monotonic() + 5
    while any(worker.status != running for worker in cluster.workers.values()) and time.monotonic() < patience:
        time.sleep(0.05)
    cluster.close()
