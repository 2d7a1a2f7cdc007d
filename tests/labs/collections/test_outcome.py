"""What `cb.pool` gives, and the documentation's tables and figures of several collections."""

from dataclasses import replace
from math import nan
from pathlib import Path
from runpy import run_path

import pandas as pd
import pytest

import clirbench as cb
from clirbench.__main__ import main
from clirbench.files.tables import read_table
from clirbench.labs.collections.memory import row_of
from clirbench.labs.collections.outcome import OVERVIEW, overview
from clirbench.labs.collections.pooling import Pooled, Stratum
from clirbench.report import markdown
from tests.labs.collections.test_study import ROW

DOCS = Path(__file__).parents[3] / "docs"


def test_pooled_outcomes_are_what_the_command_line_pools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [cb.run(name) for name in ("europarl_csen_published", "europarl_deen_published")]
    pooled = cb.pool(runs)
    folders = [run.save(tmp_path / str(run.results["name"])) for run in runs]
    monkeypatch.setattr("sys.argv", ["clirbench", "pool", *map(str, folders), "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="0"):
        main()
    saved = pooled.save(tmp_path / "saved")
    for name in ("pooled.tsv", "pooled_collections.tsv"):
        assert (saved / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    assert list(pd.read_csv(saved / "pooled.tsv", sep="\t").columns) == list(pooled.table.columns)
    assert set(pooled.overview.collections) == {2}
    assert "<table" in pooled._repr_html_()


def test_a_metric_that_judges_no_translation_is_never_the_best() -> None:
    rows = [replace(ROW, metric=name, other="", value=tau) for name, tau in (("LengthRatio", 0.9), ("BLEU", 0.1))]
    table = overview({ROW.stratum: rows})
    assert table.header == OVERVIEW
    assert [row[:5] for row in table.rows] == [("RBO", "pseudo-relevance", "bm25", 50, "BLEU")]


def test_the_findings_of_the_documentation_are_those_of_its_data_files() -> None:
    page = (DOCS / "findings-study.md").read_text(encoding="utf-8")
    for folder in ("", "gowda2021_clssts_scores"):
        strata: dict[Stratum, list[Pooled]] = {}
        for row in read_table(DOCS / "data" / "findings" / folder / "pooled.tsv").records():
            made = row_of(Pooled, row, texts=0, makers=nan)
            strata.setdefault(made.stratum, []).append(made)
        table = overview(strata)
        assert markdown.table(table, table.rows) in page


def test_the_figures_of_the_documentation_are_those_of_its_data_files() -> None:
    drawn = run_path(str(DOCS / "generator" / "findings.py"))["figures"](DOCS / "data")
    kept = {name: (DOCS / "pictures" / f"findings-{name}.svg").read_text(encoding="utf-8") for name in drawn}
    assert drawn == kept, "python docs/generator/findings.py draws the figures again"
