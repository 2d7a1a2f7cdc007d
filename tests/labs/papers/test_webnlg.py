"""Table 2 of Gowda et al. 2021 from the texts of WebNLG 2017; expected values are typed from the paper."""

from pathlib import Path

from tests.conftest import write_lines
from tests.labs.papers.composed import ours, tables, verdicts


def test_table_2(shared_data: Path) -> None:
    table, scores = tables("gowda2021_table2", f"paths.mirror={shared_data}")
    printed = {"BLEU": ("x.444", "x.500"), "MacroF1": ("x.222", ".722"), "MicroF1": ("x.333", ".611")}
    for metric, (fluency, semantics) in printed.items():
        assert ours(table, "WebNLG", "fluency", metric) == fluency
        assert ours(table, "WebNLG", "grammar", metric) == fluency  # "correlated identically"
        assert ours(table, "WebNLG", "semantics", metric) == semantics
    assert verdicts(table) == {"as printed": 9, "explained": 3, "no scores": 6, "not printed": 3}
    assert len(scores.rows) == 9


def test_the_printed_chrf1_is_chrf2(shared_data: Path) -> None:
    table, _ = tables("gowda2021_table2", f"paths.mirror={shared_data}")
    assert [ours(table, "WebNLG", kind, "chrF2") for kind in ("fluency", "grammar", "semantics")] == [
        "x.278", "x.278", ".778",
    ]  # fmt: skip
    assert ours(table, "WebNLG", "semantics", "chrF1") == ".611"


def test_scores_of_a_model_are_taken_from_a_table(shared_data: Path, tmp_path: Path) -> None:
    systems = ["adapt", "baseline", "melbourne", "pkuwriter", "tilburg-nmt", "tilburg-pipe", "tilburg-smt",
               "upf-forge", "vietnam"]  # fmt: skip
    write_lines(tmp_path / "b.tsv", ["system\tBLEURTmean", *(f"{name}\t{i}" for i, name in enumerate(systems))])
    scores = f"++paper.scores={{WebNLG: {tmp_path / 'b.tsv'}}}"
    table, _ = tables("gowda2021_table2", f"paths.mirror={shared_data}", scores)
    assert ours(table, "WebNLG", "fluency", "BLEURTmean") != ""
