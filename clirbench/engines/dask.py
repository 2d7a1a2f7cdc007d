"""A Dask cluster, as a backend of joblib; an extra.

Workers on other machines must see the input files and the store under the same paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from clirbench.checks import require, whole_number
from clirbench.engines.base import CLOSERS, Item, Result, joblib_work, spread
from clirbench.engines.local import available_cores
from clirbench.errors import ResourceError


@dataclass(frozen=True)
class Dask:
    """Workers of a Dask cluster. `scheduler`: its address; None starts one on this machine with `workers` processes.

    Raises `ResourceError` where dask is not installed or the scheduler does not answer within `patience` seconds.
    """

    scheduler: str | None = None
    workers: int | None = None
    patience: float = 30.0

    def __post_init__(self) -> None:
        whole_number("engine.workers", self.workers, or_null=True)

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if not items:
            return
        client = _dask_client(self.scheduler, self.workers, self.patience)
        workers = self.workers or max(1, sum(client.ncores().values()))
        yield from spread(step, items, workers, lambda tasks: joblib_work(tasks, workers, backend="dask"))


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
            CLOSERS.append(cluster.close)
            scheduler = cluster.scheduler_address
        client = distributed.Client(scheduler, timeout=patience)
        CLOSERS.append(client.close)
        return client
    except (OSError, TimeoutError) as error:
        raise ResourceError(f"engine.scheduler={scheduler}: no Dask scheduler answers there ({error})") from error
