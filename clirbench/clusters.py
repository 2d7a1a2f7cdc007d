"""Engines for clusters that exist: Dask and Ray as backends of joblib, Slurm by submitit. Each is an extra.

Workers on other machines must see the input files and the store under the same paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from clirbench.engine import Chunk, available_cores, check_workers, joblib_work, spread
from clirbench.errors import ConfigError, ResourceError

Item = TypeVar("Item")
Result = TypeVar("Result")

CLOSERS: list[Callable[[], None]] = []
"""How to leave what was joined or started, the last first."""


@dataclass(frozen=True)
class Dask:
    """Workers of a Dask cluster. `scheduler`: its address; None starts one on this machine with `workers` processes.

    Raises `ResourceError` where dask is not installed or the scheduler does not answer within `patience` seconds.
    """

    scheduler: str | None = None
    workers: int | None = None
    patience: float = 30.0

    def __post_init__(self) -> None:
        check_workers(self.workers)

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if not items:
            return
        client = _dask_client(self.scheduler, self.workers, self.patience)
        workers = self.workers or max(1, sum(client.ncores().values()))
        yield from spread(step, items, workers, lambda tasks: joblib_work(tasks, workers, backend="dask"))


@dataclass(frozen=True)
class Ray:
    """Workers of a Ray cluster. `address`: where it is (`auto`: found by Ray); None starts one on this machine.

    Raises `ResourceError` where ray is not installed or the cluster cannot be reached.
    """

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        check_workers(self.workers)

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if not items:
            return
        workers = self.workers or _ray(self.address, self.workers)
        _ray(self.address, self.workers)
        yield from spread(step, items, workers, lambda tasks: joblib_work(tasks, workers, backend="ray"))


@dataclass(frozen=True)
class Slurm:
    """Jobs of a Slurm queue, one for each chunk of items, sent by submitit.

    `folder` holds the jobs' scripts, logs and results; every node must see it. `options` go to submitit as they are
    (`slurm_partition`, `mem_gb`, `cpus_per_task`, `timeout_min`, ...). `workers` is how many jobs to reckon with.
    `cluster`: `slurm`, or `local` for processes of this machine. Raises `ResourceError` where submitit is not
    installed, there is no Slurm, or a job died.
    """

    folder: str
    workers: int = 16
    cluster: str = "slurm"
    options: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        check_workers(self.workers)
        if self.cluster not in ("slurm", "local"):
            raise ConfigError(f"engine.cluster={self.cluster!r}: choices are slurm, local")

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if items:
            yield from spread(step, items, self.workers, self._work)

    def _work(self, tasks: Sequence[Callable[[], Chunk]]) -> Iterator[Chunk]:
        submitit = _library("submitit", "slurm")
        try:
            executor = submitit.AutoExecutor(folder=Path(self.folder), cluster=self.cluster)
            executor.update_parameters(**{"name": "clirbench", **(self.options or {})})
            jobs = [executor.submit(task) for task in tasks]
        except RuntimeError as error:
            raise ResourceError(f"engine=slurm: {error}") from error
        try:
            for job in jobs:
                yield _result_of(job, submitit)
                # Its result has been read; its log would be wanted only had it failed.
                for path in Path(self.folder).glob(f"{job.job_id}_*"):
                    path.unlink(missing_ok=True)
        finally:
            for job in jobs:
                if not job.done():
                    job.cancel()


def _result_of(job: Any, submitit: Any) -> Chunk:
    try:
        result: Chunk = job.result()
    except submitit.core.utils.UncompletedJobError as error:
        raise ResourceError(
            f"job {job.job_id} ended without a result; its log is {job.paths.stderr}; a rerun does what is missing"
        ) from error
    return result


def _library(name: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ResourceError(
            f"engine={extra} needs {name}, which is not installed: pip install 'clirbench[{extra}]' ({error})"
        ) from error


@lru_cache(maxsize=1)
def _dask_client(scheduler: str | None, workers: int | None, patience: float) -> Any:
    """The connection to a scheduler, or to a cluster of worker processes started here."""
    distributed = _library("distributed", "dask")
    try:
        if scheduler is None:
            cluster = distributed.LocalCluster(
                n_workers=workers or available_cores(), threads_per_worker=1, dashboard_address=None
            )
            CLOSERS.append(cluster.close)
            scheduler = cluster.scheduler_address
        client = distributed.Client(scheduler, timeout=patience)
        CLOSERS.append(client.close)
        return client
    except (OSError, TimeoutError) as error:
        raise ResourceError(f"engine.scheduler={scheduler}: no Dask scheduler answers there ({error})") from error


@lru_cache(maxsize=1)
def _ray(address: str | None, workers: int | None) -> int:
    """Connect to Ray, or start it here; how many CPUs it has."""
    ray = _library("ray", "ray")
    joblib_backend = _library("ray.util.joblib", "ray")
    try:
        ray.init(
            address=address,
            num_cpus=None if address else workers or available_cores(),
            include_dashboard=None if address else False,
            ignore_reinit_error=True,
            log_to_driver=False,
        )
    except ConnectionError as error:
        raise ResourceError(f"engine.address={address}: no Ray cluster answers there ({error})") from error
    CLOSERS.append(ray.shutdown)
    joblib_backend.register_ray()
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def close() -> None:
    """Leave the clusters, and end those that were started here."""
    while CLOSERS:
        CLOSERS.pop()()
    _dask_client.cache_clear()
    _ray.cache_clear()
