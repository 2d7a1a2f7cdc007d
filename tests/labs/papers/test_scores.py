"""Tables 1, 2 and 6 of Gowda et al. 2021 from texts; expected values are typed from the paper."""

from pathlib import Path

import pytest

from clirbench.errors import UnknownName
from tests.conftest import write_lines
from tests.labs.papers.composed import ours, tables, verdicts


def test_table_1(shared_data: Path) -> None:
    table, scored = tables("gowda2021_table1", f"paths.mirror={shared_data}")
    printed = {"He": "-.735", "She": "-1.100", "France": "-.022", "America": "-.060", "Russia": "-.161",
               "Canada": "-.309"}  # fmt: skip
    assert {word: ours(table, word, "score", "BLEURT") for word in printed} == printed
    assert verdicts(table) == {"as printed": 6, "no scores": 2}  # Joe and Sue are not in the published file
    # The claim: BLEU considers every wrong word equally wrong. 5 of 6 tokens right, 4/5, 3/4, 2/3 of the n-grams.
    at = scored.header.index("BLEU")
    doctors = [row[at] for row in scored.rows if row[0].endswith("doctor.") and not row[1].startswith("You")]
    assert doctors == pytest.approx([100 * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25] * 4)


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


SCORES = {  # BLEU, MacroF1, MicroF1, chrF1
    ("DE-EN", "SN"): "32.7 38.5 58.7 59.9",
    ("DE-EN", "UN"): "33.9 33.6 57.9 58.0",
    ("DE-EN", "difference"): "-1.2 4.9 0.8 1.9",
    ("EN-DE", "SN"): "24.0 24.0 47.7 53.3",
    ("EN-DE", "UN"): "24.0 23.5 48.1 52.0",
    ("EN-DE", "difference"): "0.0 0.5 -0.4 1.3",
}


def test_every_score_whose_texts_are_at_hand(shared_data: Path) -> None:
    (table,) = tables("gowda2021_table6", f"paths.mirror={shared_data}")
    for (row, measure), printed in SCORES.items():
        found = [ours(table, row, measure, m) for m in ("BLEU", "MacroF1", "MicroF1", "chrF1")]
        assert found == printed.split()
    assert verdicts(table) == {"as printed": 36, "no scores": 72}
    assert table.failures == ()


def test_another_pair_is_a_folder_away(shared_data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fr"
    (folder / "systems").mkdir(parents=True)
    for name in ("reference.txt", "systems/snmt.txt", "systems/unmt.txt"):
        write_lines(folder / name, ["a small test of one line"])
    (table,) = tables("gowda2021_table6", f"paths.mirror={shared_data}", f'++paper.folders={{FR-EN: "{folder}"}}')
    assert ours(table, "FR-EN", "SN", "BLEU") == "100.0"  # equal to its reference, and so not as printed
    assert any("FR-EN SN BLEU is printed 31.1, ours is 100.0" in str(failure) for failure in table.failures)


def test_a_pair_that_the_table_has_not_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"language pair of paper.folders 'FR-DE'. Did you mean"):
        tables("gowda2021_table6", "++paper.folders={FR-DE: somewhere}")
