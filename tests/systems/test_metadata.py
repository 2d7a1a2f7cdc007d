"""Metadata tables joined to a sweep: by system, or by what the paths say."""

from pathlib import Path

import pytest

from clirbench.errors import InputError
from clirbench.systems.metadata import joined_metadata

PARSED = {
    "a-step1": {"run": "a", "step": "1"},
    "a-step2": {"run": "a", "step": "2"},
    "b-step1": {"run": "b", "step": "1"},
}


def table(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "grid.tsv"
    path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_without_a_table_the_parsed_values_stand() -> None:
    assert joined_metadata(None, PARSED) == PARSED


def test_rows_for_runs_describe_all_their_steps(tmp_path: Path) -> None:
    joined = joined_metadata(table(tmp_path, "run training_pairs vocabulary", "a 10000 8000"), PARSED)
    assert joined["a-step2"] == {"run": "a", "step": "2", "training_pairs": "10000", "vocabulary": "8000"}
    assert joined["b-step1"] == {"run": "b", "step": "1", "training_pairs": "", "vocabulary": ""}


def test_rows_by_all_shared_columns_and_by_system(tmp_path: Path) -> None:
    joined = joined_metadata(table(tmp_path, "step run loss", "01 a 3.5", "1 b 3.25"), PARSED)
    assert [joined[name]["loss"] for name in PARSED] == ["3.5", "", "3.25"]
    joined = joined_metadata(table(tmp_path, "name loss", "a-step2 9"), PARSED)
    assert [joined[name]["loss"] for name in PARSED] == ["", "9", ""]


def test_a_system_without_placeholders_is_found_by_name(tmp_path: Path) -> None:
    assert joined_metadata(table(tmp_path, "system size", "x 3"), {"x": {}}) == {"x": {"size": "3"}}


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none that the pattern has a placeholder for \(run, step\); columns: a, b"):
        joined_metadata(table(tmp_path, "a b", "1 2"), PARSED)
    with pytest.raises(InputError, match=r"line 3: a stands on an earlier line"):
        joined_metadata(table(tmp_path, "run x", "a 2", "a 3"), PARSED)
    with pytest.raises(InputError, match=r"a-step1: step is '7', its path says '1'"):
        joined_metadata(table(tmp_path, "system step", "a-step1 7"), PARSED)
