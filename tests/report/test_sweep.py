import json
from pathlib import Path

import pytest

from clirbench.__main__ import prepared
from clirbench.configuration.composing import config_parts, sweep_of
from clirbench.labs.collections.hooks import after_sweep
from clirbench.report.sweep import combine
from tests.labs.collections.commands.test_pool import run

HEADER = "measure\tmetric\tcoefficient\tvalue\tp_value\tn_systems\tsignificant\n"


def job(folder: Path, text: str | None) -> Path:
    folder.mkdir()
    if text is not None:
        (folder / "correlations.tsv").write_text(text)
    return folder


def test_the_swept_key_is_a_column_and_a_failed_job_is_named(tmp_path: Path) -> None:
    jobs = [
        (
            job(tmp_path / "0", HEADER + "MAP\tBLEU\tkendall\t0.5\t0.01\t16\ttrue\n"),
            ["+experiment=demo", "relevance.k=5"],
        ),
        (job(tmp_path / "1", None), ["+experiment=demo", "relevance.k=10"]),
    ]
    lines = combine(tmp_path, jobs).read_text().split("\n")
    assert lines == [
        "job\trelevance.k\t" + HEADER.rstrip("\n"),
        "0\t5\tMAP\tBLEU\tkendall\t0.5\t0.01\t16\ttrue",
        "1\t10\tthis job failed or wrote no table" + "\t" * 6,
        "",
    ]


def test_the_summary_has_mean_median_sd_and_wins(tmp_path: Path) -> None:
    rows = "MAP\tBLEU\tkendall\t{}\t0.01\t16\ttrue\nMAP\tTER\tkendall\t{}\t0.2\t16\tfalse\n"
    jobs = [
        (job(tmp_path / "0", HEADER + rows.format(0.5, 0.3)), ["relevance.k=5"]),
        (job(tmp_path / "1", HEADER + rows.format(0.75, 0.1)), ["relevance.k=10"]),
    ]
    combine(tmp_path, jobs)
    bleu, ter = (line.split("\t") for line in (tmp_path / "sweep_summary.tsv").read_text().split("\n")[1:3])
    assert bleu[:5] == ["MAP", "BLEU", "kendall", "0.625", "0.625"]  # by hand: the mean of .5 and .75
    assert (bleu[6], ter[6]) == ("2", "0")  # only a significant tau can win
    combine(tmp_path, jobs, exclude_not_significant=True)
    line = (tmp_path / "sweep_summary.tsv").read_text().split("\n")[1]
    assert line.split("\t")[3] == ""  # TER is not significant in either: both experiments leave the mean


def test_a_sweep_over_collections_is_pooled_and_one_over_settings_is_not(tmp_path: Path) -> None:
    jobs = [run(tmp_path / str(i), i) for i in range(5)]
    tables = {"tables": ["embedded:gowda2021_clssts"], "measures": ["MAP"], "metrics": ["BLEU", "MacroF1"]}
    written = after_sweep(tmp_path, jobs, tables)
    assert [path.name for path in written] == [*["pooled.html", "pooled.tsv"] * 2, "findings.md"]
    page = written[-1].read_text()
    assert page.startswith("# Which MT metrics predict retrieval?")
    assert "+experiment=study" in page
    assert "# Published table" in page
    assert after_sweep(tmp_path, [jobs[0], jobs[0]], {}) == []


def test_a_sweep_over_seeds_or_topics_has_conditions_and_is_not_pooled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three jobs over one collection: other systems are drawn, or other topics asked, of the same English side."""
    texts = {"collection": {"sha256": "A"}, "test_sha256": "A"}
    jobs = [run(tmp_path / str(i), i, "s", {**texts, "topics": {"first": i}}) for i in range(3)]
    for at, one in enumerate(jobs):
        (one / "correlations.tsv").write_text(HEADER + f"MAP\tBLEU\tkendall\t0.{at}\t0.01\t16\ttrue\n")
        (one / "results.json").write_text(json.dumps({"answer": f"Answer {at}."}))
    assert after_sweep(tmp_path, jobs, {}) == []
    assert capsys.readouterr().out == ""
    combine(tmp_path, [(one, [f"seed={at}"]) for at, one in enumerate(jobs)])
    page = (tmp_path / "sweep.md").read_text()
    assert [line for line in page.splitlines() if line.startswith("| seed=")] == [
        *(f"| seed={at} | Answer {at}. |" for at in range(3)),
        "| seed=0 | .000 |",
        "| seed=1 | **.100** |",
        "| seed=2 | **.200** |",
    ]
    assert "Answer 2." in (tmp_path / "sweep.html").read_text()


def test_several_reasons_not_to_pool_are_said_and_raise_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hydra turns what its callback raises into a warning."""
    jobs = [run(tmp_path / str(i), i % 2) for i in range(4)]
    assert after_sweep(tmp_path, jobs, {}) == []
    assert "not pooled: " in capsys.readouterr().out


def test_the_study_names_experiments_and_retrievers_that_exist() -> None:
    study = sweep_of("study")
    assert study is not None
    assert len(study.sweep.experiments) == len(set(study.sweep.experiments)) == 9
    for group, names in (("experiment", study.sweep.experiments), ("retrieval", study.sweep.retrieval)):
        assert {*names} <= {path.stem for folder in config_parts(group) for path in folder.glob("*.yaml")}


def test_the_study_says_what_is_missing_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [argument for argument in prepared(["+experiment=study"]) if "retrieval" in argument]
    assert asked == ["+retrieval@also_retrieval.dense=dense", "+retrieval@also_retrieval.fusion=fusion"]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("clirbench.__main__.find_spec", lambda name: None)
    assert [argument for argument in prepared(["+experiment=study"]) if "retrieval" in argument] == []
    said = capsys.readouterr().err
    assert said == "study: without dense and fusion, which take: pip install 'clirbench[dense]'\n"
