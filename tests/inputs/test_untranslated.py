"""A row "no translation": the source side is searched as a baseline, which is never counted among the systems."""

import json
from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.errors import InputError

SETTINGS: dict[str, Any] = {"topics.n": 10, "metric": ["BLEU"], "measures": ["MAP"], "relevance.k": 2}
ROW = "no translation"


def test_the_source_is_searched_and_takes_no_part_in_taus(small_folder: Path) -> None:
    found = cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)
    rows = found.systems
    assert list(rows.index) == ["every2", "every3", "every5", "every9", ROW]
    assert rows["BLEU"].isna().tolist() == [False, False, False, False, True]
    assert rows.loc[ROW, "MAP"] == 0
    assert set(found.correlations["n_systems"]) == {4}


def test_everything_but_the_row_is_as_without_it(small_folder: Path) -> None:
    """The run without the row says what n, tau, answer, warnings and decision must be."""
    plain = cb.run("folder", folder=str(small_folder), **SETTINGS)
    found = cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)
    assert "no translation" not in found.answer
    for key in ("answer", "systems", "units", "failed", "warnings", "decision", "correlations", "findings"):
        assert found.results[key] == plain.results[key], key
    assert list(found.results["inputs"]["baselines"]) == [ROW]
    assert found.systems.drop(ROW).equals(plain.systems)
    assert set(found.per_topic["system"]) == {*plain.per_topic["system"], ROW}


def test_every_page_has_the_row_and_none_counts_it(small_folder: Path, tmp_path: Path) -> None:
    folder = cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS).save(tmp_path / "run")
    for page in ("report.md", "report.html", "latex/systems.tex"):
        text = (folder / page).read_text()
        assert ROW in text, page
        assert "5 systems" not in text, page
    assert json.loads((folder / "results.json").read_text())["systems"] == ["every2", "every3", "every5", "every9"]
    assert (folder / "trec" / "no translation.run").is_file()


def test_systems_are_held_against_the_row(small_folder: Path) -> None:
    found = cb.run("folder", folder=str(small_folder), untranslated=True, baseline=ROW, **SETTINGS)
    assert sorted(found.tables["baseline"]["system"]) == ["every2", "every3", "every5", "every9"]


def test_without_a_source_side_it_is_an_error(small_folder: Path) -> None:
    (small_folder / "source.txt").unlink()
    with pytest.raises(InputError, match=r"put source\.txt beside the reference"):
        cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)
