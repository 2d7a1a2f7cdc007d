"""No number of a run changes unseen: every table of some 80 odd small folders, and of what the project ships.

Where a change is meant, `python -m tests.net.write` (with `--shipped` for experiments) writes the digests anew and
shows what changed; the commit says why.
"""

from pathlib import Path

import pytest

from tests.net.cases import CASES, QUICK, SHIPPED
from tests.net.digests import differences, in_folder, read

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", CASES)
def test_every_table_of_a_small_folder(name: str, tmp_path: Path) -> None:
    tables = in_folder(tmp_path, *CASES[name].ready(tmp_path, tmp_path))
    assert not list(differences(read(HERE / "small" / f"{name}.tsv"), tables))


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.release) for name in SHIPPED]
)
def test_every_table_of_a_shipped_experiment(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    mirror = request.getfixturevalue("shared_data") if SHIPPED[name].needs_data else tmp_path
    tables = in_folder(tmp_path, *SHIPPED[name].ready(tmp_path, mirror))
    assert not list(differences(read(HERE / "shipped" / f"{name}.tsv"), tables))
