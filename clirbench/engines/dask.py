"""A Dask cluster, as a backend of joblib; an extra.

Workers on other machines must see the input files and the store under the same paths.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar

from clirbench.checks import require
from clirbench.engines.base import CLOSERS, JoblibCluster
from clirbench.engines.local import available_cores
from clirbench.errors import ResourceError


@dataclass(frozen=True)
class Dask(JoblibCluster):
    """Workers of a Dask cluster. `scheduler`: its address; None starts one on this machine with `workers` processes.

    Raises `ResourceError` where dask is not installed or the scheduler does not answer within `patience` seconds.
    """

    backend: ClassVar[str] = "dask"
    scheduler: str | None = None
    patience: float = 30.0

    def death(self) -> type[Exception]:
        killed: type[Exception] = import_module("distributed").KilledWorker
        return killed

    def join(self) -> int:
        client = _dask_client(self.scheduler, self.workers, self.patience)
        return max(1, int(sum(client.ncores().values())))


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
