"""`engine=joblib`: workers by a backend of joblib: new processes or threads here, a Dask or a Ray cluster (extras).

Workers on other machines must see the input files and the store under the same paths.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from clirbench.checks import one_of, require, whole_number
from clirbench.engines.base import CLOSERS, Done, Item, Lost, Result, Task, available_cores, dispatch
from clirbench.errors import ConfigError, ResourceError

BACKENDS = ("loky", "threading", "dask", "ray")
DEATHS = {
    "loky": ("joblib.externals.loky.process_executor", "TerminatedWorkerError"),
    "dask": ("distributed", "KilledWorker"),
    "ray": ("ray.exceptions", "RayError"),
}
"""What is raised for workers that died."""
PATIENCE = 30.0
"""Seconds in which a scheduler must answer."""


@dataclass(frozen=True)
class Joblib:
    """`workers`: tasks at a time; None = one for each core, of the cluster or of this machine.

    `address`: of a Dask scheduler or a Ray cluster (`auto`: found by Ray); None starts one on this machine. `options`:
    of each Dask task or Ray worker; {resources: {GPU: 1}} and {num_gpus: 1} ask for a GPU.

    Raises `ConfigError` for settings that make no sense, `ResourceError` for a library or a cluster that is not there,
    for a resource that no worker has, and for workers that die again and again.
    """

    backend: str = "loky"
    workers: int | None = None
    address: str | None = None
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        one_of("engine.backend", self.backend, BACKENDS)
        whole_number("engine.workers", self.workers, or_null=True)
        if (self.address or self.options) and self.backend not in ("dask", "ray"):
            raise ConfigError(f"engine.address and engine.options are of backends dask and ray, not of {self.backend}")

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if items:
            cores, _ = self._joined()
            workers = self.workers or cores or available_cores()
            if getattr(step, "alone", False) and not cores:
                workers = 1
            yield from dispatch(step, items, lambda tasks: self.work(tasks, workers))

    def _joined(self) -> tuple[int, Mapping[str, Any]]:
        """How many cores the cluster has (0: there is none), and the settings of joblib's backend."""
        options = dict(self.options or {})
        if self.backend == "dask":
            client = _dask(self.address, self.workers)
            for name, wanted in options.get("resources", {}).items():
                there = client.run_on_scheduler(_resources).get(name, {})
                if client.ncores() and max(there.values(), default=0) < wanted:
                    raise ResourceError(
                        f"engine.options: no Dask worker has {name}={wanted}, so tasks would never start: name the "
                        f"scheduler of workers that were started with --resources {name}={wanted}"
                    )
            settings = {"client": client, "wait_for_workers_timeout": PATIENCE, **options}
            return max(1, sum(client.ncores().values())), settings
        if self.backend == "ray":
            there = _ray(self.address, self.workers)
            if there.get("GPU", 0) < options.get("num_gpus", 0):
                raise ResourceError(
                    f"engine.options: num_gpus={options['num_gpus']}, so tasks would never start: this Ray cluster has "
                    f"{there.get('GPU', 0):g} GPUs"
                )
            return max(1, int(there.get("CPU", 1))), {"ray_remote_args": options}
        return 0, {"initializer": _end_with, "initargs": (os.getpid(),)} if self.backend == "loky" else {}

    def work(self, tasks: Sequence[Task], workers: int) -> Iterator[Done]:
        """Call every task, `workers` at a time; yields what they return as it comes. Raises `Lost`."""
        from joblib import Parallel, delayed, parallel_config

        _, settings = self._joined()
        killed: Any = ()
        if self.backend in DEATHS:
            module, name = DEATHS[self.backend]
            killed = getattr(import_module(module), name)
        if (self.backend, workers) == ("loky", 1):
            # joblib would do it in this process, where a death would be ours, or by two in turns, each with a model.
            one = import_module(module).ProcessPoolExecutor(max_workers=1, **settings)
            try:
                yield from (one.submit(task).result() for task in tasks)
            except killed as error:
                raise Lost(_killed(error)) from None
            finally:
                one.shutdown(kill_workers=True)
            return
        # Ray's backend gives no result before it has all.
        as_they_come, most = (False, workers) if self.backend == "ray" else (True, len(tasks))
        # At least two, since joblib does the work of one in this process, where a death would be ours.
        with parallel_config(self.backend, n_jobs=max(2, workers), **settings):
            # Arrays are never shared through files: what is large is in the store.
            parallel = Parallel(
                return_as="generator_unordered" if as_they_come else "list",
                batch_size=1, pre_dispatch=workers, max_nbytes=None,
            )  # fmt: skip
        try:
            with parallel:
                for start in range(0, len(tasks), most):
                    yield from parallel(delayed(task)() for task in tasks[start : start + most])
        except killed as error:
            # Dask itself has handed it out four times.
            raise (ResourceError if self.backend == "dask" else Lost)(_killed(error)) from None


