"""Tables and pages of several collections."""

import json
from math import nan
from pathlib import Path
from runpy import run_path

import numpy as np

from clirbench.files.tables import read_table
from clirbench.labs.collections.memory import row_of
from clirbench.labs.collections.outcome import OVERVIEW, overview
from clirbench.labs.collections.pooling import Pooled, Pooling, Stratum, pool
from clirbench.report import markdown
from tests.report.boards import results_json

SIGNATURES = {"BLEU": "nrefs:1|BLEU", "LengthRatio": "nrefs:1|LengthRatio", "MAP": "bm25:clirbench|rel:top10|MAP"}


def runs(folder: Path, number: int = 6, noise: float = 0.2) -> Pooling:
    """Collections of 12 systems: BLEU follows the measure, the length says nothing."""
    made = []
    for seed in range(number):
        place = folder / f"r{seed}"
        place.mkdir()
        rng = np.random.default_rng(seed)
        y = rng.normal(size=12)
        rows = [f"{seed}-{i}\t{v + noise * rng.normal()}\t{rng.normal()}\t{v}" for i, v in enumerate(y.tolist())]
        (place / "systems.tsv").write_text("\n".join(["system\tBLEU\tLengthRatio\tMAP", *rows]) + "\n")
        (place / "provenance.json").write_text(json.dumps({"inputs": {"test_sha256": ""}}))
        (place / "results.json").write_text(results_json(SIGNATURES, {"MAP": ("bm25", "pseudo-relevance")}))
        made.append(place)
    return pool(made)


def test_a_metric_that_judges_no_translation_is_never_the_best(tmp_path: Path) -> None:
    table = overview(runs(tmp_path, noise=50.0).strata)
    assert table.header == OVERVIEW
    (row,) = table.rows
    assert row[:5] == ("MAP", "pseudo-relevance", "bm25", 6, "BLEU")


def test_the_findings_of_the_documentation_are_those_of_its_data_files() -> None:
    docs = Path(__file__).parents[3] / "docs"
    page = (docs / "findings-study.md").read_text(encoding="utf-8")
    for folder in ("", "gowda2021_clssts_scores"):
        strata: dict[Stratum, list[Pooled]] = {}
        for row in read_table(docs / "data" / "findings" / folder / "pooled.tsv").records():
            made = row_of(Pooled, row, texts=0, makers=nan)
            strata.setdefault(made.stratum, []).append(made)
        table = overview(strata)
        assert markdown.table(table, table.rows) in page


def test_the_figures_of_the_documentation_are_those_of_its_data_files() -> None:
    docs = Path(__file__).parents[3] / "docs"
    drawn = run_path(str(docs / "generator" / "findings.py"))["figures"](docs / "data")
    kept = {name: (docs / "pictures" / f"findings-{name}.svg").read_text(encoding="utf-8") for name in drawn}
    assert drawn == kept, "python docs/generator/findings.py draws the figures again"
