"""A Ray cluster, as a backend of joblib; an extra.

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
class Ray(JoblibCluster):
    """Workers of a Ray cluster. `address`: where it is (`auto`: found by Ray); None starts one on this machine.

    Raises `ResourceError` where ray is not installed or the cluster cannot be reached.
    """

    backend: ClassVar[str] = "ray"
    address: str | None = None

    def death(self) -> type[Exception]:
        killed: type[Exception] = import_module("ray.exceptions").RayActorError
        return killed

    def join(self) -> int:
        return _ray(self.address, self.workers)


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
    import_module("ray.util.joblib").register_ray()
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
