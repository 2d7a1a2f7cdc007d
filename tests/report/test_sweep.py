import json
from pathlib import Path

from clirbench.report.sweep import SweptJob, combine

HEADER = "measure\tmetric\tcoefficient\tvalue\tp_value\tn_systems\tsignificant\n"


def job(folder: Path, text: str | None, override: str, answer: str = "") -> SweptJob:
    folder.mkdir()
    if text is not None:
        (folder / "correlations.tsv").write_text(text)
    if answer:
        (folder / "results.json").write_text(json.dumps({"answer": answer}))
    return SweptJob.read(folder, ["+experiment=demo", override])


def test_the_swept_key_is_a_column_and_a_failed_job_is_named(tmp_path: Path) -> None:
    jobs = [
        job(tmp_path / "0", HEADER + "MAP\tBLEU\tkendall\t0.5\t0.01\t16\ttrue\n", "relevance.k=5"),
        job(tmp_path / "1", None, "relevance.k=10"),
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
        job(tmp_path / "0", HEADER + rows.format(0.5, 0.3), "relevance.k=5"),
        job(tmp_path / "1", HEADER + rows.format(0.75, 0.1), "relevance.k=10"),
    ]
    combine(tmp_path, jobs)
    bleu, ter = (line.split("\t") for line in (tmp_path / "sweep_summary.tsv").read_text().split("\n")[1:3])
    assert bleu[:5] == ["MAP", "BLEU", "kendall", "0.625", "0.625"]  # by hand: the mean of .5 and .75
    assert (bleu[6], ter[6]) == ("2", "0")  # only a significant tau can win
    combine(tmp_path, jobs, exclude_not_significant=True)
    line = (tmp_path / "sweep_summary.tsv").read_text().split("\n")[1]
    assert line.split("\t")[3] == ""  # TER is not significant in either: both experiments leave the mean


def test_a_sweep_over_seeds_or_topics_has_conditions(tmp_path: Path) -> None:
    """Three jobs over one collection: other systems are drawn, or other topics asked, of the same reference side."""
    row = "MAP\tBLEU\tkendall\t0.{}\t0.01\t16\ttrue\n"
    jobs = [job(tmp_path / str(i), HEADER + row.format(i), f"seed={i}", f"Answer {i}.") for i in range(3)]
    combine(tmp_path, jobs)
    page = (tmp_path / "sweep.md").read_text()
    assert [line for line in page.splitlines() if line.startswith("| seed=")] == [
        *(f"| seed={at} | Answer {at}. |" for at in range(3)),
        "| seed=0 | .000 |",
        "| seed=1 | **.100** |",
        "| seed=2 | **.200** |",
    ]
    assert "Answer 2." in (tmp_path / "sweep.html").read_text()