def _killed(error: BaseException) -> str:
    return (
        "a worker process was killed (most often: memory ran out). Try fewer workers, engine.workers=1; "
        f"a rerun does only what is missing. ({str(error).partition(chr(10))[0]})"
    )


def _end_with(parent: int) -> None:
    """In a worker of loky: end when the process that started it has gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _resources(dask_scheduler: Any) -> dict[str, dict[str, float]]:
    """What workers have besides cores: name -> worker -> how much."""
    return {name: dict(held) for name, held in dask_scheduler.resources.items()}


@lru_cache(maxsize=1)
def _dask(address: str | None, workers: int | None) -> Any:
    """The connection to a scheduler, or to a cluster of worker processes started here."""
    require("engine=dask", "dask", "distributed")
    distributed: Any = import_module("distributed")
    _tell_of_deaths()
    CLOSERS.append(_dask.cache_clear)
    try:
        if address is None:
            cluster = distributed.LocalCluster(
                n_workers=workers or available_cores(), threads_per_worker=1, dashboard_address=None
            )
            CLOSERS.append(lambda: close_cluster(cluster))
            address = cluster.scheduler_address
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError) as error:
        raise ResourceError(f"engine.address={address}: no Dask scheduler answers there ({error})") from error
    CLOSERS.append(client.close)
    return client


def _tell_of_deaths() -> None:
    """joblib 1.6 calls nobody where Dask gives a task up, and would wait without an end; the work of a cluster of one
    core it does in this process."""
    from joblib import register_parallel_backend
    from joblib._dask import DaskDistributedBackend

    class MendedDask(DaskDistributedBackend):
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, super().effective_n_jobs(n_jobs))

        def submit(self, func: Any, callback: Any = None) -> Any:
            future: Any = super().submit(func, callback)
            future.add_done_callback(lambda done: done.exception() and callback(done))
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            return super().retrieve_result_callback(out.result() if isinstance(out, Future) else out)

    register_parallel_backend("dask", MendedDask)


def close_cluster(cluster: Any) -> None:
    """End a cluster that was started here. One whose killed worker is still being started again cannot be closed
    (distributed asserts that each worker is closing or closed), so such workers are waited for, 5 s at most."""
    running = import_module("distributed").Status.running
    patience = time.monotonic() + 5
    while any(worker.status != running for worker in cluster.workers.values()) and time.monotonic() < patience:
        time.sleep(0.05)
    cluster.close()


@lru_cache(maxsize=1)
def _ray(address: str | None, workers: int | None) -> Mapping[str, float]:
    """What the cluster has, which is joined, or started here."""
    require("engine=ray", "ray", "ray")
    ray: Any = import_module("ray")
    try:
        ray.init(
            address=address,
            num_cpus=None if address else max(2, workers or available_cores()),
            include_dashboard=None if address else False,
            ignore_reinit_error=True,
            log_to_driver=False,
        )
    except Exception as error:  # a node that is too slow to start raises just that
        what = f"engine.address={address}: no Ray cluster answers" if address else "engine=ray: Ray does not start"
        raise ResourceError(f"{what} ({error})") from error
    import_module("ray.util.joblib").register_ray()
    CLOSERS.append(_ray.cache_clear)
    CLOSERS.append(ray.shutdown)
    resources: Mapping[str, float] = ray.cluster_resources()
    return resources
