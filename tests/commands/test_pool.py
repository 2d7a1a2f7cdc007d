"""`clirbench pool`: runs and tables that belong together, and those that do not."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from clirbench.commands.pool import main
from tests.report.boards import results_json

SIGNATURES = {"BLEU": "nrefs:1|BLEU|case:mixed", "chrF2": "nrefs:1|chrF2", "MAP": "bm25:clirbench|rel:top10|MAP"}


def run(folder: Path, seed: int, judge: str = "pseudo-relevance", **signatures: str) -> Path:
    """A finished run's folder, as far as pooling reads it."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    y = rng.normal(size=10)
    rows = ["\t".join(["system", *SIGNATURES])]
    rows += [f"{seed}-{i}\t{v + rng.normal() / 2}\t{v + rng.normal()}\t{v}" for i, v in enumerate(y.tolist())]
    (folder / "systems.tsv").write_text("\n".join(rows) + "\n")
    taus = "measure\tmetric\tcoefficient\nMAP\tBLEU\tkendall\nMAP\tchrF2\tkendall\n"
    (folder / "correlations.tsv").write_text(taus)
    provenance = {
        "signatures": {**SIGNATURES, **signatures},
        "lower_is_better": [],
        "inputs": {"collection": {"sha256": str(seed)}, "test_sha256": str(seed)},
        "configuration": {"name": folder.name},
    }
    (folder / "provenance.json").write_text(json.dumps(provenance))
    (folder / "results.json").write_text(results_json({**SIGNATURES, **signatures}, {"MAP": ("bm25", judge)}))
    return folder


def test_runs_are_pooled_into_sentences_tables_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(run(tmp_path / f"r{i}", i)) for i in range(6)]
    assert main([*runs, "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("MAP (pseudo-relevance, bm25), over 6 collections (60 systems): the mean tau of BLEU is .")
    assert "On a new collection the tau of BLEU lies between " in said
    rows = [line.split("\t") for line in (tmp_path / "out/pooled.tsv").read_text().splitlines()]
    assert [(row[3], row[4]) for row in rows] == [
        ("metric", "other"), ("BLEU", ""), ("chrF2", ""), ("BLEU", "chrF2")
    ]  # fmt: skip
    page = (tmp_path / "out/pooled.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == 3
    assert said.split("\n")[0] in page
    assert said.split("\n")[0] in (tmp_path / "out/pooled.md").read_text()
    assert len(list((tmp_path / "out/figures").glob("*.svg"))) == 3


def test_what_does_not_belong_together_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(tmp_path / "first", 1)
    again = tmp_path / "again"
    shutil.copytree(first, again)
    assert main([str(first), str(again)]) == 1
    assert "first and again are the same collection, judged the same way" in capsys.readouterr().err
    people = run(tmp_path / "people", 2, "people", MAP="bm25:clirbench|rel:qrels:ab|MAP")
    assert main([str(first), str(people)]) == 1
    assert "no two of these collections have a metric and a measure in common" in capsys.readouterr().err
    assert main([str(first), str(tmp_path)]) == 1
    assert "not the folder of a finished run" in capsys.readouterr().err
    assert main([str(first), str(people), "--groups", "pair"]) == 1
    assert "first, people: nothing says their pair" in capsys.readouterr().err


def test_runs_that_do_not_say_who_judged_are_pooled_as_unknown_and_by_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Older folders have no results.json; their signatures, which name a rule, are not read."""
    old = [run(tmp_path / f"old{i}", i) for i in range(2)]
    for folder in old:
        (folder / "results.json").unlink()
    new = run(tmp_path / "new", 2)
    assert main([*map(str, [*old, new]), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("MAP (unknown judgments), over 2 collections (20 systems): the mean tau of BLEU is .")
    assert (
        "older runs, and relevance rules that do not declare it, do not say who judged"
        in (tmp_path / "out/pooled.md").read_text()
    )
    assert "pseudo" not in (tmp_path / "out/pooled.tsv").read_text()


def test_metrics_that_are_made_otherwise_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(tmp_path / "a", 1), run(tmp_path / "b", 2), run(tmp_path / "c", 3, BLEU="nrefs:1|BLEU|case:lc")]
    assert main([*map(str, runs), "--out", str(tmp_path / "out")]) == 0
    assert "note: BLEU is not made the same way everywhere: BLEU|case:mixed: a, b; BLEU|case:lc: c" in (
        capsys.readouterr().out
    )


def test_table_4_of_gowda_2021_is_three_language_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Path(__file__).parents[2] / "clirbench/data/papers/gowda2021_clssts.tsv"
    assert main([str(table), "--measures", "MAP", "--metrics", "BLEU,MacroF1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "over 3 collections (54 systems)" in said
    assert "Whether metrics differ cannot be said from fewer than 5 collections" in said
    rows = [line.split("\t") for line in (tmp_path / "pooled_collections.tsv").read_text().splitlines()]
    assert {row[5] for row in rows[1:]} == {
        f"{pair} In+{pair} In+Ext+{pair} Dev" for pair in ("LT-EN", "PS-EN", "BG-EN")
    }
    assert main([str(table)]) == 1
    assert "--measures MAP,RBO" in capsys.readouterr().err
