"""Two runs of four systems, changed by hand: what differs, and what should not."""

import json
from pathlib import Path
from typing import Any

import pytest

from clirbench.commands.compare import main
from clirbench.errors import InputError
from clirbench.report.compared import compare, equal, read_run
from clirbench.report.html.page import MOST_ROWS
from tests.report.boards import results_json

SIGNATURES = {"BLEU": "nrefs:1|BLEU|v:1", "MAP": "bm25|k1:0.9|topics:t|rel:top10|MAP", "BLEURT": ""}
SYSTEMS = {name: {"test": f"t{name}", "collection": f"c{name}"} for name in ("s1", "s2")}
INPUTS = {"collection": {"documents": 3, "sha256": "c0"}, "test_sha256": "t0", "systems": SYSTEMS}


def folder(path: Path, **changes: object) -> Path:
    """A run's folder; `changes` replace parts of its provenance."""
    path.mkdir()
    provenance = {
        "clirbench": "1", "made": "today", "seed": 0, "signatures": SIGNATURES, "inputs": INPUTS,
        "configuration": {"retrieval": {"k1": 0.9}}, **changes,
    }  # fmt: skip
    (path / "provenance.json").write_text(json.dumps(provenance), encoding="utf-8")
    (path / "results.json").write_text(results_json(SIGNATURES, {"MAP": ("bm25", "people")}, ["BLEURT"]))
    (path / "systems.tsv").write_text(
        "system\tkind\tBLEU\tBLEURT\tMAP\ns1\ta\t10.5\t0.1\t0.25\ns2\tb\t20.5\t\t0.5\n", encoding="utf-8"
    )
    (path / "correlations.tsv").write_text(
        "measure\tmetric\tcoefficient\tvalue\tp_value\tn_systems\tsignificant\tnote\n"
        "MAP\tBLEU\tkendall\t1.0\t0.04\t2\ttrue\t\nMAP\tBLEURT\tkendall\t\t\t2\tundefined\thole\n",
        encoding="utf-8",
    )
    (path / "per_topic.tsv").write_text(
        "system\ttopic_id\tmeasure\tvalue\ns1\tq\tMAP\t0.25\ns2\tq\tMAP\t0.5\n", encoding="utf-8"
    )
    return path


def replaced(path: Path, file: str, old: str, new: str) -> Path:
    text = (path / file).read_text(encoding="utf-8")
    assert old in text
    (path / file).write_text(text.replace(old, new), encoding="utf-8")
    return path


def part(a: Path, b: Path, name: str) -> list[tuple[str, str, str, bool]]:
    found = compare(read_run(a), read_run(b))
    return [(c.what, c.first, c.second, c.unequal) for c in found.changes if c.part == name]


def test_a_run_agrees_with_itself(tmp_path: Path) -> None:
    a = folder(tmp_path / "a")
    found = compare(read_run(a), read_run(a))
    assert found.changes == ()
    # 3 columns of 2 systems, 2 coefficients, 2 topic values
    assert found.verdict == "All 10 numbers that both runs have are equal."


OTHER_SIGNATURE = {"signatures": {**SIGNATURES, "MAP": "bm25|k1:1.2|topics:t|rel:top10|MAP"}}
OTHER_TEXT = {"inputs": {**INPUTS, "systems": {**SYSTEMS, "s1": {"test": "new", "collection": "new"}}}}
TAU = "MAP BLEU kendall"


