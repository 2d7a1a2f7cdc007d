"""`clirbench pool`: runs and tables that belong together, and those that do not."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.files.tables import read_table
from clirbench.labs.collections.commands.pool import main
from clirbench.labs.collections.outcome import CAPTION
from tests.report.boards import results_json

TABLE = Path(__file__).parents[4] / "clirbench/data/gowda2021_clssts_scores.tsv"
SIGNATURES = {"BLEU": "nrefs:1|BLEU|case:mixed", "chrF2": "nrefs:1|chrF2", "MAP": "bm25:clirbench|rel:top10|MAP"}


def run(
    folder: Path,
    seed: int,
    names: str = "",
    texts: Mapping[str, Any] | None = None,
    judge: str = "pseudo-relevance",
    **signatures: str,
) -> Path:
    """A finished run's folder, as far as pooling reads it; `names`: of its systems; `texts`: in place of its own."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    y = rng.normal(size=10)
    rows = ["\t".join(["system", *SIGNATURES])]
    rows += [f"{names or seed}-{i}\t{v + rng.normal() / 2}\t{v + rng.normal()}\t{v}" for i, v in enumerate(y.tolist())]
    (folder / "systems.tsv").write_text("\n".join(rows) + "\n")
    provenance = {
        "inputs": {"collection": {"sha256": str(seed)}, "test_sha256": str(seed)} if texts is None else texts,
        "configuration": {"name": folder.name},
    }
    (folder / "provenance.json").write_text(json.dumps(provenance))
    (folder / "results.json").write_text(results_json({**SIGNATURES, **signatures}, {"MAP": ("bm25", judge)}))
    return folder


def test_runs_are_pooled_into_sentences_tables_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(run(tmp_path / f"r{i}", i)) for i in range(6)]
    assert main([*runs, "--out", str(tmp_path / "out")]) == 0
    header, row = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:3]]
    assert header[:5] == ["measure", "judge", "retriever", "collections", "metric"]
    assert row[:5] == ["MAP", "pseudo-relevance", "bm25", "6", "BLEU"]
    rows = [line.split("\t") for line in (tmp_path / "out/pooled.tsv").read_text().splitlines()]
    assert [(row[3], row[4]) for row in rows] == [
        ("metric", "other"), ("BLEU", ""), ("chrF2", ""), ("BLEU", "chrF2")
    ]  # fmt: skip
    page = (tmp_path / "out/pooled.html").read_text()
    assert page.count('<figure class="canvas"') == 3
    for text in (page, (tmp_path / "out/pooled.md").read_text()):
        assert CAPTION[9:60] in text
    assert len(list((tmp_path / "out/figures").glob("*.svg"))) == 3


def test_one_run_is_too_few_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(run(tmp_path / "r0", 0)), "--out", str(tmp_path / "out")]) == 1
    said = "error: there is nothing to pool: r0 is one collection; name the folders of two runs or more\n"
    assert capsys.readouterr().err == said


def inputs(at: int, searched: str, references: Sequence[str] = (), wrote: str = "") -> dict[str, Any]:
    """What a run records of its texts."""
    systems = {f"Online-{i}": {"test": f"{wrote or at}{i}"} for i in range(10)}
    sides = {"source": "the same", "references": [*references]}
    return {"collection": {"sha256": searched}, "test_sha256": str(at), "texts": sides, "systems": systems}


def pooled(folders: Sequence[Path], out: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main([*map(str, folders), "--out", str(out), *options]) == 0
    return capsys.readouterr().out


def counted(out: Path) -> set[str]:
    """How many collections each tau rests on, and of how many systems."""
    return {f"{row['collections']} of {row['systems']}" for row in read_table(out / "pooled.tsv").records()}


def test_language_pairs_are_collections_though_systems_share_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As WMT's folders: each pair has systems called Online-A, and all pairs from English have the same source."""
    runs = [run(tmp_path / f"r{i}", i, "Online", inputs(i, f"reference {i}")) for i in range(3)]
    assert "count as one" not in pooled(runs, tmp_path / "out", capsys)
    assert counted(tmp_path / "out") == {"3 of 30"}


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (inputs(1, "B", ["A"]), "a reference"),
        (inputs(1, "B", ["B"], wrote="0"), "outputs of systems"),
        ({}, "names of systems (no texts are recorded)"),
    ],
)
def test_what_counts_as_one_collection_is_said_first_with_what_undoes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], texts: dict[str, Any], why: str
) -> None:
    runs = [
        run(tmp_path / "r0", 0, "Online", inputs(0, "A")),
        run(tmp_path / "r1", 1, "Online", texts),
        run(tmp_path / "r2", 2),
    ]
    said = pooled(runs, tmp_path / "out", capsys)
    assert said.split("\n")[0] == (
        f"r0 and r1 count as one collection, because they share {why}. To count each by itself, add --apart r1."
    )
    pooled(runs, tmp_path / "apart", capsys, "--apart", "r1")
    assert (counted(tmp_path / "out"), counted(tmp_path / "apart")) == ({"2 of 20"}, {"3 of 30"})


