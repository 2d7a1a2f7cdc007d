"""What is said of several collections: ceiling, what is trivial, what choosing cost, what stays open."""

import csv
import json
from dataclasses import fields
from pathlib import Path

import numpy as np

from clirbench.labs.collections.findings import sentences, unanswered
from clirbench.labs.collections.pooling import Pooling, pool
from clirbench.labs.collections.statistics.pooling import Pooled
from clirbench.labs.collections.view import overview, overview_table, summary, write
from clirbench.report import markdown
from tests.report.boards import results_json

SIGNATURES = {"BLEU": "nrefs:1|BLEU", "LengthRatio": "nrefs:1|LengthRatio", "MAP": "bm25:clirbench|rel:top10|MAP"}


def runs(
    folder: Path, number: int = 6, noise: float = 0.2, judge: str = "pseudo-relevance", ceiling: str = "0.9"
) -> Pooling:
    """Collections of 12 systems: BLEU follows the measure, the length says nothing."""
    made = []
    for seed in range(number):
        place = folder / f"r{seed}"
        place.mkdir()
        rng = np.random.default_rng(seed)
        y = rng.normal(size=12)
        rows = [f"{seed}-{i}\t{v + noise * rng.normal()}\t{rng.normal()}\t{v}" for i, v in enumerate(y.tolist())]
        (place / "systems.tsv").write_text("\n".join(["system\tBLEU\tLengthRatio\tMAP", *rows]) + "\n")
        said = ceiling if seed else ""
        (place / "correlations.tsv").write_text(
            f"measure\tmetric\tcoefficient\tceiling\nMAP\tBLEU\tkendall\t{said}\nMAP\tLengthRatio\tkendall\t{said}\n"
        )
        provenance = {"signatures": SIGNATURES, "lower_is_better": [], "inputs": {"test_sha256": ""}}
        (place / "provenance.json").write_text(json.dumps(provenance))
        (place / "results.json").write_text(results_json(SIGNATURES, {"MAP": ("bm25", judge)}))
        made.append(place)
    return pool(made)


def test_ceiling_trivial_and_cost_are_said(tmp_path: Path) -> None:
    found = runs(tmp_path)
    said = sentences(found, found.strata[0])
    ceiling = "Noise of the topics alone: a perfect metric is estimated to reach a tau of about .90 on average"
    assert f"{ceiling}; not known for r0." in said
    (trivial,) = [text for text in said if text.startswith("Without judging a translation, LengthRatio reaches ")]
    assert "; BLEU says more (+." in trivial
    (cost,) = [text for text in said if text.startswith("Shipping the system that a metric puts first lost")]
    assert "over 6 collections, " in cost
    assert " by LengthRatio" not in cost
    assert [row.metric for row in found.chosen] == ["BLEU", "LengthRatio"]
    assert found.chosen[0].lost < found.chosen[0].at_random < found.chosen[1].most


def test_a_metric_that_says_nothing_is_not_put_above_a_trivial_one(tmp_path: Path) -> None:
    found = runs(tmp_path, noise=50.0)
    assert any("BLEU is not shown to say more" in text for text in sentences(found, found.strata[0]))


def test_what_is_open_is_named(tmp_path: Path) -> None:
    found = runs(tmp_path, number=3, ceiling="")
    open_questions = list(unanswered(found))
    assert open_questions[0].startswith("Whether a metric predicts retrieval as people judge it")
    assert "by MAP (pseudo-relevance, bm25): fewer than 5 independent collections." in open_questions[1]
    assert any(text.startswith("What tau a perfect metric") for text in sentences(found, found.strata[0]))
    (tmp_path / "people").mkdir()
    judged = runs(tmp_path / "people", judge="people")
    assert not any("as people judge it" in text for text in unanswered(judged))


def test_a_table_of_each_stratum_in_latex(tmp_path: Path) -> None:
    write(tmp_path / "out", runs(tmp_path))
    (table,) = (tmp_path / "out" / "latex").iterdir()
    assert table.name == "pooled-MAP-pseudo-relevance-bm25.tex"
    lines = table.read_text().splitlines()
    assert lines[0] == r"\begin{table}"
    assert any(line.startswith("BLEU - LengthRatio & ") for line in lines)


def rows_of(path: Path) -> list[Pooled]:
    """The rows of a pooled.tsv."""
    kinds = {field.name: field.type for field in fields(Pooled)}
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [
            Pooled(**{name: kinds[name](cell or ("nan" if kinds[name] is float else "")) for name, cell in row.items()})
            for row in rows
        ]


def test_the_summary_is_that_of_pooled_tsv(tmp_path: Path) -> None:
    found = runs(tmp_path)
    write(tmp_path / "out", found)
    assert overview(rows_of(tmp_path / "out" / "pooled.tsv")) == overview(found.rows)
    (row,) = overview(found.rows)
    assert row[:3] == ["MAP (pseudo-relevance, bm25)", "6", "BLEU"]
    assert "| BLEU | " in markdown.page(summary(found))
    assert "## Signatures" not in markdown.page(summary(found))


def test_the_findings_of_the_documentation_are_those_of_its_data_files() -> None:
    docs = Path(__file__).parents[3] / "docs"
    page = (docs / "findings-study.md").read_text(encoding="utf-8")
    for folder in ("", "gowda2021_clssts_scores"):
        every = rows_of(docs / "data" / "findings" / folder / "pooled.tsv")
        rows = [row for row in every if row.retriever in ("bm25", "imported")]
        assert markdown.table(overview_table(rows), overview(rows)) in page
