"""`engine=joblib`: workers by a backend: new processes (joblib's loky) or threads here, a Dask or a Ray cluster.

Workers on other machines must see the input files and the store under the same paths.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

from clirbench.checks import one_of, require, whole_number
from clirbench.engines.base import CLOSERS, Done, Lost, Task, answer, available_cores, dispatch, killed, nested
from clirbench.errors import ConfigError, ResourceError

PATIENCE = 30.0
"""Seconds in which a scheduler must answer and have a worker."""
IDLE = 300
"""Seconds after which new processes that get nothing to do end."""


@dataclass(frozen=True)
class Joblib:
    """`workers`: tasks at a time; None = one for each core, of the cluster or of this machine.

    `address`: of a Dask scheduler or a Ray cluster (`auto`: found by Ray); None starts one on this machine.

    Raises `ConfigError` for settings that make no sense, `ResourceError` for a library or a cluster that is not there,
    and for workers that die again and again.
    """

    backend: str = "loky"
    workers: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        one_of("engine.backend", self.backend, POOLS)
        whole_number("engine.workers", self.workers, or_null=True)
        if self.address and self.backend not in ("dask", "ray"):
            raise ConfigError(f"engine.address is of backends dask and ray, not of {self.backend}")

    def pmap(self, step: Callable[[Any], Any], items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        if items:
            yield from dispatch(step, items, partial(self.work, alone=getattr(step, "alone", False)))

    def work(self, tasks: Sequence[Task], alone: bool = False) -> Iterator[Done]:
        """Call every task; yields what they return as it comes. Raises `Lost`. `alone`: see `Engine`."""
        pool = POOLS[self.backend](self, 1 if alone else self.workers or available_cores())
        left, begun = iter(tasks), set[Future[Any]]()
        try:
            while begun := begun | {pool.submit(answer, task) for task in islice(left, pool.workers - len(begun))}:
                done, begun = wait(begun, return_when=FIRST_COMPLETED)
                for result, error in (one.result() for one in done):
                    if error is not None:
                        raise error
                    yield result
        except pool.death as error:
            # Dask itself has handed it out four times.
            raise (ResourceError if self.backend == "dask" else Lost)(killed(error)) from None
        finally:
            if begun or nested():
                pool.stop()


class Pool(NamedTuple):
    """Workers: how one gets a function and what it is called with, how many there are, what is raised where one died,
    and how all that they have in hand is given up."""

    submit: Callable[..., "Future[Any]"]
    workers: int
    death: type[BaseException]
    stop: Callable[[], object]


def _loky(engine: Joblib, workers: int) -> Pool:
    if import_module("multiprocessing").current_process().daemon:
        raise ConfigError("a worker of multiprocessing.Pool may have no workers: engine=serial, or ProcessPoolExecutor")
    loky = import_module("joblib.externals.loky")
    threads = str(max(1, available_cores() // workers))
    pool = loky.get_reusable_executor(
        workers, timeout=IDLE, initializer=_end_with, initargs=(os.getpid(),),
        env={"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
    )  # fmt: skip
    death = import_module("joblib.externals.loky.process_executor").TerminatedWorkerError

    def submit(function: Callable[..., Any], task: Task) -> "Future[Any]":
        # Workers that start meanwhile inherit the mask: Ctrl-C is the parent's matter, and one that is still importing
        # would print a traceback. Python's own tracker, which they have too, takes the mask away when it starts.
        import_module("multiprocessing.resource_tracker").ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            made: Future[Any] = pool.submit(function, task)
            return made
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    return Pool(submit, workers, death, partial(pool.shutdown, kill_workers=True))


def _threads(engine: Joblib, workers: int) -> Pool:
    pool = ThreadPoolExecutor(workers)
    return Pool(pool.submit, workers, Lost, pool.shutdown)


def _dask(engine: Joblib, workers: int) -> Pool:
    client = _client(engine.address, engine.workers)
    pool = client.get_executor(pure=False)
    death = import_module("distributed").KilledWorker
    return Pool(pool.submit, engine.workers or sum(client.ncores().values()), death, pool.shutdown)


def _ray(engine: Joblib, workers: int) -> Pool:
    there, ray = _cluster(engine.address, engine.workers), import_module("ray")

    def submit(function: Callable[..., Any], task: Task) -> "Future[Any]":
        made: Future[Any] = ray.remote(max_retries=0)(function).remote(task).future()
        return made

    death = import_module("ray.exceptions").RayError
    return Pool(submit, engine.workers or max(1, int(there.get("CPU", 1))), death, lambda: None)


POOLS = {"loky": _loky, "threading": _threads, "dask": _dask, "ray": _ray}


def _end_with(parent: int) -> None:
    """In a worker of loky: end when the process that started it has gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@lru_cache(maxsize=1)
def _client(address: str | None, workers: int | None) -> Any:
    """The connection to a Dask scheduler, or to a cluster of worker processes started here."""
    require("engine=dask", "dask", "distributed")
    distributed: Any = import_module("distributed")
    CLOSERS.append(_client.cache_clear)
    try:
        if address is None:
            cluster = distributed.LocalCluster(
                n_workers=workers or available_cores(), threads_per_worker=1, dashboard_address=None
            )
            CLOSERS.append(lambda: close_cluster(cluster))
            address = cluster.scheduler_address
        client = distributed.Client(address, timeout=PATIENCE)
        CLOSERS.append(client.close)
        client.wait_for_workers(1, PATIENCE)
    except (OSError, TimeoutError) as error:
        raise ResourceError(f"engine.address={address}: no Dask scheduler with workers answers ({error})") from error
    return client


def close_cluster(cluster: Any) -> None:
    """End a cluster that was started here. One whose killed worker is still being started again cannot be closed
    (distributed asserts that each worker is closing or closed), so such workers are waited for, 5 s at most."""
    running = import_module("distributed").Status.running
    patience = time.monotonic() + 5
    while any(worker.status != running for worker in cluster.workers.values()) and time.monotonic() < patience:
        time.sleep(0.05)
    cluster.close()


@lru_cache(maxsize=1)
def _cluster(address: str | None, workers: int | None) -> Mapping[str, float]:
    """What the Ray cluster has, which is joined, or started here."""
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
        what = f"engine.address={address}: no Ray cluster answers" if address else "engine=ray: Ray does not start"
        raise ResourceError(f"{what} ({error})") from error
    CLOSERS.extend((_cluster.cache_clear, ray.shutdown))
    resources: Mapping[str, float] = ray.cluster_resources()
    return resources
