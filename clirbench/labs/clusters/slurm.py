"""Jobs of a Slurm queue, by submitit; an extra.

The nodes must see the input files and the store under the same paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from clirbench.checks import one_of, require, whole_number
from clirbench.engines.base import Chunk, Item, Lost, Result, dispatch
from clirbench.errors import ResourceError

DAY = 24 * 60
"""Minutes that a job may take unless `options` say otherwise; submitit's own 5 would end most of them."""


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
        whole_number("engine.workers", self.workers)
        one_of("engine.cluster", self.cluster, ("slurm", "local"))

    def pmap(
        self, step: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str] = ()
    ) -> Iterator[Result]:
        if items:
            yield from dispatch(step, items, self.workers, self._work)

    def _work(self, tasks: Sequence[Callable[[], Chunk]]) -> Iterator[Chunk]:
        require("engine=slurm", "slurm", "submitit")
        submitit: Any = import_module("submitit")
        try:
            executor = submitit.AutoExecutor(folder=Path(self.folder), cluster=self.cluster)
            executor.update_parameters(**{"name": "clirbench", "timeout_min": DAY, **(self.options or {})})
            jobs = [executor.submit(task) for task in tasks]
        except RuntimeError as error:
            raise ResourceError(f"engine=slurm: {error}") from error
        lost: list[Lost] = []
        try:
            for job in jobs:
                try:
                    yield _result_of(job, submitit)
                except Lost as loss:
                    lost.append(loss)
                    continue
                # Its result has been read; its log would be wanted only had it failed.
                for path in Path(self.folder).glob(f"{job.job_id}_*"):
                    path.unlink(missing_ok=True)
            if lost:
                raise lost[0]
        finally:
            for job in jobs:
                if not job.done():
                    job.cancel()


def _result_of(job: Any, submitit: Any) -> Chunk:
    try:
        result: Chunk = job.result()
    except submitit.core.utils.UncompletedJobError as error:
        raise Lost(
            f"job {job.job_id} ended without a result; its log is {job.paths.stderr}; a rerun does what is missing"
        ) from error
    return result
