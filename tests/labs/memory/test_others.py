"""`analysis=[memory]`: other collections beside a run's own tau; its grades stay."""

import json
from pathlib import Path

import pytest

import clirbench as cb
from clirbench.files.tables import read_table
from clirbench.labs.memory.kept import memory


@pytest.mark.slow
def test_a_folder_beside_the_memory(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WMT22 de-en is in the memory itself, so it is left out there."""
    folder = shared_data / "wmt22" / "de-en"
    monkeypatch.chdir(tmp_path)
    settings = {"folder": str(folder), "metric": ["BLEU", "chrF2"], "paths__cache": str(tmp_path / "cache")}
    alone = cb.run("folder", **settings)
    beside = cb.run("folder", **settings, analysis=["correlation", "memory"])
    assert beside.answer == alone.answer
    assert beside.results["findings"] == alone.results["findings"]
    rows = list(read_table(beside.save("out") / "memory.tsv").records())
    assert [row["metric"] for row in rows] == ["BLEU", "chrF2"]
    english = {one.collection for one in memory().collections.values() if one.pair.endswith("-en")}
    assert int(rows[0]["collections"]) < len(english)
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Left out, because they share a reference with this run: wmt22/de-en/A-B and wmt22/de-en/B-A." in text
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["measure"] == "RBO(p=0.9)"


def test_a_run_of_another_measure_is_not_compared() -> None:
    found = cb.run("europarl_csen_published", analysis=["correlation", "memory"])
    assert found.tables["memory"].empty
