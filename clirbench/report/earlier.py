"""Finished runs of the same configuration, code and inputs, which need not be done again."""

import json
import shutil
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from clirbench.errors import ClirbenchError
from clirbench.files.manifest import broken
from clirbench.files.run_files import MANIFEST, PROVENANCE, path_inside, read_marker, read_provenance
from clirbench.report.provenance import code_sha256, folder_names, versions
from clirbench.text import TextFile

MADE_BY = ("clirbench", "python", "unicode", "platform", "libraries", "code")
"""What of a provenance must be the same, beside configuration and inputs."""


def earlier_run(folders: Iterable[Path], configuration: Mapping[str, Any]) -> Path | None:
    """The first of the folders with a finished run of this configuration whose inputs, code and files are unchanged.

    `configuration`: plain values; the store (`paths.cache`) may be another. No failed system, no file that was added
    to a folder that the run read from. A folder that cannot be read is none.
    """
    wanted = _comparable(configuration)
    for folder in folders:
        try:
            if (folder / PROVENANCE).is_file() and _is_same(folder, read_provenance(folder), wanted):
                return folder
        except (ClirbenchError, OSError):
            continue
    return None


def copy_run(earlier: Path, unfinished: Path) -> None:
    """Copy the files that the marker of a run's folder names, but for the seal, which is made for the new folder."""
    for name in (name for name in read_marker(earlier) if name != MANIFEST):
        path = path_inside(earlier, name)
        if path.is_dir():
            shutil.copytree(path, unfinished / name)
        else:
            shutil.copy2(path, unfinished / name)


def _is_same(folder: Path, recorded: Mapping[str, Any], wanted: Any) -> bool:
    now = {**versions(), "code": code_sha256()}
    return (
        bool(recorded.get("complete"))
        and all(recorded.get(name) == now[name] for name in MADE_BY)
        and _comparable(recorded["configuration"]) == wanted
        and all(folder_names(Path(path)) == sha for path, sha in recorded["folders"].items())
        and all(Path(path).is_file() and _content(Path(path)) == sha for path, sha in recorded["read"].items())
        and not any(broken(folder))
    )


def _content(path: Path) -> str:
    state = path.stat()
    return _read_content(path, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@cache
def _read_content(path: Path, *state: int) -> str:
    return TextFile(path).fingerprint


def _comparable(configuration: Mapping[str, Any]) -> Any:
    paths = {name: value for name, value in (configuration.get("paths") or {}).items() if name != "cache"}
    return json.loads(json.dumps({**configuration, "paths": paths}))
