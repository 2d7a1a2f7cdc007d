"""A folder that somebody sent is verified; also for tests/fuzz/test_run_folders.py."""

import json
import shutil
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clirbench.labs.verifying import recomputing
from clirbench.labs.verifying.commands import verify

NAME = "verify"
COMPOSES = recomputing
"""The module that composes the configuration of a run that is verified."""
RAISED = (recomputing.CannotCheck, recomputing.DoesNotFollow)


class Verifier:
    """`clirbench verify`; the same run again and again is computed once, and its files are copied."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.outcomes: dict[str, tuple[Mapping[str, str] | Exception, Path]] = {}
        recomputing.confinement()

    def __call__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
        """The exit status."""
        monkeypatch.setattr(verify, "recompute", self.recomputed)
        return verify._verify(Namespace(run=folder, data=None))

    def recomputed(self, recorded: dict[str, Any], places: Any, work: Path) -> Mapping[str, str]:
        key = json.dumps([{**recorded, "files": {}}, places], sort_keys=True)
        if key not in self.outcomes:
            try:
                found: Mapping[str, str] | Exception = recomputing.recompute(recorded, places, work)
            except RAISED as error:
                found = error
            self.outcomes[key] = found, self.home / f"recomputed-{len(self.outcomes)}"
            if (work / recomputing.RUN).exists():
                shutil.copytree(work / recomputing.RUN, self.outcomes[key][1])
        elif self.outcomes[key][1].exists():
            shutil.copytree(self.outcomes[key][1], work / recomputing.RUN)
        if isinstance(found := self.outcomes[key][0], Exception):
            raise found
        return found
