from pathlib import Path

from clirbench.report.sweep import combine

HEADER = "measure\tmetric\tvalue\n"


def job(folder: Path, text: str | None) -> Path:
    folder.mkdir()
    if text is not None:
        (folder / "correlations.tsv").write_text(text)
    return folder


def test_the_swept_key_is_a_column_and_a_failed_job_is_named(tmp_path: Path) -> None:
    jobs = [
        (job(tmp_path / "0", HEADER + "MAP\tBLEU\t0.5\n"), ["+experiment=demo", "relevance.k=5"]),
        (job(tmp_path / "1", None), ["+experiment=demo", "relevance.k=10"]),
    ]
    lines = combine(tmp_path, jobs).read_text().split("\n")
    assert lines == [
        "job\trelevance.k\tmeasure\tmetric\tvalue",
        "0\t5\tMAP\tBLEU\t0.5",
        "1\t10\tthis job failed or wrote no table\t\t",
        "",
    ]
