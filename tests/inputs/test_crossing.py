"""`references=cross`: what is said of both ways is what a run of each way says. Real texts, WMT22 German-English."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.experiment import run
from clirbench.inputs import both_ways
from clirbench.statistics.grades import GRADES

SYSTEMS = [
    "JDExploreAcademy", "Lan-Bridge", "LT22", "Online-A", "Online-B", "Online-G", "Online-W", "Online-Y", "PROMT",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 300 lines of eight systems and both references."""
    real, made = shared_data / "wmt22" / "de-en", tmp_path_factory.mktemp("crossed")
    (made / "systems").mkdir()
    for name in ("reference-A.txt", "reference-B.txt", *(f"systems/{system}.txt" for system in SYSTEMS)):
        with gzip.open(real / f"{name}.gz", "rt", encoding="utf-8") as file:
            (made / name).write_text("".join(line for line, _ in zip(file, range(300), strict=False)), encoding="utf-8")
    return made


def test_each_way_is_a_run_of_its_own(folder: Path) -> None:
    settings: dict[str, Any] = {
        "folder": str(folder),
        "measures": ["RBO(p=0.9)", "MAP"],
        "metric": ["BLEU", "chrF2"],
        "seed": 3,
    }
    both = cb.run("folder", references="cross", **settings)
    one, other = (cb.run("folder", references=["cross", *way], **settings) for way in ("AB", "BA"))
    assert both.systems.equals(one.systems)
    pairs = both.tables["exchanged"]
    for found, tau in ((one, "tau"), (other, "exchanged_tau")):
        rows = found.correlations.query("coefficient == 'kendall'")
        assert rows.value.tolist() == pairs[tau].tolist()
        assert list(zip(rows.measure, rows.metric, strict=True)) == list(zip(pairs.measure, pairs.metric, strict=True))
    rows = other.correlations.query("coefficient == 'kendall'")
    for column in ("ci_low", "ci_high", "p_adjusted"):
        assert rows[column].tolist() == pairs[f"exchanged_{column}"].tolist()
    assert pairs.tau.tolist() != pairs.exchanged_tau.tolist()
    assert "exchanged" not in one.tables


def test_the_grade_is_the_weaker_of_both_ways(folder: Path) -> None:
    options = ["+experiment=folder", f"folder={folder}", "references=[cross,A,B]", "measures=[MAP]", "metric=[BLEU]"]
    result = run(build(compose_configuration(options)))
    (row, *rest) = (row for row in result.correlations if row.coefficient == "kendall")
    for here in GRADES:
        for there in GRADES:
            rows = [replace(row, grade=grade, lowered="") for grade in (here, there)]
            ways = [replace(result, correlations=(graded, *rest)) for graded in rows]
            found = both_ways(*ways)
            weaker = GRADES.index(there) > GRADES.index(here) and here in ("strong", "moderate", "weak")
            assert found.correlations[0].grade == (there if weaker else here)
            assert found.correlations[0].lowered == ("exchanged" if weaker else "")
            assert found.correlations[1:] == tuple(rest)
