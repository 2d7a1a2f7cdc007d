"""A folder that somebody sent is verified; for tests/fuzz/test_run_folders.py."""

import json
import shutil
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from clirbench.labs.verifying import recomputing
from clirbench.labs.verifying.commands import verify

NAME = "verify"
COMPOSES = recomputing
"""The module that composes the configuration of a run that is verified."""


class Verifier:
    """`clirbench verify` in this process; the same job again and again is computed once, and its files are copied."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.verdicts: dict[str, tuple[recomputing.Verdict, Path]] = {}
        recomputing.confinement()

    def __call__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
        """The exit status."""
        monkeypatch.setattr(verify, "compute", self.recomputed)
        return verify._verify(Namespace(run=folder, data=None))

    def recomputed(self, job: dict[str, Any], work: Path) -> recomputing.Verdict:
        key = json.dumps(job, sort_keys=True)
        if key not in self.verdicts:
            verdict = recomputing.recompute(recomputing.Job(**job), work)
            self.verdicts[key] = verdict, self.home / f"recomputed-{len(self.verdicts)}"
            if (work / recomputing.RUN).exists():
                shutil.copytree(work / recomputing.RUN, self.verdicts[key][1])
        elif self.verdicts[key][1].exists():
            shutil.copytree(self.verdicts[key][1], work / recomputing.RUN)
        return self.verdicts[key][0]