def test_a_baseline_row_is_no_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run without the row says what must be printed."""
    runs = [run(tmp_path / f"r{i}", i) for i in range(3)]
    plain = pooled(runs, tmp_path / "out", capsys)
    with (runs[0] / "systems.tsv").open("a") as stream:
        stream.write("no translation\t\t\t0.1\n")
    provenance = json.loads((runs[0] / "provenance.json").read_text())
    provenance["inputs"]["baselines"] = {"no translation": {}}
    (runs[0] / "provenance.json").write_text(json.dumps(provenance))
    assert pooled(runs, tmp_path / "out", capsys) == plain


def test_folders_of_one_name_are_told_apart_by_the_folder_around_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for year in ("wmt21", "wmt22"):
        (tmp_path / year).mkdir()
    runs = [run(tmp_path / year / "de-en", i) for i, year in enumerate(("wmt21", "wmt22"))]
    pooled(runs, tmp_path / "out", capsys)
    assert "- Collections: wmt21/de-en, wmt22/de-en." in (tmp_path / "out/pooled.md").read_text()


def test_what_does_not_belong_together_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(tmp_path / "first", 1)
    again = shutil.copytree(first, tmp_path / "again")
    people = run(tmp_path / "people", 2, judge="people", MAP="bm25:clirbench|rel:qrels:ab|MAP")
    for more, said in (
        ([again], "first and again are the same collection, judged the same way"),
        ([people], "no two of these collections have a metric and a measure in common"),
        ([tmp_path], "not the folder of a finished run"),
        ([people, "--groups", "pair"], "first, people: nothing says their pair"),
        (["measures=[MAP]"], "pool: measures=[MAP]: keys of a run have no meaning here; --out DIR"),
        ([people, "--apart", "r9"], "unknown run of --apart"),
        ([TABLE], "--measures MAP,RBO"),
    ):
        assert main([str(first), *map(str, more)]) == 1
        assert said.lower() in capsys.readouterr().err.lower()


def judged_by(run: Path, judgments: str) -> Path:
    """The same run, its measure computed from these judgments."""
    results = json.loads((run / "results.json").read_text())
    measure = next(column for column in results["columns"] if column["role"] == "measure")
    measure["parts"] = ["bm25", "topics", judgments, "MAP"]
    (run / "results.json").write_text(json.dumps(results))
    return run


def test_runs_with_the_same_judgments_are_one_collection_in_whatever_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same topics and pages in several languages; judgments by a rule have one signature everywhere."""
    runs = [judged_by(run(tmp_path / f"r{i}", i, judge="people"), "rel:qrels:ab") for i in range(2)]
    assert main([*map(str, runs), "--out", str(tmp_path / "out")]) == 1
    one = "r0 and r1 count as one collection, because they share relevance judgments. To count each by itself, add"
    assert one in capsys.readouterr().err
    other = judged_by(run(tmp_path / "r2", 2, judge="people"), "rel:qrels:cd")
    assert one in pooled([*runs, other], tmp_path / "out", capsys)
    assert counted(tmp_path / "out") == {"2 of 20"}
    pooled([*runs, other], tmp_path / "out", capsys, "--apart", "r1")
    assert counted(tmp_path / "out") == {"3 of 30"}
    pooled([judged_by(run(tmp_path / f"t{i}", i), "rel:top10") for i in range(2)], tmp_path / "out", capsys)
    assert counted(tmp_path / "out") == {"2 of 20"}


def test_metrics_that_are_made_otherwise_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(tmp_path / "a", 1), run(tmp_path / "b", 2), run(tmp_path / "c", 3, BLEU="nrefs:1|BLEU|case:lc")]
    assert main([*map(str, runs), "--out", str(tmp_path / "out")]) == 0
    assert "note: BLEU is not made the same way everywhere: BLEU|case:mixed: a, b; BLEU|case:lc: c" in (
        capsys.readouterr().out
    )


def test_table_4_of_gowda_2021_is_three_language_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(TABLE), "--measures", "MAP", "--metrics", "BLEU,MacroF1", "--out", str(tmp_path)]) == 0
    assert "All rows: no prediction: fewer than 5 collections." in (tmp_path / "pooled.md").read_text()
    assert counted(tmp_path) == {"3 of 54"}
    rows = [line.split("\t") for line in (tmp_path / "pooled_collections.tsv").read_text().splitlines()]
    assert {row[5] for row in rows[1:]} == {
        f"{pair} In+{pair} In+Ext+{pair} Dev" for pair in ("LT-EN", "PS-EN", "BG-EN")
    }
