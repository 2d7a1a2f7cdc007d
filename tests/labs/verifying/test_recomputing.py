"""The process that computes a run again, part by part; as a whole it is tested in commands/test_verify.py."""

import os
from pathlib import Path

import pytest

from clirbench.labs.verifying.recomputing import Confinement


@pytest.mark.parametrize(
    ("name", "flags", "allowed"),
    [
        ("data/de.txt", os.O_RDONLY, True),
        ("data/deep/en.txt", os.O_RDONLY, True),
        ("data", os.O_RDONLY, True),
        ("database/de.txt", os.O_RDONLY, False),  # its name begins as an input's does
        ("data.txt", os.O_RDONLY, False),
        ("data/../secret", os.O_RDONLY, False),
        ("data/de.txt", os.O_WRONLY, False),
        ("run/answer.txt", os.O_WRONLY | os.O_CREAT, True),
        ("run-of-another/answer.txt", os.O_WRONLY | os.O_CREAT, False),
    ],
)
def test_only_what_lies_in_its_folders_is_opened(tmp_path: Path, name: str, flags: int, allowed: bool) -> None:
    hook = Confinement()
    hook.writable = (os.path.realpath(tmp_path / "run"),)
    hook.readable = (*hook.writable, os.path.realpath(tmp_path / "data") + "/")
    hook.on = True
    if allowed:
        hook("open", (str(tmp_path / name), None, flags))
    else:
        with pytest.raises(PermissionError, match="while a run is verified"):
            hook("open", (str(tmp_path / name), None, flags))
    assert len(hook.refused) == (not allowed)


def test_a_file_is_not_renamed_into_a_folder_whose_name_begins_alike(tmp_path: Path) -> None:
    hook = Confinement()
    hook.writable = hook.readable = (os.path.realpath(tmp_path / "run"),)
    hook.on = True
    with pytest.raises(PermissionError):
        hook("os.rename", (str(tmp_path / "run/a"), str(tmp_path / "run2/a")))
