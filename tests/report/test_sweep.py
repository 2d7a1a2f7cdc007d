"""Conditions side by side: the table over all of them, and what the page and the text say."""

import json
from math import nan
from pathlib import Path

from clirbench.report.compared import SweptJob, combine
from clirbench.statistics.correlation import Correlation

HEADER = "measure\tmetric\tcoefficient\tvalue\tp_value\tn_systems\tsignificant\n"


def condition(settings: str, failed: str = "", **taus: float) -> SweptJob:
    rows = [Correlation("MAP", metric, "kendall", tau, nan, 9, "undefined") for metric, tau in taus.items()]
    return SweptJob(Path("none"), dict(part.split("=") for part in settings.split()), taus=rows, failed=failed)


SIX = [condition(f"k={1 + i // 2} b=.{4 + 4 * (i % 2)}", BLEU=0.9 - i / 5, TER=0.1 + i / 9) for i in range(6)]


def job(folder: Path, text: str | None, override: str, answer: str = "") -> SweptJob:
    folder.mkdir()
    if text is not None:
        (folder / "correlations.tsv").write_text(HEADER + text)
    if answer:
        found = [
            {"kind": "agreement", "metric": "BLEU", "grade": "weak"},
            {"kind": "recommendation", "systems": ["a", "b"]},
        ]
        (folder / "results.json").write_text(json.dumps({"answer": answer, "findings": found}))
        (folder / "report.html").touch()
    return SweptJob.read(folder, ["+experiment=demo", override])


def test_the_swept_key_is_a_column_and_a_failed_job_is_named(tmp_path: Path) -> None:
    row = "MAP\tBLEU\tkendall\t0.5\t0.01\t16\ttrue"
    jobs = [job(tmp_path / "0", f"{row}\n", "relevance.k=5"), job(tmp_path / "1", None, "relevance.k=10")]
    combine(tmp_path, jobs)
    assert (tmp_path / "sweep.tsv").read_text().splitlines() == [
        f"job\trelevance.k\t{HEADER[:-1]}",
        f"0\t5\t{row}",
        "1\t10\tthis job failed or wrote no table" + "\t" * 6,
    ]


def test_the_summary_has_mean_median_sd_and_wins(tmp_path: Path) -> None:
    rows = "MAP\tBLEU\tkendall\t{}\t0.01\t16\ttrue\nMAP\tTER\tkendall\t{}\t0.2\t16\tfalse\n"
    pairs = {5: (0.5, 0.3), 10: (0.75, 0.1)}
    jobs = [job(tmp_path / str(k), rows.format(*pair), f"relevance.k={k}") for k, pair in pairs.items()]
    combine(tmp_path, jobs)
    bleu, ter = (line.split("\t") for line in (tmp_path / "sweep_summary.tsv").read_text().split("\n")[1:3])
    assert bleu[:5] == ["MAP", "BLEU", "kendall", "0.625", "0.625"]  # by hand: the mean of .5 and .75
    assert (bleu[6], ter[6]) == ("2", "0")  # only a significant tau can win


def test_a_sweep_over_seeds_or_topics_has_conditions(tmp_path: Path) -> None:
    """Three jobs over one collection: other systems are drawn, or other topics asked, of the same reference side."""
    row = "MAP\tBLEU\tkendall\t0.{}\t0.01\t16\ttrue\n"
    combine(tmp_path, [job(tmp_path / str(i), row.format(i), f"seed={i}", f"Answer {i}.") for i in range(3)])
    page = (tmp_path / "sweep.md").read_text()
    assert [line for line in page.splitlines() if line.startswith("| [seed=")] == [
        *(f"| [seed={at}]({at}/report.html) | BLEU | weak | a, b | Answer {at}. |" for at in range(3)),
        "| [seed=0](0/report.html) | .000 |",
        "| [seed=1](1/report.html) | **.100** |",
        "| [seed=2](2/report.html) | **.200** |",
    ]
    assert "| measure | metric | coefficient | mean |" in page
    assert "Answer 2." in (tmp_path / "sweep.html").read_text()


def test_failed_conditions_have_their_reason_and_no_text_of_data_is_markup(tmp_path: Path) -> None:
    combine(tmp_path, [*SIX, condition("k=<b>| b=.4", failed="<script>x</script>")])
    text = (tmp_path / "sweep.md").read_text(encoding="utf-8")
    assert "| k=1 b=.4 | **.900 ?** | .100 ? |" in text
    assert r"| k=\<b\>\| b=.4 | – | – |" in text
    assert r"k=\<b>| b=.4 has no results: \<script>x\</script>" in text
    page = (tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert "<script>x" not in page
    assert "k=&lt;b&gt;|" in page
