"""No number of a run changes unseen: every table of some 80 odd small folders, and of what the project ships.

Where a change is meant, `python -m tests.net.write` (with `--shipped` for experiments) writes the digests anew and
shows what changed; the commit says why.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.net.cases import CASES, QUICK, SHIPPED
from tests.net.digests import differences, in_folder, read

HERE = Path(__file__).parent


def marked(names: Iterable[str], quick: Collection[str], mark: Any) -> list[Any]:
    return [name if name in quick else pytest.param(name, marks=mark) for name in names]


def compare(stored: Path, found: Mapping[str, Sequence[Sequence[str]]]) -> None:
    if lines := list(differences(read(stored), found)):
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("name", marked(CASES, CASES.keys() - {"pooled"}, pytest.mark.slow))
def test_every_table_of_a_small_folder(name: str, tmp_path: Path) -> None:
    compare(HERE / "small" / f"{name}.tsv", in_folder(tmp_path, *CASES[name].ready(tmp_path, tmp_path)))


@pytest.mark.parametrize("name", marked(SHIPPED, QUICK, (pytest.mark.release, pytest.mark.timeout(1800))))
def test_every_table_of_a_shipped_experiment(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    mirror = request.getfixturevalue("shared_data") if SHIPPED[name].needs_data else tmp_path
    compare(HERE / "shipped" / f"{name}.tsv", in_folder(tmp_path, *SHIPPED[name].ready(tmp_path, mirror)))
