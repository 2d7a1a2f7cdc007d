"""What is written at the end of a sweep: one table over all of its jobs."""

from pathlib import Path
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig

from clirbench.configuration.composing import section
from clirbench.configuration.laboratories import hooks
from clirbench.report.conditions import PAGE, TEXT
from clirbench.report.sweep import NAME, SUMMARY, combine


class SweepTable(Callback):
    """Hydra's hook at the end of a sweep (`-m`): one table over all of its jobs."""

    def __init__(self, exclude_not_significant: bool = False) -> None:
        self._exclude = exclude_not_significant
        self._jobs: list[tuple[Path, list[str]]] = []
        self._failed: dict[Path, str] = {}

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Write the whole table after every job of a sweep: after a failed job, Hydra makes no call at the end."""
        if config.hydra.mode is RunMode.MULTIRUN:
            job = Path(config.hydra.runtime.output_dir)
            self._jobs.append((job, list(config.hydra.overrides.task)))
            if job_return.status is JobStatus.FAILED:
                self._failed[job] = str(job_return._return_value).removeprefix("error: ")
            folder = Path(config.hydra.sweep.dir)
            combine(folder, self._jobs, exclude_not_significant=self._exclude, failed=self._failed)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Have laboratories write what they make of all jobs, and say where the tables are."""
        folder, jobs, settings = (
            Path(config.hydra.sweep.dir),
            [job for job, _ in self._jobs],
            section(config, "pool", []),
        )
        written = [path for after in hooks("after_sweep") for path in after(folder, jobs, settings)]
        for path in (*(folder / name for name in (f"{NAME}.tsv", f"{SUMMARY}.tsv", PAGE, TEXT)), *written):
            print(path)
