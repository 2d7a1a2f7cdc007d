"""What is written at the end of a sweep: one table over all of its jobs."""

import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from hydra.core.utils import JobReturn
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig

from clirbench.configuration.composing import plain_configuration
from clirbench.configuration.laboratories import hooks
from clirbench.errors import escape_unseen
from clirbench.pages.wording import many
from clirbench.report.sweep import NAME, NO_TABLE, PAGE, SUMMARY, TEXT, SweptJob, combine, swept_keys

EVERY = 10
"""Jobs of a sweep between two writings of its table."""


class SweepTable(Callback):
    """Hydra's hook at the end of a sweep (`-m`): one table over all of its jobs."""

    def __init__(self, exclude_not_significant: bool = False) -> None:
        self._exclude = exclude_not_significant
        self._jobs: list[SweptJob] = []
        self._settings: dict[str, Any] = {}
        self._seconds: list[float] = []
        self._begun = 0.0

    def on_job_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Look at the clock."""
        self._begun = time.monotonic()

    def on_job_end(self, config: DictConfig, job_return: JobReturn, **kwargs: Any) -> None:
        """Keep what the job wrote; write the table after some jobs, so that a sweep that is interrupted has one."""
        if config.hydra.mode is RunMode.MULTIRUN:
            why = str(job_return.return_value or "").removeprefix("error: ")
            overrides = list(config.hydra.overrides.task)
            self._seconds.append(time.monotonic() - self._begun)
            self._jobs.append(SweptJob.read(Path(config.hydra.runtime.output_dir), overrides, why))
            self._settings = plain_configuration(config.pool)  # that of the sweep has no task's keys
            if len(self._jobs) % EVERY == 1:
                combine(Path(config.hydra.sweep.dir), self._jobs, exclude_not_significant=self._exclude)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Write the table, have laboratories write what they make of all jobs; say which failed and where files are."""
        if not self._jobs:
            return
        folder, keys = Path(config.hydra.sweep.dir), swept_keys(self._jobs)
        combine(folder, self._jobs, exclude_not_significant=self._exclude)
        failed = {
            " ".join(f"{key}={job.settings.get(key, '')}" for key in keys): job.failed
            for job in self._jobs
            if job.failed not in ("", NO_TABLE)
        }
        for name, why in failed.items():
            print(escape_unseen(f"{name or 'the one condition'} has no results: {why}"), file=sys.stderr)
        longest = max(range(len(self._jobs)), key=self._seconds.__getitem__)
        shortly = f"{sum(self._seconds):.1f} s, median {median(self._seconds):.1f} s"
        last = f"longest {self._seconds[longest]:.1f} s ({self._jobs[longest].folder})"
        print(f"{many(len(self._jobs), 'job')}: {shortly}, {last}")
        jobs = [job.folder for job in self._jobs]
        written = [path for after in hooks("after_sweep") for path in after(folder, jobs, self._settings, failed)]
        for path in (*(folder / name for name in (f"{NAME}.tsv", f"{SUMMARY}.tsv", PAGE, TEXT)), *written):
            print(path)