@pytest.mark.parametrize(
    ("changes", "file", "old", "new", "named", "expected"),
    [
        ({}, "systems.tsv", "10.5", "10.50001", "scores", ("s1 BLEU", "10.5", "10.50001", True)),
        (OTHER_SIGNATURE, "systems.tsv", "\t0.25", "\t0.26", "scores", ("s1 MAP", "0.25", "0.26", False)),
        (OTHER_SIGNATURE, "systems.tsv", "\t0.25", "\t0.26", "signatures", ("MAP", "k1:0.9", "k1:1.2", False)),
        (OTHER_TEXT, "systems.tsv", "10.5", "11.5", "scores", ("s1 BLEU", "10.5", "11.5", False)),
        # imported numbers have no recorded origin, and are never called wrong
        ({}, "systems.tsv", "\t0.1\t", "\t0.2\t", "scores", ("s1 BLEURT", "0.1", "0.2", False)),
        ({}, "correlations.tsv", "1.0\t0.04", "0.5\t0.04", "tau", (TAU, "1", "0.5", True)),
        (
            {},
            "correlations.tsv",
            "0.04\t2\ttrue",
            "0.06\t2\tfalse",
            "tau",
            (f"{TAU} significant", "true", "false", True),
        ),
        ({}, "per_topic.tsv", "MAP\t0.5", "MAP\t0.75", "topics", ("MAP s2 q", "0.5", "0.75", True)),
    ],
)
def test_a_number_that_moved_stands_out_where_it_should_be_equal(
    tmp_path: Path, changes: dict[str, Any], file: str, old: str, new: str, named: str, expected: tuple[object, ...]
) -> None:
    a, b = folder(tmp_path / "a"), replaced(folder(tmp_path / "b", **changes), file, old, new)
    assert part(a, b, named) == [expected]
    assert main([str(a), str(b)]) == (0 if changes or not expected[-1] else 1)


def test_significance_may_differ_where_other_metrics_are_tested_together(tmp_path: Path) -> None:
    c = replaced(folder(tmp_path / "c"), "correlations.tsv", "0.04\t2\ttrue", "0.06\t2\tfalse")
    replaced(c, "correlations.tsv", "MAP\tBLEURT\tkendall", "MAP\tCOMET\tkendall")
    assert (f"{TAU} significant", "true", "false", False) in part(folder(tmp_path / "a"), c, "tau")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.0 + 1e-6, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
    ],
)
def test_equality_forgives_the_order_of_a_sum_and_nothing_else(a: float, b: float, same: bool) -> None:
    assert equal(a, b) is same


def test_the_page_is_written_and_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = folder(tmp_path / "a")
    b = folder(tmp_path / "b", configuration={"<script>alert(1)</script>": 1})
    assert main([str(a), str(b), "--html", str(tmp_path / "c.html")]) == 0
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert capsys.readouterr().out.endswith("c.html\n")


def test_rows_that_the_page_has_no_place_for_are_beside_it(tmp_path: Path) -> None:
    a = folder(tmp_path / "a")
    compare(read_run(a), read_run(a)).write_html(tmp_path / "short.html")
    b = folder(tmp_path / "b", configuration={f"key{i}": 1 for i in range(MOST_ROWS)})
    compare(read_run(a), read_run(b)).write_html(tmp_path / "c.html")
    assert [path.name for path in tmp_path.glob("*.tsv")] == ["c-differences.tsv"]
    assert 'href="c-differences.tsv"' in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_a_folder_that_is_no_run_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="not the folder of a finished run"):
        read_run(tmp_path)
    assert main([str(tmp_path), str(tmp_path)]) == 2
    assert "provenance.json" in capsys.readouterr().err


def answered(path: Path, grades: dict[str, str], chosen: str) -> Path:
    findings: list[dict[str, object]] = [{"kind": "agreement", "metric": m, "grade": g} for m, g in grades.items()]
    findings.append({"kind": "recommendation", "systems": [chosen]})
    (path / "results.json").write_text(json.dumps({"measure": "MAP", "findings": findings}), encoding="utf-8")
    return path


def test_the_answer_comes_first(tmp_path: Path) -> None:
    a = answered(folder(tmp_path / "a"), {"BLEU": "strong"}, "s2")
    changed = folder(tmp_path / "b", configuration={"retrieval": {"k1": 1.2}}, **OTHER_SIGNATURE)
    b = answered(replaced(changed, "systems.tsv", "\t0.5", "\t0.125"), {"BLEU": "weak", "TER": ""}, "s1")
    assert [row[:4] for row in compare(read_run(a), read_run(b)).rows.rows] == [
        ("answer", "grade BLEU", "strong", "weak"),
        ("answer", "recommended", "s2", "s1"),
        ("answer", "grade TER", "(absent)", "not tested"),
        ("configuration", "retrieval.k1", "0.9", "1.2"),
        ("signatures", "MAP", "k1:0.9", "k1:1.2"),
        ("scores", "s2 MAP", "0.5", "0.125"),
    ]
