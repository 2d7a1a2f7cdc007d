"""A Ray cluster, as a backend of joblib; an extra.

Workers on other machines must see the input files and the store under the same paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clirbench.engines.base import CLOSERS, Item, Result, check_workers, joblib_work, library, spread
from clirbench.engines.local import available_cores
from clirbench.errors import ResourceError


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


@lru_cache(maxsize=1)
def _ray(address: str | None, workers: int | None) -> int:
    """Connect to Ray, or start it here; how many CPUs it has."""
    ray = library("ray", "ray")
    joblib_backend = library("ray.util.joblib", "ray")
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
    CLOSERS.append(_ray.cache_clear)
    CLOSERS.append(ray.shutdown)
    joblib_backend.register_ray()
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
