"""A row "no translation": the source side is searched, and taus are those of the other systems."""

from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.errors import InputError

SETTINGS: dict[str, Any] = {"topics.n": 10, "metric": ["BLEU"], "measures": ["MAP"], "relevance.k": 2}


def test_the_source_is_searched_and_takes_no_part_in_taus(small_folder: Path) -> None:
    found = cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)
    rows = found.systems
    assert list(rows.index) == ["every2", "every3", "every5", "every9", "no translation"]
    assert rows["BLEU"].isna().tolist() == [False, False, False, False, True]
    assert rows.loc["no translation", "MAP"] == 0
    assert set(found.correlations["n_systems"]) == {4}


def test_without_a_source_side_it_is_an_error(small_folder: Path) -> None:
    (small_folder / "source.txt").unlink()
    with pytest.raises(InputError, match="put source.txt beside the reference"):
        cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)
