"""paper.md: every number is a cell of the run's tables (`digits`), and a changed cell is noticed."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import clirbench as cb
from clirbench.report.facts import data_name
from clirbench.result import Result
from tests.report.digits import differences


def test_the_paragraph_of_a_published_table(tmp_path: Path) -> None:
    run = cb.run("europarl_csen_published").save(tmp_path / "run")
    text = (run / "paper.md").read_text(encoding="utf-8")
    assert text.split("\n")[2].startswith("We compare BLEU, ")
    assert "Kendall's tau between systems of BLEU with MAP is .950 (95 % confidence [.8" in text
    assert "BLEU orders 98 % of system pairs as MAP does (at least 93 %; 16 systems" in text  # the answer's sentence
    assert f"clirbench {cb.__version__}, Python 3." in text
    assert differences(run) == []
    for pattern in (r"\.950 \(95", r"over 16 systems", r"\| \.950 ", r"98 % of system", r"for \d+ metrics by"):
        assert re.search(pattern, text), pattern
        other = re.sub(pattern, lambda found: re.sub(r"\d(?=\D|$)", "7", found[0], count=1), text, count=1)
        (run / "paper.md").write_text(other, encoding="utf-8")
        assert differences(run), pattern


def test_a_run_without_metrics_has_no_table(small_texts: Path, tmp_path: Path) -> None:
    keys = {"metric": [], "measures": ["MAP"], "topics__n": 8, "relevance__k": 2, "engine": "serial"}
    run = cb.run("folder", folder=small_texts, paths__cache=str(tmp_path / "cache"), **keys).save(tmp_path / "run")
    text = (run / "paper.md").read_text(encoding="utf-8")
    assert text.split("\n")[2].startswith("The data are ")
    assert "|" not in text.partition("## Counts")[0]
    assert differences(run) == []


@pytest.mark.parametrize(
    ("configuration", "shown"),
    [
        ({"folder": "talks"}, "talks"),
        ({"folder": "my/data/talks"}, "data/talks"),
        ({"folder": "/home/anna/wmt22/de-en"}, "wmt22/de-en"),
        ({"folder": "/talks"}, "talks"),
        ({"folder": "."}, "study/talks"),
        ({"folder": "../wmt22/de-en"}, "wmt22/de-en"),
        ({"folder": "../films"}, "study/films"),
        ({"corpus": {"part": "wmt22/de-en/A-B"}, "folder": None}, "wmt22/de-en/A-B"),
        ({"scores": {"tables": ["/home/anna/mine.tsv"]}}, "mine.tsv"),
        ({}, "scores"),
    ],
)
def test_a_reader_knows_the_data_by_the_last_names_of_their_path(configuration: dict[str, Any], shown: str) -> None:
    result = SimpleNamespace(experiment=SimpleNamespace(name="scores"))
    provenance = {"configuration": configuration, "directory": "/home/anna/study/talks"}
    assert data_name(cast(Result, result), provenance) == shown
