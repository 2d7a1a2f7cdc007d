"""ir_datasets written as files; its own small in-memory datasets stand in for the ones it would download."""

import json
from pathlib import Path

import pytest

from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import ConfigError
from clirbench.files.trec import read_qrels
from clirbench.labs.formats.commands.export import export, load, main


def test_without_yes_nothing_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hc4/zh/test", str(tmp_path / "new")]) == 0
    assert "ir_datasets may download it. Add --yes" in capsys.readouterr().out
    assert not (tmp_path / "new").exists()


def test_documents_topics_and_judgments_are_written(tmp_path: Path) -> None:
    ir_datasets = pytest.importorskip("ir_datasets", reason="the extra ir_datasets is not installed")
    (tmp_path / "docs.tsv").write_text("d1\tÜber\nd2\ttwo\n", encoding="utf-8")
    (tmp_path / "queries.tsv").write_text("q1\twhat\n")
    (tmp_path / "in.qrels").write_text("q1 0 d1 2\nq1 0 d2 -1\n")
    dataset = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "in.qrels"),
    )
    folder = tmp_path / "new" / "folder"
    assert export(dataset, folder) == {"documents": 2, "topics": 1, "judgments": 2}
    assert JsonlText(folder / "docs.jsonl").lines() == ("Über", "two")
    assert json.loads((folder / "topics.jsonl").read_text()) == {"topic_id": "q1", "title": "what"}
    assert read_qrels(folder / "qrels.txt").grades == {"q1": {"d1": 2, "d2": 0}}


def test_an_unknown_id_is_refused() -> None:
    pytest.importorskip("ir_datasets", reason="the extra ir_datasets is not installed")
    with pytest.raises(ConfigError, match="ir_datasets has no dataset 'none/such'"):
        load("none/such")
