"""Rows "no translation" and "reference side": both sides are searched as baselines, never counted among the systems."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clirbench as cb
from clirbench.errors import InputError
from tests.report.digits import differences

SETTINGS: dict[str, Any] = {"topics.n": 10, "metric": ["BLEU"], "measures": ["MAP"], "relevance.k": 2}
ROW, ENGLISH = "no translation", "reference side"


def test_everything_but_the_row_is_as_without_it(small_folder: Path) -> None:
    """The run without the row says what n, tau, answer, warnings and decision must be."""
    plain = cb.run("folder", folder=str(small_folder), **SETTINGS)
    found = cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)
    assert "no translation" not in found.answer
    for key in ("answer", "systems", "units", "failed", "warnings", "decision", "correlations", "findings"):
        assert found.results[key] == plain.results[key], key
    assert list(found.results["inputs"]["baselines"]) == [ROW, ENGLISH]
    assert found.systems.drop([ROW, ENGLISH]).equals(plain.systems)
    assert set(found.per_topic["system"]) == {*plain.per_topic["system"], ROW, ENGLISH}


def test_every_page_has_the_row_and_none_counts_it(small_folder: Path, tmp_path: Path) -> None:
    folder = cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS).save(tmp_path / "run")
    for page in ("report.md", "report.html", "latex/systems.tex"):
        text = (folder / page).read_text()
        assert ROW in text, page
        assert ENGLISH in text, page
        assert "5 systems" not in text, page
        assert "6 systems" not in text, page
    assert json.loads((folder / "results.json").read_text())["systems"] == ["every2", "every3", "every5", "every9"]
    assert (folder / "trec" / "no translation.run").is_file()


def test_without_a_source_side_it_is_an_error(small_folder: Path) -> None:
    (small_folder / "source.txt").unlink()
    with pytest.raises(InputError, match=r"put source\.txt beside the reference"):
        cb.run("folder", folder=str(small_folder), untranslated=True, **SETTINGS)


def test_the_share_of_monolingual_retrieval_where_the_english_side_judges_nothing(
    small_folder: Path, tmp_path: Path
) -> None:
    """Each topic's first page is known; the reference side reaches most of it, and every share is of that."""
    first = cb.run("folder", folder=str(small_folder), **{**SETTINGS, "relevance.k": 1}).save(tmp_path / "first")
    path = str(first / "trec" / "qrels.txt")
    judged = {"relevance": "qrels", "relevance.path": path, "relevance.judged_by": "known_items"}
    settings = {**SETTINGS, "measures": ["RR"]}
    settings.pop("relevance.k")
    found = cb.run("folder", folder=str(small_folder), untranslated=True, **settings, **judged)
    decision = found.decision.set_index("system")
    english = found.systems.loc[ENGLISH, "RR"]
    np.testing.assert_allclose(decision["of_english"], decision["value"] / english)
    said = next(one for one in found.results["findings"] if one["kind"] == "monolingual")
    assert said["english"] == english
    share = f"{said['system']} reaches {said['percent']} of the reference side's RR ("
    assert said["sentence"].startswith(share)
    assert said["percent"] == f"{100 * decision.loc[said['system'], 'of_english']:.0f} %"
    folder = found.save(tmp_path / "run")
    assert differences(folder) == []
    plain = cb.run("folder", folder=str(small_folder), **settings, **judged)
    assert "of_english" not in plain.decision
